//! What the calibration kernel says of the host beside the blocks.

use serde::{Deserialize, Serialize};

/// One reading of the calibration kernel, before or after the blocks of a test in a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostReading {
    /// The test's name.
    pub test: String,
    /// The session's number.
    pub session: u32,
    /// Nanoseconds per step of the integer loop.
    pub integer_ns: f64,
    /// Nanoseconds per step of the walk through memory.
    pub memory_ns: f64,
    /// Nanoseconds per byte sent to another thread and back.
    pub call_ns: f64,
    /// Which limit it breaks; `None` for a usual reading.
    pub off: Option<String>,
}

/// How fast the host was during a run, and how steadily, by the calibration kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostSpeed {
    /// Readings.
    pub readings: usize,
    /// How many of them broke a limit.
    pub off: usize,
    /// Of the integer loop.
    pub integer_ns: Spread,
    /// Of the walk through memory.
    pub memory_ns: Spread,
    /// Of system calls.
    pub call_ns: Spread,
}

/// Nine in ten readings lie between these.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// 5th percentile.
    pub p5: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
}
