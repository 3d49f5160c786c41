//! Explanations of five known causes in the fake engine. The releases differ too, so the setting that makes
//! the cause is only a candidate, and `explain` must find the cause from its effects.

use std::path::Path;

use crate::common::{Humdrum, text_of};
use humdrum_model::Results;
use humdrum_record::Store;
use serde_json::Value;

const NOISE: &str = "+noise=5%+session_noise=0.3%";

/// Compares two releases, the second with a cause put in; returns its explanation as JSON.
fn explained(lab: &Humdrum, cause: &str, test: &str, more: &[&str]) -> Value {
    compare(lab, &format!("old=fake@1.0{NOISE}"), &format!("new=fake@1.1{NOISE}{cause}"), test);
    explain(lab, test, more)
}

fn compare(lab: &Humdrum, base: &str, subject: &str, test: &str) {
    let args = ["compare", base, subject, "--tests", test, "--scale", "tiny", "--quiet", "--out", "out"];
    lab.exits(1, &args);
}

fn explain(lab: &Humdrum, test: &str, more: &[&str]) -> Value {
    let mut args = vec!["explain", "out", test, "--json", "--quiet"];
    args.extend(more);
    let output = lab.exits(0, &args);
    let document: Value = serde_json::from_slice(&output.stdout).expect("json");
    document["explanations"][0].clone()
}

/// Makes a record one of a run that was ended before its end, without what `forget` takes out.
fn interrupted(file: &Path, forget: impl FnOnce(&mut Results)) {
    let mut results = Store::open(file).and_then(|store| store.read()).expect("a record");
    results.finished = false;
    forget(&mut results);
    std::fs::remove_file(file).expect("removed");
    drop(Store::create(file, &results).expect("a record"));
}

fn first(explanation: &Value) -> (String, f64) {
    let cause = &explanation["causes"][0];
    let kind = cause["kind"].as_str().unwrap_or_default().to_owned();
    (kind, cause["share"].as_f64().unwrap_or(f64::NAN))
}

#[test]
fn more_work_per_statement() {
    let lab = Humdrum::new();
    let found = explained(&lab, "+work=10%", "point-query", &[]);
    let (kind, share) = first(&found);
    assert_eq!(kind, "server-cpu", "{found:#}");
    assert!((share - 1.0).abs() < 0.1, "{found:#}");
    let ends = &found["causes"][0]["ci95"];
    let change = found["causes"][0]["change_us"].as_f64().expect("a size");
    assert!(ends[0].as_f64().is_some_and(|low| low < change && low > 0.0), "{found:#}");
}

#[test]
fn a_lock_held_in_the_background() {
    let lab = Humdrum::new();
    let found = explained(&lab, "+lock_wait=10%", "point-query", &[]);
    assert_eq!(first(&found).0, "locks", "{found:#}");
    assert!(found["counters"][0]["name"] == "lock_waits", "{found:#}");
    // As the server counts it, for everybody to read.
    let waited = &found["waited"][0];
    assert!(waited["event"] == "row lock" && waited["kind"] == "lock", "{found:#}");
    let told = text_of(&lab.run(&["explain", "out"]).stdout);
    assert!(told.contains("row lock: 0.0 → ") && told.contains("times per operation"), "{told}");
    // One that does not count is asked why.
    let other = Humdrum::new();
    let found = explained(&other, "+lock_wait=10%+counts_no_waits", "point-query", &[]);
    assert!(found["waited"].is_null() && first(&found).0 == "locks", "{found:#}");
    let remarks = found["remarks"].as_array().expect("remarks");
    let told = "new: does not count what its threads wait for: it was told to: leave out +counts_no_waits";
    assert_eq!(remarks.iter().filter(|line| *line == told).count(), 1, "{remarks:#?}");
}

#[test]
fn a_disk_that_became_slower() {
    let lab = Humdrum::new();
    let found = explained(&lab, "+disk_wait=10%", "update-nonindex", &[]);
    assert_eq!(first(&found).0, "disk", "{found:#}");
}

#[test]
fn an_index_that_is_gone() {
    let lab = Humdrum::new();
    let found = explained(&lab, "+no_index", "points-covered-si", &[]);
    assert_eq!(first(&found).0, "plan", "{found:#}");
    assert_eq!(found["plans"][0]["subject"][0], "Seq Scan");
    // Beside the verdict, too.
    let summary = lab.run(&["report", "out", "--format", "json"]);
    assert!(text_of(&summary.stdout).contains("plan changed: SELECT k FROM sbtest1"));
    // On the verdict's own line, in every form.
    for format in ["terminal", "markdown", "github", "html"] {
        let told = text_of(&lab.run(&["report", "out", "--format", format]).stdout);
        assert!(told.contains("regression, other plan"), "{format}: {told}");
    }
    // With the rows that each server estimates and has, in every form that shows plans.
    let plan = &found["plans"][0];
    let told = |side: &str| plan[side][0].as_str().unwrap_or_default().to_owned();
    let rows = "(actual rows=";
    assert!(told("base_told").starts_with("Index Scan using k_1  (rows=1) (actual rows="), "{plan:#}");
    assert!(told("subject_told").starts_with("Seq Scan  (rows="), "{plan:#}");
    for arguments in [&["report", "out", "--format", "html"][..], &["report", "out", "--format", "markdown"]]
    {
        let shown = text_of(&lab.run(arguments).stdout);
        assert!(shown.matches(rows).count() >= 2, "{arguments:?}");
    }
    // Both servers ran it once; a test that is alike on both has no run.
    let runs = lab.results("out").plan_runs;
    assert_eq!(runs.iter().map(|run| run.subject).collect::<Vec<_>>(), [0, 1]);
    // A test that does not use the index has no other plan.
    let other = Humdrum::new();
    let found = explained(&other, "+no_index+work=10%", "point-query", &[]);
    assert_eq!(found["plans"].as_array().map(Vec::len), Some(0));
    assert!(other.results("out").plan_runs.is_empty());
}

