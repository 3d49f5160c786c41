//! What a capture found, for people and for programs.

use std::collections::BTreeMap;

use humdrum_capture::{Captured, LeftOut, Live, Written};
use humdrum_model::Fault;
use humdrum_report::printable;
use serde_json::json;

use crate::args::CaptureOptions;
use crate::workloads;

/// Bytes of a MB, as people count files.
pub(super) const MB: u64 = 1_000_000;
/// Tests that are listed.
const LISTED: usize = 20;

/// What a capture found.
pub(super) struct Found {
    pub(super) statements: u64,
    has_times: bool,
    left_out: Vec<(LeftOut, u64)>,
    origin: Origin,
}

/// Where it was found.
enum Origin {
    /// Logs.
    Logs { has_sessions: bool, bytes: u64, unknown_lines: u64 },
    /// A server, and in how many seconds; `None`: since its counters were reset.
    Counters { address: String, seconds: Option<f64>, notes: Vec<String> },
}

impl Found {
    pub(super) fn of_logs(captured: &Captured, bytes: u64) -> Self {
        Self {
            statements: captured.statements,
            has_times: captured.timed > 0,
            left_out: sorted(&captured.left_out),
            origin: Origin::Logs {
                has_sessions: captured.in_sessions > 0,
                bytes,
                unknown_lines: captured.unknown_lines,
            },
        }
    }

    pub(super) fn of_server(live: &Live, address: String, seconds: Option<f64>, notes: Vec<String>) -> Self {
        Self {
            statements: live.statements,
            has_times: true,
            left_out: sorted(&live.left_out),
            origin: Origin::Counters { address, seconds, notes },
        }
    }

    /// Nothing to replay: what there was instead.
    pub(super) fn explain(&self, fault: Fault) -> Fault {
        match self.left_out.first() {
            Some((why, count)) if fault.places.is_empty() => {
                let what = format!(
                    "{}: {count} of {} were left out, because {}",
                    fault.what,
                    self.statements,
                    why.why()
                );
                Fault { what, ..fault }
            }
            _ => fault,
        }
    }

    pub(super) fn print(&self, tests: &[Written], options: &CaptureOptions) {
        let statements = self.statements;
        match &self.origin {
            Origin::Logs { bytes, .. } => {
                anstream::println!("{statements} statements in {:.1} MB", *bytes as f64 / MB as f64);
            }
            Origin::Counters { address, seconds, .. } => {
                let when = seconds.map_or("since its counters were reset".to_owned(), |seconds| {
                    format!("in {}", plain_seconds(seconds))
                });
                anstream::println!("{statements} statements {when} on {}", printable(address));
            }
        }
        for (why, count) in &self.left_out {
            anstream::println!("  {count} left out: {}", printable(&why.why()));
        }
        self.print_notes();
        let (count, seconds) = totals(tests);
        anstream::println!(
            "\n{:<32} {:>10} {:>8} {:>10}  {:>7}",
            "test",
            "operations",
            "weight",
            "ms each",
            "time"
        );
        for test in tests.iter().take(LISTED) {
            let share = 100.0 * test.count as f64 / count as f64;
            let (each, time) = match self.has_times {
                true => (
                    format!("{:.3}", 1000.0 * test.seconds / test.count as f64),
                    format!("{:.1} %", 100.0 * test.seconds / seconds.max(f64::MIN_POSITIVE)),
                ),
                false => ("–".to_owned(), "–".to_owned()),
            };
            anstream::println!("{:<32} {:>10} {share:>6.1} % {each:>10}  {time:>7}", test.name, test.count);
        }
        if tests.len() > LISTED {
            anstream::println!("… {} more", tests.len() - LISTED);
        }
        print_remarks(tests);
        if options.goes_on {
            return;
        }
        let path = workloads::typed(&options.out);
        let path = printable(&path);
        let data = if options.data.is_some() { "" } else { " --data prod.dump" };
        anstream::println!("\n{path} holds {} tests and their mix", tests.len());
        if options.data.is_none() {
            anstream::println!(
                "its rows come from a dump of that server: pg_dump -Fc -d DATABASE -f prod.dump, or mysqldump --hex-blob DATABASE > prod.dump"
            );
        }
        anstream::println!(
            "\n  humdrum suite check {path} postgres@17.7{data}\n  humdrum compare postgres@16.11 postgres@17.7 --suite {path}{data}"
        );
    }

