//! `humdrum bisect` on the fake engine, whose releases are known: from 2.0 on neighbouring keys are found twice as fast,
//! and from 3.0 on every operation is checked.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{Humdrum, text_of};
use serde_json::Value;

/// Noise of the size that a shared host has.
const NOISE: &str = "+noise=5%+session_noise=0.3%";

/// A bisect in `out` between two releases of fake, which must have this exit code; what it found, and what it printed.
fn bisect(humdrum: &Humdrum, code: i32, out: &str, ends: [&str; 2], more: &[&str]) -> (Value, String) {
    let ends = ends.map(|release| format!("fake@{release}"));
    let fixed = ["bisect", &ends[0], &ends[1], "--out", out, "--scale", "tiny", "--quiet"];
    let output = humdrum.exits(code, &[&fixed, more].concat());
    (found(humdrum, out), text_of(&output.stdout))
}

fn found(humdrum: &Humdrum, out: &str) -> Value {
    let text = std::fs::read_to_string(humdrum.path(out).join("bisect.json")).expect("a bisect");
    serde_json::from_str(&text).expect("JSON")
}

/// The names of the last good release and of the first bad one.
fn step(found: &Value) -> (String, String) {
    let name = |end: &str| {
        let position = found["found"][end].as_u64().expect("a position") as usize;
        found["positions"][position]["name"].as_str().expect("a name").to_owned()
    };
    (name("after"), name("until"))
}

fn pair(after: &str, until: &str) -> (String, String) {
    (after.to_owned(), until.to_owned())
}

#[test]
fn the_release_that_moved_is_named_with_its_ratio() {
    let humdrum = Humdrum::new();
    let ends = [&format!("1.0{NOISE}")[..], &format!("2.1{NOISE}")];
    let (json, told) = bisect(&humdrum, 0, "b", ends, &["--tests", "hot-points"]);
    assert_eq!(step(&json), pair("1.1", "2.0"));
    let ratio = json["found"]["ratio"]["ratio"].as_f64().expect("a ratio");
    assert!((1.85..2.05).contains(&ratio), "{ratio}");
    assert!(json["found"]["mass"].as_f64().is_some_and(|mass| mass > 0.95));
    assert!(told.contains("the first that differs is fake@2.0"), "{told}");
    let last = json["rounds"].as_array().expect("rounds").len();
    assert_eq!(json["rounds"][last - 1]["kind"], "confirm");
    let round = format!("b/rounds/{last}");
    let report = text_of(&humdrum.exits(0, &["report", &round]).stdout);
    assert!(report.contains("hot-points"), "a round can be reported: {report}");
    let page = std::fs::read_to_string(humdrum.path("b/report.html")).expect("a page");
    assert!(page.contains("Where throughput of hot-points moved") && page.contains("fake@2.0"), "{page}");
    let post = text_of(&humdrum.exits(0, &["report", "b", "--format", "markdown"]).stdout);
    assert!(
        post.starts_with("# Where throughput of hot-points moved") && post.contains("confirmation"),
        "{post}"
    );
    assert_eq!(text_of(&humdrum.exits(0, &["report", "b"]).stdout), told.split("\nreport: ").next().unwrap());
    let refused = text_of(&humdrum.exits(2, &["report", "b", "--format", "tsv"]).stderr);
    assert!(refused.contains("a bisect has no such format"), "{refused}");
}

#[test]
fn equal_ends_are_not_searched() {
    let humdrum = Humdrum::new();
    let ends = [&format!("1.0{NOISE}")[..], &format!("2.1{NOISE}")];
    let (json, told) = bisect(&humdrum, 4, "b", ends, &["--tests", "scan"]);
    assert_eq!((&json["state"], json["rounds"].as_array().map(Vec::len)), (&"same".into(), Some(1)));
    assert!(told.contains("no difference is shown"), "{told}");
}

#[test]
fn server_cpu_can_be_followed() {
    let humdrum = Humdrum::new();
    let (json, told) = bisect(&humdrum, 0, "b", ["1.0", "2.1"], &["--tests", "hot-points", "--judge", "cpu"]);
    assert_eq!(step(&json), pair("1.1", "2.0"));
    assert!(json["found"]["ratio"]["ratio"].as_f64().is_some_and(|ratio| ratio < 0.6), "{told}");
}

#[test]
fn a_second_change_is_told() {
    let humdrum = Humdrum::new();
    let (json, told) = bisect(&humdrum, 0, "b", ["1.0", "3.0"], &["--tests", "hot-points"]);
    assert_eq!(step(&json), pair("1.1", "2.0"), "the larger one");
    assert_eq!(json["others"][0]["until"], 4, "checks from 3.0 on: {told}");
    assert!(told.contains("There is another change: after fake@2."), "{told}");
}

