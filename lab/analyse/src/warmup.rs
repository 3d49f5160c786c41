//! Detects warm-up inside a session from the data: MSER-5 (White 1997).
//!
//! The driver leaves out an explicit warm-up; this finds what it missed. Each batch is the median of five
//! blocks (not White's mean: single extreme slices on a shared host would determine the cut). The cut
//! minimises the standard error of the rest; at most half is cut. Interleaved subjects share most of a
//! warm-up, so a cut needs a clear difference: the cut part must differ from the kept part by more than 1 %
//! and by more than four standard errors.
//!
//! *Not steady* withholds a verdict. It needs two things: a cut at its limit in most sessions, and a time per
//! operation that still moves between the third and the last quarter of the sessions, in the same direction
//! by more than 3 % (99.9 % interval over sessions). A host that drifts does so in either direction and does
//! not cause it; a cache that fills in every session does.

use humdrum_model::Block;

use crate::interval::means;
use crate::robust::{mean, quantile, sd, trimmed};

/// Blocks per batch: the 5 of MSER-5.
const BATCH: usize = 5;
/// With fewer batches there is nothing to detect on.
const BATCHES_MIN: usize = 8;
/// ln units by which the cut part must differ.
const CUT_MIN: f64 = 0.01;
/// Standard errors by which the cut part must differ.
const CUT_SIGMAS: f64 = 4.0;
/// ln units by which the last quarter must still move.
const LATE_DRIFT_MIN: f64 = 0.03;
/// With fewer sessions, no test is called not steady.
const SESSIONS_MIN: usize = 3;

/// The result for one session.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Steadiness {
    /// Blocks to leave out at the head.
    pub cut: usize,
    /// The best cut was the largest allowed: no steady state was found.
    pub at_limit: bool,
    /// ln time per operation of the last quarter less that of the third.
    pub late_drift: f64,
}

/// Mean over subjects of ln seconds per call, per block: what all subjects of a block share.
pub(crate) fn series(blocks: &[&Block]) -> Vec<f64> {
    let log_time = |block: &&Block| {
        let logs: Vec<f64> = block
            .slices
            .iter()
            .filter(|slice| slice.operations > 0 && slice.wall_ns > 0)
            .map(|slice| (slice.wall_ns as f64 / slice.operations as f64).ln())
            .collect();
        mean(&logs)
    };
    blocks.iter().map(log_time).collect()
}

/// Detects a warm-up in one session's series.
pub(crate) fn examine(series: &[f64]) -> Steadiness {
    let batches: Vec<f64> = series.chunks_exact(BATCH).filter_map(|batch| quantile(batch, 0.5)).collect();
    if batches.len() < BATCHES_MIN || batches.iter().any(|batch| !batch.is_finite()) {
        return Steadiness::default();
    }
    let best = mser(&batches);
    let cut = if plain(&batches, best) { best } else { 0 };
    // An even number of blocks, so that AB BA pairs stay whole.
    let blocks = (cut * BATCH).next_multiple_of(2);
    Steadiness { cut: blocks, at_limit: cut >= batches.len() / 2, late_drift: late_drift(&batches) }
}

/// Whether most sessions agree that the test never settled.
pub(crate) fn not_steady(sessions: &[Steadiness]) -> bool {
    let limits = sessions.iter().filter(|session| session.at_limit).count();
    if sessions.len() < SESSIONS_MIN || 2 * limits <= sessions.len() {
        return false;
    }
    let drifts: Vec<f64> = sessions.iter().map(|session| session.late_drift).collect();
    means(&drifts).is_some_and(|drift| drift.mean.abs() - drift.half_width(0.001) > LATE_DRIFT_MIN)
}

/// Batches to cut: argmin over d of Σ(y - ȳ)²/(n - d)², d at most half.
fn mser(batches: &[f64]) -> usize {
    let score = |cut: usize| {
        let rest = &batches[cut..];
        let centre = mean(rest);
        rest.iter().map(|batch| (batch - centre).powi(2)).sum::<f64>() / (rest.len() as f64).powi(2)
    };
    (0..=batches.len() / 2).min_by(|&a, &b| score(a).total_cmp(&score(b))).unwrap_or(0)
}

fn plain(batches: &[f64], cut: usize) -> bool {
    if cut == 0 {
        return false;
    }
    let (head, rest) = batches.split_at(cut);
    let error = sd(rest) * (1.0 / head.len() as f64 + 1.0 / rest.len() as f64).sqrt();
    (mean(head) - mean(rest)).abs() > CUT_MIN.max(CUT_SIGMAS * error)
}

fn late_drift(batches: &[f64]) -> f64 {
    let quarter = batches.len() / 4;
    let (before, last) = batches[batches.len() - 2 * quarter..].split_at(quarter);
    let centre = |part: &[f64]| trimmed(part).map_or(0.0, |location| location.mean);
    centre(last) - centre(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Rng;

    fn noise(rng: &mut Rng, count: usize) -> Vec<f64> {
        (0..count).map(|_| 0.05 * rng.heavy()).collect()
    }

    #[test]
    fn cuts_a_plain_warm_up_and_not_more() {
        let mut rng = Rng::new(1);
        let mut series = noise(&mut rng, 200);
        series[..30].iter_mut().for_each(|value| *value += 0.5);
        let found = examine(&series);
        assert!((30..=50).contains(&found.cut) && found.cut.is_multiple_of(2), "{found:?}");
        assert!(!found.at_limit);
    }

    #[test]
    fn stationary_noise_is_hardly_ever_cut_and_never_called_unsteady() {
        let mut rng = Rng::new(2);
        let (mut cuts, mut fires) = (0, 0);
        for _ in 0..300 {
            let sessions: Vec<Steadiness> = (0..6).map(|_| examine(&noise(&mut rng, 200))).collect();
            cuts += sessions.iter().filter(|session| session.cut > 0).count();
            fires += usize::from(not_steady(&sessions));
        }
        assert!(cuts < 1800 / 20, "cut {cuts} of 1800");
        assert_eq!(fires, 0);
    }

    #[test]
    fn a_drifting_host_is_not_a_warm_up() {
        let mut rng = Rng::new(3);
        let fires = (0..300).filter(|_| {
            let sessions: Vec<Steadiness> = (0..6)
                .map(|_| {
                    let slope = 0.2 * rng.normal() / 200.0;
                    let drift = noise(&mut rng, 200).into_iter().enumerate();
                    examine(&drift.map(|(at, value)| value + slope * at as f64).collect::<Vec<_>>())
                })
                .collect();
            not_steady(&sessions)
        });
        assert!(fires.count() <= 1);
    }

    #[test]
    fn a_cache_that_fills_in_every_session_is_not_steady() {
        let mut rng = Rng::new(4);
        let sessions: Vec<Steadiness> = (0..6)
            .map(|_| {
                let filling = noise(&mut rng, 200).into_iter().enumerate();
                examine(&filling.map(|(at, value)| value * 0.2 - at as f64 / 200.0).collect::<Vec<_>>())
            })
            .collect();
        assert!(not_steady(&sessions), "{sessions:?}");
    }

    #[test]
    fn short_series_are_left_alone() {
        assert_eq!(examine(&[9.0, 1.0, 1.0, 1.0, 1.0, 1.0]), Steadiness::default());
        assert!(!not_steady(&[]));
    }
}
