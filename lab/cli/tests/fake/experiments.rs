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
    let text =
        format!("subjects = [\"postgres@16.11\", \"postgres@17.7\"]\ntests = \"hot-points\"\n{experiment}");
    fs::write(lab.path("plans").join(name), text).expect("written");
}

fn states(lab: &Humdrum) -> Vec<(String, Value)> {
    let said = text_of(&lab.exits(0, &["experiments", "plans", "--format", "json"]).stdout);
    let found: Value = serde_json::from_str(&said).expect("json");
    let rows = found["experiments"].as_array().expect("a list");
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

/// Of three releases and two tests, the record has two releases and one test.
#[test]
fn a_record_of_a_part_of_the_plan_answers_it_in_part() {
    let lab = Humdrum::new();
    fs::create_dir_all(lab.path("plans")).expect("made");
    fs::write(lab.path("figures.tsv"), FIGURES).expect("written");
    fs::write(lab.path("faster.tsv"), record("improvement", 1.84)).expect("written");
    let text = "subjects = [\"postgres@16.11\", \"postgres@17.7\", \"postgres@18.1\"]\n\
        tests = \"hot-points,scan\"\n[experiment]\nquestion = \"one\"\n\
        published = [\"../figures.tsv\"]\nrecords = [\"zen=../faster.tsv\"]\n";
    fs::write(lab.path("plans/a.toml"), text).expect("written");
    let said = text_of(&lab.exits(0, &["experiments", "plans"]).stdout);
    assert!(said.contains("  agrees in part (1 of 2 tests, 1 of 2 releases): 1 of 1"), "{said}");
    assert!(said.ends_with("1 experiment: 1 agrees in part\n"), "{said}");
    let json = text_of(&lab.exits(0, &["experiments", "plans", "--format", "json"]).stdout);
    let found: Value = serde_json::from_str(&json).expect("json");
    let row = &found["experiments"][0];
    assert_eq!((&row["state"], &row["coverage"]["ratios"]["of"]), (&"agrees".into(), &4.into()), "{row}");
}

const CLAIMS: &str = "post\tnumber\tclaim\tbase\tsubject\ttests\tcondition\n\
    it\t1\tfaster\t16.11\t17.7\thot-points\tcached\n\
    it\t2\tslower\t16.11\t17.7\tscan\tcached\n\
    it\t3\tthe same\t16.11\t17.7\tinsert\t40 clients\n";

#[test]
fn claims_have_the_answer_of_the_records_of_plans_that_ask_them() {
    let lab = Humdrum::new();
    fs::create_dir_all(lab.path("published")).expect("made");
    let table = "post\tnumber\tclaim\tbase\tsubject\ttests\tcondition\tdirection\tmetric\tratio_lo\tratio_hi\n\
        it\t1\ttwice as fast\t16.11\t17.x\thot-points\tcached\tfaster\trqps\t2.0\t2.0\n\
        it\t2\tas fast\t16.11\t17.x\tscan\tcached\tsame\trqps\t\t\n";
    fs::write(lab.path("published/claims.tsv"), table).expect("written");
    fs::write(lab.path("zen.tsv"), record("improvement", 1.84)).expect("written");
    fs::write(lab.path("xeon.tsv"), record("improvement", 1.97)).expect("written");
    let asks = |records: &str| {
        format!("[experiment]\nquestion = \"one\"\nclaims = [\"it 1-2\"]\nrecords = [{records}]\n")
    };
    plan(&lab, "a.toml", &asks("\"zen=../zen.tsv\", \"xeon=../xeon.tsv\""));
    // The same record again counts once.
    plan(&lab, "b.toml", &asks("\"zen=../zen.tsv\""));
    let page = text_of(&lab.exits(0, &["experiments", "plans", "--format", "markdown"]).stdout);
    let told = "| cached | 2 of 2 faster, 1 of the size: 1.840 to 1.970 (zen, xeon) | a.toml, b.toml |";
    assert!(page.contains(told) && page.contains("| scan | cached |  | a.toml, b.toml |"), "{page}");
    assert!(
        page.contains("; 1 has figures here: of 1 all go the way of the claim, of 0 some go the other way."),
        "{page}"
    );
    let json = text_of(&lab.exits(0, &["experiments", "plans", "--format", "json"]).stdout);
    let json: Value = serde_json::from_str(&json).expect("json");
    assert_eq!(json["claims"][0]["answer"]["holds"], 2);
    assert!(json["claims"][1]["answer"].is_null());
}

#[test]
fn claims_are_asked_or_have_a_reason_or_are_left_over() {
    let lab = Humdrum::new();
    fs::create_dir_all(lab.path("published")).expect("made");
    fs::write(lab.path("published/claims.tsv"), CLAIMS).expect("written");
    let asks = |claims: &str| format!("[experiment]\nquestion = \"one\"\nclaims = [\"{claims}\"]\n");
    plan(&lab, "a.toml", &asks("it 1"));
    let said = || text_of(&lab.exits(0, &["experiments", "plans"]).stdout);
    let told = said();
    assert!(told.contains("    claims: it 1\n"), "{told}");
    let left = "3 claims: 1 asked by plans, 0 with a reason why none asks them, 2 left over\n  \
        no plan asks it 2: slower\n  no plan asks it 3: the same\n";
    assert!(told.ends_with(left), "{told}");

    // A folder in the folder counts too, and a reason is as good as a plan.
    fs::create_dir_all(lab.path("plans/full")).expect("made");
    plan(&lab, "full/b.toml", &asks("it 1-2"));
    fs::write(lab.path("published/not-asked.tsv"), "post\tnumbers\treason\nit\t3\tno such host\n")
        .expect("written");
    assert!(
        said().ends_with("3 claims: 2 asked by plans, 1 with a reason why none asks them\n"),
        "{}",
        said()
    );
    let page = text_of(&lab.exits(0, &["experiments", "plans", "--format", "markdown"]).stdout);
    assert!(
        page.contains("| 1 | faster | 16.11 | 17.7 | hot-points | cached |  | a.toml, full/b.toml |"),
        "{page}"
    );
    assert!(
        page.contains("| 3 | the same | 16.11 | 17.7 | insert | 40 clients |  | not asked: no such host |"),
        "{page}"
    );

    let refused = |wanted: &str| {
        let told = text_of(&lab.exits(2, &["experiments", "plans"]).stderr);
        assert!(told.contains(wanted), "{told}");
    };
    plan(&lab, "a.toml", &asks("it 3"));
    refused("it 3 has a reason why no plan asks it, and plans/a.toml does");
    plan(&lab, "a.toml", &asks("it 4"));
    refused("its claims are 1 to 3");
    fs::remove_file(lab.path("published/claims.tsv")).expect("removed");
    refused("--claims published/claims.tsv");
}

/// Of this repository: each claim that is published is asked by a plan or has a reason why none asks it.
#[test]
fn no_claim_is_left_over() {
    let lab = Humdrum::new();
    let plans = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments").display().to_string();
    let said = text_of(&lab.exits(0, &["experiments", &plans, "--format", "json"]).stdout);
    let found: Value = serde_json::from_str(&said).expect("json");
    let claims = found["claims"].as_array().expect("claims");
    assert!(claims.len() > 200, "{}", claims.len());
    let left = |claim: &&Value| {
        claim["not_asked"].is_null() && claim["plans"].as_array().is_none_or(|plans| plans.is_empty())
    };
    let left: Vec<&Value> = claims.iter().filter(left).collect();
    assert!(left.is_empty(), "{left:#?}");
}

/// A plan for another host says so, and what it costs there.
#[test]
fn a_dry_run_says_what_a_plan_costs_on_the_host_that_it_was_sized_for() {
    let lab = Humdrum::new();
    let text = "subjects = [\"fake@1.0\", \"fake@1.1\"]\nbudget = \"5m\"\n\
        [host]\nname = \"a large one\"\nprocessors = 4096\nmemory = \"100G\"\n";
    fs::write(lab.path("large.toml"), text).expect("written");
    let told = text_of(&lab.exits(0, &["run", "large.toml", "--dry-run"]).stdout);
    assert!(
        told.starts_with("sized for             a large one: 4096 processors, 100G of memory\n"),
        "{told}"
    );
    assert!(told.contains("\nthis host             ") && told.contains(": less, so that"), "{told}");
    // 60 % of its memory is for two servers.
    assert!(told.contains("\nmemory                61440 MiB\n"), "{told}");
    fs::write(lab.path("large.toml"), text.replace("100G", "much")).expect("written");
    let told = text_of(&lab.exits(2, &["run", "large.toml", "--dry-run"]).stderr);
    assert!(told.contains("memory of [host]: `much`"), "{told}");
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
