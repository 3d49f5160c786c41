//! The columns of a store that flushes and compacts, one definition each. They stand among the costs of a test, are
//! facts beside its verdict like all of those, and are there whenever the record has the readings that they are made
//! of, whichever engine took them.
//!
//! What compaction owed when a test ended belongs to the operations that left it owing, and uncounted operations left
//! some of it too: where a column says "with debt", the readings of the payment count by the share that the counted
//! operations have in all operations since the last payment.

use std::collections::BTreeMap;

use humdrum_model::{Cost, Moment, Results, TestInfo};

use crate::interval::ratio_ci95;
use crate::robust::mean;
use crate::run::KeptSession;

/// What a column is divided by.
enum Per {
    /// Readings, summed.
    Readings(&'static [&'static str]),
    /// A million of operations.
    Million,
    /// One operation.
    Operation,
    /// Seconds of slices.
    Second,
}

/// One column: readings, summed, over something.
struct Column {
    name: &'static str,
    unit: &'static str,
    description: &'static str,
    readings: &'static [&'static str],
    per: Per,
    /// From the quotient's unit to this one.
    scale: f64,
    /// The payment of debts counts too.
    debt: bool,
}

const COMPACTED: &str = "compaction_written_bytes";
const FLUSHED: &str = "flush_written_bytes";

/// Alphabetical.
const COLUMNS: &[Column] = &[
    Column {
        name: "c_csecs",
        unit: "s/Mop",
        description: "CPU seconds of compactions for a million operations, with debt",
        readings: &["compaction_cpu_us"],
        per: Per::Million,
        scale: 1e-6,
        debt: true,
    },
    Column {
        name: "c_mbps",
        unit: "MB/s",
        description: "bytes that compactions wrote, over the time they took (added up, so two at once count twice), with debt",
        readings: &[COMPACTED],
        per: Per::Readings(&["compaction_wall_us"]),
        scale: 1.0,
        debt: true,
    },
    Column {
        name: "c_wgb",
        unit: "GB/Mop",
        description: "bytes that compactions wrote for a million operations, with debt",
        readings: &[COMPACTED],
        per: Per::Million,
        scale: 1e-9,
        debt: true,
    },
    Column {
        name: "c_wsecs",
        unit: "s/Mop",
        description: "seconds of compactions for a million operations, added up over compactions, with debt",
        readings: &["compaction_wall_us"],
        per: Per::Million,
        scale: 1e-6,
        debt: true,
    },
    Column {
        name: "mb_sec",
        unit: "MB/s",
        description: "keys and values that operations read or wrote (with those of a writer beside them) in a second",
        readings: &["got_bytes", "put_bytes"],
        per: Per::Second,
        scale: 1e-6,
        debt: false,
    },
    Column {
        name: "s_cpu",
        unit: "µs/op",
        description: "CPU in the kernel of the whole process, client and compactions included",
        readings: &["system_cpu_ms"],
        per: Per::Operation,
        scale: 1e3,
        debt: false,
    },
    Column {
        name: "stall_pct",
        unit: "%",
        description: "part of the time for which writes were held back or stopped",
        readings: &["stall_ms"],
        per: Per::Second,
        scale: 0.1,
        debt: false,
    },
    Column {
        name: "stalls",
        unit: "1/Mop",
        description: "times that writes began to be held back or stopped, for a million operations",
        readings: &["stalls"],
        per: Per::Million,
        scale: 1.0,
        debt: false,
    },
    Column {
        name: "u_cpu",
        unit: "µs/op",
        description: "CPU in user mode of the whole process, client and compactions included",
        readings: &["user_cpu_ms"],
        per: Per::Operation,
        scale: 1e3,
        debt: false,
    },
    Column {
        name: "w_amp",
        unit: "ratio",
        description: "write amplification: bytes flushed (once) and compacted, over bytes of keys and values put; the log does \
                      not count; with debt",
        readings: &[FLUSHED, COMPACTED],
        per: Per::Readings(&["put_bytes"]),
        scale: 1.0,
        debt: true,
    },
    Column {
        name: "writer_kept",
        unit: "%",
        description: "writes of the background writer, of those that were due",
        readings: &["writer_writes"],
        per: Per::Readings(&["writer_due"]),
        scale: 100.0,
        debt: false,
    },
    Column {
        name: "writer_us",
        unit: "µs",
        description: "response time of the background writer's writes, each from its intended start; mean",
        readings: &["writer_response_us"],
        per: Per::Readings(&["writer_writes"]),
        scale: 1.0,
        debt: false,
    },
];

/// The reading without which a run has none of these columns.
const MARK: &str = "put_bytes";

