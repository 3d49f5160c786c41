//! How many blocks a session has, which of them run on which connection, and how many warm it up.

use std::ops::Range;

use humdrum_model::{Calibration, Stage};
use humdrum_plan::SLICE_CHECK_FACTOR;

use super::super::Unit;
use super::Cell;

impl Cell<'_> {
    /// Blocks in this session. The stretch of a slice check accounts for its longer slices.
    pub(super) fn blocks(&self, calibration: &Calibration) -> u32 {
        let blocks = f64::from(calibration.blocks) * self.session.stretch;
        ((blocks / 2.0) as u32 * 2).max(4)
    }

    /// Operations per slice in this session.
    pub(super) fn work(&self, calibration: &Calibration) -> Calibration {
        let operations = calibration.operations * self.slice_factor() as u64;
        Calibration { operations, ..calibration.clone() }
    }

    /// How many times as long as the calibration's this session's slices are.
    fn slice_factor(&self) -> f64 {
        if self.session.stage == Stage::SliceCheck { SLICE_CHECK_FACTOR } else { 1.0 }
    }

    /// The blocks of each connection, in order. Blocks of a test that reads that are on record need none.
    pub(super) fn spans(&self, calibration: &Calibration) -> Vec<Range<u32>> {
        let mut spans = self.all_spans(calibration);
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
        let blocks = f64::from(calibration.blocks) * design.warmup_seconds / measured_seconds;
        let blocks = blocks / self.slice_factor();
        let connections = self.all_spans(calibration).len() as f64;
        (blocks / connections).ceil().clamp(1.0, f64::from(calibration.blocks)) as u32
    }

    fn all_spans(&self, calibration: &Calibration) -> Vec<Range<u32>> {
        humdrum_plan::spans(&self.run.plan.design, self.test(), self.blocks(calibration))
    }
}
