//! What a query cost in sysbench's tests, as the Small Datum archive has it (`o.met`): for each test the names of the columns, and a line
//! for each build, the first of them the base. Ratios that follow are left out, because they are computed from these lines.
//!
//! ```text
//!   sb.met.hot-points.range100.pk1.dop1
//!   --- absolute
//!   cpu/o     cs/o   r/o  rKB/o  wKB/o  o/s    dbms
//!   0.000131  4.012  0    0.001  0.002  4527   x.pg1222_rel.x10a.pk1
//!   --- relative to first result
//!   0.66      1.01   1    1      1      1.51   x.pg181_rel.x10b.pk1
//! ```

use humdrum_model::Fault;

use crate::Reader;
use crate::found::{Found, Named, Options, Reading, Repetition};
use crate::lines::{Line, Lines};
use crate::number::{count, number, of_rate};

const ABSOLUTE: &str = "--- absolute";
const RELATIVE: &str = "--- relative to first result";
/// (column, reading, unit, what it is, from the column's unit for an operation to the reading's).
const COLUMNS: [(&str, &str, &str, &str, f64); 5] = [
    // Percent of the whole host for an operation a second.
    (
        "cpu/o",
        "cpu_by_processors_us",
        "µs",
        "CPU of the whole host, server and client, over its processors",
        1e4,
    ),
    ("cs/o", "host_switch_count", "count", "context switches of the whole host", 1.0),
    ("r/o", "device_reads", "count", "reads from the device", 1.0),
    ("rKB/o", "device_read_kib", "KiB", "KiB read from the device", 1.0),
    ("wKB/o", "device_write_kib", "KiB", "KiB written to the device", 1.0),
];

/// The archive's tables of metrics.
pub(crate) struct SysbenchMetrics;

impl Reader for SysbenchMetrics {
    fn name(&self) -> &'static str {
        "sysbench-metrics"
    }

    fn about(&self) -> &'static str {
        "the o.met tables of the Small Datum archive: what a query cost"
    }

    fn fits(&self, head: &str) -> bool {
        let mut lines = head.lines().skip_while(|line| *line != ABSOLUTE);
        lines.nth(1).is_some_and(|line| columns(line).is_some())
    }

    fn read(&self, lines: &mut Lines<'_>, _: &Options, found: &mut Found) -> Result<(), Fault> {
        let mut part = Part::default();
        // A line may be the next test's name: only what follows it tells.
        let mut name: Option<(u64, String)> = None;
        while let Some(line) = lines.read()? {
            match line.text {
                ABSOLUTE => part = Part::of(name.take().map(|(_, name)| name)),
                RELATIVE => part.is_relative = true,
                "" => part = Part::default(),
                text => {
                    if let Some(columns) = columns(text).filter(|_| part.test.is_some()) {
                        part.columns = columns;
                    } else if let Some(one) = part.repetition(text) {
                        found.add(one)?;
                    } else if part.test.is_none() {
                        left_over(name.replace((line.number, text.to_owned())), found);
                    } else if !part.is_relative {
                        found.unread(line);
                    }
                }
            }
        }
        left_over(name, found);
        Ok(())
    }
}

/// A line that was taken for a test's name, and is none.
fn left_over(name: Option<(u64, String)>, found: &mut Found) {
    if let Some((number, text)) = name {
        found.unread(Line { number, text: &text });
    }
}

/// The names of a header's columns.
fn columns(line: &str) -> Option<Vec<String>> {
    let names: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let is = names.first()? == "cpu/o" && names.last()? == "dbms" && names.iter().any(|name| name == "o/s");
    is.then_some(names)
}

/// The lines of one test.
#[derive(Default)]
struct Part {
    test: Option<String>,
    clients: Option<u32>,
    columns: Vec<String>,
    /// A line of it has been read: that of the base.
    has_base: bool,
    /// What follows are ratios of the lines before.
    is_relative: bool,
}

impl Part {
    /// From the name of its file: `sb.met.hot-points.range100.pk1.dop1` is `hot-points_range=100` with one client.
    fn of(name: Option<String>) -> Self {
        let name = name.unwrap_or_default();
        let mut words: Vec<&str> = name.trim_start_matches("sb.met.").split('.').collect();
        let mut take = |word: &str| {
            let place =
                words.iter().rposition(|own| own.strip_prefix(word).is_some_and(|n| count(n).is_some()))?;
            count(words.remove(place).strip_prefix(word)?)
        };
        let (clients, _, range) = (take("dop"), take("pk"), take("range"));
        let range = range.map(|range| format!("_range={range}")).unwrap_or_default();
        Self {
            test: Some(words.join(".") + &range),
            clients: clients.and_then(|clients| u32::try_from(clients).ok()),
            ..Self::default()
        }
    }

    /// Of scans the archive counts thousands of rows for queries.
    fn scans(&self) -> bool {
        self.test.as_ref().is_some_and(|test| test.starts_with("scan"))
    }

    fn repetition(&mut self, text: &str) -> Option<Repetition> {
        let cells: Vec<&str> = text.split_whitespace().collect();
        let cell = |name: &str| {
            let place = self.columns.iter().position(|own| own == name).filter(|_| !self.is_relative)?;
            cells.get(place).copied().filter(|_| cells.len() == self.columns.len())
        };
        let value = |name: &str| cell(name).and_then(number);
        let (operations, wall_ns) = of_rate(value("o/s")?)?;
        let reading = |&(column, name, unit, description, scale): &(&str, _, _, _, f64)| {
            Reading::counter(name, unit, description, value(column)? * operations as f64 * scale)
        };
        let one = Repetition {
            test: self.test.clone(),
            subject: Some(Named {
                engine: String::new(),
                release: cell("dbms")?.to_owned(),
                is_base: !self.has_base,
            }),
            clients: self.clients,
            operation: if self.scans() { "a thousand rows" } else { "one query" },
            operations,
            wall_ns,
            readings: COLUMNS.iter().filter_map(reading).collect(),
            ..Repetition::default()
        };
        self.has_base = true;
        Some(one)
    }
}