/// All columns that both sides have.
pub(crate) fn columns(
    results: &Results,
    test: &TestInfo,
    sessions: &[KeptSession<'_>],
    used: &[u32],
    subject: usize,
) -> BTreeMap<String, Cost> {
    let mut found = BTreeMap::new();
    if place(results, MARK).is_none() {
        return found;
    }
    let pairs: Vec<[Tally; 2]> = sessions
        .iter()
        .filter(|session| used.contains(&session.number))
        .map(|session| [0, subject].map(|whose| Tally::of(results, test, session, whose)))
        .collect();
    for column in COLUMNS {
        found.extend(column.cost(results, &pairs).map(|cost| (column.name.to_owned(), cost)));
    }
    found.extend(usec_op(results, &pairs).map(|cost| ("usec_op".to_owned(), cost)));
    found.extend(lsm(results, test, subject).map(|cost| ("lsm_mb".to_owned(), cost)));
    found
}

fn place(results: &Results, name: &str) -> Option<usize> {
    results.metrics.iter().position(|metric| metric.name == name)
}

/// What one subject did in one session of a test.
#[derive(Default)]
struct Tally {
    operations: f64,
    /// Of slices, guards included.
    seconds: f64,
    /// Of slices, guards left out, and their operations.
    counted: [f64; 2],
    /// By metric.
    readings: Vec<f64>,
    /// Share of the readings over the payment that is these operations'.
    debt: Vec<f64>,
}

impl Tally {
    fn of(results: &Results, test: &TestInfo, session: &KeptSession<'_>, subject: usize) -> Self {
        let mut tally = Self::default();
        let zero = vec![0.0; results.metrics.len()];
        (tally.readings, tally.debt) = (zero.clone(), zero);
        let mut calls = 0.0;
        for slice in session.blocks.iter().filter_map(|block| block.slice(subject)) {
            let (own, all) = (slice.operations as f64, (slice.operations + slice.guard_operations) as f64);
            let seconds = slice.wall_ns as f64 / 1e9;
            calls += all;
            tally.seconds += if own > 0.0 { seconds * all / own } else { 0.0 };
            tally.counted[0] += seconds;
            tally.counted[1] += own;
            add(&mut tally.readings, &slice.readings, 1.0);
        }
        let own = |debt: &&humdrum_model::Debt| {
            debt.test == test.name && debt.session == session.number && debt.subject == subject
        };
        if let Some(debt) = results.debts.iter().find(own).filter(|debt| debt.operations > 0) {
            add(&mut tally.debt, &debt.readings, (calls / debt.operations as f64).min(1.0));
        }
        tally.operations = calls * f64::from(test.statements.max(1));
        tally.counted[1] *= f64::from(test.statements.max(1));
        tally
    }

    fn sum(&self, places: &[usize], debt: bool) -> f64 {
        let of = |place: &usize| self.readings[*place] + if debt { self.debt[*place] } else { 0.0 };
        places.iter().map(of).sum()
    }
}

fn add(sums: &mut [f64], readings: &[i64], share: f64) {
    sums.iter_mut().zip(readings).for_each(|(sum, reading)| *sum += *reading as f64 * share);
}

impl Column {
    fn cost(&self, results: &Results, pairs: &[[Tally; 2]]) -> Option<Cost> {
        let places =
            |names: &[&str]| names.iter().map(|name| place(results, name)).collect::<Option<Vec<_>>>();
        let above = places(self.readings)?;
        let below = if let Per::Readings(names) = self.per { places(names)? } else { Vec::new() };
        let parts = |tally: &Tally| {
            let divisor = match self.per {
                Per::Readings(_) => tally.sum(&below, self.debt),
                Per::Million => tally.operations / 1e6,
                Per::Operation => tally.operations,
                Per::Second => tally.seconds,
            };
            // A payment puts nothing, so that its share is in what is above alone.
            [tally.sum(&above, self.debt) * self.scale, divisor]
        };
        cost(self.unit, self.description, pairs, parts)
    }
}

/// Of the sums over all sessions; the ratio's interval is from those of each.
fn cost(
    unit: &str,
    description: &str,
    pairs: &[[Tally; 2]],
    parts: impl Fn(&Tally) -> [f64; 2],
) -> Option<Cost> {
    let total = |side: usize| {
        let sums = pairs.iter().map(|pair| parts(&pair[side]));
        let [above, below] = sums.fold([0.0; 2], |[a, b], [above, below]| [a + above, b + below]);
        (below > 0.0).then(|| above / below)
    };
    let (base, subject) = (total(0)?, total(1)?);
    let log = |[base, subject]: &[Tally; 2]| {
        let rate = |tally| {
            let [above, below] = parts(tally);
            (above / below).ln()
        };
        Some(rate(subject) - rate(base)).filter(|log| log.is_finite())
    };
    let logs: Option<Vec<f64>> = pairs.iter().map(log).collect();
    let interval = logs.and_then(|logs| ratio_ci95(&logs));
    Some(Cost {
        unit: unit.to_owned(),
        description: description.to_owned(),
        base,
        subject,
        ratio: interval.map(|(ratio, _)| ratio).or_else(|| (base > 0.0).then(|| subject / base)),
        ci95: interval.map(|(_, ci95)| ci95),
    })
}

/// As one client waits for it: with several, each has its own share of the operations.
fn usec_op(results: &Results, pairs: &[[Tally; 2]]) -> Option<Cost> {
    let clients = f64::from(results.plan.scale.clients.max(1));
    let text = "time of one operation as its client sees it, mean over counted operations";
    cost("µs", text, pairs, |tally| [tally.counted[0] * 1e6 * clients, tally.counted[1]])
}

/// A level: the mean over sessions of what the tables took when the test had ended.
fn lsm(results: &Results, test: &TestInfo, subject: usize) -> Option<Cost> {
    let of = |whose: usize| {
        let own = results.states.iter().filter(|state| {
            state.test == test.name && state.subject == whose && state.moment == Moment::After
        });
        let sizes: Vec<f64> = own
            .filter_map(|state| state.quantities.iter().find(|quantity| quantity.name == "table_bytes"))
            .map(|quantity| quantity.value / 1e6)
            .collect();
        (!sizes.is_empty()).then(|| mean(&sizes))
    };
    let (base, subject) = (of(0)?, of(subject)?);
    let ratio = (base > 0.0).then(|| subject / base);
    let (unit, description) =
        ("MB".to_owned(), "size of the store's files after the test, before debts were paid".to_owned());
    Some(Cost { unit, description, base, subject, ratio, ci95: None })
}

#[cfg(test)]
mod tests {
    use humdrum_model::{Debt, Stage};

    use super::*;
    use crate::run::Run;
    use crate::testkit::{Bench, counters};

    /// Four sessions of six blocks; each slice makes 100 counted calls and 10 of the guard in 10 ms.
    fn measured(
        names: &[&str],
        readings: impl Fn(usize) -> Vec<i64>,
        debt: Option<Vec<i64>>,
    ) -> BTreeMap<String, Cost> {
        let mut bench = Bench::new(&["overwrite"], 2, 0, 4);
        for session in 0..4 {
            bench.session(Stage::Confirmation, |_| true, 6, |_, _| 0.0);
            bench.results.debts.extend(debt.iter().flat_map(|readings| {
                [0, 1].map(|subject| Debt {
                    test: "overwrite".into(),
                    session,
                    subject,
                    // Twice as many as were counted.
                    operations: 2 * 6 * 110,
                    wall_ns: 1,
                    readings: readings.clone(),
                })
            }));
        }
        let slices = bench.results.blocks.iter_mut().flat_map(|block| &mut block.slices);
        slices.for_each(|slice| slice.readings = readings(slice.subject));
        bench.results.metrics = counters(names);
        let run = Run::new(&bench.results);
        let sessions = &run.test("overwrite").expect("blocks").sessions;
        columns(&bench.results, &bench.results.plan.tests[0], sessions, &[0, 1, 2, 3], 1)
    }

    fn near(found: f64, expected: f64) -> bool {
        (found / expected - 1.0).abs() < 1e-9
    }

    /// 1000 bytes put and 1000 flushed in each slice; the subject compacts 2000, the base 1000. Half of what is paid
    /// at the end, 6000 of 12000 bytes in a session, is the counted operations'.
    #[test]
    fn a_flush_counts_once_and_debts_by_their_share() {
        let names = ["put_bytes", FLUSHED, COMPACTED, "compaction_wall_us"];
        let slice = |subject: usize| vec![1000, 1000, 1000 * (1 + subject as i64), 500];
        let without = measured(&names, slice, None);
        assert!(near(without["w_amp"].base, 2.0) && near(without["w_amp"].subject, 3.0));
        assert!(near(without["w_amp"].ratio.unwrap(), 1.5) && without["w_amp"].ci95.is_some());
        let with = measured(&names, slice, Some(vec![0, 0, 12_000, 6000]));
        assert!(near(with["w_amp"].base, 3.0) && near(with["w_amp"].subject, 4.0), "{:?}", with["w_amp"]);
        assert!(near(with["c_mbps"].base, 2.0), "{:?}", with["c_mbps"]);
        // 2000 bytes and a thousandth of a second for each 110 calls.
        assert!(near(with["c_wgb"].base, 2000.0 / 110.0 * 1e-3));
        assert!(near(with["c_wsecs"].base, 1000.0 / 110.0));
        assert!(!with.contains_key("c_csecs"), "its reading is not among the run's");
    }

    #[test]
    fn rates_are_over_the_time_of_slices_and_a_quotient_of_nothing_is_absent() {
        let names = [
            "put_bytes",
            "got_bytes",
            "stall_ms",
            "stalls",
            "writer_writes",
            "writer_due",
            "writer_response_us",
        ];
        let found = measured(&names, |_| vec![0, 11_000, 1, 0, 0, 0, 0], None);
        // 11 ms, guard included, for each slice.
        assert!(near(found["mb_sec"].base, 1.0) && near(found["stall_pct"].base, 100.0 / 11.0));
        assert!(near(found["usec_op"].base, 100.0));
        assert_eq!((found["stalls"].base, found["stalls"].ratio), (0.0, None));
        for absent in ["w_amp", "writer_us", "writer_kept"] {
            assert!(!found.contains_key(absent), "{absent}");
        }
    }

    #[test]
    fn runs_without_such_readings_have_no_such_columns() {
        assert!(measured(&["server_cpu_ns"], |_| vec![1], None).is_empty());
        assert!(COLUMNS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }
}
