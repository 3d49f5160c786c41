//! What a reader finds in a file.

use std::collections::BTreeMap;

use humdrum_model::{Better, Fault, MetricKind};

use crate::course::Course;
use crate::lines::Line;

/// Results of one file; no report can hold more.
const REPETITIONS_MAX: usize = 100_000;
/// Letters of a line that are shown.
const SHOWN: usize = 120;
/// Remarks that are kept of a file.
const REMARKS_MAX: usize = 10;
/// Buckets of a histogram that are kept.
const BUCKETS_MAX: usize = 10_000;

/// What the user says of files that cannot say it themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The test's name, for formats that have none.
    pub test: Option<String>,
    /// COLUMN=VALUE that a row of a table must have.
    pub only: Vec<(String, String)>,
}

/// A quantity beside the throughput.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Name with the unit last.
    pub name: &'static str,
    /// Unit.
    pub unit: &'static str,
    /// Which direction is good.
    pub better: Better,
    /// Used up by the run's operations, or a level.
    pub kind: MetricKind,
    /// One line for people.
    pub description: &'static str,
    /// Its value.
    pub value: i64,
}

/// More than any run uses of anything.
const USED_MAX: f64 = 1e18;

impl Reading {
    /// A latency in µs, of which less is better.
    pub(crate) fn latency(name: &'static str, description: &'static str, value: i64) -> Self {
        Self { name, unit: "µs", better: Better::Less, kind: MetricKind::Gauge, description, value }
    }

    /// What all of a run's operations used up, of which less is better; `None` for what no run uses.
    pub(crate) fn counter(
        name: &'static str,
        unit: &'static str,
        description: &'static str,
        used: f64,
    ) -> Option<Self> {
        let value = (0.0..USED_MAX).contains(&used).then(|| used.round() as i64)?;
        Some(Self { name, unit, better: Better::Less, kind: MetricKind::Counter, description, value })
    }
}

/// A subject that the file itself names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    /// The engine; empty where the file does not say it.
    pub engine: String,
    /// The release, or whatever the file calls it.
    pub release: String,
    /// Whether the file says that it is the base.
    pub is_base: bool,
}

/// One run of one test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repetition {
    /// The test, where the file names it.
    pub test: Option<String>,
    /// The subject, where the file names it.
    pub subject: Option<Named>,
    /// Clients, where the file says how many.
    pub clients: Option<u32>,
    /// What the rate counts: `one query`.
    pub operation: &'static str,
    /// Operations done.
    pub operations: u64,
    /// The time they took, ns.
    pub wall_ns: u64,
    /// Whatever else must be equal in repetitions (scale, query mode).
    pub conditions: BTreeMap<String, String>,
    /// Other quantities.
    pub readings: Vec<Reading>,
    /// Latencies: (highest ns in the bucket, count).
    pub latency: BTreeMap<u64, u64>,
    /// The rate over time.
    pub course: Course,
    /// Seconds since 1970 at its beginning and end, where the file says them.
    pub span: Option<(f64, f64)>,
}

impl Repetition {
    /// Counts a latency in ns; buckets are 1/64 wide, so that a file of any length has few.
    pub(crate) fn add_latency(&mut self, ns: u64, times: u64) {
        let shift = (63 - ns.max(1).leading_zeros() as u64).saturating_sub(6);
        let highest = ns | ((1_u64 << shift) - 1);
        if self.latency.len() < BUCKETS_MAX || self.latency.contains_key(&highest) {
            let count = self.latency.entry(highest).or_insert(0);
            *count = count.saturating_add(times);
        }
    }
}

/// Lines that a reader did not understand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// How many.
    pub count: u64,
    /// The first one: its number and its text.
    pub first: Option<(u64, String)>,
}

/// Everything that was found in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// In the order of the file.
    pub repetitions: Vec<Repetition>,
    /// Lines that were not understood.
    pub unread: Unread,
    /// What the file says of runs that have no result, and the like.
    pub remarks: Vec<String>,
    /// Version of the tool, if the file says it.
    pub tool: Option<String>,
}

impl Found {
    /// Adds a run.
    ///
    /// # Errors
    /// Usage: the file has more than any report can hold.
    pub fn add(&mut self, repetition: Repetition) -> Result<(), Fault> {
        if self.repetitions.len() == REPETITIONS_MAX {
            let what = format!("has more than {REPETITIONS_MAX} results");
            return Err(Fault::usage(what).hint("import it in parts, or one table column with --only"));
        }
        self.repetitions.push(repetition);
        Ok(())
    }

    /// Counts a line that was not understood.
    pub fn unread(&mut self, line: Line<'_>) {
        self.unread.count += 1;
        if self.unread.first.is_none() {
            self.unread.first = Some((line.number, shown(line.text)));
        }
    }

    /// Adds a remark, once; further ones than a reader of the report wants are dropped.
    pub fn remark(&mut self, what: impl Into<String>) {
        let what = shown(&what.into());
        if self.remarks.len() < REMARKS_MAX && !self.remarks.contains(&what) {
            self.remarks.push(what);
        }
    }
}

/// The beginning of a text, without what would drive a terminal.
pub(crate) fn shown(text: &str) -> String {
    let plain = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    let mut shown: String = plain.take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_of_any_number_have_few_buckets() {
        let mut one = Repetition::default();
        for ns in [0, 1, 63, 64, 127, 128, 129, u64::MAX] {
            one.add_latency(ns, 1);
        }
        let buckets: Vec<(u64, u64)> = one.latency.clone().into_iter().collect();
        assert_eq!(buckets[..6], [(0, 1), (1, 1), (63, 1), (64, 1), (127, 1), (129, 2)]);
        for ns in 0..200_000 {
            one.add_latency(ns * 1000, 1);
        }
        assert!(one.latency.len() < 2000, "{}", one.latency.len());
        let worst = one.latency.keys().filter(|highest| **highest > 128 && **highest < u64::MAX);
        assert!(worst.count() > 500);
    }

    #[test]
    fn the_first_line_that_was_not_understood_is_kept() {
        let mut found = Found::default();
        found.unread(Line { number: 3, text: "a\x1b[2Jb" });
        found.unread(Line { number: 4, text: "c" });
        assert_eq!(found.unread, Unread { count: 2, first: Some((3, "a [2Jb".into())) });
        assert_eq!(shown(&"x".repeat(200)).chars().count(), SHOWN + 1);
    }
}
