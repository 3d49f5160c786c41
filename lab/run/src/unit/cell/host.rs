//! The host beside a cell's blocks.

use humdrum_drive::Crew;
use humdrum_model::{Fault, HostReading};
use humdrum_record::Store;
use humdrum_sample::Judged;

use super::super::Unit;
use super::Cell;

impl Cell<'_> {
    /// Takes a reading of the calibration kernel and records it; none where time is made up.
    pub(super) fn read_host(&self, crew: &Crew<'_>, store: &mut Store) -> Result<Option<Judged>, Fault> {
        if crew.is_virtual() {
            return Ok(None);
        }
        let judged = self.run.read_host();
        if let Some(Judged { reading, off }) = &judged {
            store.append_host_reading(&HostReading {
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
