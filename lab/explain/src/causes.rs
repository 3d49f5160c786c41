//! Explanations, most likely first.
//!
//! 1. Differences in configuration or plans that account for most of the change: statements that one side alone ran after its
//!    load; a setting whose share was measured; settings that differ between two servers of one build, because nothing else differs; a statement with another
//!    query plan, if work explains the change.
//!    Threads beside the sessions whose CPU moved by at least half as much as the time of an operation.
//! 2. Parts of the time, by size: CPU, disk, locks, the rest. After them, threads beside the sessions whose CPU moved by less.
//! 3. Differences of unknown size: settings that differ between two builds, plans that changed although work did not.
//!
//! Parts that hardly changed, or changed in the other direction, are only in the table of times.
//!
//! Causes of the first kind say why, those of the second say how, so that both are listed.

use humdrum_model::{
    Cause, CauseKind, Explanation, Part, PartName, SettingChange, SettingOrigin, TestResult, only_differing,
};

use crate::{evidence, plan_rows, plans, threads};

/// Least share of the change that makes a part an explanation.
const SHARE_MIN: f64 = 0.05;
/// Least share of the change that makes a difference in configuration or plans the cause.
const SHARE_MOST: f64 = 0.5;
/// Most names in one sentence.
const NAMED_MAX: usize = 4;
/// Most lines of evidence from plans.
const PLAN_LINES_MAX: usize = 6;

/// All causes, most likely first.
pub(crate) fn causes(explanation: &Explanation, result: &TestResult, same_build: bool) -> Vec<Cause> {
    let share = |cause: &Cause| cause.share.unwrap_or(0.0);
    let (mut first, some): (Vec<Cause>, Vec<Cause>) =
        proven(explanation).into_iter().partition(|cause| share(cause) >= SHARE_MOST);
    let mut last = Vec::new();
    if let Some(found) = after_load(explanation, same_build) {
        let certain = same_build || !explanation.plans.is_empty();
        if certain { first.insert(0, found) } else { last.push(found) }
    }
    if explanation.carried.is_empty() {
        let found = differing_settings(explanation, same_build);
        if same_build { first.extend(found) } else { last.extend(found) }
    }
    if let Some(plan) = plan(explanation) {
        if plan.share.is_some_and(|share| share >= SHARE_MOST) { first.push(plan) } else { last.push(plan) }
    }
    let parts = explanation.parts.iter().filter(|part| part.time.change != 0.0);
    let large = parts.filter(|part| part.share.is_some_and(|share| share >= SHARE_MIN));
    let mut large: Vec<Cause> = large.map(|part| of_part(part, explanation, result)).chain(some).collect();
    large.sort_by(|a, b| share(b).total_cmp(&share(a)));
    if let Some((cause, share)) = background(explanation) {
        if share >= SHARE_MOST { first.push(cause) } else { large.push(cause) }
    }
    first.into_iter().chain(large).chain(last).collect()
}

/// Threads beside the sessions as a cause, and their CPU's change as a part of that of an operation's time.
fn background(explanation: &Explanation) -> Option<(Cause, f64)> {
    let time = explanation.time_us.as_ref()?;
    let (cause, moved) = threads::background(&explanation.counters, time)?;
    Some((cause, moved / time.change))
}

/// Settings whose measured share is large enough, by share.
fn proven(explanation: &Explanation) -> Vec<Cause> {
    let total = explanation.time_us.as_ref().map_or(0.0, |time| time.change);
    let mut carried: Vec<_> = explanation.carried.iter().filter(|one| one.share.is_some()).collect();
    carried.sort_by(|a, b| b.share.unwrap_or(0.0).total_cmp(&a.share.unwrap_or(0.0)));
    let cause = |one: &&humdrum_model::Carried| {
        let share = one.share?;
        let ends = one.share_ci95;
        let values = from_to(one.base.as_deref(), one.subject.as_deref());
        let mut evidence =
            vec!["measured in fresh blocks with the setting put back, and the other way".to_owned()];
        if one.restores_plan == Some(true) {
            evidence.push("the base's value brings back the base's query plan".to_owned());
        }
        (share >= SHARE_MIN).then(|| Cause {
            kind: CauseKind::Setting,
            what: format!("`{}`, {values}, carries {}", one.name, percent_within(share, ends)),
            change_us: Some(share * total),
            ci95: ends.map(|[low, high]| sorted([low * total, high * total])),
            share: Some(share),
            evidence,
        })
    };
    carried.iter().filter_map(cause).collect()
}

/// What only one of the two ran after its loads. It is the explanation if the builds and their settings are the same, and
/// the likely one if a plan changed.
fn after_load(explanation: &Explanation, same_build: bool) -> Option<Cause> {
    let lines = &explanation.after_load;
    let alone = same_build && explanation.settings.is_empty();
    let named: Vec<String> = lines.iter().take(NAMED_MAX).map(|line| plans::brief(line)).collect();
    let more = lines.len().saturating_sub(NAMED_MAX);
    let list = if more > 0 { format!("{} and {more} more", named.join("; ")) } else { named.join("; ") };
    let nothing_else = if alone { "; the builds are the same and nothing else differs" } else { "" };
    let whole = explanation.time_us.as_ref().filter(|_| alone);
    (!lines.is_empty()).then(|| Cause {
        kind: CauseKind::AfterLoad,
        what: format!("what ran after the load: {list}{nothing_else}"),
        change_us: whole.map(|time| time.change),
        ci95: whole.and_then(|time| time.ci95),
        share: whole.map(|_| 1.0),
        evidence: lines.iter().skip(NAMED_MAX).cloned().collect(),
    })
}

