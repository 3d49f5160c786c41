//! The Insert Benchmark's summaries as the Small Datum archive has them (`mrg.l.i0`): a line for each build, with rates, what `vmstat`
//! and `iostat` counted for an operation, and the build's tag. The file's name gives the step.
//!
//! ```text
//!   ips    qps  rps rmbps wps  wmbps rpq   rkbpq wpi   wkbpi csps  cpups cspq  cpupq dbgb1 dbgb2 rss maxop p50    p99   tag
//!   103093 0    0   0.0   38.3 15.4  0.000 0.000 0.000 0.153 10495 45.5  0.102 18    1.0   2.0   1.1 0.103 101988 83911 pg181.cx10b
//! ```

use humdrum_model::Fault;

use crate::Reader;
use crate::found::{Found, Named, Options, Reading, Repetition};
use crate::lines::{Line, Lines};
use crate::number::{number, of_rate};

/// The first columns, and what else a line needs.
const FIRST: [&str; 2] = ["ips", "qps"];
const LAST: &str = "tag";
/// Counted for each operation: (column, reading, unit, what it is).
const PER_OPERATION: [(&str, &str, &str, &str); 4] = [
    ("rpq", "device_reads", "count", "reads from the device"),
    ("rkbpq", "device_read_kib", "KiB", "KiB read from the device"),
    ("cspq", "host_switch_count", "count", "context switches of the whole host"),
    ("cpupq", "all_cpu_us", "µs", "CPU of the whole host, server and client"),
];
/// The same for each row that was inserted.
const PER_ROW: (&str, &str, &str, &str) = ("wkbpi", "device_write_kib", "KiB", "KiB written to the device");

/// The archive's lines of a step.
pub(crate) struct InsertSummary;

impl Reader for InsertSummary {
    fn name(&self) -> &'static str {
        "insert-summary"
    }

    fn about(&self) -> &'static str {
        "the Insert Benchmark's lines of a step in the Small Datum archive"
    }

    fn fits(&self, head: &str) -> bool {
        head.lines().take(3).any(|line| columns(line).is_some())
    }

    fn read(&self, lines: &mut Lines<'_>, _: &Options, found: &mut Found) -> Result<(), Fault> {
        let mut names: Vec<String> = Vec::new();
        let mut is_first = true;
        while let Some(line) = lines.read()? {
            if let Some(named) = columns(line.text) {
                names = named;
            } else if let Some(one) = repetition(&names, line, is_first) {
                found.add(one)?;
                is_first = false;
            } else if !matches!(line.text.trim(), "" | "-") {
                found.unread(line);
            }
        }
        Ok(())
    }
}

/// The names of a header's columns.
fn columns(line: &str) -> Option<Vec<String>> {
    let names: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    (names.starts_with(&FIRST.map(String::from)) && names.last()? == LAST).then_some(names)
}

fn repetition(names: &[String], line: Line<'_>, is_base: bool) -> Option<Repetition> {
    let cells: Vec<&str> = line.text.split_whitespace().collect();
    let cell = |name: &str| {
        let place = names.iter().position(|own| own == name).filter(|_| cells.len() == names.len())?;
        cells.get(place).copied()
    };
    let rate = |name: &str| cell(name).and_then(number);
    let (rows, queries) = (rate("ips")?, rate("qps")?);
    let (rate_of, operation) = if queries > 0.0 { (queries, "one query") } else { (rows, "one row") };
    let (operations, wall_ns) = of_rate(rate_of)?;
    let seconds = wall_ns as f64 / 1e9;
    let of = |times: f64, &(column, name, unit, description): &(&str, _, _, _)| {
        Reading::counter(name, unit, description, rate(column)? * times)
    };
    let readings = PER_OPERATION.iter().filter_map(|row| of(operations as f64, row));
    let written = of(rows * seconds, &PER_ROW);
    let longest = rate("maxop").and_then(|seconds| crate::number::us_of_ms(seconds * 1e3));
    let longest = longest.map(|us| Reading::latency("latency_us_max", "longest response time", us));
    Some(Repetition {
        subject: Some(Named { engine: String::new(), release: cell(LAST)?.to_owned(), is_base }),
        operation,
        operations,
        wall_ns,
        readings: readings.chain(written).chain(longest).collect(),
        ..Repetition::default()
    })
}
