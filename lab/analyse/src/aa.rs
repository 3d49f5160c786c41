//! How much equal servers differ on this host, and whether their intervals contained the difference.

use humdrum_model::{Mode, Results, Stage, Summary};

use crate::evidence::CI_LEVEL;
use crate::interval::{Means, means};
use crate::ratio::{session_values, throughput};
use crate::robust::quantile;
use crate::run::{KeptSession, Run};
use crate::totals::{self, Part};

/// Blocks of a quad: A B B A, so that a steady drift cancels.
const QUAD: usize = 4;
/// An A/A run with fewer tests certifies nothing.
const TESTS_MIN: usize = 5;
/// Sessions of each such test.
const SESSIONS_MIN: usize = 3;

/// The result of a run that compared equal subjects; ln units, 95th percentiles over tests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AaFloor {
    /// |ln ratio|. It shrinks with the run's length, because most of it is the run's own noise.
    pub floor: f64,
    /// |ln ratio| less the test's half-width, where that is positive: the part outside the interval.
    pub excess: f64,
}

/// The host's A/A floor from a run that compared equal subjects. `None` unless a subject's fingerprint equals the
/// base's and at least five tests have three sessions each.
pub fn aa_floor(results: &Results) -> Option<AaFloor> {
    let run = Run::new(results);
    let base = results.subjects.first().filter(|base| !base.fingerprint.is_empty())?;
    let equal = |subject: &usize| {
        results.subjects.get(*subject).is_some_and(|other| other.fingerprint == base.fingerprint)
    };
    let found: Vec<Means> =
        run.compared().filter(equal).flat_map(|subject| log_ratios(&run, subject)).collect();
    if found.len() < TESTS_MIN {
        return None;
    }
    let p95 = |of: fn(&Means) -> f64| quantile(&found.iter().map(of).collect::<Vec<_>>(), 0.95);
    let beyond = |means: &Means| (means.mean.abs() - means.half_width(CI_LEVEL)).max(0.0);
    Some(AaFloor { floor: p95(|means| means.mean.abs())?, excess: p95(beyond)? })
}

/// Floor within one run: 95th percentile over tests of |ln ratio| of the base against itself in alternate
/// blocks (A B B A). One server has one data layout and one process, so this is a lower bound of `aa_floor`. It
/// has half as many pairs as a comparison has, and is divided by √2 for that. `None` without two sessions.
pub fn aa_floor_within(results: &Results) -> Option<f64> {
    let run = Run::new(results);
    let tests = results.plan.tests.iter().filter_map(|test| run.test(&test.name));
    let values: Vec<f64> = tests
        .filter_map(|blocks| {
            let sessions = blocks.sessions.iter().filter(|session| session.stage != Stage::SliceCheck);
            let values: Vec<f64> = sessions.filter_map(against_itself).collect();
            Some(means(&values)?.mean.abs() / std::f64::consts::SQRT_2)
        })
        .collect();
    quantile(&values, 0.95)
}

fn log_ratios(run: &Run<'_>, subject: usize) -> Vec<Means> {
    let tests = run.results.plan.tests.iter().filter_map(|test| run.test(&test.name));
    tests
        .filter_map(|blocks| {
            let sessions = session_values(&blocks.sessions, subject);
            let values: Vec<f64> = sessions
                .iter()
                .filter(|session| session.stage != Stage::SliceCheck)
                .map(|session| session.value)
                .collect();
            if values.len() < SESSIONS_MIN { None } else { means(&values) }
        })
        .collect()
}

/// ln of the rate in the outer blocks of quads over that in the inner ones.
fn against_itself(session: &KeptSession<'_>) -> Option<f64> {
    let quads = session.blocks.chunks_exact(QUAD).filter_map(|quad| {
        let part = |place: usize, sign| throughput(quad[place], 0, sign);
        Some([[part(0, 1.0)?, part(1, -1.0)?], [part(3, 1.0)?, part(2, -1.0)?]])
    });
    let pairs: Vec<[Part; 2]> = quads.flatten().collect();
    totals::log(&totals::sum(pairs.iter().map(<[Part; 2]>::as_slice)))
}

/// The floor of a finished A/A run, if it is valid for the host: there are enough tests for a 95th
/// percentile, and half of them have half-widths within their δ. Whole steps and servers that are up alone are left out, because
/// their noise differs from that of slices in turns.
pub fn certified_floor(results: &Results, summary: &Summary) -> Option<AaFloor> {
    const ENOUGH_TESTS: usize = 10;
    let in_turns = results.plan.mode == Mode::Interleaved && results.steps.is_empty();
    if results.plan.tests.len() < ENOUGH_TESTS || !in_turns || !is_quiet(summary) {
        return None;
    }
    // Nothing that is measured differs by nothing: a pretended server on a clock of its own does.
    aa_floor(results).filter(|found| found.floor > 0.0)
}

/// Whether the run is precise enough for its host: half of its tests have half-widths within their δ.
fn is_quiet(summary: &Summary) -> bool {
    let tests = summary.comparisons.iter().flat_map(|comparison| &comparison.tests);
    let mut widths: Vec<f64> =
        tests.filter_map(|test| test.ci95.map(|[low, high]| (high - low) / 2.0 / test.delta)).collect();
    widths.sort_by(f64::total_cmp);
    widths.get(widths.len() / 2).is_some_and(|median| *median <= 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::{Bench, Rng};

    fn bench(equal: bool) -> Bench {
        let mut bench = Bench::new(&["a", "b", "c", "d", "e"], 2, 0, 4);
        let mut rng = Rng::new(3);
        for _ in 0..4 {
            bench.session(Stage::Confirmation, |_| true, 20, |_, _| 0.003 * rng.normal());
        }
        if equal {
            bench.results.subjects[1].fingerprint = bench.results.subjects[0].fingerprint.clone();
        }
        bench
    }

    #[test]
    fn only_equal_subjects_certify_a_host() {
        let floor = aa_floor(&bench(true).results).unwrap();
        assert!((0.0003..0.008).contains(&floor.floor) && floor.excess < 0.002, "{floor:?}");
        assert!(aa_floor(&bench(false).results).is_none());
        let mut few = bench(true);
        few.results.plan.tests.truncate(4);
        assert!(aa_floor(&few.results).is_none());
    }

    #[test]
    fn the_base_against_itself_is_quiet_under_a_steady_drift() {
        let mut bench = bench(false);
        for block in &mut bench.results.blocks {
            let slowing = 1.0 + 0.01 * f64::from(block.index);
            block.slices[0].wall_ns = (block.slices[0].wall_ns as f64 * slowing) as u64;
        }
        assert!(aa_floor_within(&bench.results).unwrap() < 1e-3);
        for block in bench.results.blocks.iter_mut().filter(|block| block.index % 4 == 0) {
            block.slices[0].wall_ns += 1_000_000;
        }
        assert!(aa_floor_within(&bench.results).unwrap() > 0.01);
    }
}
