//! The sorts that are compiled into the program: real processes, but nothing to fetch.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::common::{Humdrum, field, text_of};

#[test]
fn two_sorts_take_turns_and_give_the_same_answers() {
    let lab = Humdrum::new();
    let subjects = ["sorts@std_stable", "sorts@skipsort"];
    let tests = [
        "--suite",
        "sort",
        "--tests",
        "uuid,ladder",
        "--scale",
        "rows=200",
        "--budget",
        "15s",
        "--sessions",
        "4",
    ];
    let (code, summary, complaint) = lab.compare("out", &[&subjects[..], &tests[..]].concat());
    assert!(matches!(code, 0 | 1), "{complaint}");
    let status = field(&summary, "status");
    assert_eq!(status.len(), 2, "{status:?}");
    for (test, status) in status {
        assert!(matches!(status.as_str(), Some("ok" | "not-steady")), "{test}: {status}\n{complaint}");
    }
    for (test, cost) in field(&summary, "cost") {
        let own = cost["server_cpu_us"]["base"].as_f64().unwrap_or_default();
        assert!(own > 0.1, "{test} is charged to the thread that sorts: {cost:#}");
    }
}

#[test]
fn a_sort_runs_no_other_suite_and_its_suite_no_other_engine() {
    let lab = Humdrum::new();
    let refused = |arguments: &[&str]| text_of(&lab.exits(2, arguments).stderr);
    let sql = refused(&["compare", "sorts@std", "sorts@skipsort", "--dry-run"]);
    assert!(sql.contains("SQL"), "{sql}");
    let keys = refused(&["compare", "fake@1.0", "fake@1.1", "--suite", "sort", "--dry-run"]);
    assert!(keys.contains("sorts"), "{keys}");
    let unknown = refused(&["compare", "sorts@std", "sorts@quick", "--suite", "sort", "--dry-run"]);
    assert!(unknown.contains("no sort `quick`") && unknown.contains("skipsort"), "{unknown}");
    let tables = refused(&[
        "compare",
        "sorts@std",
        "sorts@skipsort",
        "--suite",
        "sort",
        "--scale",
        "tables=2",
        "--dry-run",
    ]);
    assert!(tables.contains("no tables"), "{tables}");
}

/// A sort for keys of eight bytes alone fails in a test of others, and the other tests go on.
#[test]
fn a_sort_that_does_not_take_a_sets_keys_is_a_row() {
    let lab = Humdrum::new();
    let arguments = [
        "sorts@std",
        "sorts@rdst",
        "--suite",
        "sort",
        "--tests",
        "random8,uuid",
        "--scale",
        "rows=500",
        "--budget",
        "20s",
        "--sessions",
        "4",
    ];
    let (code, summary, complaint) = lab.compare("out", &arguments);
    assert_eq!(code, 3, "{complaint}");
    let status: BTreeMap<String, Value> = field(&summary, "status").into_iter().collect();
    assert_eq!(
        (status["uuid"].as_str(), status["random8"].as_str()),
        (Some("failed"), Some("ok")),
        "{complaint}"
    );
}
