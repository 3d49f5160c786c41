//! `+after_load=FILE`: statements that one subject alone runs after its loads.

use std::fs;

use crate::common::{Humdrum, text_of};
use serde_json::Value;

const NOISE: &str = "+noise=5%+session_noise=0.3%";

fn with(file: &str) -> String {
    format!("new=fake@1.0{NOISE}+after_load={file}")
}

fn base() -> String {
    format!("old=fake@1.0{NOISE}")
}

#[test]
fn an_index_that_one_subject_drops_is_the_cause() {
    let lab = Humdrum::new();
    fs::write(lab.folder().join("drop.sql"), "-- as production has it\nDROP INDEX k_1;\n").expect("written");
    let subject = with("drop.sql");
    let measure = ["--tests", "hot-points", "--tests", "points-covered-si", "--scale", "tiny"];
    let args = ["compare", &base(), &subject, "--quiet", "--out", "out"];
    lab.exits(1, &[&args[..], &measure].concat());
    let output = lab.exits(0, &["explain", "out", "points-covered-si", "--json", "--quiet"]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("json");
    let causes = &document["explanations"][0]["causes"];
    assert_eq!(causes[0]["kind"], "after-load", "{causes:#}");
    let what = causes[0]["what"].as_str().unwrap_or_default();
    assert!(what.contains("new: DROP INDEX k_1") && what.contains("nothing else differs"), "{what}");
    assert_eq!(causes[1]["kind"], "plan", "{causes:#}");
    let report = text_of(&lab.exits(0, &["report", "out", "--format", "markdown"]).stdout);
    assert!(report.contains("after each load: DROP INDEX k\\_1"), "{report}");
    // The statements are in the record: neither a resumed nor a further run needs the file.
    fs::remove_file(lab.folder().join("drop.sql")).expect("removed");
    lab.exits(1, &["extend", "out", "--quiet"]);
}

#[test]
fn one_at_a_time_runs_them_as_well() {
    let lab = Humdrum::new();
    fs::write(lab.folder().join("drop.sql"), "DROP INDEX k_1;").expect("written");
    let subject = with("drop.sql");
    let args = ["compare", &base(), &subject, "--mode", "sequential", "--tests", "points-covered-si"];
    lab.exits(1, &[&args[..], &["--scale", "tiny", "--quiet", "--out", "out"]].concat());
}

#[test]
fn a_file_that_is_no_list_of_statements_is_refused() {
    let lab = Humdrum::new();
    let file = |name: &str, text: &str| fs::write(lab.folder().join(name), text).expect("written");
    file("empty.sql", "-- nothing\n");
    file("set.sql", "\\set a 1\nSELECT :a;\n");
    file("open.sql", "DROP INDEX k_1;\nSELECT 'x;\n");
    for (name, what) in [
        ("none.sql", "cannot be read"),
        ("empty.sql", "there is no statement"),
        ("set.sql", "set.sql:1:1: only SQL statements"),
        ("open.sql", "open.sql:2:8"),
    ] {
        let output = lab.exits(2, &["compare", "fake@1.0", &with(name), "--scale", "tiny", "--out", "out"]);
        let said = text_of(&output.stderr);
        assert!(said.contains(what) && said.contains("after_load"), "{name}: {said}");
        assert!(!lab.folder().join("out").exists(), "{name}");
    }
}
