//! The output of pgbench, with progress lines and latencies of statements. Several runs may follow each other in one file.
//!
//! The rate is the last `tps`: transactions without the time for connecting.

use humdrum_model::Fault;

use super::begins;
use crate::Reader;
use crate::found::{Found, Options, Reading, Repetition};
use crate::lines::{Line, Lines};
use crate::number::{leading, ns, us_of_ms};

/// Lines that say nothing that a record has.
const KNOWN: [&str; 15] = [
    "creating ",
    "done in ",
    "dropping ",
    "duration:",
    "generating data",
    "initial connection time",
    "maximum number of tries",
    "number of threads:",
    "number of transactions per client:",
    "number of transactions retried",
    "pghost:",
    "starting vacuum",
    "total number of retries",
    "transaction maximum tries",
    "vacuuming",
];
/// Lines that a user should know of.
const REMARKS: [&str; 5] = [
    "WARNING:",
    "number of failed transactions:",
    "number of transactions above",
    "number of transactions skipped",
    "pgbench: ",
];

/// pgbench.
pub(crate) struct Pgbench;

impl Reader for Pgbench {
    fn name(&self) -> &'static str {
        "pgbench"
    }

    fn about(&self) -> &'static str {
        "the output of pgbench, with --progress and --report-per-command"
    }

    fn fits(&self, head: &str) -> bool {
        let has = |word: &str| head.lines().any(|line| line.starts_with(word));
        has("transaction type: ") && (has("scaling factor: ") || has("query mode: "))
            || has("pgbench (") && has("progress: ")
    }

    fn read(&self, lines: &mut Lines<'_>, _: &Options, found: &mut Found) -> Result<(), Fault> {
        let mut run = Run::default();
        while let Some(line) = lines.read()? {
            if run.ended_by(line.text) {
                std::mem::take(&mut run).end(found)?;
            }
            if !run.take(line, found) {
                found.unread(line);
            }
        }
        run.end(found)
    }
}

/// Whose numbers the lines are of.
#[derive(Clone, Copy, Default, PartialEq)]
enum Part {
    #[default]
    Totals,
    Statements,
    Script,
}

#[derive(Default)]
struct Run {
    begun: bool,
    part: Part,
    processed: Option<u64>,
    tps: Option<f64>,
    repetition: Repetition,
}

impl Run {
    /// Whether a line begins the next run.
    fn ended_by(&self, text: &str) -> bool {
        let begins = text.starts_with("pgbench (") || text.starts_with("starting vacuum");
        self.tps.is_some() && (begins || begins_totals(text) || text.starts_with("progress: "))
    }

    /// Whether the line is understood.
    fn take(&mut self, line: Line<'_>, found: &mut Found) -> bool {
        let text = line.text;
        if let Some(version) = text.strip_prefix("pgbench (") {
            found.tool = Some(format!("pgbench {}", version.split([' ', ')']).next().unwrap_or_default()));
            self.begun = true;
            return true;
        }
        if let Some(rest) = text.strip_prefix("progress: ") {
            return self.progress(rest);
        }
        if begins_totals(text) {
            self.begun = true;
        }
        if text.starts_with("SQL script ") {
            self.part = Part::Script;
            return true;
        }
        if text.starts_with("statement latencies") {
            self.part = Part::Statements;
            return true;
        }
        if self.value(text) || text.is_empty() || begins(text, &KNOWN) {
            return true;
        }
        if begins(text, &REMARKS) {
            if !text.starts_with("number of failed transactions: 0 ") {
                found.remark(format!("line {}: {text}", line.number));
            }
            return true;
        }
        // Statements, and what single scripts of several did.
        self.part == Part::Statements && leading(text).is_some()
            || self.part == Part::Script && text.trim_start().starts_with("- ")
    }

    fn value(&mut self, text: &str) -> bool {
        if self.part == Part::Script {
            return false;
        }
        let Some((key, value)) = text.split_once([':', '=']) else { return false };
        let value = value.trim();
        match key.trim() {
            "transaction type" => self.repetition.test = script(value),
            "scaling factor" => self.condition("scale", value),
            "query mode" => self.condition("query mode", value),
            "partition method" | "partitions" => self.condition(key.trim(), value),
            "number of clients" => self.repetition.clients = value.parse().ok(),
            // `500/500` where their number was given.
            "number of transactions actually processed" => self.processed = leading(value).map(|n| n as u64),
            "latency average" => self.latency("latency_us_avg", "mean time of a transaction", value),
            "latency stddev" => {
                self.latency("latency_us_sd", "standard deviation of the time of a transaction", value)
            }
            "tps" => self.tps = leading(value).or(self.tps),
            _ => return false,
        }
        true
    }

    fn condition(&mut self, name: &str, value: &str) {
        self.repetition.conditions.insert(name.to_owned(), value.chars().take(60).collect());
    }

    fn latency(&mut self, name: &'static str, description: &'static str, value: &str) {
        if let Some(us) = leading(value).and_then(us_of_ms) {
            self.repetition.readings.push(Reading::latency(name, description, us));
        }
    }

    /// `1.0 s, 45379.4 tps, lat 0.022 ms stddev 0.057, 0 failed`
    fn progress(&mut self, rest: &str) -> bool {
        let mut parts = rest.split(", ");
        let seconds = parts.next().filter(|part| part.ends_with(" s")).and_then(leading);
        let rate = parts.next().filter(|part| part.ends_with(" tps")).and_then(leading);
        let (Some(seconds), Some(rate)) = (seconds, rate) else { return false };
        self.repetition.course.push(seconds, rate);
        true
    }

    fn end(mut self, found: &mut Found) -> Result<(), Fault> {
        let rate = self.tps.zip(self.processed).filter(|(tps, done)| *tps > 0.0 && *done > 0);
        let time = rate.and_then(|(tps, done)| Some((done, ns(done as f64 / tps)?)));
        let Some((operations, wall_ns)) = time else {
            if self.begun {
                found.remark("a run of pgbench has no result: no transactions, or its totals are missing");
            }
            return Ok(());
        };
        self.repetition.operation = "one transaction";
        (self.repetition.operations, self.repetition.wall_ns) = (operations, wall_ns);
        found.add(self.repetition)
    }
}

fn begins_totals(text: &str) -> bool {
    text.starts_with("transaction type: ")
}

/// `select only` of `<builtin: select only>`; nothing of a mix, which the file's name has to say.
fn script(value: &str) -> Option<String> {
    let name = value.strip_prefix("<builtin: ").and_then(|rest| rest.strip_suffix('>')).unwrap_or(value);
    let name = name.rsplit('/').next().unwrap_or(name);
    (name != "multiple scripts" && !name.is_empty()).then(|| name.to_owned())
}