#[test]
fn a_setting_that_brings_the_old_plan_back() {
    let lab = Humdrum::new();
    let subject = |label: &str, value: &str| format!("{label}=fake@1.0{NOISE}+no_index={value}");
    compare(&lab, &subject("old", "off"), &subject("new", "on"), "points-covered-si");
    let prove = ["--prove", "--settings", "no_index", "--budget", "60s"];
    let found = explain(&lab, "points-covered-si", &prove);
    assert_eq!(found["carried"][0]["restores_plan"], true, "{found:#}");
    let told = text_of(&lab.run(&["explain", "out", "points-covered-si"]).stdout);
    assert!(told.contains("brings back"), "{told}");
    let page = text_of(&lab.run(&["report", "out", "--format", "html"]).stdout);
    assert!(
        page.contains("the base&#39;s value brings back") || page.contains("the base's value brings back"),
        "the page"
    );
}

#[test]
fn the_flag_of_a_list_that_brings_the_old_plan_back() {
    let lab = Humdrum::new();
    let subject = |label: &str, flags: &str| format!("{label}=fake@1.0{NOISE}+optimizer_switch={flags}");
    let (old, new) = (subject("old", "index_lookup=on,mrr=on"), subject("new", "mrr=off,index_lookup=off"));
    compare(&lab, &old, &new, "points-covered-si");
    let found = explain(&lab, "points-covered-si", &["--prove", "--budget", "60s"]);
    let carried = found["carried"].as_array().expect("what was tried");
    let told: Vec<(&str, bool)> = carried
        .iter()
        .map(|one| (one["name"].as_str().unwrap_or_default(), one["restores_plan"] == true))
        .collect();
    // The list as a whole, and as it carries the change, each of its flags.
    let expected = [
        ("optimizer_switch", true),
        ("optimizer_switch index_lookup", true),
        ("optimizer_switch mrr", false),
    ];
    assert_eq!(told, expected, "{found:#}");
    assert!(carried[1]["share"].as_f64().is_some_and(|share| share > 0.9), "{found:#}");
    // One flag can be tried alone, and all that was tried is remembered.
    let one = ["--prove", "--settings", "optimizer_switch mrr", "--budget", "60s"];
    let alone = explain(&lab, "points-covered-si", &one);
    assert_eq!(alone["carried"][0]["name"], "optimizer_switch mrr", "{alone:#}");
    let later = explain(&lab, "points-covered-si", &[]);
    assert_eq!(later["carried"].as_array().map(Vec::len), Some(3), "{later:#}");
}

#[test]
fn a_default_that_changed_with_the_release() {
    let lab = Humdrum::new();
    compare(&lab, &format!("old=fake@2.1{NOISE}"), &format!("new=fake@3.0{NOISE}"), "point-query");
    let before = explain(&lab, "point-query", &[]);
    assert_eq!(first(&before).0, "server-cpu");
    assert_eq!(before["settings"][0]["name"], "checks", "{before:#}");
    assert_eq!(before["settings"][0]["origin"], "default");
    let found = explain(&lab, "point-query", &["--prove", "--budget", "60s"]);
    let (kind, share) = first(&found);
    assert_eq!(kind, "setting", "{found:#}");
    assert!((share - 1.0).abs() < 0.1, "{found:#}");
    let carried = &found["carried"][0];
    let ends = &carried["share_ci95"];
    assert!(ends[0].as_f64().is_some_and(|low| low > 0.8) && !carried["forth"].is_null(), "{carried:#}");
    // It is remembered.
    assert_eq!(first(&explain(&lab, "point-query", &[])).0, "setting");
    interrupted(&lab.path("out/prove/point-query/checks/results.sqlite"), |_| {});
    let half = explain(&lab, "point-query", &[]);
    assert_eq!(half["carried"].as_array().map(Vec::len), Some(0), "a proof that is not finished is none");
    let again = explain(&lab, "point-query", &["--prove", "--budget", "60s"]);
    assert_eq!(first(&again).0, "setting");
    let page = lab.run(&["report", "out", "--format", "html"]);
    assert!(text_of(&page.stdout).contains("What each setting carries"));
}

