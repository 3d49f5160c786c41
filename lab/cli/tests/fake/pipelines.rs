//! Scripts with pipelines, and the protocol `extended`: what is measured, and which engines and protocols refuse them.

use std::fs;

use super::own_suite::refused;
use crate::common::{Humdrum, text_of};

const PIPED: &str = "\\set id random(1, 100)\n\\startpipeline\nSELECT price FROM products WHERE id = :id;\n\
                     UPDATE products SET stock = stock - 1 WHERE id = :id;\n\\endpipeline\n";

/// A workload with a test `plain` and the same in a pipeline.
fn with_pipeline(protocol: &str) -> Humdrum {
    let humdrum = Humdrum::new();
    fs::create_dir(humdrum.path("w")).expect("made");
    let plain = PIPED.replace("\\startpipeline\n", "").replace("\\endpipeline\n", "");
    let tests =
        ["plain", "piped"].map(|name| format!("[[test]]\nname = \"{name}\"\nfile = \"{name}.sql\"\n"));
    let workload = format!("name = \"w\"\nprotocol = \"{protocol}\"\n{}", tests.concat());
    let schema = "CREATE TABLE products (id INTEGER NOT NULL PRIMARY KEY, price INTEGER, stock INTEGER);\n";
    for (file, text) in
        [("workload.toml", &*workload), ("schema.sql", schema), ("plain.sql", &plain), ("piped.sql", PIPED)]
    {
        fs::write(humdrum.path("w").join(file), text).expect("written");
    }
    humdrum
}

#[test]
fn a_pipeline_is_measured_and_counts_the_rows_of_its_statements() {
    for protocol in ["extended", "prepared"] {
        let humdrum = with_pipeline(protocol);
        let (code, summary, said) =
            humdrum.compare("r", &["fake@1.0", "fake@1.0+slowdown=5%", "--suite", "./w", "--budget", "120s"]);
        assert_eq!(code, 1, "{said}");
        let tests = summary["comparisons"][0]["tests"].as_array().expect("tests");
        let names: Vec<&str> = tests.iter().filter_map(|test| test["test"].as_str()).collect();
        assert_eq!(names, ["plain", "piped"]);
        let told = text_of(&humdrum.exits(0, &["suite", "check", "./w", "fake@1.0"]).stdout);
        let rows: Vec<&str> = told
            .lines()
            .filter_map(|line| line.split(',').nth(1))
            .filter(|part| part.ends_with("rows"))
            .collect();
        assert!(rows.len() == 2 && rows[0] == rows[1], "{told}");
    }
}

/// An answer that a server gives wrong within a pipeline is found as any other.
#[test]
fn a_wrong_answer_in_a_pipeline_is_found() {
    let humdrum = with_pipeline("extended");
    let subjects = ["fake@1.0", "lies=fake@1.0+wrong_at=1", "--suite", "./w", "--tests", "piped"];
    let (code, summary, said) = humdrum.compare("r", &[&subjects[..], &["--budget", "60s"]].concat());
    assert_eq!(code, 3, "{said}");
    assert_eq!(summary["comparisons"][0]["tests"][0]["status"], "wrong-answer");
}

/// Nothing is fetched or started: the releases need not be there.
#[test]
fn engines_without_pipelines_are_refused_before_a_server_starts() {
    let humdrum = with_pipeline("prepared");
    let wanted = "./w/piped.sql:2:1: the protocol of mysql has no pipelines";
    let compare = ["compare", "fake@1.0", "mysql@8.0.33", "--suite", "./w", "--out", "r"];
    refused(&humdrum, &compare, wanted);
    refused(&humdrum, &["suite", "check", "./w", "mysql@8.0.33"], wanted);
    let dry = [&compare[..], &["--tests", "plain", "--dry-run"]].concat();
    humdrum.exits(0, &dry);
}

#[test]
fn text_with_values_has_no_pipelines() {
    let humdrum = with_pipeline("simple");
    let said =
        refused(&humdrum, &["suite", "check", "./w"], "./w/piped.sql:2:1: pipelines are of the protocols");
    assert!(said.contains("write protocol = \"extended\" in workload.toml"), "{said}");
}
