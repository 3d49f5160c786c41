//! The table of costs: what each is a sum of, and what it is divided by.

use humdrum_model::IDLE_PCT;

/// A term of a sum: a reading by name, the client's own CPU clock, or the time in which a client had nothing to do.
pub(super) enum Term {
    Reading(&'static str),
    ClientCpu,
    Idle,
}

/// One row of the table.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) description: &'static str,
    /// Summed; the row is absent if the run has no such metric.
    pub(super) terms: &'static [Term],
    /// From the readings' unit to this row's.
    pub(super) scale: f64,
    pub(super) per: Per,
}

/// What a sum of readings is divided by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Per {
    /// Operations, guard operations included.
    Operation,
    /// Slices: the reading is a level rather than something used up.
    Slice,
    /// Another reading; the row is absent if that is zero.
    Reading(&'static str),
    /// Nanoseconds that the readings cover.
    Time,
    /// Nanoseconds of counted operations.
    Wall,
}

pub(super) const fn per_op(
    name: &'static str,
    unit: &'static str,
    description: &'static str,
    terms: &'static [Term],
    scale: f64,
) -> Kind {
    Kind { name, unit, description, terms, scale, per: Per::Operation }
}

/// A row over another reading, or over time.
const fn over(
    per: Per,
    unit: &'static str,
    scale: f64,
    row: [&'static str; 2],
    terms: &'static [Term],
) -> Kind {
    let [name, description] = row;
    Kind { name, unit, description, terms, scale, per }
}

/// Alphabetical.
pub(super) const KINDS: &[Kind] = &[
    per_op(
        "background_cpu_us",
        "µs/op",
        "CPU of the server's background processes",
        &[Term::Reading("background_cpu_ns")],
        1e-3,
    ),
    per_op("client_cpu_us", "µs/op", "CPU of the client threads", &[Term::ClientCpu], 1e-3),
    per_op(
        "cpu_o",
        "µs/op",
        "CPU of server sessions, server background and client",
        &[Term::Reading("server_cpu_ns"), Term::Reading("background_cpu_ns"), Term::ClientCpu],
        1e-3,
    ),
    per_op("cs_o", "1/op", "context switches of the server", &[Term::Reading("server_switches")], 1.0),
    per_op("flushes_o", "1/op", "flushes of the device", &[Term::Reading("device_flushes")], 1.0),
    over(
        Per::Wall,
        "%",
        100.0,
        [
            IDLE_PCT,
            "part of slices in which a client had not begun or had no operation left, of several clients",
        ],
        &[Term::Idle],
    ),
    over(
        Per::Time,
        "requests",
        1e6,
        ["queue_depth", "requests in flight at the device, on average"],
        &[Term::Reading("device_queue_ms")],
    ),
    over(
        Per::Reading("device_reads"),
        "ms",
        1.0,
        ["r_await_ms", "average wait for a read from the device"],
        &[Term::Reading("device_read_wait_ms")],
    ),
    per_op("r_o", "1/op", "reads from the device", &[Term::Reading("device_reads")], 1.0),
    per_op("rkb_o", "KiB/op", "KiB read from the device", &[Term::Reading("device_read_kib")], 1.0),
    Kind {
        name: "rss_mib",
        unit: "MiB",
        description: "memory of the server's processes (a level, not per operation)",
        terms: &[Term::Reading("rss_kib")],
        scale: 1.0 / 1024.0,
        per: Per::Slice,
    },
    per_op(
        "run_queue_wait_us",
        "µs/op",
        "time the server was ready to run and had no processor",
        &[Term::Reading("run_queue_wait_ns")],
        1e-3,
    ),
    per_op(
        "server_cpu_us",
        "µs/op",
        "CPU of the server's session processes",
        &[Term::Reading("server_cpu_ns")],
        1e-3,
    ),
    per_op(
        "server_system_us",
        "µs/op",
        "CPU of the server's session processes in the kernel, as its ticks find them",
        &[Term::Reading("server_system_ns")],
        1e-3,
    ),
    per_op(
        "server_user_us",
        "µs/op",
        "CPU of the server's session processes in user mode, as the kernel's ticks find them",
        &[Term::Reading("server_user_ns")],
        1e-3,
    ),
    over(
        Per::Time,
        "%",
        1e8,
        ["util_pct", "share of the time in which the device had a request in flight"],
        &[Term::Reading("device_busy_ms")],
    ),
    over(
        Per::Reading("device_writes"),
        "ms",
        1.0,
        ["w_await_ms", "average wait for a write to the device"],
        &[Term::Reading("device_write_wait_ms")],
    ),
    per_op("w_o", "1/op", "writes to the device", &[Term::Reading("device_writes")], 1.0),
    per_op("wkb_o", "KiB/op", "KiB written to the device", &[Term::Reading("device_write_kib")], 1.0),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_alphabetical() {
        assert!(KINDS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }
}
