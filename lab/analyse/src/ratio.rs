//! Blocks to session values: one robust mean of ln(QPS_subject / QPS_base) per session.
//!
//! A block runs every subject on the same work back to back, so what disturbs both cancels in its ratio.
//!
//! Blocks come in mirrored pairs, and a pair is one piece of evidence:
//!
//! ```text
//!   block 0        block 1        block 2 …
//!   base subject │ subject base │ base subject
//!        cold      warm    cold   warm  cold
//! ```
//!
//! A slice that follows another subject's starts with half-cold caches, and its ratio is off by several percent
//! one way, the mirrored block's the other way. The mean of the two is free of it, and of any steady drift;
//! single blocks would have a spread several times as wide.

use humdrum_model::{Block, Slice, Stage};

use crate::robust::{quantile, trimmed};
use crate::run::KeptSession;

/// A session with fewer than this part of the usual number of blocks was cut off and would count too much.
const SHORT_SESSION: f64 = 3.0;

/// One session's say on one subject.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SessionValue {
    /// The session's number.
    pub number: u32,
    /// What it was for.
    pub stage: Stage,
    /// 20 % trimmed mean of its pairs' ln ratios.
    pub value: f64,
    /// Standard error of `value` from within the session alone.
    pub standard_error: f64,
    /// Its pairs' ln ratios.
    pub log_ratios: Vec<f64>,
    /// Blocks that these are made from.
    pub blocks: usize,
}

/// ln(QPS of `subject` / QPS of the base); `None` where one of them did not run.
pub(crate) fn log_ratio(block: &Block, subject: usize) -> Option<f64> {
    Some(log_rate(block.slice(subject)?)? - log_rate(block.slice(0)?)?)
}

/// ln of counted calls per nanosecond.
pub(crate) fn log_rate(slice: &Slice) -> Option<f64> {
    let counted = slice.operations > 0 && slice.wall_ns > 0;
    counted.then(|| (slice.operations as f64 / slice.wall_ns as f64).ln())
}

/// One value per session in which both ran, cut-off sessions left out.
pub(crate) fn session_values(sessions: &[KeptSession<'_>], subject: usize) -> Vec<SessionValue> {
    session_values_by(sessions, |block| log_ratio(block, subject))
}

/// The same for any quantity of a block.
pub(crate) fn session_values_by(
    sessions: &[KeptSession<'_>],
    quantity: impl Fn(&Block) -> Option<f64>,
) -> Vec<SessionValue> {
    let values = sessions.iter().filter_map(|session| {
        let blocks: Vec<(u32, f64)> =
            session.blocks.iter().filter_map(|block| Some((block.index, quantity(block)?))).collect();
        let log_ratios = pairs(&blocks);
        let location = trimmed(&log_ratios)?;
        let (number, stage, value) = (session.number, session.stage, location.mean);
        let standard_error = location.standard_error;
        Some((
            session.stretch,
            SessionValue { number, stage, value, standard_error, log_ratios, blocks: session.blocks.len() },
        ))
    });
    without_short(values.collect())
}

/// Means of mirrored pairs; a block whose partner was discarded is left out with it. Where there is no pair at
/// all (a session of one block), single blocks are better than nothing.
fn pairs(blocks: &[(u32, f64)]) -> Vec<f64> {
    let mirrored = |pair: &[(u32, f64)]| (pair.len() == 2).then(|| (pair[0].1 + pair[1].1) / 2.0);
    let pairs: Vec<f64> = blocks.chunk_by(|a, b| a.0 / 2 == b.0 / 2).filter_map(mirrored).collect();
    if pairs.is_empty() { blocks.iter().map(|(_, value)| *value).collect() } else { pairs }
}

/// Leaves out sessions with less than a third of the usual number of blocks, each counted against its planned
/// length.
fn without_short(values: Vec<(f64, SessionValue)>) -> Vec<SessionValue> {
    let filled = |(stretch, value): &(f64, SessionValue)| value.log_ratios.len() as f64 / stretch;
    let usual = |check: bool| {
        let kind = values.iter().filter(|(_, value)| (value.stage == Stage::SliceCheck) == check);
        quantile(&kind.map(filled).collect::<Vec<_>>(), 0.5).unwrap_or(0.0)
    };
    let (normal, check) = (usual(false), usual(true));
    let enough = |row: &(f64, SessionValue)| {
        let usual = if row.1.stage == Stage::SliceCheck { check } else { normal };
        SHORT_SESSION * filled(row) >= usual
    };
    values.into_iter().filter(enough).map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;
    use crate::testkit::{Bench, block};

    #[test]
    fn faster_is_positive_and_unequal_work_is_scaled() {
        let mut block = block("t", 0, 0, &[1_000, 500]);
        assert!((log_ratio(&block, 1).unwrap() - 2f64.ln()).abs() < 1e-12);
        block.slices[1].operations /= 2;
        assert!(log_ratio(&block, 1).unwrap().abs() < 1e-12);
        assert!(log_ratio(&block, 2).is_none());
    }

    #[test]
    fn a_session_that_was_cut_off_does_not_count() {
        let mut bench = Bench::new(&["t"], 2, 0, 4);
        for session in 0..4 {
            let blocks = if session == 3 { 2 } else { 20 };
            bench.session(Stage::Confirmation, |_| true, blocks, |_, _| 0.01);
        }
        let run = Run::new(&bench.results);
        let values = session_values(&run.test("t").unwrap().sessions, 1);
        assert_eq!(values.len(), 3);
        assert!(values.iter().all(|value| (value.value - 0.01).abs() < 1e-3));
    }

    #[test]
    fn discarded_blocks_are_no_evidence() {
        let mut bench = Bench::new(&["t"], 2, 0, 1);
        bench.session(Stage::Confirmation, |_| true, 10, |_, _| 0.0);
        let wild = &mut bench.results.blocks[0];
        wild.slices[1].wall_ns *= 100;
        wild.discarded = Some("steal".into());
        let run = Run::new(&bench.results);
        let value = &session_values(&run.test("t").unwrap().sessions, 1)[0];
        // The partner of the discarded block goes with it.
        assert_eq!(value.log_ratios.len(), 4);
        assert!(value.value.abs() < 1e-2);
    }

    #[test]
    fn what_a_switch_leaves_cold_cancels_in_a_pair() {
        let alternating: Vec<(u32, f64)> =
            (0..20).map(|index| (index, 0.01 + if index % 2 == 0 { 0.09 } else { -0.09 })).collect();
        let found = pairs(&alternating);
        assert_eq!(found.len(), 10);
        assert!(found.iter().all(|value| (value - 0.01).abs() < 1e-12));
        assert_eq!(pairs(&alternating[1..4]).len(), 1);
        assert_eq!(pairs(&alternating[..1]), [alternating[0].1]);
    }
}
