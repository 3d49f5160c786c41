//! Why a test moved: pure functions over a run's results. They explain verdicts and never make them.
//!
//! An expert explains a difference from costs, counters, settings and query plans, and so does this crate. `times.rs`
//! divides the time of an operation, `counters.rs`, `threads.rs`, `waits.rs` and `waited.rs` read what was counted and waited for,
//! `settings.rs` and `plans.rs` compare the two subjects' configuration and plans, of which `plan_rows.rs` finds the one with the
//! most rows. `causes.rs` ranks the explanations,
//! most likely first, with sizes and intervals. `prove.rs` reads new blocks in which single settings were put back, and
//! `profiles.rs` sampled stacks.
//!
//! Intervals here are plain 95 % ones. A cause accounts for the change in size. Only `prove` shows that it brings the
//! change about.

mod causes;
mod counters;
mod evidence;
mod plan_rows;
mod plans;
mod profiles;
mod prove;
mod settings;
mod threads;
mod times;
mod upgrade;
mod waited;
mod waits;

#[cfg(test)]
mod fixture;

use humdrum_analyse::Judged;
use humdrum_model::{
    Carried, Event, Examination, Explanation, Mode, PLAN_CHANGED, Plan, Profile, ProfileKind, Results,
    Summary, TestResult, TestStatus, Verdict,
};

pub use plans::plans_differ;
pub use prove::{PROOF_LABELS, Proof, carried, carried_by};
pub use settings::{flags_of, setting_and_flag, settings, taken_over, worth_trying};
pub use upgrade::upgrade;

/// Whether a test came out faster or slower.
pub fn moved(result: &TestResult) -> bool {
    matches!(result.verdict, Some(Verdict::Regression | Verdict::Improvement))
}

/// What was measured for one test of one comparison after the run.
#[derive(Clone, Debug, Default)]
pub struct Experiments {
    /// What `prove` found for single settings.
    pub carried: Vec<Carried>,
    /// Stacks of the base (subject 0) and the subject (1).
    pub profiles: Vec<Profile>,
}

/// Explains one test of one comparison. `number` is the comparison's index in the summary.
pub fn explain(
    results: &Results,
    summary: &Summary,
    number: usize,
    result: &TestResult,
    experiments: Experiments,
) -> Explanation {
    let mut explanation = explain_step(results, summary, number, result, experiments);
    explanation.verdict = result.verdict;
    if !moved(result) {
        let what = "this test did not move: what follows explains noise, or a difference too small to matter";
        explanation.remarks.insert(0, what.into());
    }
    explanation
}

/// The same of the two beside the step of a bisect. It has no verdict: that they differ is known from all rounds of the search.
pub fn explain_step(
    results: &Results,
    summary: &Summary,
    number: usize,
    result: &TestResult,
    experiments: Experiments,
) -> Explanation {
    let subject = number + 1;
    let judged = Judged::of(results, &result.test, subject);
    let info = results.plan.tests.iter().find(|info| info.name == result.test);
    let rounds = Rounds::of(results, &result.test, subject);
    let statements = info.map_or(1.0, |info| f64::from(info.statements.max(1)));
    let clients = info.map_or(results.plan.scale.clients, |info| results.plan.clients_of(info));
    let work = times::Work { statements, clients: f64::from(clients.max(1)) };
    let times = judged.and_then(|judged| times::times(results, &judged, &work, &rounds));
    let (time_us, parts) = times.map_or((None, Vec::new()), |times| (Some(times.total), times.parts));
    let nobody_waited = profiles::nobody_waited(&experiments.profiles);
    let [counters, unchanged] = counters::counters(&rounds, statements);
    let mut explanation = Explanation {
        test: result.test.clone(),
        base: summary.base.clone(),
        subject: summary.comparisons.get(number).map(|one| one.subject.clone()).unwrap_or_default(),
        verdict: None,
        rqps: result.rqps,
        ci95: result.ci95,
        time_us,
        parts,
        causes: Vec::new(),
        counters,
        unchanged,
        waits: waits::waits(&rounds),
        waited: waited::waited(&rounds, statements),
        after_load: after_load(&results.plan, subject),
        settings: settings(results, subject),
        plans: plans::plans(results, &result.test, subject),
        carried: experiments.carried,
        code: profiles::code(&experiments.profiles, statements),
        stacks: profiles::stacks(&experiments.profiles, ProfileKind::Running, statements),
        waiting: profiles::waiting(&experiments.profiles, statements),
        waiting_stacks: profiles::stacks(&experiments.profiles, ProfileKind::Waiting, statements),
        remarks: Vec::new(),
    };
    explanation.causes = causes::causes(&explanation, result, same_build(results, subject));
    explanation.remarks = remarks(&explanation, results, result, &rounds);
    if nobody_waited {
        let what = "no session was seen to wait, for its client or for anything else: a client that shares a processor with its \
                    session alone has sent its next call before the server looks for it";
        explanation.remarks.push(what.into());
    }
    explanation
}

/// Adds a note to every test whose query plans differ between base and subject, whether the test moved or not.
pub fn note_plans(results: &Results, summary: &mut Summary) {
    for (number, comparison) in summary.comparisons.iter_mut().enumerate() {
        for test in &mut comparison.tests {
            let changed = plans::plans(results, &test.test, number + 1);
            let statements: Vec<String> = changed.iter().map(|plan| plans::brief(&plan.statement)).collect();
            if !statements.is_empty() {
                test.notes.push(format!("{PLAN_CHANGED}{}", statements.join("; ")));
            }
        }
    }
}

