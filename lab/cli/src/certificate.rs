//! The host's noise certificate: what equal subjects differed by here, in the last A/A run. Kept in the cache,
//! used by every later run on this host, printed beside every table.

use std::path::PathBuf;

use humdrum_analyse::AaFloor;
use humdrum_contract::Dirs;
use humdrum_model::{Results, Summary};
use humdrum_record::write_whole;

use crate::lab::Lab;

fn path(dirs: &Dirs) -> PathBuf {
    dirs.cache.join("aa-floor.json")
}

/// The certificate of this host, if an A/A run was made here.
pub fn read(dirs: &Dirs) -> Option<AaFloor> {
    let text = std::fs::read_to_string(path(dirs)).ok()?;
    let value: serde_json::Value = serde_json::from_str(&text).ok()?;
    let number = |key| value.get(key)?.as_f64().filter(|number| number.is_finite() && *number >= 0.0);
    Some(AaFloor {
        floor: number("ln_ratio_p95").filter(|floor| *floor > 0.0)?,
        excess: number("beyond_intervals_p95")?,
    })
}

/// Keeps the floor of a finished A/A run with enough tests to have a 95th percentile; whole steps have noise of their
/// own, which says nothing of slices.
pub fn keep(lab: &Lab, results: &Results, summary: &Summary) {
    const ENOUGH_TESTS: usize = 10;
    if results.plan.tests.len() < ENOUGH_TESTS || !results.steps.is_empty() {
        return;
    }
    let Some(found) = humdrum_analyse::aa_floor(results).filter(|_| is_quiet(summary)) else { return };
    // Nothing that is measured differs by nothing: a pretended server on a clock of its own does.
    if found.floor == 0.0 {
        return;
    }
    let text = serde_json::json!({
        "ln_ratio_p95": found.floor,
        "beyond_intervals_p95": found.excess,
        "measured": results.started,
    })
    .to_string();
    // Only a convenience for later runs: a cache that cannot be written costs them the line, nothing else.
    let _ = write_whole(&path(&lab.dirs), &text);
}

/// Whether the run saw its tests well enough to speak for the host: half of them to within their δ.
fn is_quiet(summary: &Summary) -> bool {
    let tests = summary.comparisons.iter().flat_map(|comparison| &comparison.tests);
    let mut widths: Vec<f64> =
        tests.filter_map(|test| test.ci95.map(|[low, high]| (high - low) / 2.0 / test.delta)).collect();
    widths.sort_by(f64::total_cmp);
    widths.get(widths.len() / 2).is_some_and(|median| *median <= 1.0)
}
