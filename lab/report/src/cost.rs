//! Which costs are shown, under which headings, and how a pair of them is written. Costs with a name in the reference
//! come first. A cost that this file does not know, from a newer probe, follows under its own name.

use std::collections::BTreeSet;

use humdrum_model::{Cost, TestResult};

use crate::number::{NONE, short};

/// Costs in the order of the table, with their headings.
const KNOWN: &[(&str, &str)] = &[
    ("server_cpu_us", "server µs/o"),
    ("server_system_us", "of it system"),
    ("server_user_us", "of it user"),
    ("client_cpu_us", "client µs/o"),
    ("cpu_o", "cpu/o"),
    ("cs_o", "cs/o"),
    ("r_o", "r/o"),
    ("rkb_o", "rKB/o"),
    ("w_o", "w/o"),
    ("wkb_o", "wKB/o"),
    ("r_await_ms", "r_await ms"),
    ("w_await_ms", "w_await ms"),
    ("util_pct", "util %"),
    ("queue_depth", "depth"),
    ("flushes_o", "flushes/o"),
    ("krows_sec", "Krows/s"),
    // Of imported results, whose tools counted the whole host.
    ("all_cpu_us", "host µs/o"),
    ("cpu_by_processors_us", "host µs/o/cpu"),
    ("host_switch_count", "host cs/o"),
];

/// Costs that only verbose output, TSV and HTML show.
const DETAIL: &[&str] = &["cpu_o", "server_user_us", "w_o"];

/// Of these, what the page's wide table has no room for: a rest that follows from two columns which stand beside each other.
const REST: &[&str] = &["server_user_us"];

/// The device's own state, shown where details are.
const DEVICE: &[&str] = &["r_await_ms", "w_await_ms", "util_pct", "queue_depth", "flushes_o"];

/// One column of a cost table.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) heading: String,
}

/// All costs that any of the tests has.
pub(crate) fn columns(tests: &[TestResult]) -> Vec<Column> {
    let present: BTreeSet<&str> =
        tests.iter().flat_map(|test| test.cost.keys().map(String::as_str)).collect();
    let known = KNOWN.iter().filter(|(name, _)| present.contains(name));
    let other = present.iter().filter(|name| KNOWN.iter().all(|(known, _)| known != *name));
    known
        .map(|(name, heading)| Column { name: (*name).into(), heading: (*heading).into() })
        .chain(other.map(|name| Column { name: (*name).into(), heading: (*name).into() }))
        .collect()
}

/// Only the reference's columns, zero or not: for the page's wide table, which must fit a sheet of paper.
pub(crate) fn reference(tests: &[TestResult]) -> Vec<Column> {
    let known = |column: &Column| {
        let name = column.name.as_str();
        KNOWN.iter().any(|(known, _)| *known == name) && !DEVICE.contains(&name) && !REST.contains(&name)
    };
    columns(tests).into_iter().filter(known).collect()
}

/// The columns of the short table, and the headings of those left out because they are zero in every test.
pub(crate) fn brief(tests: &[TestResult]) -> (Vec<Column>, Vec<String>) {
    let known = |column: &Column| {
        let name = column.name.as_str();
        KNOWN.iter().any(|(known, _)| *known == name) && !DETAIL.contains(&name) && !DEVICE.contains(&name)
    };
    let (zero, shown): (Vec<Column>, Vec<Column>) =
        columns(tests).into_iter().filter(known).partition(|column| all_zero(tests, &column.name));
    (shown, zero.into_iter().map(|column| column.heading).collect())
}

fn all_zero(tests: &[TestResult], name: &str) -> bool {
    tests.iter().filter_map(|test| test.cost.get(name)).all(|cost| cost.base == 0.0 && cost.subject == 0.0)
}

/// Debts with their headings.
const DEBTS: &[(&str, &str)] =
    &[("debt_us", "debt µs/o"), ("debt_cpu_us", "debt cpu µs/o"), ("debt_wkb_o", "debt wKB/o")];

/// The heading of a debt; its own name if this file does not know it.
pub(crate) fn debt_heading(name: &str) -> String {
    let known = DEBTS.iter().find(|(known, _)| *known == name);
    known.map_or_else(|| name.to_owned(), |(_, heading)| (*heading).to_owned())
}

/// Debts of a test in words: `debt µs/o 2.1→2.4, …`; `None` for a test that reads.
pub(crate) fn debts(test: &TestResult) -> Option<String> {
    let known = DEBTS.iter().filter_map(|(name, heading)| Some((heading, test.debt.get(*name)?)));
    let told: Vec<String> = known.map(|(heading, debt)| format!("{heading} {}", arrow(Some(debt)))).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// `10.2→8.1`, or one number if both sides are spelled the same.
pub(crate) fn arrow(cost: Option<&Cost>) -> String {
    let Some(cost) = cost else { return NONE.into() };
    let (base, subject) = (short(cost.base), short(cost.subject));
    if base == subject { base } else { format!("{base}→{subject}") }
}

/// The server's CPU on both sides, and what of it the kernel used where that is known: `188→94.1, system 40.2→20.1`.
pub(crate) fn server(test: &TestResult) -> String {
    let system = test.cost.get("server_system_us");
    let told = system.map_or_else(String::new, |system| format!(", system {}", arrow(Some(system))));
    arrow(test.cost.get("server_cpu_us")) + &told
}

/// `0.79`.
pub(crate) fn relative(cost: Option<&Cost>) -> String {
    let ratio = cost.and_then(|cost| cost.ratio).filter(|ratio| ratio.is_finite());
    ratio.map_or_else(|| NONE.into(), |ratio| format!("{ratio:.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn headings(columns: &[Column]) -> Vec<&str> {
        columns.iter().map(|column| column.heading.as_str()).collect()
    }

    #[test]
    fn the_system_part_stands_beside_the_servers_cpu_and_the_rest_where_there_is_room() {
        let (mut summary, ..) = fixture::run();
        let tests = &mut summary.comparisons[0].tests;
        assert!(!headings(&columns(tests)).contains(&"of it system"), "records of earlier versions lack it");
        for test in tests.iter_mut() {
            let Some(server) = test.cost.get("server_cpu_us").cloned() else { continue };
            test.cost.insert("server_system_us".into(), server.clone());
            test.cost.insert("server_user_us".into(), server);
        }
        let cell = server(&tests[0]);
        let both = arrow(tests[0].cost.get("server_cpu_us"));
        assert_eq!(cell, format!("{both}, system {both}"));
        let all = columns(tests);
        assert_eq!(headings(&all)[..4], ["server µs/o", "of it system", "of it user", "client µs/o"]);
        for shown in [reference(tests), brief(tests).0] {
            assert_eq!(headings(&shown)[..3], ["server µs/o", "of it system", "client µs/o"]);
        }
    }
}
