//! Logs of HammerDB: the test result of each timed run of its TPROC-C workload.
//!
//! The rate is NOPM, new orders a minute, because TPM counts what each engine calls a transaction.

use humdrum_model::{Better, Fault, MetricKind};

use super::begins;
use crate::Reader;
use crate::found::{Found, Options, Reading, Repetition};
use crate::lines::{Line, Lines};
use crate::number::count;

/// The line that has the result, after the number of the virtual user.
const RESULT: &str = "TEST RESULT : System achieved ";
/// A minute.
const MINUTE_NS: u64 = 60_000_000_000;
/// Beginnings of further lines.
const KNOWN: [&str; 14] = [
    "ALL VIRTUAL USERS COMPLETE",
    "Benchmark",
    "Changed ",
    "Clearing Script",
    "Copyright ",
    "Database set to",
    "Hammerdb",
    "HammerDB",
    "Initialized",
    "Script ",
    "Timestamp",
    "Type ",
    "Value ",
    "hammerdb>",
];

/// HammerDB.
pub(crate) struct HammerDb;

impl Reader for HammerDb {
    fn name(&self) -> &'static str {
        "hammerdb"
    }

    fn about(&self) -> &'static str {
        "logs of HammerDB, its test results in NOPM"
    }

    fn fits(&self, head: &str) -> bool {
        head.contains(RESULT) || head.lines().any(|line| line.starts_with("Vuser 1:"))
    }

    fn read(&self, lines: &mut Lines<'_>, _: &Options, found: &mut Found) -> Result<(), Fault> {
        let mut clients = None;
        while let Some(line) = lines.read()? {
            if let Some((_, rest)) = line.text.split_once(RESULT) {
                match result(rest, clients) {
                    Some(one) => found.add(one)?,
                    None => found.unread(line),
                }
            } else if let Some((before, _)) = line.text.split_once(" Active Virtual Users configured") {
                clients = before.rsplit(':').next().and_then(|users| users.trim().parse().ok());
            } else if !is_known(line, found) {
                found.unread(line);
            }
        }
        Ok(())
    }
}

/// `96747 NOPM from 224827 MariaDB TPM`, or `199434 SQL Server TPM at 43378 NOPM` of older versions.
fn result(rest: &str, clients: Option<u32>) -> Option<Repetition> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let before = |word: &str| {
        words.iter().position(|one| *one == word).and_then(|place| count(words.get(place.checked_sub(1)?)?))
    };
    let orders = before("NOPM").filter(|orders| *orders > 0)?;
    let transactions =
        if words.get(1) == Some(&"NOPM") { count(words.get(3)?) } else { count(words.first()?) };
    let reading = transactions.map(|value| Reading {
        name: "transactions_per_minute",
        unit: "count",
        better: Better::Neither,
        kind: MetricKind::Gauge,
        description: "what the server counts as transactions, a minute (TPM)",
        value: value.min(i64::MAX as u64) as i64,
    });
    Some(Repetition {
        test: Some("new-orders".to_owned()),
        clients,
        operation: "one new order",
        operations: orders,
        wall_ns: MINUTE_NS,
        readings: reading.into_iter().collect(),
        ..Repetition::default()
    })
}

fn is_known(line: Line<'_>, found: &mut Found) -> bool {
    let text = line.text.trim_start();
    if text.contains("Error in Virtual User") {
        found.remark(format!("line {}: {text}", line.number));
        return true;
    }
    let virtual_user = text
        .strip_prefix("Vuser ")
        .is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()));
    // The transaction counter prints its own rate, of what the server calls a transaction.
    text.is_empty() || virtual_user || text.ends_with(" tpm") || begins(text, &KNOWN)
}
