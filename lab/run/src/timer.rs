//! The duration of a run, by the subjects' own clock.

use std::sync::Arc;
use std::time::Instant;

use humdrum_contract::Clock;

/// Seconds since it was started. A virtual clock may run ahead of the host's: the later of the two counts.
pub(crate) struct Timer {
    clock: Arc<dyn Clock>,
    began_ns: u64,
    began: Instant,
    earlier_seconds: f64,
}

impl Timer {
    /// `earlier_seconds`: the duration of the run before it was interrupted.
    pub(crate) fn start(clock: Arc<dyn Clock>, earlier_seconds: f64) -> Self {
        Self { began_ns: clock.now_ns(), clock, began: Instant::now(), earlier_seconds }
    }

    /// Seconds since the start.
    pub(crate) fn seconds(&self) -> f64 {
        let clock_seconds = (self.clock.now_ns() - self.began_ns) as f64 / 1e9;
        clock_seconds.max(self.began.elapsed().as_secs_f64())
    }

    /// Seconds including those before an interruption.
    pub(crate) fn total_seconds(&self) -> f64 {
        self.earlier_seconds + self.seconds()
    }
}