/// The ends are equal: only a series finds what was changed and repaired between them.
#[test]
fn a_change_and_its_repair_are_found_by_a_series() {
    let humdrum = Humdrum::new();
    let settings = format!("{NOISE}+lags=1.1");
    let ends = [&format!("1.0{settings}")[..], &format!("2.1{settings}")];
    let (json, told) = bisect(&humdrum, 0, "b", ends, &["--tests", "scan", "--series", "2"]);
    assert_eq!(step(&json), pair("1.0", "1.1"));
    assert!(told.contains("There is another change: after fake@1.1"), "{told}");
    let kinds: Vec<&str> = json["rounds"]
        .as_array()
        .expect("rounds")
        .iter()
        .filter_map(|round| round["kind"].as_str())
        .collect();
    assert_eq!(kinds[..3], ["ends", "series", "series"]);
    let (json, told) = bisect(&humdrum, 4, "none", ends, &["--tests", "scan"]);
    assert_eq!(json["state"], "same");
    assert!(told.contains("--series"), "{told}");
}

#[test]
fn a_release_that_does_not_start_is_skipped() {
    let humdrum = Humdrum::new();
    let ends = ["1.0+breaks=2.0", "2.1+breaks=2.0"];
    let (json, told) = bisect(&humdrum, 0, "b", ends, &["--tests", "hot-points"]);
    assert_eq!(step(&json), pair("1.1", "2.1"), "{told}");
    assert!(told.contains("one of these, which could not be measured: 2.0"), "{told}");
    let rounds = json["rounds"].as_array().expect("rounds");
    let number = 1 + rounds.iter().position(|round| !round["skipped"].is_null()).expect("one is skipped");
    let why = std::fs::read_to_string(humdrum.path(&format!("b/rounds/{number}/failure.txt"))).expect("kept");
    assert!(why.contains("fake@2.0") && why.contains("does not start, as ordered"), "{why}");
}

#[test]
fn an_end_that_does_not_start_ends_it() {
    let humdrum = Humdrum::new();
    let ends = ["fake@1.0+breaks=2.1", "fake@2.1+breaks=2.1"];
    let output = humdrum.exits(3, &["bisect", ends[0], ends[1], "--tests", "hot-points", "--scale", "tiny"]);
    assert!(text_of(&output.stderr).contains("does not start"), "{}", text_of(&output.stderr));
}

