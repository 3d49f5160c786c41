//! The files of `pgbench --log`: a line a transaction, or a line an interval with `--aggregate-interval`.
//!
//! pgbench writes one file a thread. They are parts of one run and not its repetitions, so files that overlap in time are
//! refused where they are put together.

use humdrum_model::Fault;

use crate::Reader;
use crate::found::{Found, Options, Repetition};
use crate::lines::Lines;
use crate::number::number;

/// Columns of a transaction: client, number, time, script, end in s and µs; lag and retries may follow.
const TRANSACTION: std::ops::RangeInclusive<usize> = 6..=8;
/// Columns of an interval: its start, transactions, sums and limits of latencies; more may follow.
const INTERVAL: std::ops::RangeInclusive<usize> = 6..=15;
/// Times since 1970 are later than this (2001).
const EPOCH_MIN: f64 = 1e9;
/// Lines that decide the format.
const DECIDING: usize = 20;

/// Logs of pgbench.
pub(crate) struct PgbenchLog;

impl Reader for PgbenchLog {
    fn name(&self) -> &'static str {
        "pgbench-log"
    }

    fn about(&self) -> &'static str {
        "the files of pgbench --log, also with --aggregate-interval"
    }

    fn fits(&self, head: &str) -> bool {
        // The last line may be cut off.
        let whole = head.rsplit_once('\n').map_or(head, |(whole, _)| whole);
        let mut lines = whole.lines().take(DECIDING).peekable();
        lines.peek().is_some() && lines.all(|line| Row::parse(line).is_some())
    }

    fn read(&self, lines: &mut Lines<'_>, _: &Options, found: &mut Found) -> Result<(), Fault> {
        let mut log = Log::default();
        while let Some(line) = lines.read()? {
            match Row::parse(line.text) {
                Some(Row::Transaction { end, us }) => log.transaction(end, us),
                Some(Row::Interval { start, transactions }) => log.interval(start, transactions),
                Some(Row::Without) => log.without += 1,
                None if line.text.is_empty() => {}
                None => found.unread(line),
            }
        }
        log.end(found)
    }
}

enum Row {
    Transaction {
        end: f64,
        us: u64,
    },
    Interval {
        start: f64,
        transactions: u64,
    },
    /// A transaction that was skipped, or failed.
    Without,
}

impl Row {
    fn parse(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.split(' ').take(INTERVAL.end() + 1).collect();
        let first = number(cells.first()?)?;
        if first >= EPOCH_MIN && INTERVAL.contains(&cells.len()) {
            cells.iter().all(|cell| number(cell).is_some()).then_some(())?;
            return Some(Self::Interval { start: first, transactions: cells[1].parse().ok()? });
        }
        if !TRANSACTION.contains(&cells.len()) {
            return None;
        }
        let end = number(cells[4]).filter(|seconds| *seconds >= EPOCH_MIN)? + number(cells[5])? * 1e-6;
        match cells[2] {
            "skipped" | "failed" | "serialization" | "deadlock" => Some(Self::Without),
            us => Some(Self::Transaction { end, us: us.parse().ok()? }),
        }
    }
}

#[derive(Default)]
struct Log {
    repetition: Repetition,
    without: u64,
    /// Begin and end, s.
    span: Option<(f64, f64)>,
    /// The second that transactions are counted in, and their number.
    second: Option<(f64, u64)>,
    /// Starts and transactions of intervals before the last one.
    intervals: u64,
    last: Option<(f64, u64)>,
}

impl Log {
    fn widen(&mut self, from: f64, to: f64) {
        let (low, high) = self.span.unwrap_or((from, to));
        self.span = Some((low.min(from), high.max(to)));
    }

    fn transaction(&mut self, end: f64, us: u64) {
        self.widen(end - us as f64 * 1e-6, end);
        self.repetition.operations += 1;
        self.repetition.add_latency(us.saturating_mul(1000), 1);
        // Lines of several clients are a little out of order.
        match &mut self.second {
            Some((second, count)) if end < *second + 1.0 => *count += 1,
            _ => {
                self.end_second();
                self.second = Some((end.floor(), 1));
            }
        }
    }

    fn end_second(&mut self) {
        let Some((second, count)) = self.second.take() else { return };
        let begin = self.span.map_or(second, |(low, _)| low);
        self.repetition.course.push((second + 1.0 - begin).max(0.0), count as f64);
    }

    /// An interval counts when the next one shows how long it was.
    fn interval(&mut self, start: f64, transactions: u64) {
        if let Some((before, count)) = self.last.replace((start, transactions))
            && start > before
        {
            self.widen(before, start);
            self.intervals += 1;
            self.repetition.operations = self.repetition.operations.saturating_add(count);
            let (low, _) = self.span.unwrap_or((before, start));
            self.repetition.course.push(start - low, count as f64 / (start - before));
        }
    }

    fn end(mut self, found: &mut Found) -> Result<(), Fault> {
        self.end_second();
        let time = self.span.and_then(|(low, high)| crate::number::ns(high - low));
        let (Some(wall_ns), true) = (time, self.repetition.operations > 0) else {
            found.remark(
                "a log of pgbench has no result: it has no two moments with transactions between them",
            );
            return Ok(());
        };
        if self.without > 0 {
            found.remark(format!("{} transactions were skipped or failed; they do not count", self.without));
        }
        self.repetition.operation = "one transaction";
        self.repetition.wall_ns = wall_ns;
        self.repetition.span = self.span;
        found.add(self.repetition)
    }
}