    pub(super) fn json(&self, tests: &[Written]) -> serde_json::Value {
        let (count, _) = totals(tests);
        let test = |test: &Written| {
            json!({
                "name": test.name,
                "operations": test.count,
                "weight": test.count as f64 / count as f64,
                "seconds": self.has_times.then_some(test.seconds),
                "statements": test.statements,
                "samples": test.samples,
                "rest": !test.is_top,
                "remarks": test.remarks,
            })
        };
        let left = |(why, count): &(LeftOut, u64)| json!({ "why": why.why(), "statements": count });
        let mut out = json!({
            "statements": self.statements,
            "left_out": self.left_out.iter().map(left).collect::<Vec<_>>(),
            "tests": tests.iter().map(test).collect::<Vec<_>>(),
        });
        match &self.origin {
            Origin::Logs { has_sessions, bytes, unknown_lines } => {
                out["bytes"] = json!(bytes);
                out["unknown_lines"] = json!(unknown_lines);
                out["tells_sessions_apart"] = json!(has_sessions);
            }
            Origin::Counters { address, seconds, notes } => {
                out["server"] = json!(address);
                out["seconds"] = json!(seconds);
                out["notes"] = json!(notes);
                out["tells_sessions_apart"] = json!(false);
            }
        }
        out
    }

    fn print_notes(&self) {
        match &self.origin {
            Origin::Logs { has_sessions, unknown_lines, .. } => {
                if *unknown_lines > 0 {
                    anstream::println!("  {unknown_lines} lines of another form were passed over");
                }
                if !self.has_times {
                    anstream::println!("  the log has no times: statements are ranked by how often they ran");
                }
                if !has_sessions {
                    anstream::println!(
                        "  the log does not tell sessions apart (Postgres: %p in log_line_prefix), so that no transactions are kept"
                    );
                }
            }
            Origin::Counters { notes, .. } => {
                anstream::println!("  a server counts statements one by one: no transactions are kept");
                notes.iter().for_each(|note| anstream::println!("  {}", printable(note)));
            }
        }
    }
}

/// What should be known of the values of tests.
fn print_remarks(tests: &[Written]) {
    let with: Vec<&Written> = tests.iter().filter(|test| !test.remarks.is_empty()).collect();
    if with.is_empty() {
        return;
    }
    anstream::println!("\nvalues that are not from a column, to be checked in the scripts:");
    for test in with.iter().take(LISTED) {
        let each = test.remarks.iter().map(|remark| printable(remark)).collect::<Vec<_>>();
        anstream::println!("  {}.sql: {}", test.name, each.join("; "));
    }
    if with.len() > LISTED {
        anstream::println!("  … and in {} more", with.len() - LISTED);
    }
}

fn sorted(left_out: &BTreeMap<LeftOut, u64>) -> Vec<(LeftOut, u64)> {
    let mut all: Vec<(LeftOut, u64)> = left_out.iter().map(|(why, count)| (why.clone(), *count)).collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all
}

/// `50 ms`, `60 s`, `10 min`.
pub(super) fn plain_seconds(seconds: f64) -> String {
    match seconds {
        ..1.0 => format!("{:.0} ms", 1000.0 * seconds),
        ..120.0 => format!("{seconds:.0} s"),
        _ => format!("{:.0} min", seconds / 60.0),
    }
}

fn totals(tests: &[Written]) -> (u64, f64) {
    (tests.iter().map(|test| test.count).sum(), tests.iter().map(|test| test.seconds).sum())
}
