//! What earlier runs and selftests on this host say for the intervals and scopes of a run.

use std::collections::BTreeSet;
use std::path::Path;

use humdrum_analyse::{History, between_runs, run_name, scopes};
use humdrum_model::{Certificate, Results};
use humdrum_record::selftests;

/// The variance between runs other than these, on a host of the same generation, by class of tests; empty if
/// nothing was run twice. A history that cannot be read counts as empty; `humdrum doctor` reports its fault.
pub fn history(results: &Results, further: &[Results], cache: &Path) -> Vec<History> {
    let own: Vec<String> = std::iter::once(results).chain(further).map(run_name).collect();
    let generation = &results.host.processor.generation;
    let classes: BTreeSet<&str> = results.plan.tests.iter().map(|test| test.group.as_str()).collect();
    let Some(subject) = results.plan.subjects.last().filter(|_| !generation.is_empty()) else {
        return Vec::new();
    };
    let of = |class: &&str| {
        let (mut entries, _) = humdrum_record::history::recall(cache, generation, &subject.engine, class);
        entries.retain(|entry| !own.contains(&entry.run));
        between_runs(class, &entries)
    };
    classes.iter().filter_map(of).collect()
}

/// Certificates of the engines and classes of tests of these results, on a host of the same generation.
pub fn certificates(results: &Results, cache: &Path) -> Vec<Certificate> {
    humdrum_analyse::certificates(&selftests::recall(cache, &scopes(results)))
}
