//! The output of the Insert Benchmark's client (iibench.py): a row of running totals every few seconds, under the names of its
//! columns. The last row gives the rate: queries where there were any, else rows inserted.

use humdrum_model::Fault;

use super::begins;
use crate::Reader;
use crate::found::{Found, Options, Repetition};
use crate::lines::{Line, Lines};
use crate::number::{count, ns, number};

/// The first columns, and what a row needs.
const FIRST: &str = "i_sec\tt_sec\t";
const NEEDED: [&str; 6] = ["t_sec", "i_ips", "i_qps", "t_ips", "t_ins", "t_query"];
/// Beginnings of further lines.
const KNOWN: [&str; 8] = [
    "Created secondary indexes",
    "Delete rt:",
    "Done",
    "Insert rt:",
    "Inserting initial",
    "Query thread",
    "Totals:",
    "created table",
];

/// The Insert Benchmark.
pub(crate) struct InsertBenchmark;

impl Reader for InsertBenchmark {
    fn name(&self) -> &'static str {
        "insert-benchmark"
    }

    fn about(&self) -> &'static str {
        "the output of the Insert Benchmark's client, one client"
    }

    fn fits(&self, head: &str) -> bool {
        head.lines().any(|line| Run::begin(line).is_some())
    }

    fn read(&self, lines: &mut Lines<'_>, _: &Options, found: &mut Found) -> Result<(), Fault> {
        let mut run: Option<Run> = None;
        while let Some(line) = lines.read()? {
            if let Some(next) = Run::begin(line.text) {
                if let Some(last) = run.replace(next) {
                    last.end(found)?;
                }
            } else if !run.as_mut().is_some_and(|run| run.row(line))
                && !line.text.is_empty()
                && !begins(line.text, &KNOWN)
            {
                found.unread(line);
            }
        }
        run.map_or(Ok(()), |run| run.end(found))
    }
}

/// One run of a step.
struct Run {
    columns: Vec<String>,
    /// Seconds, rows and queries in the last row.
    totals: Option<(f64, u64, u64)>,
    rows: Repetition,
    queries: Repetition,
}

impl Run {
    /// From the line that names the columns.
    fn begin(line: &str) -> Option<Self> {
        let columns: Vec<String> =
            line.starts_with(FIRST).then(|| line.split('\t').map(str::to_owned).collect())?;
        NEEDED.iter().all(|name| columns.iter().any(|own| own == name)).then(|| Self {
            columns,
            totals: None,
            rows: Repetition::default(),
            queries: Repetition::default(),
        })
    }

    /// Whether the line is a row of numbers.
    fn row(&mut self, line: Line<'_>) -> bool {
        let cells: Vec<&str> = line.text.split('\t').collect();
        let cell = |name: &str| {
            let place = self.columns.iter().position(|own| own == name)?;
            cells.get(place).copied()
        };
        let numbers = [cell("t_sec"), cell("i_ips"), cell("i_qps")].map(|cell| cell.and_then(number));
        let counts = [cell("t_ins"), cell("t_query")].map(|cell| cell.and_then(count));
        let ([Some(seconds), Some(rows), Some(queries)], [Some(inserted), Some(asked)]) = (numbers, counts)
        else {
            return false;
        };
        self.totals = Some((seconds, inserted, asked));
        self.rows.course.push(seconds, rows);
        self.queries.course.push(seconds, queries);
        true
    }

    fn end(self, found: &mut Found) -> Result<(), Fault> {
        let (seconds, inserted, asked) = self.totals.unwrap_or_default();
        let (mut one, operations, operation) = match asked {
            0 => (self.rows, inserted, "one row"),
            _ => (self.queries, asked, "one query"),
        };
        let (Some(wall_ns), true) = (ns(seconds), operations > 0) else {
            found.remark("a run of the Insert Benchmark has no result: no row of totals");
            return Ok(());
        };
        (one.operations, one.wall_ns, one.operation) = (operations, wall_ns, operation);
        found.add(one)
    }
}
