//! `humdrum experiments`: plans with a question, and how far each is answered.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Humdrum, text_of};
use serde_json::Value;

const FIGURES: &str = "post\ttitle\tdate\tengine\tbenchmark\tserver\tclients\tscale\tconfig\tbase\tsubject\ttest\tmetric\tvalue\tnote\n\
    it\tIt\t2026-01-01\tpostgres\tsysbench\tbox\t1\tsmall\tx\t16.11\t17.7\thot-points\trqps\t1.80\t\n";

fn record(verdict: &str, ratio: f64) -> String {
    let (low, high) = (ratio - 0.05, ratio + 0.05);
    format!(
        "base\tsubject\ttest\tstatus\tverdict\trqps\trqps_low\trqps_high\tdelta\n\
         postgres@16.11\tpostgres@17.7\thot-points\tok\t{verdict}\t{ratio}\t{low}\t{high}\t0.01\n"
    )
}

fn plan(lab: &Humdrum, name: &str, experiment: &str) {
    fs::create_dir_all(lab.path("plans")).expect("made");
    let text = format!("subjects = [\"postgres@16.11\", \"postgres@17.7\"]\n{experiment}");
    fs::write(lab.path("plans").join(name), text).expect("written");
}

fn states(lab: &Humdrum) -> Vec<(String, Value)> {
    let said = text_of(&lab.exits(0, &["experiments", "plans", "--format", "json"]).stdout);
    let rows: Vec<Value> = serde_json::from_str(&said).expect("json");
    rows.iter()
        .map(|row| (row["question"].as_str().expect("a question").to_owned(), row["state"].clone()))
        .collect()
}

#[test]
fn each_plan_has_the_state_that_its_tables_give_it() {
    let lab = Humdrum::new();
    fs::write(lab.path("figures.tsv"), FIGURES).expect("written");
    fs::write(lab.path("faster.tsv"), record("improvement", 1.84)).expect("written");
    fs::write(lab.path("slower.tsv"), record("regression", 0.9)).expect("written");
    let asks = |question: &str, more: &str| format!("[experiment]\nquestion = \"{question}\"\n{more}\n");
    let published = "published = [\"../figures.tsv\"]\n";
    plan(&lab, "a.toml", &asks("one", &format!("{published}records = [\"zen=../faster.tsv\"]")));
    plan(&lab, "b.toml", &asks("two", &format!("{published}records = [\"zen=../slower.tsv\"]")));
    plan(&lab, "c.toml", &asks("three", published));
    plan(&lab, "d.toml", &asks("four", "cannot = \"forty clients\""));
    plan(&lab, "e.toml", &asks("five", "records = [\"../faster.tsv\"]"));
    plan(&lab, "f.toml", "");
    let found = states(&lab);
    let expected = ["agrees", "differs", "not-run", "cannot-be-run", "measured"];
    let questions = ["one", "two", "three", "four", "five"];
    assert_eq!(
        found,
        questions
            .iter()
            .zip(expected)
            .map(|(name, state)| ((*name).to_owned(), state.into()))
            .collect::<Vec<_>>()
    );
    let said = text_of(&lab.exits(0, &["experiments", "plans"]).stdout);
    assert!(said.contains("plans/d.toml  cannot be run here: forty clients"), "{said}");
    assert!(
        said.ends_with("5 experiments: 1 agrees, 1 differs, 1 measured, 1 not run, 1 cannot be run here\n"),
        "{said}"
    );

    plan(&lab, "g.toml", &asks("six", "records = [\"../none.tsv\"]"));
    let output = lab.exits(2, &["experiments", "plans"]);
    assert!(
        text_of(&output.stderr).contains("there is no record plans/../none.tsv"),
        "{}",
        text_of(&output.stderr)
    );
    lab.exits(2, &["experiments", "plans/a.toml", "--format", "html"]);
    plan(&lab, "a.toml", "[experiment]\nquestoin = \"one\"\n");
    let output = lab.exits(2, &["experiments", "plans/a.toml"]);
    assert!(text_of(&output.stderr).contains("did you mean `question`"), "{}", text_of(&output.stderr));
}

/// The page in `docs/` is what the command makes of this repository's plans.
#[test]
fn the_page_of_experiments_is_the_one_that_is_made() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page: PathBuf = root.join("docs/experiments.md");
    let lab = Humdrum::new();
    let plans = root.join("experiments").display().to_string();
    lab.exits(0, &["experiments", &plans, "--format", "markdown", "-o", "made.md"]);
    let made = fs::read_to_string(lab.path("made.md")).expect("made");
    if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        fs::write(&page, &made).expect("written");
    }
    let kept = fs::read_to_string(&page).unwrap_or_default();
    assert!(kept == made, "make it anew: humdrum experiments --format markdown -o docs/experiments.md");
}