#[test]
fn the_only_setting_that_differs() {
    let lab = Humdrum::new();
    compare(&lab, "old=fake@1.0", "new=fake@1.0+work=10%", "point-query");
    let found = explain(&lab, "point-query", &[]);
    assert_eq!(first(&found).0, "setting", "{found:#}");
    assert!(
        text_of(&lab.run(&["explain", "out"]).stdout).contains("`work` (unknown) → 10% (the user set it)")
    );
}

#[test]
fn what_did_not_move_is_explained_when_asked() {
    let lab = Humdrum::new();
    let args = ["compare", "fake@1.0", "fake@1.1", "--tests", "scan", "--quiet", "--out", "out"];
    lab.exits(0, &args);
    let output = lab.run(&["explain", "out"]);
    assert!(text_of(&output.stdout).starts_with("nothing moved; name a test"));
    let found = explain(&lab, "scan", &[]);
    assert!(found["remarks"][0].as_str().is_some_and(|line| line.contains("did not move")), "{found:#}");
    assert!(found["parts"].as_array().is_some_and(|parts| parts.len() > 3));
}

#[test]
fn what_an_interruption_left_is_looked_at_by_resume() {
    let lab = Humdrum::new();
    let args = ["compare", "old=fake@1.0", "new=fake@1.0+work=10%", "--tests", "point-query,hot-points"];
    let args = [&args[..], &["--scale", "tiny", "--quiet", "--out", "out"]].concat();
    lab.exits(1, &args);
    let file = lab.path("out/results.sqlite");
    let read = || Store::open(&file).and_then(|store| store.read()).expect("a record");
    let keys = |results: &Results| {
        let found = results.examinations.iter().map(|one| (one.test.clone(), one.subject, one.round));
        let mut examinations: Vec<_> = found.collect();
        examinations.sort();
        let plans = results.query_plans.iter();
        let mut plans: Vec<_> =
            plans.map(|plan| (plan.test.clone(), plan.subject, plan.statement.clone())).collect();
        plans.sort();
        (examinations, plans)
    };
    let whole = keys(&read());
    assert!(whole.0.len() >= 12 && whole.1.len() >= 4, "{whole:?}");
    // In the middle of a round, and before one subject was asked for its plans.
    interrupted(&file, |results| {
        results.examinations.truncate(3);
        results.query_plans.retain(|plan| plan.subject == 0);
    });
    lab.exits(1, &["resume", "out", "--quiet"]);
    assert_eq!(keys(&read()), whole);
    assert!(read().examinations.iter().all(|one| one.operations > 0));
}

#[test]
fn actual_rows_that_an_interruption_left_are_told_by_resume() {
    let lab = Humdrum::new();
    let subject = |label: &str, value: &str| format!("{label}=fake@1.0{NOISE}+no_index={value}");
    compare(&lab, &subject("old", "off"), &subject("new", "on"), "points-covered-si");
    let file = lab.path("out/results.sqlite");
    let read = || Store::open(&file).and_then(|store| store.read()).expect("a record").plan_runs;
    let whole = read();
    assert_eq!(whole.len(), 2);
    interrupted(&file, |results| results.plan_runs.truncate(1));
    lab.exits(1, &["resume", "out", "--quiet"]);
    assert_eq!(read(), whole);
}

#[test]
fn a_statement_that_is_not_explained_is_told_once() {
    let lab = Humdrum::new();
    let args = ["compare", "old=fake@1.0", "new=fake@1.0+work=10%+no_explain", "--tests", "point-query"];
    lab.exits(1, &[&args[..], &["--scale", "tiny", "--quiet", "--out", "out"]].concat());
    let told: Vec<_> =
        lab.results("out").events.into_iter().filter(|event| event.subject == Some(1)).collect();
    let [event] = &told[..] else { panic!("{told:?}") };
    let wanted = "point-query has a statement that is not explained: the server does not explain statements";
    assert!(event.what.starts_with(wanted) && !event.status.is_failure(), "{event:?}");
}

#[test]
fn a_proof_does_the_work_that_the_run_did() {
    let lab = Humdrum::new();
    let scale = "rows=4000,tables=1,clients=1,y=200,z=50,seconds=3";
    let args = ["compare", "old=fake@2.1", "new=fake@3.0", "--suite", "insert", "--tests", "l.i1"];
    let more = ["--mode", "sequential", "--scale", scale, "--timeout", "77s", "--quiet", "--out", "out"];
    let output = lab.run(&[&args[..], &more[..]].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text_of(&output.stderr));
    explain(&lab, "l.i1", &["--prove", "--settings", "checks"]);
    let read =
        |file: &str| Store::open(&lab.path(file)).and_then(|store| store.read()).expect("a record").plan;
    let (run, proof) = (read("out/results.sqlite"), read("out/prove/l_i1/checks/results.sqlite"));
    assert_eq!(proof.subjects.len(), 4);
    assert_eq!(proof.scale, run.scale);
    assert_eq!((proof.mode, proof.design.timeout_seconds), (run.mode, 77.0));
    assert_eq!((proof.design.restart, proof.design.reload), (run.design.restart, run.design.reload));
}