/// Settings that differ. They are the explanation if the builds are the same, and candidates if not.
fn differing_settings(explanation: &Explanation, same_build: bool) -> Option<Cause> {
    let deliberate = explanation.settings.iter().map(|one| one.origin).max()?;
    // Settings that follow from a chosen one differ as well. They are not causes of their own.
    let mut chosen: Vec<&SettingChange> = match same_build {
        true => explanation.settings.iter().filter(|one| one.origin == deliberate).collect(),
        false => explanation.settings.iter().collect(),
    };
    // For two builds, settings that both know are listed before those that only one knows.
    chosen.sort_by_key(|one| one.base.is_none() || one.subject.is_none());
    let named: Vec<String> = chosen.iter().take(NAMED_MAX).map(|one| setting(one)).collect();
    let more = chosen.len().saturating_sub(NAMED_MAX);
    let list = if more > 0 { format!("{} and {more} more", named.join("; ")) } else { named.join("; ") };
    let whole = explanation.time_us.as_ref().filter(|_| same_build);
    let what = match (same_build, chosen.len()) {
        (true, 1) => format!("a setting: {list}; the builds are the same and nothing else differs"),
        (true, number) => {
            format!("{number} settings: {list}; the builds are the same and nothing else differs")
        }
        (false, 1) => format!("perhaps a setting that differs: {list}"),
        (false, number) => format!("perhaps one of {number} settings that differ: {list}"),
    };
    Some(Cause {
        kind: CauseKind::Setting,
        what,
        change_us: whole.map(|time| time.change),
        ci95: whole.and_then(|time| time.ci95),
        share: whole.map(|_| 1.0),
        // For two builds, all candidates are in the list of settings that differ.
        evidence: chosen.iter().filter(|_| same_build).skip(NAMED_MAX).map(|one| setting(one)).collect(),
    })
}

/// `work_mem 4MB → 64kB (the user set it)`.
fn setting(change: &SettingChange) -> String {
    let who = match change.origin {
        SettingOrigin::User => "the user set it",
        SettingOrigin::Configuration => "a configuration set it",
        SettingOrigin::Default => "a default",
    };
    format!("`{}` {} ({who})", change.name, from_to(change.base.as_deref(), change.subject.as_deref()))
}

/// `4MB → 64kB`; of a list of flags only the flags that differ.
fn from_to(base: Option<&str>, subject: Option<&str>) -> String {
    let shown = |value: Option<String>| match value.as_deref() {
        Some("") => "''".to_owned(),
        Some(value) => value.to_owned(),
        None => "(unknown)".to_owned(),
    };
    only_differing(base, subject).map(shown).join(" → ")
}

/// Statements whose query plans differ. They can explain CPU, disk and locks, but not the client.
fn plan(explanation: &Explanation) -> Option<Cause> {
    let (change, rows_known) = plan_rows::with_most_rows(&explanation.plans)?;
    let work = [PartName::ServerCpu, PartName::Disk, PartName::Locks];
    let shares = explanation.parts.iter().filter(|part| work.contains(&part.name));
    let share: f64 = shares.filter_map(|part| part.share).sum();
    let total = explanation.time_us.as_ref().map_or(0.0, |time| time.change);
    let mut evidence = plans::difference(change);
    evidence.truncate(PLAN_LINES_MAX);
    let count = explanation.plans.len();
    let (statements, named) = match (count, rows_known) {
        (1, _) => ("a statement is".to_owned(), ":"),
        (_, true) => (format!("{count} statements are"), ", and most rows are read by"),
        (_, false) => (format!("{count} statements are"), ":"),
    };
    Some(Cause {
        kind: CauseKind::Plan,
        what: format!(
            "the query plan changed: {statements} run in another way{named} {}",
            plans::brief(&change.statement)
        ),
        change_us: Some(share * total),
        ci95: None,
        share: Some(share),
        evidence,
    })
}

/// A part of the time as a cause.
fn of_part(part: &Part, explanation: &Explanation, result: &TestResult) -> Cause {
    let contends = part.name == PartName::Other && evidence::is_contention(result);
    let more = if part.time.change > 0.0 { "more" } else { "less" };
    let longer = if part.time.change > 0.0 { "longer" } else { "less long" };
    let (kind, what) = match part.name {
        PartName::ServerCpu => (CauseKind::ServerCpu, format!("the server works {more} per operation")),
        PartName::ClientCpu => (CauseKind::ClientCpu, format!("the client works {more} per operation")),
        PartName::Processor => (CauseKind::Processor, format!("the server waits {longer} for a processor")),
        PartName::Disk => (CauseKind::Disk, format!("sessions wait {longer} for the disk")),
        PartName::Locks => {
            (CauseKind::Locks, format!("sessions wait {longer} for each other: locks or latches"))
        }
        PartName::Other if contends => (
            CauseKind::Contention,
            "sessions are switched out more often and wait, with hardly more CPU: contention rather than code"
                .into(),
        ),
        PartName::Other => (
            CauseKind::Other,
            format!("{more} time in which neither side works and no named wait is known"),
        ),
    };
    let evidence = evidence::of_part(part, explanation, result);
    let (change_us, ci95) = (Some(part.time.change), part.time.ci95);
    Cause { kind, what, change_us, ci95, share: part.share, evidence }
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn percent_within(share: f64, ends: Option<[f64; 2]>) -> String {
    let of = "of the change";
    match ends {
        Some([low, high]) => format!("{} [{:.0}, {:.0}] {of}", percent(share), low * 100.0, high * 100.0),
        None => format!("{} {of}", percent(share)),
    }
}

fn sorted([a, b]: [f64; 2]) -> [f64; 2] {
    [a.min(b), a.max(b)]
}
