//! The top of a result beside the sentence of each comparison: the worst test of each subject, the settings
//! in which two subjects of one release differ, and what to do about each verdict.

use humdrum_model::{Comparison, Results, Subject, Summary, TestResult, TestStatus};

use crate::processor;
use crate::text::clean;
use crate::words::{self, Outcome};

/// The worst regression of each subject in one sentence; `None` for a run with one comparison, whose own sentence says
/// it.
pub(crate) fn worst_of_each(summary: &Summary) -> Option<String> {
    let told: Vec<String> = summary.comparisons.iter().map(worst).collect();
    (told.len() > 1)
        .then(|| format!("Worst regression against {}: {}.", clean(&summary.base), told.join("; ")))
}

/// `mysql@9.7 scan 0.76x`, and how many tests gave no number.
fn worst(comparison: &Comparison) -> String {
    let is_slower = |test: &&TestResult| Outcome::of(test) == Outcome::Regression;
    let slower = comparison.tests.iter().filter(is_slower);
    let worst = slower.min_by(|a, b| rqps(a).total_cmp(&rqps(b)));
    let found = match worst {
        Some(test) => format!("{} {}", clean(&test.test), words::times(test.rqps)),
        None if comparison.tests.is_empty() => "not measured".to_owned(),
        None => "none shown".to_owned(),
    };
    let broken = [TestStatus::Failed, TestStatus::WrongAnswer].map(|status| broken(comparison, status));
    format!("{} {found}{}", clean(&comparison.subject), broken.concat())
}

fn rqps(test: &TestResult) -> f64 {
    test.rqps.unwrap_or(f64::INFINITY)
}

/// `, 2 failed`; nothing where there are none.
fn broken(comparison: &Comparison, status: TestStatus) -> String {
    match comparison.tests.iter().filter(|test| test.status == status).count() {
        0 => String::new(),
        count => format!(", {count} {}", status.word()),
    }
}

/// "new against old (both postgres@18.1, new with io_method=worker) on AMD EPYC (Zen 3)". The part in parentheses is there for two subjects
/// of one build whose labels do not show which settings they were given.
pub(crate) fn pair(summary: &Summary, results: &Results, comparison: &Comparison) -> String {
    let settings = settings(results, &summary.base, &comparison.subject);
    let settings = settings.map_or_else(String::new, |settings| format!(" ({settings})"));
    words::pair(summary, comparison) + &settings + &processor::on_hosts(summary)
}

/// The settings that only one of two subjects of the same build was given; `None` where the labels show them already.
pub(crate) fn settings(results: &Results, base: &str, subject: &str) -> Option<String> {
    let find = |label: &str| results.plan.subjects.iter().find(|one| one.label == label);
    let (base, subject) = (find(base)?, find(subject)?);
    if base.engine != subject.engine || base.place != subject.place {
        return None;
    }
    let given = [(subject, base), (base, subject)].map(|(one, other)| (one, only(one, other)));
    let is_hidden = |(one, settings): &(&Subject, Vec<String>)| {
        settings.iter().any(|setting| !one.label.contains(setting.as_str()))
    };
    if !given.iter().any(is_hidden) {
        return None;
    }
    let told = given.iter().filter(|(_, settings)| !settings.is_empty());
    let told = told.map(|(one, settings)| format!(", {} with {}", one.label, settings.join(" and ")));
    let both = format!("both {}@{}", subject.engine, subject.place);
    Some(clean(&(both + &told.collect::<String>())))
}

/// Settings given to `one` and not to `other`, as typed.
fn only(one: &Subject, other: &Subject) -> Vec<String> {
    let own = one.settings.iter().filter(|setting| !other.settings.contains(setting));
    own.map(ToString::to_string).collect()
}

/// What to do about the verdicts that ask for a decision: a line for each that occurs among these tests. Imported runs
/// cannot be measured further; notes say what would decide them.
pub(crate) fn next_steps<'a>(
    summary: &Summary,
    tests: impl IntoIterator<Item = &'a TestResult>,
) -> Vec<String> {
    if summary.imported.is_some() {
        return Vec::new();
    }
    let found: Vec<Outcome> = tests.into_iter().map(Outcome::of).collect();
    let known = [Outcome::Boring, Outcome::Inconclusive, Outcome::Unstable];
    let present = known.into_iter().filter(|outcome| found.contains(outcome));
    present.filter_map(|outcome| Some(format!("{}: {}", outcome.marked(), next_step(outcome)?))).collect()
}