/// Killed again and again, a search ends as an undisturbed one does.
#[test]
fn a_killed_search_goes_on() {
    let humdrum = Humdrum::new();
    let ends = [&format!("1.0{NOISE}")[..], &format!("2.1{NOISE}")];
    let (undisturbed, _) = bisect(&humdrum, 0, "whole", ends, &["--tests", "hot-points"]);
    let typed = ends.map(|release| format!("fake@{release}"));
    let begin = ["bisect", &typed[0], &typed[1], "--tests", "hot-points", "--scale", "tiny", "--out", "k"];
    let go_on = ["resume", "k"];
    let mut args: &[&str] = &begin;
    for number in 1..3 {
        let mut child =
            humdrum.private(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        let round = format!("k/rounds/{number}");
        let until = Instant::now() + Duration::from_secs(60);
        while humdrum.recorded(&round).is_none() && child.try_wait().expect("asked").is_none() {
            assert!(Instant::now() < until, "round {number} does not begin");
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        if found(&humdrum, "k")["state"] != "unfinished" {
            break;
        }
        args = &go_on;
    }
    if found(&humdrum, "k")["state"] == "unfinished" {
        humdrum.exits(0, &go_on);
    }
    let resumed = found(&humdrum, "k");
    assert_eq!(step(&resumed), step(&undisturbed));
    assert_eq!(resumed["rounds"].as_array().map(Vec::len), undisturbed["rounds"].as_array().map(Vec::len));
    let output = humdrum.exits(2, &go_on);
    assert!(text_of(&output.stderr).contains("came to its end"), "{}", text_of(&output.stderr));
}

/// What was asked is kept before the first round.
#[test]
fn a_search_that_was_killed_before_its_first_round_goes_on() {
    let humdrum = Humdrum::new();
    humdrum.exits(0, &["suite", "new", "shop"]);
    let ends = [&format!("2.0{NOISE}")[..], &format!("3.0{NOISE}")];
    let more = ["--suite", "./shop", "--tests", "browse", "--on-busy", "warn", "--timeout", "20s"];
    let (mut json, _) = bisect(&humdrum, 0, "b", ends, &more);
    assert_eq!(json["request"]["on_busy"], "warn");
    for list in ["rounds", "levels", "posterior", "others"] {
        json[list] = Value::Array(Vec::new());
    }
    (json["ends"], json["found"], json["state"]) = (Value::Null, Value::Null, "unfinished".into());
    json["seconds"] = 0.0.into();
    std::fs::write(humdrum.path("b/bisect.json"), json.to_string()).expect("written");
    std::fs::remove_dir_all(humdrum.path("b/rounds")).expect("removed");
    std::fs::remove_dir_all(humdrum.path("shop")).expect("removed");
    humdrum.exits(0, &["resume", "b"]);
    assert_eq!(step(&found(&humdrum, "b")), pair("2.1", "3.0"));
    assert_eq!(humdrum.results("b/rounds/1").plan.design.timeout_seconds, 20.0);
}

#[test]
fn a_budget_that_is_spent_ends_it() {
    let humdrum = Humdrum::new();
    let more = ["--tests", "hot-points", "--budget", "1s"];
    let (json, told) = bisect(&humdrum, 4, "b", ["1.0", "2.1"], &more);
    assert_eq!(json["state"], "budget-spent");
    assert!(told.contains("the budget is spent; "), "{told}");
}

#[test]
fn bad_input_is_refused_before_anything_is_measured() {
    let humdrum = Humdrum::new();
    let refused = |args: &[&str], expected: &str| {
        let told = text_of(&humdrum.exits(2, &[&["bisect"], args].concat()).stderr);
        assert!(told.contains(expected), "{args:?}: {told}");
    };
    let scan = ["--tests", "scan"];
    refused(&[&["fake@2.0", "fake@1.0"], &scan[..]].concat(), "fake@1.0 is not after fake@2.0");
    refused(&[&["fake@1.0", "fake@1.0"], &scan[..]].concat(), "is not after");
    refused(&[&["fake@1.0", "postgres@17.7"], &scan[..]].concat(), "differ in more than the release");
    refused(&[&["fake@1.0+noise=1%", "fake@2.0"], &scan[..]].concat(), "differ in more than the release");
    refused(&[&["fake@1.0", "fake@2.0", "--path", "src"], &scan[..]].concat(), "for the commits");
    refused(&[&["fake@1.0", "fake@2.0", "--first-parent"], &scan[..]].concat(), "for the commits");
    refused(&[&["fake@1.0", "a", "b"], &scan[..]].concat(), "no repository");
    refused(&["fake@1.0", "fake@2.0", "--tests", "point"], "follows one test");
    for tests in ["point", "scan,point-query"] {
        refused(&["fake@1.0", "fake@2.0", "--tests", tests, "--dry-run"], "follows one test");
    }
    refused(&[&["fake@1.0", "fake@2.0", "--builds", "4"], &scan[..]].concat(), "in several layouts");
    refused(&["fake@1.0", "fake@2.0"], "--tests");
    assert!(!humdrum.path("humdrum-results").exists());
}

#[test]
fn a_dry_run_measures_nothing() {
    let humdrum = Humdrum::new();
    let args = ["bisect", "fake@1.0", "fake@3.0", "--tests", "scan", "--dry-run"];
    let told = text_of(&humdrum.exits(0, &args).stdout);
    assert!(told.contains("4 candidates, about 6 rounds") && told.contains("sessions"), "{told}");
    assert!(!humdrum.path("humdrum-results").exists());
}

/// The folder is kept with each round: a search goes on when the one that was given is gone.
#[test]
fn a_folder_of_ones_own_is_searched_and_the_page_says_why() {
    let humdrum = Humdrum::new();
    humdrum.exits(0, &["suite", "new", "shop"]);
    let ends = [&format!("2.0{NOISE}")[..], &format!("3.0{NOISE}")];
    let (mut json, told) = bisect(&humdrum, 0, "b", ends, &["--suite", "./shop", "--tests", "browse"]);
    assert_eq!(step(&json), pair("2.1", "3.0"));
    assert!(told.contains("per operation"), "{told}");
    assert!(!told.contains("RESULTS"), "commands can be typed as they stand: {told}");
    let page = std::fs::read_to_string(humdrum.path("b/report.html")).expect("a page");
    assert!(page.contains("<section id=\"why\">") && page.contains("href=\"#why\""), "{page}");
    let post = text_of(&humdrum.exits(0, &["report", "b", "--format", "markdown"]).stdout);
    assert!(post.contains("## Why\n") && post.contains(" of `fake@2.1"), "{post}");

    let rounds = json["rounds"].as_array_mut().expect("rounds");
    let last = rounds.len();
    rounds.pop();
    json["state"] = "unfinished".into();
    json["found"] = Value::Null;
    std::fs::write(humdrum.path("b/bisect.json"), json.to_string()).expect("written");
    std::fs::remove_dir_all(humdrum.path(&format!("b/rounds/{last}"))).expect("removed");
    std::fs::remove_dir_all(humdrum.path("shop")).expect("removed");
    humdrum.exits(0, &["resume", "b"]);
    assert_eq!(step(&found(&humdrum, "b")), pair("2.1", "3.0"));
}
