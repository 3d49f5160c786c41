//! The clock of this host. The CPU time of a thread is asked of POSIX, so that reading results, which needs no clock, goes without
//! this file elsewhere.

use std::time::{Duration, Instant};

use crate::Clock;

/// The host's monotonic clock.
pub struct HostClock {
    origin: Instant,
}

impl HostClock {
    /// A clock that starts at zero now.
    pub fn new() -> Self {
        Self { origin: Instant::now() }
    }
}

impl Default for HostClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for HostClock {
    fn now_ns(&self) -> u64 {
        self.origin.elapsed().as_nanos() as u64
    }

    fn thread_cpu_ns(&self) -> u64 {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}
