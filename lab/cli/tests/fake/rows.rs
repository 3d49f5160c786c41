//! Runs at several numbers of rows, on the fake engine: one run, one report, one family of verdicts, and sessions with the data
//! of each number.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Humdrum, field, text_of, words};
use humdrum_model::Results;
use serde_json::Value;

const ROWS: [u64; 3] = [500, 2_000, 8_000];
const OPTIONS: &str = "--tests points-covered-si,point-query --scale tiny,rows=500,2k,8k --budget 3m";
const SUBJECTS: [&str; 2] = ["fake@1.0", "fake@1.0+no_index"];

fn compare(lab: &Humdrum, subjects: &[&str], options: &str) -> (i32, Value, String) {
    lab.compare("r", &[subjects, &words(options)].concat())
}

/// The rows of a table that each session's tests have; one number where all is well.
fn rows_of_sessions(results: &Results) -> Vec<BTreeSet<Option<u64>>> {
    let of = |name: &String| results.plan.tests.iter().find(|test| test.name == *name)?.rows;
    results.sessions.iter().map(|session| session.tests.iter().map(of).collect()).collect()
}

fn loaded(results: &Results) -> BTreeSet<u64> {
    results.loads.iter().map(|load| load.rows).collect()
}

fn statuses(summary: &Value) -> BTreeSet<String> {
    field(summary, "status")
        .iter()
        .map(|(_, status)| status.as_str().unwrap_or_default().to_owned())
        .collect()
}

/// A list of a hundred keys takes 80 µs by the index on `k`, and without it 0.09 µs longer for each row of the table.
#[test]
fn a_missing_index_costs_more_where_there_are_more_rows() {
    let lab = Humdrum::new();
    let (code, summary, complaint) = compare(&lab, &SUBJECTS, OPTIONS);
    assert_eq!(code, 1, "{complaint}");
    let rows = field(&summary, "rows").into_iter().filter_map(|(test, rows)| Some((test, rows.as_u64()?)));
    let rows: BTreeMap<String, u64> = rows.collect();
    assert_eq!(rows.len(), 6, "{rows:?}");
    for (test, rqps) in field(&summary, "rqps") {
        let by_k = test.starts_with("points-covered-si:r");
        let expected = if by_k { 80.0 / (80.0 + 0.09 * rows[&test] as f64) } else { 1.0 };
        let rqps = rqps.as_f64().expect("a ratio");
        assert!((rqps / expected - 1.0).abs() < 0.03, "{test}: {rqps} in place of {expected}");
    }
    for (test, verdict) in field(&summary, "verdict") {
        assert_eq!(verdict == "regression", test.starts_with("points"), "{test}: {verdict}");
    }
    let results = lab.results("r");
    assert!(rows_of_sessions(&results).iter().all(|rows| rows.len() == 1));
    assert!(results.sessions.iter().all(|session| session.reloaded));
    assert_eq!((results.loads.len(), loaded(&results)), (2 * results.sessions.len(), BTreeSet::from(ROWS)));
}

#[test]
fn reports_and_explanations_know_the_rows() {
    let lab = Humdrum::new();
    let (code, _, complaint) = compare(&lab, &SUBJECTS, OPTIONS);
    assert_eq!(code, 1, "{complaint}");
    let report = text_of(&lab.exits(0, &["report", "r"]).stdout);
    assert!(report.contains("by rows (") && report.contains("QPS by rows"), "{report}");
    let page = text_of(&lab.exits(0, &["report", "r", "--format", "html"]).stdout);
    assert!(
        page.contains("rows=500,2k,8k") && page.contains("id=\"rows\""),
        "the command measures the same again"
    );
    let why = lab.exits(0, &["explain", "r", "points-covered-si:r8k", "--json", "--quiet"]);
    let why: Value = serde_json::from_slice(&why.stdout).expect("json");
    assert_eq!(why["explanations"][0]["plans"][0]["subject"][0], "Seq Scan", "{why:#}");
    let missing = text_of(&lab.exits(2, &["explain", "r", "points-covered-si"]).stderr);
    assert!(missing.contains("points-covered-si:r"), "{missing}");
}

#[test]
fn rows_and_clients_are_combined() {
    let lab = Humdrum::new();
    let subjects = ["fake@1.0", "fake@1.0+contention=5%"];
    let options = "--tests point-query --scale tiny,rows=500,1k,clients=1,4 --budget 3m";
    let (code, summary, complaint) = compare(&lab, &subjects, options);
    assert_eq!(code, 1, "{complaint}");
    let verdicts = field(&summary, "verdict");
    let names: Vec<&str> = verdicts.iter().map(|(test, _)| test.as_str()).collect();
    let expected = ["point-query:r500:c1", "point-query:r500:c4", "point-query:r1k:c1", "point-query:r1k:c4"];
    assert_eq!(names, expected);
    for (test, verdict) in &verdicts {
        assert_eq!(verdict == "regression", test.ends_with(":c4"), "{test}: {verdict}");
    }
    let report = text_of(&lab.exits(0, &["report", "r"]).stdout);
    assert!(report.contains("by rows (") && report.contains("by clients ("), "{report}");
}

#[test]
fn one_subject_at_a_time_gets_the_data_of_each_session() {
    let lab = Humdrum::new();
    let options = "--mode sequential --tests points-covered-si,update-index --scale tiny,rows=500,2k --sessions 4 --budget 3m";
    let (code, summary, complaint) = compare(&lab, &SUBJECTS, options);
    assert_eq!((code, statuses(&summary)), (1, BTreeSet::from(["ok".to_owned()])), "{complaint}");
    let results = lab.results("r");
    assert!(rows_of_sessions(&results).iter().all(|rows| rows.len() == 1));
    assert_eq!(loaded(&results), BTreeSet::from([500, 2_000]));
    assert!(results.blocks.iter().all(|block| block.slices.len() == 2));
}

#[test]
fn a_store_has_the_keys_of_each_session() {
    let lab = Humdrum::new();
    let options = "--suite kv --tests overwrite,readrandom --scale rows=500,2k --budget 90s";
    let (code, summary, complaint) = compare(&lab, &["a=fake-kv@1.0", "b=fake-kv@1.1"], options);
    assert_eq!((code, statuses(&summary)), (0, BTreeSet::from(["ok".to_owned()])), "{complaint}");
    assert_eq!(loaded(&lab.results("r")), BTreeSet::from([500, 2_000]));
}

#[test]
fn suites_whose_data_do_not_follow_from_rows_are_refused() {
    let lab = Humdrum::new();
    lab.exits(0, &["suite", "new", "shop"]);
    let refused = |options: &str| {
        let (code, _, complaint) = compare(&lab, &["fake@1.0", "fake@1.1"], options);
        assert_eq!(code, 2, "{complaint}");
        complaint
    };
    let steps = refused("--suite insert --scale rows=1k,2k");
    assert!(steps.contains("whole steps, whose data depend on the rows"), "{steps}");
    let own = refused("--suite ./shop --scale rows=1k,2k");
    assert!(own.contains("is not given by rows"), "{own}");
}
