//! Each column of a store that flushes and compacts: its readings, its unit and its meaning.

/// The divisor of a column.
pub(super) enum Per {
    /// Readings, summed.
    Readings(&'static [&'static str]),
    /// A million of operations.
    Million,
    /// One operation.
    Operation,
    /// Seconds of slices.
    Second,
}

/// One column: readings, summed, over something.
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) description: &'static str,
    pub(super) readings: &'static [&'static str],
    pub(super) per: Per,
    /// From the quotient's unit to this one.
    pub(super) scale: f64,
    /// Whether the payment of the debt counts too.
    pub(super) debt: bool,
}

pub(super) const COMPACTED: &str = "compaction_written_bytes";
pub(super) const FLUSHED: &str = "flush_written_bytes";

/// Alphabetical.
pub(super) const COLUMNS: &[Column] = &[
    Column {
        name: "c_csecs",
        unit: "s/Mop",
        description: "CPU seconds of compactions for a million operations, with debt",
        readings: &["compaction_cpu_us"],
        per: Per::Million,
        scale: 1e-6,
        debt: true,
    },
    Column {
        name: "c_mbps",
        unit: "MB/s",
        description: "bytes that compactions wrote, over the time they took (added up, so two at once count twice), with debt",
        readings: &[COMPACTED],
        per: Per::Readings(&["compaction_wall_us"]),
        scale: 1.0,
        debt: true,
    },
    Column {
        name: "c_wgb",
        unit: "GB/Mop",
        description: "bytes that compactions wrote for a million operations, with debt",
        readings: &[COMPACTED],
        per: Per::Million,
        scale: 1e-9,
        debt: true,
    },
    Column {
        name: "c_wsecs",
        unit: "s/Mop",
        description: "seconds of compactions for a million operations, added up over compactions, with debt",
        readings: &["compaction_wall_us"],
        per: Per::Million,
        scale: 1e-6,
        debt: true,
    },
    Column {
        name: "mb_sec",
        unit: "MB/s",
        description: "keys and values that operations read or wrote (with those of a writer beside them) in a second",
        readings: &["got_bytes", "put_bytes"],
        per: Per::Second,
        scale: 1e-6,
        debt: false,
    },
    Column {
        name: "s_cpu",
        unit: "µs/op",
        description: "CPU in the kernel of the whole process, client and compactions included",
        readings: &["system_cpu_ms"],
        per: Per::Operation,
        scale: 1e3,
        debt: false,
    },
    Column {
        name: "stall_pct",
        unit: "%",
        description: "part of the time for which writes were held back or stopped",
        readings: &["stall_ms"],
        per: Per::Second,
        scale: 0.1,
        debt: false,
    },
    Column {
        name: "stalls",
        unit: "1/Mop",
        description: "times that writes began to be held back or stopped, for a million operations",
        readings: &["stalls"],
        per: Per::Million,
        scale: 1.0,
        debt: false,
    },
    Column {
        name: "u_cpu",
        unit: "µs/op",
        description: "CPU in user mode of the whole process, client and compactions included",
        readings: &["user_cpu_ms"],
        per: Per::Operation,
        scale: 1e3,
        debt: false,
    },
    Column {
        name: "w_amp",
        unit: "ratio",
        description: "write amplification: bytes flushed (once) and compacted, over bytes of keys and values put; the log does \
                      not count; with debt",
        readings: &[FLUSHED, COMPACTED],
        per: Per::Readings(&["put_bytes"]),
        scale: 1.0,
        debt: true,
    },
    Column {
        name: "writer_kept",
        unit: "%",
        description: "writes of the background writer, of those that were due",
        readings: &["writer_writes"],
        per: Per::Readings(&["writer_due"]),
        scale: 100.0,
        debt: false,
    },
    Column {
        name: "writer_us",
        unit: "µs",
        description: "response time of the background writer's writes, each from its intended start; mean",
        readings: &["writer_response_us"],
        per: Per::Readings(&["writer_writes"]),
        scale: 1.0,
        debt: false,
    },
];
