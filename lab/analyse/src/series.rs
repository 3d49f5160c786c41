//! Rates over time and discarded blocks, for charts and lists. Never evidence.

use humdrum_model::{Block, Results};

use crate::imported;
use crate::run::Run;

/// Points that a chart can still show.
const POINTS_MAX: usize = 600;

/// One point of a rate series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatePoint {
    /// Seconds since the run began.
    pub seconds: f64,
    /// Operations per second.
    pub qps: f64,
    /// A rule discarded the block (of merged blocks: at least one).
    pub discarded: bool,
}

/// A block that a pre-declared rule discarded.
#[derive(Clone, Debug, PartialEq)]
pub struct DiscardedBlock {
    /// The test's name.
    pub test: String,
    /// The session's number.
    pub session: u32,
    /// Number within (test, session).
    pub index: u32,
    /// Seconds since the run began.
    pub seconds: f64,
    /// Why.
    pub why: String,
}

/// Throughput of one test over time, one series per subject in the plan's order, at most 600 points each
/// (neighbours within a session's order are averaged). Empty series for a test without blocks.
pub fn rate_series(results: &Results, test: &str) -> Vec<Vec<RatePoint>> {
    if results.plan.imported.is_some() {
        return imported::rate_series(results, test);
    }
    let run = Run::of_test(results, test);
    let statements = results
        .plan
        .tests
        .iter()
        .find(|info| info.name == test)
        .map_or(1.0, |info| f64::from(info.statements));
    let Some(blocks) = run.test(test) else { return vec![Vec::new(); results.plan.subjects.len()] };
    let series = |subject: usize| {
        let points: Vec<RatePoint> = blocks
            .all
            .iter()
            .filter_map(|block| {
                let slice = block.slice(subject).filter(|slice| slice.wall_ns > 0)?;
                let qps = slice.operations as f64 * statements / (slice.wall_ns as f64 / 1e9);
                Some(RatePoint {
                    seconds: slice.start_ns as f64 / 1e9,
                    qps,
                    discarded: !blocks.counting.counts(block),
                })
            })
            .collect();
        thinned(&points)
    };
    (0..results.plan.subjects.len()).map(series).collect()
}

/// Every discarded block, in the order in which they ended.
pub fn discarded_blocks(results: &Results) -> Vec<DiscardedBlock> {
    let row = |block: &Block| {
        let why = block.discarded.clone()?;
        let seconds = block.slices.first().map_or(0.0, |slice| slice.start_ns as f64 / 1e9);
        Some(DiscardedBlock {
            test: block.test.clone(),
            session: block.session,
            index: block.index,
            seconds,
            why,
        })
    };
    results.discarded_blocks().filter_map(row).collect()
}

fn thinned(points: &[RatePoint]) -> Vec<RatePoint> {
    let group = points.len().div_ceil(POINTS_MAX).max(1);
    let merge = |group: &[RatePoint]| RatePoint {
        seconds: group[0].seconds,
        qps: group.iter().map(|point| point.qps).sum::<f64>() / group.len() as f64,
        discarded: group.iter().any(|point| point.discarded),
    };
    points.chunks(group).map(merge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Bench;
    use humdrum_model::Stage;

    #[test]
    fn long_series_are_thinned_and_keep_what_was_discarded() {
        let mut bench = Bench::new(&["t"], 2, 0, 1);
        bench.session(Stage::Confirmation, |_| true, 1500, |_, _| 0.0);
        bench.results.blocks[700].discarded = Some("steal".into());
        let series = rate_series(&bench.results, "t");
        assert_eq!((series.len(), series[0].len()), (2, 500));
        assert!((series[1][0].qps - 10_000.0).abs() < 1e-6);
        assert_eq!(series[0].iter().filter(|point| point.discarded).count(), 1);
        let listed = discarded_blocks(&bench.results);
        assert_eq!((listed.len(), listed[0].index, listed[0].why.as_str()), (1, 700, "steal"));
        assert!(rate_series(&bench.results, "other")[0].is_empty());
    }
}
