//! The output of sysbench 0.5, 1.0 and 1.1, with intermediate results and histograms. Several runs may follow each other in one
//! file.
//!
//! The rate is that of the totals at the end: queries over the total time, as the tool computes it, or events for tests without
//! SQL. Intermediate results are the rate over time. sysbench does not print which script it ran; the file's name has to say it.

use humdrum_model::Fault;

use super::begins;
use crate::Reader;
use crate::found::{Found, Options, Reading, Repetition};
use crate::lines::{Line, Lines};
use crate::number::{count, leading, ns, number, us_of_ms};

/// Lines that say nothing that a record has.
const KNOWN: [&str; 38] = [
    "Block size",
    "CPU speed:",
    "Calls:",
    "Done.",
    "Extra file open flags",
    "File operations:",
    "General statistics:",
    "Initializing ",
    "Latency (ms):",
    "Latency histogram",
    "Number of IO requests",
    "Periodic FSYNC",
    "Prime numbers limit",
    "Random number generator",
    "Report intermediate results",
    "Running ",
    "SQL statistics:",
    "Test execution summary:",
    "Threads fairness:",
    "Threads started!",
    "Throughput:",
    "Time limit exceeded",
    "Using ",
    "WARNING:",
    "approx.",
    "block size:",
    "custom statistics",
    "events (avg/stddev):",
    "events per second:",
    "events/s (eps):",
    "execution time (avg/stddev):",
    "fsyncs/s:",
    "operation:",
    "queries performed:",
    "scope:",
    "total size:",
    "value  -------------",
    "Doing ",
];
/// Keys whose values are not kept.
const KNOWN_KEYS: [&str; 16] = [
    "avg",
    "ignored errors",
    "max",
    "min",
    "other",
    "other operations",
    "per-request statistics",
    "read",
    "read, MiB/s",
    "read/write requests",
    "reads/s",
    "reconnects",
    "sum",
    "write",
    "writes/s",
    "written, MiB/s",
];

/// sysbench.
pub(crate) struct Sysbench;

impl Reader for Sysbench {
    fn name(&self) -> &'static str {
        "sysbench"
    }

    fn about(&self) -> &'static str {
        "the output of sysbench 0.5, 1.0 and 1.1, with --report-interval and --histogram"
    }

    fn fits(&self, head: &str) -> bool {
        let titles = head.lines().any(is_title);
        titles || head.contains("total number of events:") && head.contains("execution time (avg/stddev):")
    }

    fn read(&self, lines: &mut Lines<'_>, _: &Options, found: &mut Found) -> Result<(), Fault> {
        let mut run = Run::default();
        while let Some(line) = lines.read()? {
            if is_title(line.text) {
                std::mem::take(&mut run).end(found)?;
                found.tool = Some(line.text.split(" (").next().unwrap_or_default().to_owned());
                run.begun = true;
            } else if !run.take(line, found) {
                found.unread(line);
            }
        }
        run.end(found)
    }
}

/// `sysbench 1.0.20 (using system LuaJIT …)`; a program of the same name in other output does not begin a run.
fn is_title(line: &str) -> bool {
    line.strip_prefix("sysbench ").is_some_and(|rest| {
        rest.starts_with(|letter: char| letter.is_ascii_digit())
            && (rest.contains("LuaJIT") || rest.contains("multi-threaded"))
    })
}

/// One run, as far as it was read.
#[derive(Default)]
struct Run {
    begun: bool,
    fatal: Option<String>,
    events: Option<u64>,
    queries: Option<u64>,
    seconds: Option<f64>,
    target: Option<f64>,
    repetition: Repetition,
}

impl Run {
    /// Whether the line is understood.
    fn take(&mut self, line: Line<'_>, found: &mut Found) -> bool {
        let text = line.text.trim_start();
        if text.starts_with("FATAL:") {
            self.fatal.get_or_insert_with(|| text.to_owned());
            return true;
        }
        // What follows a fatal error explains it, in the words of a server.
        if text.is_empty() || self.fatal.is_some() && self.events.is_none() {
            return true;
        }
        if let Some(rest) = text.strip_prefix('[') {
            return self.interval(rest);
        }
        if text.contains(" |") && self.bucket(text) {
            return true;
        }
        if self.value(text) || begins(text, &KNOWN) || text.contains("MiB transferred") {
            return true;
        }
        if begins(text, &["ALERT:", "DEBUG:", "(last message repeated"]) {
            found.remark(format!("line {}: {text}", line.number));
            return true;
        }
        false
    }

