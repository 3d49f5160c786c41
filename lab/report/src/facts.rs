//! The lines below the tables: host, noise, discarded blocks, failures and the command that repeats the run.
//! They are plain text or rows; each renderer lays them out.

use std::collections::BTreeMap;

use humdrum_model::{
    Dimension, Event, HostSpeed, Judging, Level, Place, Plan, Results, Spread, Subject, Summary, TestStatus,
    delay_text, memory_text,
};

use crate::imported;
use crate::number::{bytes, duration, percent, short};
use crate::processor;
use crate::text::{quoted, redact};

/// Processors, memory, kernel: one line.
pub(crate) fn host(summary: &Summary) -> String {
    let host = &summary.host;
    if summary.imported.is_some() {
        return imported::host(summary);
    }
    let kind = if host.r#virtual { "virtual machine" } else { "no hypervisor seen" };
    format!(
        "{} CPUs ({}), {} of memory, {}, clock {}, {kind}",
        host.cpus,
        named(&host.cpu_model),
        bytes(host.memory_bytes),
        processor::system(host),
        named(&host.clock_source)
    )
}

/// Host, processor and noise: a line each.
pub(crate) fn host_lines(summary: &Summary) -> Vec<String> {
    if summary.imported.is_some() {
        return vec![format!("host: {}", host(summary))];
    }
    let lines =
        [Some(host(summary)), processor::described(&summary.host), Some(noise(summary)), speed(summary)];
    lines.into_iter().flatten().collect()
}

/// How steady the host was, by the calibration kernel: the median of each part, and where nine in ten readings lie.
pub(crate) fn speed(summary: &Summary) -> Option<String> {
    let HostSpeed { readings, off, integer_ns, memory_ns, call_ns } = summary.host_speed.as_ref()?;
    let part = |name: &str, spread: &Spread| {
        let [low, high] = [spread.p5, spread.p95].map(|edge| 100.0 * (edge / spread.p50 - 1.0));
        format!("{name} {} ns ({low:+.0} to {high:+.0} %)", short(spread.p50))
    };
    let parts = [("arithmetic", integer_ns), ("memory", memory_ns), ("system calls", call_ns)];
    let parts = parts.map(|(name, spread)| part(name, spread)).join(", ");
    let off = if *off == 0 { "none".to_owned() } else { off.to_string() };
    Some(format!("calibration kernel, {readings} readings, {off} off limits: {parts}"))
}

fn named(text: &str) -> &str {
    if text.trim().is_empty() { "unknown" } else { text }
}

/// Version and origin of a build, or a remark that the results file lacks them.
pub(crate) fn build(version: &str, origin: &str) -> String {
    match (version.trim(), origin.trim()) {
        ("", "") => "version and origin were not recorded".into(),
        (version, "") => version.to_owned(),
        ("", origin) => format!("version not recorded, from {origin}"),
        (version, origin) => format!("{version}, from {origin}"),
    }
}

/// The host's noise: A/A floors, steal, fsync.
pub(crate) fn noise(summary: &Summary) -> String {
    if summary.imported.is_some() {
        return "not known of the host of imported results".to_owned();
    }
    let floor = |value: Option<f64>, missing: &str| value.map_or_else(|| missing.into(), percent);
    let fsync = processor::fsync(&summary.host);
    let steal = summary.host.findings.iter().find(|finding| finding.name == "steal");
    let excess = summary
        .aa_excess
        .map_or_else(String::new, |excess| format!(" ({} beyond its intervals)", percent(excess)));
    format!(
        "A/A floor of this host {}{excess}, within this run {}; steal: {}; fsync {fsync}",
        floor(summary.aa_floor, "not measured"),
        floor(summary.aa_floor_within, "unknown"),
        steal.map_or("not measured", |finding| finding.found.as_str()),
    )
}

/// What `doctor` found wrong: (level, name, found, advice), worst first.
pub(crate) fn warnings(summary: &Summary) -> Vec<(&'static str, &str, &str, &str)> {
    let mut found: Vec<_> =
        summary.host.findings.iter().filter(|finding| finding.level != Level::Fine).collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    found
        .iter()
        .map(|finding| (level(finding.level), &*finding.name, &*finding.found, &*finding.advice))
        .collect()
}

