//! Results of this host's runs, kept for the intervals of later ones.

use humdrum_analyse::history_entries;
use humdrum_contract::Dirs;
use humdrum_model::{Results, Summary};
use humdrum_record::history;

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
