//! The clock of the drivers. The `fake` engine has a virtual one, so that a whole comparison runs in
//! milliseconds and always in the same way.

use std::time::{Duration, Instant};

/// A clock that the driver reads at slice edges and after each operation.
pub trait Clock: Send + Sync {
    /// Nanoseconds since some fixed moment; never goes back.
    fn now_ns(&self) -> u64;
    /// CPU nanoseconds, user and system, of the calling thread.
    fn thread_cpu_ns(&self) -> u64;
    /// Waits.
    fn sleep(&self, duration: Duration);
    /// Whether time is simulated, so that the host's state does not affect measurements.
    fn is_virtual(&self) -> bool {
        false
    }
}

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