/// The examinations of one test, in pairs of base and subject of the same round.
pub(crate) struct Rounds<'a> {
    pub(crate) pairs: Vec<(&'a Examination, &'a Examination)>,
}

impl<'a> Rounds<'a> {
    fn of(results: &'a Results, test: &str, subject: usize) -> Self {
        let ours = |one: &&Examination| one.test == test && one.operations > 0;
        let of = |subject: usize| {
            results.examinations.iter().filter(ours).filter(move |one| one.subject == subject)
        };
        let pair = |base: &'a Examination| Some((base, of(subject).find(|one| one.round == base.round)?));
        Self { pairs: of(0).filter_map(pair).collect() }
    }

    /// Rounds in which sessions of both subjects were sampled.
    pub(crate) fn sampled(&self) -> impl Iterator<Item = (&'a Examination, &'a Examination)> + '_ {
        self.pairs.iter().copied().filter(|(base, subject)| base.samples > 0 && subject.samples > 0)
    }
}

/// What a subject and the base ran after their loads, if they differ in that.
fn after_load(plan: &Plan, subject: usize) -> Vec<String> {
    if plan.after_load_of(0) == plan.after_load_of(subject) {
        return Vec::new();
    }
    let lines = |number: usize| {
        let label = plan.subjects.get(number).map_or("", |subject| subject.label.as_str());
        plan.after_load_of(number).iter().map(move |one| format!("{label}: {}", one.text))
    };
    lines(0).chain(lines(subject)).collect()
}

/// Whether both run the same program, with any settings.
fn same_build(results: &Results, subject: usize) -> bool {
    let plan = &results.plan.subjects;
    match (results.subjects.first(), results.subjects.get(subject), plan.first(), plan.get(subject)) {
        (Some(base), Some(other), Some(typed), Some(other_typed)) => {
            !base.version.is_empty() && typed.engine == other_typed.engine && base.is_same_build(other)
        }
        _ => false,
    }
}

/// What was not examined, and what to type.
fn remarks(
    explanation: &Explanation,
    results: &Results,
    result: &TestResult,
    rounds: &Rounds<'_>,
) -> Vec<String> {
    let mut remarks = Vec::new();
    if explanation.time_us.is_none() {
        remarks.push("there are no blocks to explain: the test was not measured, or it failed".into());
    } else {
        remarks.extend(not_examined(results, result, rounds));
    }
    remarks.extend(other_events(results, explanation));
    let subject = results.plan.subjects.iter().position(|one| one.label == explanation.subject);
    if subject.is_some_and(|subject| plans::not_comparable(results, &result.test, subject)) {
        let what = "the servers tell plans in different forms, as a table and as a tree, so that these were not compared";
        remarks.push(what.into());
    }
    if explanation.carried.is_empty() && !explanation.settings.is_empty() {
        let what =
            format!("to measure what each setting carries: humdrum explain RESULTS {} --prove", result.test);
        remarks.push(what);
    }
    // A profile compares servers that are up together.
    let can_be_profiled = results.plan.mode == Mode::Interleaved;
    if can_be_profiled && explanation.code.is_empty() && explanation.waiting.is_empty() {
        let what = format!(
            "to see in which functions the time goes, and what waits: humdrum explain RESULTS {} --profile",
            result.test
        );
        remarks.push(what);
    }
    remarks
}

/// What was not counted or asked, as far as it can be.
fn not_examined(results: &Results, result: &TestResult, rounds: &Rounds<'_>) -> Option<String> {
    let is_step = !results.steps.is_empty();
    let was_asked = rounds.sampled().next().is_some() || times::counts_waits(results);
    let what = match rounds.pairs.len() {
        0 if is_step => {
            "what the servers counted during this step is not on record, because the run is of an earlier version, or \
                         one of them did not end it"
        }
        0 if results.plan.mode == Mode::Sequential => {
            "counters and waits were not examined: that is for tests of slices, on servers that are up together"
        }
        0 => {
            return Some(format!(
                "counters and waits were not examined; to do so now: humdrum explain RESULTS {} --examine",
                result.test
            ));
        }
        1 if is_step => {
            "what the servers counted in one session has no interval, so that none of it is listed; several have one: \
                         --sessions 3"
        }
        _ if was_asked => return None,
        _ if is_step => {
            "sessions of a whole step are not asked what they wait for, because that would be work of the step: waiting on \
             disk and on locks is in `other`"
        }
        _ => {
            "this engine was not asked what its sessions wait for: waiting on disk and on locks is in `other`"
        }
    };
    Some(what.to_owned())
}

/// Events of this test or of either server that are not failures, such as examinations that were left out.
fn other_events<'a>(results: &'a Results, explanation: &'a Explanation) -> impl Iterator<Item = String> + 'a {
    let ours = |event: &&Event| {
        event.status == TestStatus::Ok && event.test.as_ref().is_none_or(|test| *test == explanation.test)
    };
    results.events.iter().filter(ours).filter_map(|event| {
        let label = &results.plan.subjects.get(event.subject?)?.label;
        [&explanation.base, &explanation.subject].contains(&label).then(|| format!("{label}: {}", event.what))
    })
}

#[cfg(test)]
mod tests;
