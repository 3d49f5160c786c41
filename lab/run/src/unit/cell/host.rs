//! The host beside a cell's blocks, and the blocks that its rules discard.

use std::ops::Range;

use humdrum_contract::Probe;
use humdrum_model::{Fault, HostReading};
use humdrum_sample::{Discard, HostWatch, Judged, disturbed_between};

use super::super::Unit;
use super::{Attempt, Cell};

/// What is known of the host while a cell's blocks run.
pub(super) struct Watched {
    /// The rules for blocks.
    pub(super) blocks: HostWatch,
    /// The reading of the calibration kernel before the first block; `None` where time is made up.
    before: Option<Judged>,
}

impl Cell<'_> {
    /// Reads the calibration kernel, and begins to watch the host.
    pub(super) fn watch(&self, attempt: &mut Attempt<'_, '_>) -> Result<Watched, Fault> {
        let before = self.read_host(attempt)?;
        let blocks = HostWatch::new(humdrum_provision::hosts::cpus(), self.steal(attempt));
        Ok(Watched { blocks, before })
    }

    /// Reads the calibration kernel once more, and discards what the rules blame on the host.
    pub(super) fn judge_host(
        &self,
        watched: Watched,
        spans: &[Range<u32>],
        attempt: &mut Attempt<'_, '_>,
    ) -> Result<(), Fault> {
        let Watched { mut blocks, before } = watched;
        let after = self.read_host(attempt)?;
        self.discard(blocks.finish(), attempt)?;
        let done = self.journal.blocks(self.session.number, &self.test().name);
        let first = if self.test().writes { 0 } else { done };
        let end = spans.last().map_or(0, |span| span.end);
        let disturbed = disturbed_between(before.as_ref(), after.as_ref()).filter(|_| first < end);
        self.discard(disturbed.map(|reason| Discard { first, last: end - 1, reason }), attempt)
    }

    pub(super) fn discard(
        &self,
        discard: Option<Discard>,
        attempt: &mut Attempt<'_, '_>,
    ) -> Result<(), Fault> {
        let Some(discard) = discard else { return Ok(()) };
        attempt.sink.discard(attempt.store, &self.test().name, self.session.number, &discard)
    }

    /// The probe of the host's steal; `None` for servers on a virtual clock, which report their own CPU time.
    fn steal(&self, attempt: &Attempt<'_, '_>) -> Option<Box<dyn Probe>> {
        if attempt.clock.is_virtual() { None } else { (self.run.catalogue.host.steal)() }
    }

    /// Takes a reading of the calibration kernel and records it; none where time is made up.
    fn read_host(&self, attempt: &mut Attempt<'_, '_>) -> Result<Option<Judged>, Fault> {
        if attempt.clock.is_virtual() {
            return Ok(None);
        }
        let judged = self.run.read_host();
        if let Some(Judged { reading, off }) = &judged {
            attempt.store.append_host_reading(&HostReading {
                test: self.test().name.clone(),
                session: self.session.number,
                integer_ns: reading.integer_ns,
                memory_ns: reading.memory_ns,
                call_ns: reading.call_ns,
                off: off.clone(),
            })?;
        }
        Ok(judged)
    }
}
