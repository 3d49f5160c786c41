//! How many blocks a session has, and which of them run on which connection.
//!
//! A connection has luck of its own: where the server's process or thread for it lies in memory. Most connections to
//! equal servers are within a percent of each other, and one in fifty is 5 to 30 % off, from its first operation to
//! its last (`docs/host-effects.md`). With one connection a session, that is the session's result.

use std::ops::Range;

use humdrum_model::{Calibration, Stage};
use humdrum_plan::SLICE_CHECK_FACTOR;

use super::super::Unit;
use super::Cell;

/// Fewest blocks of a connection: two mirrored pairs.
const FEWEST_BLOCKS: u32 = 4;

impl Cell<'_> {
    /// Blocks in this session. The stretch of a slice check accounts for its longer slices.
    pub(super) fn blocks(&self, calibration: &Calibration) -> u32 {
        let blocks = f64::from(calibration.blocks) * self.session.stretch;
        ((blocks / 2.0) as u32 * 2).max(4)
    }

    /// Operations per slice in this session.
    pub(super) fn work(&self, calibration: &Calibration) -> Calibration {
        let longer = if self.session.stage == Stage::SliceCheck { SLICE_CHECK_FACTOR as u64 } else { 1 };
        Calibration { operations: calibration.operations * longer, ..calibration.clone() }
    }

    /// The blocks of each connection, in order. Blocks of a test that reads that are on record need none.
    pub(super) fn spans(&self, calibration: &Calibration) -> Vec<Range<u32>> {
        let blocks = self.blocks(calibration);
        let mut spans = spans(blocks, self.connections(blocks));
        if !self.test().writes {
            let done = self.journal.blocks(self.session.number, &self.test().name);
            spans.retain(|span| span.end > done);
        }
        spans
    }

    /// Blocks of warm-up of each connection: together as long as the design says at the pace of the calibration.
    pub(super) fn warm_up_blocks(&self, calibration: &Calibration) -> u32 {
        let design = &self.run.plan.design;
        let measured_seconds =
            (design.seconds_of(self.test()) - design.warmup_seconds).max(f64::MIN_POSITIVE);
        let longer = if self.session.stage == Stage::SliceCheck { SLICE_CHECK_FACTOR } else { 1.0 };
        let blocks = f64::from(calibration.blocks) * design.warmup_seconds / measured_seconds / longer;
        let connections = f64::from(self.connections(self.blocks(calibration)));
        (blocks / connections).ceil().clamp(1.0, f64::from(calibration.blocks)) as u32
    }

    /// The number of connections that `blocks` are spread over. Operations that write are numbered through a session, so
    /// that they stay on one.
    fn connections(&self, blocks: u32) -> u32 {
        let wanted = if self.test().writes { 1 } else { self.run.plan.design.connections };
        wanted.min(blocks / FEWEST_BLOCKS).max(1)
    }
}

/// `blocks` on `connections`: an even number on each but the last, so that mirrored pairs stay together.
fn spans(blocks: u32, connections: u32) -> Vec<Range<u32>> {
    let edge =
        |number: u32| if number == connections { blocks } else { blocks * number / connections / 2 * 2 };
    (0..connections).map(|number| edge(number)..edge(number + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrored_pairs_stay_together() {
        assert_eq!(spans(10, 1), std::slice::from_ref(&(0..10)));
        assert_eq!(spans(24, 3), [0..8, 8..16, 16..24]);
        assert_eq!(spans(14, 3), [0..4, 4..8, 8..14]);
        for (blocks, connections) in
            (4..200).flat_map(|blocks| (1..=blocks / FEWEST_BLOCKS).map(move |n| (blocks, n)))
        {
            let found = spans(blocks, connections);
            assert_eq!(found.len() as u32, connections);
            assert_eq!(found.iter().map(|span| span.end - span.start).sum::<u32>(), blocks);
            assert!(found.iter().all(|span| span.start % 2 == 0 && span.end - span.start >= 2), "{found:?}");
        }
    }
}
