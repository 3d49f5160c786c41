//! Why tests moved: the JSON for scripts, and the spelling of sizes, shares and settings. `terminal.rs`, `html.rs` and
//! `markdown.rs` lay them out.

pub(crate) mod html;
pub(crate) mod markdown;
mod terminal;

use humdrum_model::{
    Cause, Explanation, HostFacts, Part, SettingOrigin, WaitChange, WaitKind, WaitedChange, only_differing,
};
use serde::Serialize;

use crate::number::{self, short};
use crate::style::Style;
use crate::text::clean;

pub use terminal::host_lines;

/// Version of the JSON's shape.
const SCHEMA: u32 = 1;

/// A smaller change is shown as 0, whatever its unit.
const LEAST_SHOWN: f64 = 0.001;

/// Heading of the functions that were profiled.
pub(crate) const RUNNING: &str = "own time of the server's functions, µs per operation, largest change first";
/// Heading of the waits that were profiled.
pub(crate) const WAITING: &str =
    "stacks in which sessions wait, innermost function first, µs per operation, longest first";

/// Heading of the waits that servers counted.
pub(crate) const WAITED: &str = "what all threads of the server wait for, as it counts, largest change first";

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    host: &'a HostFacts,
    explanations: &'a [Explanation],
}

/// One explanation for a terminal, ending in a line feed.
pub fn explanation(one: &Explanation, style: Style) -> String {
    let verdict = one.verdict.map_or("no verdict", |verdict| verdict.word());
    terminal::of(one, Some(verdict), style)
}

/// The same of a bisect's step, without a verdict: its search has decided that it is one.
pub fn step_explanation(one: &Explanation, style: Style) -> String {
    terminal::of(one, None, style)
}

/// For scripts, ending in a line feed.
pub fn explanations_json(explanations: &[Explanation], host: &HostFacts) -> String {
    let document = Document { schema: SCHEMA, host, explanations };
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

/// The first cause of a test in one line, for reports: `the server works more per operation (97 % of the change)`.
pub(crate) fn first_cause(one: &Explanation) -> Option<String> {
    let cause = one.causes.first()?;
    let size = size(cause).map_or_else(String::new, |size| format!(" ({size})"));
    Some(format!("{}{size}", clean(&cause.what)))
}

/// `+30.1 µs/o [29.0, 31.2], 98 % of the change`.
pub(crate) fn size(cause: &Cause) -> Option<String> {
    let change = cause.change_us.filter(|change| change.is_finite())?;
    let ends = ends(cause.ci95).map_or_else(String::new, |ends| format!(" {ends}"));
    let share = cause.share.filter(|share| share.is_finite());
    let share = share.map_or_else(String::new, |share| format!(", {:.0} % of the change", share * 100.0));
    Some(format!("{} µs/o{ends}{share}", signed(change)))
}

pub(crate) fn signed(value: f64) -> String {
    // A change too small to be shown has no sign.
    match value {
        value if value.abs() < LEAST_SHOWN => "0".into(),
        value if value < 0.0 => format!("−{}", short(-value)),
        value => format!("+{}", short(value)),
    }
}

/// An amount of time. The part `other` is a remainder and may be negative.
pub(crate) fn amount(value: f64) -> String {
    if value < 0.0 { signed(value) } else { short(value) }
}

pub(crate) fn ends(ci95: Option<[f64; 2]>) -> Option<String> {
    let [low, high] = ci95.filter(|ends| ends.iter().all(|end| end.is_finite()))?;
    Some(format!("[{}, {}]", signed(low), signed(high)))
}

pub(crate) fn share(part: &Part) -> String {
    let share = part.share.filter(|share| share.is_finite());
    let percent = |share: f64| format!("{} %", (share * 100.0).round() as i64).replace('-', "−");
    share.map_or_else(|| number::NONE.into(), percent)
}

/// `lock: LWLock: 2.0 % → 1.0 % of samples`.
pub(crate) fn wait(one: &WaitChange) -> String {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let [base, subject] = [one.share.base, one.share.subject].map(percent);
    format!("{}: {base} → {subject} of samples", event(one.kind, &one.event))
}

/// `disk: log file: 3.00 → 12.0 µs, 0.500 → 2.00 times per operation`.
pub(crate) fn waited(one: &WaitedChange) -> String {
    let [time, times] =
        [&one.time, &one.times].map(|change| format!("{} → {}", short(change.base), short(change.subject)));
    format!("{}: {time} µs, {times} times per operation", event(one.kind, &one.event))
}

/// An event with its kind.
pub(crate) fn event(kind: WaitKind, event: &str) -> String {
    let event = if event.is_empty() { "(no name)".to_owned() } else { clean(event) };
    format!("{}: {event}", kind.word())
}

/// What a setting put back does to query plans that differ; empty where nothing is known.
pub(crate) fn plan_said(restores: Option<bool>) -> &'static str {
    match restores {
        Some(true) => "; the base's value brings back its query plan",
        Some(false) => "; the query plan stays another with the base's value",
        None => "",
    }
}

pub(crate) fn origin(origin: SettingOrigin) -> &'static str {
    match origin {
        SettingOrigin::User => "the user set it",
        SettingOrigin::Configuration => "a configuration set it",
        SettingOrigin::Default => "a default",
    }
}

/// Both values of a setting; of a list of flags only the flags that differ.
pub(crate) fn values(base: Option<&str>, subject: Option<&str>) -> [String; 2] {
    only_differing(base, subject).map(|value| match value.as_deref() {
        Some("") => "''".into(),
        Some(value) => clean(value),
        None => "(no such setting)".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn of_a_list_of_flags_only_those_that_differ_are_shown() {
        let shown = values(Some("index_merge=on,mrr=on"), Some("index_merge=on,mrr=off"));
        assert_eq!(shown, ["mrr=on", "mrr=off"]);
        assert_eq!(values(Some(""), None), ["''", "(no such setting)"]);
    }

    #[test]
    fn waits_that_servers_count_follow_those_that_were_seen() {
        let style = Style { color: false, width: 100, verbose: false };
        let text = explanation(&fixture::with_counted_waits("hot-points"), style);
        let (before, after) = text.split_once("of samples").expect("what was seen");
        let line = "disk: log file: 3.00 → 12.0 µs, 0.500 → 2.00 times per operation";
        assert!(after.contains(line) && !before.contains(line), "{text}");
    }

    #[test]
    fn the_json_holds_everything_that_was_found() {
        let one = fixture::why("hot-points");
        let text = explanations_json(std::slice::from_ref(&one), &HostFacts::default());
        let value: serde_json::Value = serde_json::from_str(&text).expect("json");
        assert_eq!(value["schema"], 1);
        let back: Explanation =
            serde_json::from_value(value["explanations"][0].clone()).expect("an explanation");
        assert_eq!(back, one);
    }
}