fn next_step(outcome: Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Boring => Some("no change larger than δ; nothing to do"),
        Outcome::Inconclusive => Some("not decided; repeat with a larger --budget"),
        Outcome::Unstable => Some("sessions disagree; see `humdrum doctor`, repeat on a quieter host"),
        Outcome::Regression | Outcome::Improvement | Outcome::Status(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use humdrum_model::{Setting, Verdict};

    use super::*;
    use crate::fixture;

    #[test]
    fn the_worst_of_each_subject_is_named() {
        let (mut summary, ..) = fixture::run();
        assert_eq!(worst_of_each(&summary), None, "one comparison has its own sentence");
        let mut other = summary.comparisons[0].clone();
        other.subject = "postgres@18.1".into();
        for (place, rqps) in [(1, 0.95), (4, 0.87)] {
            (other.tests[place].verdict, other.tests[place].rqps) = (Some(Verdict::Regression), Some(rqps));
        }
        other.tests.retain(|test| test.status == TestStatus::Ok);
        summary.comparisons.push(other);
        let expected = "Worst regression against postgres@16.11: postgres@17.7 none shown, 1 failed, \
                        1 wrong-answer; postgres@18.1 scan 0.87x.";
        assert_eq!(worst_of_each(&summary).as_deref(), Some(expected));
    }

    #[test]
    fn settings_that_labels_hide_are_named() {
        let (mut summary, mut results, _) = fixture::run();
        let value = |key: &str, value: &str| Setting::Value { key: key.into(), value: value.into() };
        assert_eq!(settings(&results, "postgres@16.11", "postgres@17.7"), None, "two releases");
        let subjects = &mut results.plan.subjects;
        subjects[0].place = subjects[1].place.clone();
        (subjects[0].label, subjects[1].label) = ("old".into(), "new".into());
        (summary.base, summary.comparisons[0].subject) = ("old".into(), "new".into());
        let told = |results: &Results| pair(&summary, results, &summary.comparisons[0]);
        assert_eq!(told(&results), "new against old", "an A/A run");
        results.plan.subjects[1].settings = vec![value("io_method", "worker"), value("jit", "off")];
        results.plan.subjects[0].settings = vec![value("jit", "off")];
        assert_eq!(told(&results), "new against old (both postgres@17.7, new with io_method=worker)");
        results.plan.subjects[0].settings.push(Setting::Named("x10a".into()));
        let both = "both postgres@17.7, new with io_method=worker, old with x10a";
        assert_eq!(told(&results), format!("new against old ({both})"));
    }

    #[test]
    fn labels_that_show_their_settings_stay_as_they_are() {
        let (_, mut results, _) = fixture::run();
        let subjects = &mut results.plan.subjects;
        subjects[1] = subjects[0].clone();
        subjects[1].label = "postgres@16.11+x10a".into();
        subjects[1].settings = vec![Setting::Named("x10a".into())];
        assert_eq!(settings(&results, "postgres@16.11", "postgres@16.11+x10a"), None);
    }

    #[test]
    fn each_verdict_without_a_decision_says_what_to_do() {
        let (mut summary, ..) = fixture::run();
        let mut tests = summary.comparisons[0].tests.clone();
        assert_eq!(next_steps(&summary, tests.iter()).len(), 2);
        tests[4].verdict = Some(Verdict::Unstable);
        let expected = [
            "· boring: no change larger than δ; nothing to do",
            "~ unstable: sessions disagree; see `humdrum doctor`, repeat on a quieter host",
        ];
        assert_eq!(next_steps(&summary, tests.iter()), expected);
        assert!(next_steps(&summary, &tests[..1]).is_empty(), "an improvement asks for nothing");
        summary.imported = Some(humdrum_model::Imported::default());
        assert!(next_steps(&summary, tests.iter()).is_empty(), "nobody can measure more of what others did");
    }
}
