//! Results of earlier runs on this host, for the interval of another run.

use std::collections::BTreeSet;

use humdrum_analyse::{History, between_runs, history_entries, run_name};
use humdrum_contract::Dirs;
use humdrum_model::{Results, Summary};
use humdrum_record::history;

/// The variance between runs other than these, on a host of the same generation, by class of tests; empty if
/// nothing was run twice. A history that cannot be read counts as empty; `humdrum doctor` reports its fault.
pub fn known_history(results: &Results, further: &[Results], dirs: &Dirs) -> Vec<History> {
    let own: Vec<String> = std::iter::once(results).chain(further).map(run_name).collect();
    let generation = &results.host.processor.generation;
    let classes: BTreeSet<&str> = results.plan.tests.iter().map(|test| test.group.as_str()).collect();
    let Some(subject) = results.plan.subjects.last().filter(|_| !generation.is_empty()) else {
        return Vec::new();
    };
    let of = |class: &&str| {
        let (mut entries, _) = history::recall(&dirs.cache, generation, &subject.engine, class);
        entries.retain(|entry| !own.contains(&entry.run));
        between_runs(class, &entries)
    };
    classes.iter().filter_map(of).collect()
}

/// Adds a finished run to this host's history; returns a remark if that is not possible. Runs on a virtual
/// clock and subjects with an injection are left out, because they show nothing of a host.
pub fn keep_history(results: &Results, summary: &Summary, dirs: &Dirs) -> Option<String> {
    let injected = results.plan.subjects.iter().any(|subject| !subject.injected().is_empty());
    if !results.finished || injected || results.host.processor.generation.is_empty() {
        return None;
    }
    let entries = history_entries(results, summary);
    if entries.is_empty() { None } else { history::keep(&dirs.cache, &entries) }
}
