//! What selftests found on this host, kept for the runs that have the same scopes.

use humdrum_analyse::selftest_counts;
use humdrum_contract::Dirs;
use humdrum_model::{Results, SelftestCount};
use humdrum_record::selftests;

/// Counts a finished run of a selftest and keeps the counts; with a remark where they could not be kept.
pub fn keep_selftest(results: &Results, injected: f64, dirs: &Dirs) -> (Vec<SelftestCount>, Option<String>) {
    let counts = selftest_counts(results, &humdrum_analyse::summarise(results), injected);
    let remark = selftests::keep(&dirs.cache, &counts);
    (counts, remark)
}
