//! `explain --examine`: examines tests of a run that came to its end.

use humdrum_model::Results;
use humdrum_record::Store;

use crate::common::{Humdrum, text_of};

const TESTS: &str = "points-covered-si,scan";

/// A finished run in which one of two tests moved.
fn ran(lab: &Humdrum, more: &[&str]) {
    let args = ["compare", "old=fake@1.0", "new=fake@1.0+no_index", "--tests", TESTS];
    lab.exits(1, &[&args[..], &["--scale", "tiny", "--quiet", "--out", "out"], more].concat());
}

/// Writes the record anew, changed.
fn change(lab: &Humdrum, how: impl FnOnce(&mut Results)) {
    let mut results = lab.results("out");
    how(&mut results);
    let file = lab.path("out/results.sqlite");
    std::fs::remove_file(&file).expect("removed");
    let mut store = Store::create(&file, &results).expect("a record");
    if results.finished {
        store.finish().expect("finished");
    }
}

/// What was examined: test, subject, round.
fn examined(lab: &Humdrum) -> Vec<(String, usize, u32)> {
    let results = lab.results("out");
    assert!(results.examinations.iter().all(|one| one.operations > 0));
    let all = results.examinations.iter().map(|one| (one.test.clone(), one.subject, one.round));
    let mut all: Vec<_> = all.collect();
    all.sort();
    all
}

#[test]
fn a_test_that_was_left_out_is_examined_when_asked() {
    let lab = Humdrum::new();
    ran(&lab, &[]);
    let whole = examined(&lab);
    assert_eq!(whole.iter().filter(|(test, ..)| test == "points-covered-si").count(), 12, "{whole:?}");
    change(&lab, |results| results.examinations.retain(|one| one.test != "points-covered-si"));
    let told = text_of(&lab.exits(0, &["explain", "out", "points-covered-si"]).stdout);
    assert!(told.contains("humdrum explain out points-covered-si --examine"), "{told}");
    let blocks = lab.results("out").blocks.len();
    let told = text_of(&lab.exits(0, &["explain", "out", "points-covered-si", "--examine"]).stdout);
    assert!(!told.contains("--examine"), "{told}");
    assert_eq!(examined(&lab), whole);
    let after = lab.results("out");
    assert!(after.finished && after.blocks.len() == blocks, "nothing else is measured");
    // What is on record is not done again; an interrupted examination is completed.
    lab.exits(0, &["explain", "out", "--examine"]);
    assert_eq!(examined(&lab), whole);
    change(&lab, |results| results.examinations.truncate(5));
    lab.exits(0, &["explain", "out", "--examine"]);
    assert_eq!(examined(&lab), whole);
    // A test that did not move, too.
    lab.exits(0, &["explain", "out", "scan", "--examine"]);
    assert_eq!(examined(&lab).len(), whole.len() + 12);
}

#[test]
fn what_cannot_be_examined_is_refused_and_nothing_changes() {
    let lab = Humdrum::new();
    ran(&lab, &[]);
    let whole = examined(&lab);
    let mine = lab.results("out");
    let refused = |what: &str, hint: &str| {
        let output = lab.exits(2, &["explain", "out", "scan", "--examine", "--quiet"]);
        let told = text_of(&output.stderr);
        assert!(told.contains(what) && told.contains(hint), "{told}");
        assert_eq!(examined(&lab), whole);
    };
    change(&lab, |results| results.finished = false);
    refused("did not come to its end", "humdrum resume out");
    change(&lab, |results| results.finished = true);
    change(&lab, |results| results.host.id = Some("another".into()));
    refused("another host", "compare anew here");
    change(&lab, |results| results.host.id.clone_from(&mine.host.id));
    change(&lab, |results| results.subjects[1].origin = "elsewhere".into());
    refused("new is another build than was measured", "elsewhere");
    assert_eq!(lab.results("out").subjects[1].origin, "elsewhere");
}

#[test]
fn subjects_that_run_one_at_a_time_are_not_examined() {
    let lab = Humdrum::new();
    ran(&lab, &["--mode", "sequential", "--budget", "10m"]);
    let told = text_of(&lab.exits(0, &["explain", "out", "scan"]).stdout);
    assert!(!told.contains("--examine"), "{told}");
    let told = text_of(&lab.exits(2, &["explain", "out", "scan", "--examine", "--quiet"]).stderr);
    assert!(told.contains("--mode interleaved"), "{told}");
}