/// A finding in one line.
pub(crate) fn finding(name: &str, found: &str, advice: &str) -> String {
    if advice.is_empty() { format!("{name}: {found}") } else { format!("{name}: {found}; {advice}") }
}

/// The word of a level.
pub(crate) fn level(level: Level) -> &'static str {
    match level {
        Level::Fine => "fine",
        Level::Warning => "warning",
        Level::Bad => "bad",
    }
}

/// Blocks that rules discarded: how many of how many, and how often for each reason.
pub(crate) struct Discarded {
    pub(crate) discarded: usize,
    pub(crate) blocks: usize,
    /// Most frequent first.
    pub(crate) reasons: Vec<(String, usize)>,
}

impl Discarded {
    pub(crate) fn of(results: &Results) -> Self {
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        for why in results.discarded_blocks().filter_map(|block| block.discarded.as_deref()) {
            *reasons.entry(reason(why)).or_default() += 1;
        }
        let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        let discarded = reasons.iter().map(|(_, times)| times).sum();
        Self { discarded, blocks: results.blocks.len(), reasons }
    }

    pub(crate) fn sentence(&self) -> String {
        if self.discarded == 0 {
            return format!("none of {}", self.blocks);
        }
        let reasons: Vec<String> = self.reasons.iter().map(|(why, times)| format!("{why} {times}")).collect();
        format!("{} of {} ({})", self.discarded, self.blocks, reasons.join(", "))
    }
}

/// The rule without the value that broke it: `steal 3.2 %` and `steal 4 %` are one reason.
fn reason(why: &str) -> String {
    let end = why.find(|letter: char| letter.is_ascii_digit()).unwrap_or(why.len());
    let rule = why[..end].trim_end_matches(|letter: char| !letter.is_alphanumeric());
    if rule.is_empty() { why.to_owned() } else { rule.to_owned() }
}

/// Events that are not `ok`, each with its place.
pub(crate) fn failures(results: &Results) -> Vec<(String, &Event)> {
    let bad = results.events.iter().filter(|event| event.status != TestStatus::Ok);
    bad.map(|event| (place(results, event), event)).collect()
}

