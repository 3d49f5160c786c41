//! `humdrum upgrade` from one release to another, by the folder of a workload or by a log.

use std::fs;

use crate::common::{Humdrum, text_of};
use serde_json::Value;

const NOISE: &str = "+noise=5%+session_noise=0.3%";

/// A workload without answers that statements depend on, which the fake engine does not have.
fn shop(lab: &Humdrum) {
    let files = [
        (
            "workload.toml",
            "name = \"shop\"\n[[test]]\nname = \"browse\"\nfile = \"browse.sql\"\nweight = 20\n\
             [[test]]\nname = \"rename\"\nfile = \"rename.sql\"\nweight = 3\n",
        ),
        ("schema.sql", "CREATE TABLE products (id INTEGER, k INTEGER, name TEXT);\n"),
        ("browse.sql", "\\set id random(1, 1000)\nSELECT name FROM products WHERE id = :id;\n"),
        ("rename.sql", "\\set id random(1, 1000)\nUPDATE products SET name = 'x' WHERE id = :id;\n"),
    ];
    fs::create_dir(lab.path("shop")).expect("made");
    for (name, text) in files {
        fs::write(lab.path("shop").join(name), text).expect("written");
    }
}

fn upgrade_json(lab: &Humdrum) -> Value {
    let text = fs::read_to_string(lab.path("up/upgrade.json")).expect("written");
    serde_json::from_str(&text).expect("json")
}

#[test]
fn a_release_is_compared_with_the_next_and_told_in_a_paragraph() {
    let lab = Humdrum::new();
    shop(&lab);
    let source = format!("fake@1.0{NOISE}");
    let to = format!("fake@1.1{NOISE}+work=20%");
    let output =
        lab.exits(1, &["upgrade", &source, "--to", &to, "--suite", "./shop", "--out", "up", "--quiet"]);
    let said = text_of(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("The change from 1.0 to 1.1 was tried with"), "{said}");
    assert!(said.contains("slower") && said.contains("all answers are the same"), "{said}");
    let found = upgrade_json(&lab);
    assert_eq!((&found["from"], &found["to"]), (&"1.0".into(), &"1.1".into()), "{found:#}");
    let first = &found["statements"][0];
    assert!(first["verdict"] == "regression" && first["cause"].is_string(), "{found:#}");
    assert!(found["costs"][0]["load_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{found:#}");
    for file in ["up/upgrade.html", "up/upgrade.md", "up/results/report.html"] {
        assert!(lab.path(file).is_file(), "{file}");
    }
    let report = text_of(&lab.exits(0, &["report", "up", "--format", "markdown"]).stdout);
    assert_eq!(report, fs::read_to_string(lab.path("up/upgrade.md")).expect("written"));
    lab.exits(2, &["report", "up", "--format", "tsv"]);
}

#[test]
fn a_budget_that_is_too_small_is_raised_and_nothing_that_was_got_is_lost() {
    let lab = Humdrum::new();
    shop(&lab);
    let tried = [
        "upgrade", "fake@1.0", "--to", "1.1", "--suite", "./shop", "--budget", "1s", "--out", "up", "--quiet",
    ];
    let output = lab.private(&tried).output().expect("it runs");
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", text_of(&output.stderr));
    assert!(lab.path("up/upgrade.html").is_file());
}

#[test]
fn a_number_is_a_release_of_the_same_engine() {
    let lab = Humdrum::new();
    shop(&lab);
    let args =
        ["upgrade", "fake@1.0", "--to", "1.0", "--suite", "./shop", "--out", "up", "--quiet", "--json", "-"];
    let output = lab.exits(0, &args);
    let found: Value = serde_json::from_slice(&output.stdout).expect("json alone");
    assert_eq!((&found["from"], &found["to"]), (&"1.0-old".into(), &"1.0-new".into()));
    assert!(found["paragraph"].as_str().is_some_and(|text| text.contains("as before")), "{found:#}");
}

#[test]
fn another_answer_is_told_before_all_speeds() {
    let lab = Humdrum::new();
    shop(&lab);
    let to = "fake@1.1+wrong_at=1";
    let output = lab.run(&["upgrade", "fake@1.0", "--to", to, "--suite", "./shop", "--out", "up", "--quiet"]);
    assert_eq!(output.status.code(), Some(3), "{}", text_of(&output.stderr));
    let said = text_of(&output.stdout);
    assert!(said.contains("ERRORS AND OTHER ANSWERS") && said.contains("must be looked at first"), "{said}");
}

#[test]
fn mistakes_say_what_to_type() {
    let lab = Humdrum::new();
    shop(&lab);
    fs::create_dir(lab.path("full")).expect("made");
    fs::write(lab.path("full/file"), "x").expect("written");
    for (args, what) in [
        (&["fake@1.0", "--to", "1.1"][..], "nothing says what runs on it"),
        (&["fake@1.0", "--to", "9.9", "--suite", "./shop"], "--to"),
        (&["fake@9.9", "--to", "1.1", "--suite", "./shop"], "9.9"),
        (&["nonesuch://host/db", "--to", "1.1", "--suite", "./shop"], "unknown engine `nonesuch`"),
        (&["fake://host/db", "--to", "1.1", "--suite", "./shop"], "no server of fake"),
        (&["fake@1.0", "--to", "fake@fake://host", "--suite", "./shop"], "run on this host"),
        (&["fake@1.0", "--to", "1.1", "--suite", "./none"], "none"),
        (&["fake@1.0", "--to", "1.1", "--suite", "./shop", "--out", "full"], "is not empty"),
        (&["fake@1.0", "--to", "1.1", "--log", "none.log"], "none.log"),
    ] {
        let output = lab.exits(2, &[&["upgrade", "--quiet"], args].concat());
        let said = text_of(&output.stderr);
        assert!(said.contains(what), "{args:?}: {said}");
    }
}
