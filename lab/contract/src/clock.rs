//! The clock of the drivers. The `fake` engine has a virtual one, so that a whole comparison runs in
//! milliseconds and always in the same way.

use std::time::Duration;

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