fn place(results: &Results, event: &Event) -> String {
    let label = event.subject.and_then(|subject| results.plan.subjects.get(subject));
    let label = label.map(|subject| subject.label.clone());
    let words = [label, event.test.clone(), event.session.map(|session| format!("session {session}"))];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What was run, in one line.
pub(crate) fn workload(results: &Results) -> String {
    let plan = &results.plan;
    if let Some(found) = &plan.imported {
        return imported::workload(results, found);
    }
    let numbers: Vec<String> = plan.numbers(Dimension::Clients).iter().map(u64::to_string).collect();
    let clients = if numbers == ["1"] { "client" } else { "clients" };
    let memory = plan.memory_bytes.map(|bytes| format!("memory {} per server, ", memory_text(bytes)));
    let delay = plan.fsync_delay_us.map(|delay| format!("fsync held back by {}, ", delay_text(delay)));
    let confines = [memory, delay].map(Option::unwrap_or_default).concat();
    format!(
        "{}, {}, {} {clients} per subject, {confines}seed {}, {} sessions, {}",
        plan.suite,
        size(plan),
        crate::text::listed(&numbers),
        plan.seed,
        results.sessions.len(),
        duration(results.seconds)
    )
}

/// The suite as a user types it. The files of a user's own workload are in the results folder.
pub(crate) fn suite(plan: &Plan) -> String {
    if plan.suite_sha256.is_some() { "RESULTS/suite".to_owned() } else { plan.suite.clone() }
}

/// Rows and tables, or the sizes of a workload that has others.
fn size(plan: &Plan) -> String {
    let scale = &plan.scale;
    if plan.suite_sha256.is_some() {
        let sizes = scale.more.iter().map(|(name, value)| format!("{name} {value}"));
        return sizes.collect::<Vec<_>>().join(", ");
    }
    let tables = if scale.tables == 1 { "table" } else { "tables" };
    let rows: Vec<String> = plan.numbers(Dimension::Rows).iter().map(u64::to_string).collect();
    format!("{} rows in {} {tables}", crate::text::listed(&rows), scale.tables)
}

/// The command that measures the same again. Passwords in URLs are left out.
pub(crate) fn command(summary: &Summary, results: &Results) -> String {
    let plan = &results.plan;
    if let Some(found) = &plan.imported {
        return imported::command(plan, found);
    }
    let mut words = vec!["humdrum".to_owned(), "compare".to_owned()];
    let shown = || plan.subjects.iter().map(Subject::typed).collect();
    words.extend(summary.choice.as_ref().map_or_else(shown, |choice| choice.typed.clone()));
    let pairs = [
        ("--suite", suite(plan)),
        ("--tests", plan.tests_typed().join(",")),
        ("--scale", plan.scale_typed()),
        ("--budget", format!("{}s", plan.budget_seconds)),
        ("--mode", plan.mode.word().to_owned()),
        ("--seed", plan.seed.to_string()),
    ];
    words
        .extend(pairs.into_iter().chain(design(plan)).flat_map(|(option, value)| [option.to_owned(), value]));
    let external = plan.subjects.iter().any(|subject| matches!(subject.place, Place::External(_)))
        || summary.choice.iter().flat_map(|choice| &choice.typed).any(|subject| subject.contains("://"));
    let switches = [
        ("--gate", plan.judging.gate),
        ("--strict", plan.strict),
        ("--compat", plan.compat),
        ("--allow-external", external),
    ];
    words.extend(switches.iter().filter(|(_, on)| *on).map(|(option, _)| (*option).to_owned()));
    words.iter().map(|word| quoted(&redact(word))).collect::<Vec<_>>().join(" ")
}

/// Options that confine the servers and give the design as it was, whether the user typed them or the budget decided them. `--delta`
/// sets two numbers, so it is left out if they differ: those are the defaults.
fn design(plan: &Plan) -> Vec<(&'static str, String)> {
    let design = &plan.design;
    let mut pairs = Vec::new();
    pairs.extend(plan.memory_bytes.map(|bytes| ("--memory", memory_text(bytes))));
    pairs.extend(plan.fsync_delay_us.map(|delay| ("--fsync-delay", delay_text(delay))));
    pairs.extend([
        ("--sessions", (design.screening_sessions + design.confirmation_sessions).to_string()),
        ("--timeout", format!("{}s", design.timeout_seconds)),
    ]);
    if design.delta == design.delta_writes {
        pairs.push(("--delta", design.delta.to_string()));
    }
    if plan.judging.quantities != Judging::default().quantities {
        pairs.push(("--judge", plan.judging.quantities.join(",")));
    }
    pairs.extend(design.slice_ms_typed().map(|ms| ("--slice-ms", ms.to_string())));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn reasons_are_counted_by_rule() {
        let (_, results, _) = fixture::run();
        let found = Discarded::of(&results);
        assert_eq!(found.reasons, [("steal".to_owned(), 2), ("sampler gap".to_owned(), 1)]);
        assert!(found.sentence().starts_with("3 of "), "{}", found.sentence());
    }

    #[test]
    fn the_command_can_be_typed_again() {
        let (summary, mut results, _) = fixture::run();
        results.plan.subjects[1].label = "it's new".into();
        let command = command(&summary, &results);
        assert!(command.starts_with("humdrum compare postgres@16.11 'it'\\''s new=postgres@17.7' --suite"));
        let (_, options) = command.split_once(" --budget").unwrap();
        assert_eq!(options, " 300s --mode interleaved --seed 1 --sessions 14 --timeout 60s");
    }

    #[test]
    fn the_command_has_what_was_asked_for() {
        let (summary, mut results, _) = fixture::run();
        let plan = &mut results.plan;
        (plan.design.delta, plan.design.delta_writes) = (0.005, 0.005);
        (plan.design.slice_ms, plan.design.slice_ms_writes) = (20.0, 20.0);
        (plan.budget_seconds, plan.strict) = (0.5, true);
        plan.subjects[1].place = Place::External("postgres://me@host/db".into());
        let command = command(&summary, &results);
        for words in [" --budget 0.5s ", " --delta 0.005 --slice-ms 20 "] {
            assert!(command.contains(words), "{command}");
        }
        assert!(command.ends_with(" --strict --allow-external"), "{command}");
    }

    #[test]
    fn failures_say_where() {
        let (_, results, _) = fixture::run();
        let places: Vec<String> = failures(&results).into_iter().map(|(place, _)| place).collect();
        assert_eq!(places[0], "postgres@17.7, random-points-1000, session 3");
    }
}
