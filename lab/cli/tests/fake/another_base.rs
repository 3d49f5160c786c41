//! `humdrum report` with another base and with some of the subjects, on the fake engine.

use std::fs;

use crate::common::{Humdrum, text_of};
use serde_json::Value;

const SUBJECTS: [&str; 3] = ["fake@1.0", "five=fake@1.0+slowdown=5%", "ten=fake@1.0+slowdown=10%"];

fn compare(humdrum: &Humdrum) {
    let more = ["--tests", "scan,point-query", "--scale", "tiny", "--sessions", "4"];
    let (code, _, complaint) = humdrum.compare("r", &[&SUBJECTS[..], &more].concat());
    assert_eq!(code, 1, "{complaint}");
}

fn report(humdrum: &Humdrum, more: &[&str]) -> String {
    text_of(&humdrum.exits(0, &[&["report", "r"], more].concat()).stdout)
}

fn json(humdrum: &Humdrum, more: &[&str]) -> Value {
    serde_json::from_str(&report(humdrum, &[more, &["--format", "json"]].concat())).expect("JSON")
}

/// The first test of a subject.
fn test<'a>(summary: &'a Value, subject: &str) -> &'a Value {
    let all = summary["comparisons"].as_array().expect("comparisons");
    &all.iter().find(|one| one["subject"] == subject).expect("the subject")["tests"][0]
}

fn labels(summary: &Value) -> Vec<&str> {
    let all = summary["comparisons"].as_array().expect("comparisons");
    all.iter().map(|one| one["subject"].as_str().expect("a label")).collect()
}

#[test]
fn another_base_is_judged_from_the_blocks_on_record() {
    let humdrum = Humdrum::new();
    compare(&humdrum);
    let files = ["results.sqlite", "report.html", "summary.json"];
    let read = || files.map(|name| fs::read(humdrum.path("r").join(name)).expect("a file of the run"));
    let (before, measured) = (read(), humdrum.summary("r"));
    assert!(measured.get("choice").is_none(), "{measured}");
    let turned = json(&humdrum, &["--base", "five"]);
    assert_eq!((&turned["base"], labels(&turned)), (&"five".into(), vec!["fake@1.0", "ten"]));
    assert_eq!(turned["choice"]["measured"][0], "fake@1.0");
    let verdicts = ["fake@1.0", "ten"].map(|subject| test(&turned, subject)["verdict"].clone());
    assert_eq!(verdicts, ["improvement", "regression"]);
    let rqps = |summary: &Value, subject: &str| test(summary, subject)["rqps"].as_f64().expect("a ratio");
    let product = rqps(&measured, "five") * rqps(&turned, "fake@1.0");
    assert!((product - 1.0).abs() < 1e-9, "{product}");
    // By the run's own base, or by what was typed for it, the report is the run's own.
    for base in ["fake@1.0", "fake@1.0+slowdown=10%"] {
        let own = json(&humdrum, &["--base", base]);
        assert_eq!(own["choice"].is_null(), base == "fake@1.0");
    }
    assert_eq!(json(&humdrum, &["--base", "fake@1.0"]), json(&humdrum, &[]));
    let table = report(&humdrum, &["--base", "ten"]);
    assert!(table.contains("QPS relative to ten (measured against fake@1.0)"), "{table}");
    for format in ["terminal", "html", "markdown", "github", "smalldatum"] {
        let text = report(&humdrum, &["--base", "te", "--format", format]);
        assert!(text.contains("measured against"), "{format}: {text}");
    }
    assert!(report(&humdrum, &["--base", "ten", "--format", "tsv"]).contains("\nten\tfake@1.0\t"));
    humdrum.exits(0, &["report", "r", "--base", "ten", "--format", "html", "--out", "r/ten.html"]);
    let page = fs::read_to_string(humdrum.path("r/ten.html")).expect("a page");
    assert!(page.contains("against ten (measured against fake@1.0)"));
    assert!(before == read(), "the run's own files have changed");
}

#[test]
fn some_of_the_subjects_are_shown_and_the_rest_are_named() {
    let humdrum = Humdrum::new();
    compare(&humdrum);
    let some = json(&humdrum, &["--subjects", "ten"]);
    assert_eq!((&some["base"], labels(&some)), (&"fake@1.0".into(), vec!["ten"]));
    let text = report(&humdrum, &["--subjects", "ten", "-v"]);
    assert!(text.contains("Left out: five"), "{text}");
    // The command is that of the whole run.
    let command = "humdrum compare fake@1.0 five=fake@1.0+slowdown=5% ten=fake@1.0+slowdown=10%";
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(command) && !words.contains("five against"), "{text}");
    let two = json(&humdrum, &["--base", "ten", "--subjects", "five,ten"]);
    assert_eq!((&two["base"], labels(&two)), (&"ten".into(), vec!["five"]));
}

#[test]
fn runs_that_were_added_have_the_same_base() {
    let humdrum = Humdrum::new();
    compare(&humdrum);
    for _ in 0..2 {
        humdrum.exits(1, &["extend", "r", "--quiet"]);
    }
    let turned = json(&humdrum, &["--base", "five"]);
    let found = test(&turned, "fake@1.0");
    assert_eq!((found["runs"].as_array().map(Vec::len), &found["verdict"]), (Some(3), &"improvement".into()));
    let measured = humdrum.summary("r");
    let product = [&measured, &turned]
        .map(|summary| {
            let subject = if summary["base"] == "five" { "fake@1.0" } else { "five" };
            test(summary, subject)["rqps"].as_f64().expect("a ratio")
        })
        .iter()
        .product::<f64>();
    assert!((product - 1.0).abs() < 1e-9, "{product}");
}

/// Seven subjects of a test that writes: a session has the base and two others.
#[test]
fn sessions_without_the_new_base_are_not_compared_and_it_is_said_where_none_is_left() {
    let humdrum = Humdrum::new();
    let subjects = ["a", "b", "c", "d", "e", "f", "g"].map(|label| format!("{label}=fake@1.0"));
    let subjects = subjects.each_ref().map(String::as_str);
    let more = ["--tests", "update-index", "--scale", "tiny", "--sessions", "4"];
    let (_, measured, complaint) = humdrum.compare("r", &[&subjects[..], &more].concat());
    assert!(!measured.is_null(), "{complaint}");
    let sessions = humdrum.results("r").sessions;
    assert!(sessions.iter().all(|info| info.subjects.len() == 3), "{sessions:?}");
    let shared = |other: usize| sessions.iter().filter(|info| info.has(1) && info.has(other)).count() as u64;
    let turned = json(&humdrum, &["--base", "b"]);
    for (number, subject) in [(0, "a"), (2, "c"), (3, "d"), (4, "e"), (5, "f"), (6, "g")] {
        let found = test(&turned, subject);
        assert_eq!(found["sessions"].as_u64(), Some(shared(number)), "{subject}: {found}");
        let is_said = found["notes"].to_string().contains("no block of this test has both");
        assert_eq!((is_said, found["rqps"].is_null()), (shared(number) == 0, shared(number) == 0));
    }
    // The base has four sessions with at most one of five others in each.
    assert!((2..7).any(|number| shared(number) == 0), "{sessions:?}");
    assert!(report(&humdrum, &["--base", "b"]).contains("No session has both b and "));
}
