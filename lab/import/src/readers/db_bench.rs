//! The output of db_bench, with latency histograms and the lines of `--stats_interval_seconds`. A benchmark that runs several
//! times in one file, or in several, has repetitions.

use std::collections::BTreeMap;

use humdrum_model::Fault;

use super::begins;
use crate::Reader;
use crate::course::Course;
use crate::found::{Found, Options, Reading, Repetition};
use crate::lines::{Line, Lines};
use crate::number::{count, leading, ns, number, of_rate};

/// Lines that say nothing that a record has: the options at the start.
const KNOWN: [&str; 24] = [
    "--------",
    "Compression",
    "CPU",
    "DB path:",
    "Date:",
    "Entries:",
    "FileSize:",
    "Initializing ",
    "Integrated BlobDB",
    "Keys per prefix:",
    "Keys:",
    "LevelDB:",
    "Memtablerep:",
    "Options",
    "Perf Level:",
    "Prefix:",
    "RawSize:",
    "Read rate:",
    "Set seed",
    "Statistics",
    "STATISTICS:",
    "Values:",
    "WARNING:",
    "Write rate:",
];
/// Beginnings of the store's own statistics, which go on until a line of another kind.
const DUMPS: [&str; 2] = ["** ", "Level    Files"];

/// db_bench.
pub(crate) struct DbBench;

impl Reader for DbBench {
    fn name(&self) -> &'static str {
        "db_bench"
    }

    fn about(&self) -> &'static str {
        "the output of db_bench, with --histogram and --stats_interval_seconds"
    }

    fn fits(&self, head: &str) -> bool {
        let result = head.lines().any(|line| Row::parse(line).is_some());
        result || head.lines().any(|line| line.starts_with("DB path: [")) && head.contains("Memtablerep:")
    }

    fn read(&self, lines: &mut Lines<'_>, _: &Options, found: &mut Found) -> Result<(), Fault> {
        let mut run = Run::default();
        while let Some(line) = lines.read()? {
            run.take(line, found)?;
        }
        run.end(found)
    }
}

/// `readrandom   :       1.060 micros/op 939672 ops/sec 0.021 seconds 20000 operations; …`
struct Row<'l> {
    test: &'l str,
    operations: u64,
    wall_ns: u64,
}

impl<'l> Row<'l> {
    fn parse(line: &'l str) -> Option<Self> {
        let (test, rest) = line.split_once(" : ").or_else(|| line.split_once(": "))?;
        let (_, rest) = rest.split_once(" micros/op ")?;
        let (rate, rest) = rest.split_once(" ops/sec")?;
        let exact = rest.split_once(" seconds ").and_then(|(_, rest)| {
            let operations = count(rest.split(" operations").next()?)?;
            // The seconds have three digits only, so the rate gives the time.
            let rate = number(rate).filter(|rate| *rate > 0.0)?;
            Some((operations, ns(operations as f64 / rate)?))
        });
        let (operations, wall_ns) = exact.or_else(|| of_rate(number(rate)?))?;
        let test = test.trim();
        let plain = !test.is_empty() && test.len() < 60 && !test.contains(char::is_whitespace);
        (plain && operations > 0).then_some(Self { test, operations, wall_ns })
    }
}

#[derive(Default)]
struct Run {
    /// The last result, which its histogram follows.
    last: Option<Repetition>,
    dump: bool,
    histogram: bool,
    intervals: Intervals,
}

impl Run {
    fn take(&mut self, line: Line<'_>, found: &mut Found) -> Result<(), Fault> {
        let text = line.text;
        if let Some(result) = Row::parse(text) {
            let course = self.intervals.end();
            std::mem::take(self).end(found)?;
            self.last = Some(Repetition {
                test: Some(result.test.to_owned()),
                operation: "one operation",
                operations: result.operations,
                wall_ns: result.wall_ns,
                course,
                ..Repetition::default()
            });
        } else if self.intervals.take(text) {
            self.dump = false;
        } else if self.latencies(text) {
        } else if let Some(version) = text.strip_prefix("RocksDB:") {
            found.tool =
                Some(format!("db_bench of RocksDB {}", version.trim().trim_start_matches("version ")));
        } else if text.contains(" COUNT : ") || begins(text, &DUMPS) {
            self.dump = true;
        } else if begins(text, &KNOWN) {
            // Statistics have rules of dashes too.
            self.dump &= text.starts_with('-');
        } else if !(text.is_empty() || self.dump) {
            found.unread(line);
        }
        Ok(())
    }

    /// `(       4,       6 ]      803   0.030%  99.925% #`, and the lines above.
    fn latencies(&mut self, text: &str) -> bool {
        if text.starts_with("Microseconds per ") {
            self.histogram = true;
            return true;
        }
        if let Some(rest) = text.strip_prefix("Count: ") {
            let average = rest.split_once("Average: ").and_then(|(_, rest)| leading(rest));
            if let (Some(last), Some(us)) = (&mut self.last, average) {
                let us = us.round().clamp(0.0, 1e15) as i64;
                last.readings.push(Reading::latency("latency_us_avg", "mean time of an operation", us));
            }
            return true;
        }
        if begins(text, &["Min: ", "Percentiles: "]) {
            return true;
        }
        let Some(rest) = text.strip_prefix(['[', '(']).filter(|_| self.histogram) else { return false };
        let Some((edges, rest)) = rest.split_once(']') else { return false };
        let high = edges.split(',').nth(1).and_then(number);
        let times = rest.split_whitespace().next().and_then(count);
        let (Some(us), Some(times)) = (high, times) else { return false };
        if let (Some(last), Some(ns)) = (&mut self.last, ns(us * 1e-6)) {
            *last.latency.entry(ns).or_insert(0) += times.min(u64::from(u32::MAX));
        }
        true
    }

    fn end(self, found: &mut Found) -> Result<(), Fault> {
        self.last.map_or(Ok(()), |last| found.add(last))
    }
}

/// Lines of `--stats_interval_seconds`, of each thread; a round of all threads is a point.
#[derive(Default)]
struct Intervals {
    round: BTreeMap<u64, (f64, f64)>,
    course: Course,
}

impl Intervals {
    /// `2026/11/25-14:47:00  ... thread 0: (428000,846000) ops and (427908.0,422134.4) ops/second in (1.000215,2.004101) seconds`
    fn take(&mut self, text: &str) -> bool {
        let Some((_, rest)) = text.split_once("... thread ") else { return false };
        let mut parts = rest.split('(');
        let thread = parts.next().and_then(|part| count(part.trim_end().trim_end_matches(':')));
        let rate = parts.nth(1).and_then(leading);
        let seconds =
            parts.next().and_then(|part| part.split_once(',')).and_then(|(_, total)| leading(total));
        let (Some(thread), Some(rate), Some(seconds)) = (thread, rate, seconds) else { return false };
        let again = self.round.contains_key(&thread);
        // A new run starts its clock anew.
        if again || self.round.len() > 10_000 {
            self.end_round();
        }
        self.round.insert(thread, (seconds, rate));
        true
    }

    fn end_round(&mut self) {
        let round = std::mem::take(&mut self.round);
        let seconds = round.values().map(|(seconds, _)| *seconds).fold(0.0, f64::max);
        self.course.push(seconds, round.values().map(|(_, rate)| rate).sum());
    }

    fn end(&mut self) -> Course {
        if !self.round.is_empty() {
            self.end_round();
        }
        std::mem::take(&mut self.course)
    }
}