    fn value(&mut self, text: &str) -> bool {
        let Some((key, value)) = text.split_once(':') else { return false };
        match key.trim() {
            "Number of threads" => self.repetition.clients = count(value).and_then(|n| n.try_into().ok()),
            "Target transaction rate" => self.target = leading(value),
            "total time" | "time elapsed" => self.seconds = leading(value).or(self.seconds),
            "total number of events" => self.events = count(value),
            "queries" => self.queries = leading(value).map(|queries| queries as u64),
            // Statements of a whole run; `queries` below has them too, except in 0.5.
            "total" => self.queries = self.queries.or(count(value)),
            "Total operations" | "transactions" | "deadlocks" => {}
            key => return self.latency(key, value) || KNOWN_KEYS.contains(&key),
        }
        true
    }

    fn latency(&mut self, key: &str, value: &str) -> bool {
        let Some(us) = leading(value).and_then(us_of_ms) else { return false };
        let reading = match key {
            "avg" => Reading::latency("latency_us_avg", "mean time of a transaction or event", us),
            "max" => Reading::latency("latency_us_max", "longest transaction or event", us),
            "95th percentile" => {
                Reading::latency("latency_us_p95", "95th percentile of transactions or events", us)
            }
            "99th percentile" => {
                Reading::latency("latency_us_p99", "99th percentile of transactions or events", us)
            }
            _ => return key.ends_with("percentile"),
        };
        if !self.repetition.readings.iter().any(|known| known.name == reading.name) {
            self.repetition.readings.push(reading);
        }
        true
    }

    /// `1s ] thds: 1 tps: 2621.38 qps: 41942.11 (r/w/o: …`
    fn interval(&mut self, rest: &str) -> bool {
        let Some((at, rest)) = rest.split_once(']') else { return false };
        let Some(seconds) = leading(at).filter(|_| at.trim_end().ends_with('s')) else { return false };
        let after = |key: &str| rest.split_once(key).and_then(|(_, value)| leading(value));
        match after(" qps: ").or_else(|| after(" eps: ")).or_else(|| after(" tps: ")) {
            Some(rate) => self.repetition.course.push(seconds, rate),
            // Intermediate results of files and memory have no rate of events.
            None => return rest.contains("MiB/s") || rest.contains("timestamp:"),
        }
        true
    }

    /// `0.012 |***      1870`
    fn bucket(&mut self, text: &str) -> bool {
        let Some((value, rest)) = text.split_once(" |") else { return false };
        let times = rest.split_whitespace().next_back().and_then(count);
        let (Some(ms), Some(times)) = (number(value), times) else { return false };
        if let Some(ns) = ns(ms / 1e3) {
            self.repetition.add_latency(ns, times);
        }
        true
    }

    fn end(mut self, found: &mut Found) -> Result<(), Fault> {
        let (events, wall_ns) = (self.events.unwrap_or(0), self.seconds.and_then(ns));
        let (Some(wall_ns), true) = (wall_ns, events > 0) else {
            if self.begun || self.fatal.is_some() {
                let why = self.fatal.unwrap_or_else(|| "its totals are missing".to_owned());
                found.remark(format!("a run of sysbench has no result: {why}"));
            }
            return Ok(());
        };
        let queries = self.queries.filter(|queries| *queries > 0);
        self.repetition.operation = if queries.is_some() { "one query" } else { "one event" };
        self.repetition.operations = queries.unwrap_or(events);
        self.repetition.wall_ns = wall_ns;
        if let Some(target) = self.target {
            self.repetition.conditions.insert("target rate".into(), target.to_string());
        }
        found.add(self.repetition)
    }
}
