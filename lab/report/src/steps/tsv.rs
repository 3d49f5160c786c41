//! Every number of every step, tab-separated, for spreadsheets and `awk`.

use humdrum_model::{StepRow, Summary};

use crate::text::clean;
use crate::tsv::number;

/// Columns of `steps_tsv` for each kind of statement.
const STREAMS: [&str; 4] = ["insert", "delete", "query", "look-up"];

/// The reference's columns, then this project's.
const COLUMNS: [&str; 22] = [
    "cpupq",
    "cspq",
    "rpq",
    "rkbpq",
    "wpi",
    "wkbpi",
    "csps",
    "cpups",
    "dbgb1",
    "dbgb2",
    "rss",
    "maxop",
    "p50",
    "p99",
    "server_cpu_us",
    "client_cpu_us",
    "dead_share",
    "history_length",
    "log_gb",
    "wait_seconds",
    "table_gb",
    "index_gb",
];

/// The device's own state, after the columns of earlier versions.
const DEVICE: [&str; 5] = ["r_await_ms", "w_await_ms", "util_pct", "queue_depth", "flushes_o"];

/// What the device did in a second, with the reference's names; also added later.
const DEVICE_RATES: [&str; 4] = ["rps", "rmbps", "wps", "wmbps"];

/// The server's CPU by mode; added last.
const MODES: [&str; 2] = ["server_user_us", "server_system_us"];

/// Every step of every subject with all its numbers, tab-separated; empty for other suites.
///
/// `subject`, `step`, `status`, `counts` (`rows` or `queries`), `rate` (per second); `target`, `inserted`, `worst_10s`
/// (rows per second of paced writers); the reference's columns (`cpupq` µs, `cspq`, `rpq`, `rkbpq` KiB, `wpi`, `wkbpi`
/// KiB, `csps`, `cpups` %, `dbgb1` and `dbgb2` GB, `rss` GB, `maxop` s, `p50` and `p99` per second); `server_cpu_us`,
/// `client_cpu_us` (per operation), `dead_share`, `history_length`, `log_gb`, `wait_seconds`, `table_gb`, `index_gb`; then for
/// each kind of statement its number, rows, retries after a deadlock, seconds, and p50, p99 and longest response in µs; then
/// the device's average waits, utilisation, queue depth and flushes per operation, and `rps`, `rmbps`, `wps`, `wmbps`
/// (reads, MiB read, writes and MiB written per second); then the parts of `server_cpu_us`, `server_user_us` and
/// `server_system_us`.
pub fn steps_tsv(summary: &Summary) -> String {
    if summary.steps.is_empty() {
        return String::new();
    }
    let mut head: Vec<String> =
        ["subject", "step", "status", "counts", "rate", "target", "inserted", "worst_10s"]
            .map(str::to_owned)
            .into();
    head.extend(COLUMNS.map(str::to_owned));
    for name in STREAMS {
        let name = name.replace('-', "_");
        let own = ["statements", "rows", "retries", "seconds", "p50_us", "p99_us", "longest_us"];
        head.extend(own.map(|what| format!("{name}_{what}")));
    }
    head.extend(later().map(str::to_owned));
    let lines = summary.steps.iter().map(|row| cells(row).join("\t"));
    std::iter::once(head.join("\t")).chain(lines).map(|line| line + "\n").collect()
}

/// The columns after those of statements.
fn later() -> impl Iterator<Item = &'static str> {
    DEVICE.into_iter().chain(DEVICE_RATES).chain(MODES)
}

fn cells(row: &StepRow) -> Vec<String> {
    let mut cells =
        vec![clean(&row.subject), clean(&row.test), row.status.word().to_owned(), clean(&row.counts)];
    cells.push(number(row.rate));
    let pace = row.background;
    cells.extend(
        [pace.map(|own| own.target), pace.map(|own| own.rate), pace.map(|own| own.worst_10s)].map(number),
    );
    cells.extend(COLUMNS.map(|name| number(row.columns.get(name).copied())));
    for name in STREAMS {
        let own = row.streams.get(name);
        let counts = [own.map(|own| own.statements), own.map(|own| own.rows), own.map(|own| own.retries)];
        cells.extend(counts.map(|count| count.map_or_else(String::new, |count| count.to_string())));
        let times = [
            own.map(|own| own.seconds),
            own.map(|own| own.response_us.p50),
            own.map(|own| own.response_us.p99),
            own.map(|own| own.response_us.max),
        ];
        cells.extend(times.map(number));
    }
    cells.extend(later().map(|name| number(row.columns.get(name).copied())));
    cells
}
