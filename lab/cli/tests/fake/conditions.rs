//! Conditions of a user's own workload on the fake engine: they are checked after each test that writes, and a row that one of
//! them finds voids the test.

use std::fs;

use crate::common::{Humdrum, field, text_of};

const WORKLOAD: &str = r#"name = "shop"

[[test]]
name = "browse"
file = "browse.sql"

[[test]]
name = "buy"
file = "buy.sql"

[[data]]
table = "products"
rows = 20
columns = { id = "sequence", stock = { value = 9 } }

[[condition]]
name = "stock"
file = "conditions/stock.sql"
about = "none is sold twice"
"#;

/// A folder with a condition; the fake engine finds no row for it, unless a setting says so.
fn with_shop() -> Humdrum {
    let humdrum = Humdrum::new();
    let folder = humdrum.path("shop");
    fs::create_dir_all(folder.join("conditions")).expect("made");
    for (file, text) in [
        ("workload.toml", WORKLOAD),
        (
            "schema.sql",
            "CREATE TABLE products (id INTEGER, stock INTEGER);\nCREATE TABLE sales (product INTEGER);\n",
        ),
        ("browse.sql", "\\set id random(1, 20)\nSELECT stock FROM products WHERE id = :id;\n"),
        ("buy.sql", "\\set id random(1, 20)\nINSERT INTO sales VALUES (:id);\n"),
        (
            "conditions/stock.sql",
            "-- Of all products.\nSELECT product FROM sales GROUP BY product HAVING COUNT(*) > 9;\n",
        ),
    ] {
        fs::write(folder.join(file), text).expect("written");
    }
    humdrum
}

const BROKEN: &str = "shop/conditions/stock.sql:2:1: the condition stock (none is sold twice) does not hold: the query found found = 1";

/// Compares at full length of the sessions; returns the exit code and (status, first note) by test of each comparison.
fn compare(humdrum: &Humdrum, subjects: &[&str], more: &[&str]) -> (i32, Vec<Vec<(String, String)>>) {
    let options = ["--suite", "./shop", "--budget", "60s", "--sessions", "4"];
    let (code, summary, said) = humdrum.compare("r", &[subjects, &options, more].concat());
    let comparisons = summary["comparisons"].as_array().unwrap_or_else(|| panic!("{said}"));
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let of = |test: &serde_json::Value| (text(&test["status"]), text(&test["notes"][0]));
    let tests = |comparison: &serde_json::Value| {
        comparison["tests"].as_array().expect("tests").iter().map(of).collect()
    };
    (code, comparisons.iter().map(tests).collect())
}

#[test]
fn conditions_that_hold_change_nothing() {
    let humdrum = with_shop();
    let (code, comparisons) = compare(&humdrum, &["fake@1.0", "fake@1.1"], &[]);
    assert_eq!(code, 0);
    assert!(comparisons[0].iter().all(|(status, _)| status == "ok"), "{comparisons:?}");
    assert!(humdrum.path("r/suite/conditions/stock.sql").exists());
    // The query of a condition is part of the workload.
    fs::write(humdrum.path("r/suite/conditions/stock.sql"), "SELECT 1;\n").expect("written");
    let refused = text_of(&humdrum.exits(2, &["extend", "r"]).stderr);
    assert!(refused.contains("r/suite was changed since `shop` was measured"), "{refused}");
}

/// The alarm: a server that breaks the condition has no figure, with one client and with several, whoever has the host.
#[test]
fn a_condition_that_does_not_hold_voids_the_test() {
    for more in [&[][..], &["--scale", "clients=4"], &["--mode", "sequential"]] {
        let humdrum = with_shop();
        let subjects = ["fake@1.0", "breaks=fake@1.0+violates_at=100", "fake@1.1"];
        let (code, comparisons) = compare(&humdrum, &subjects, more);
        assert_eq!(code, 3, "{more:?}");
        let [broken, well] = &comparisons[..] else { panic!("{comparisons:?}") };
        let (status, note) = &broken[1];
        assert!(status == "wrong-answer" && note.contains(BROKEN), "{more:?}: {broken:?}");
        assert!(well.iter().all(|(status, _)| status == "ok"), "{more:?}: {well:?}");
        let summary = humdrum.summary("r");
        let (test, ratio) = &field(&summary, "rqps")[1];
        assert!(test == "buy" && ratio.is_null(), "a figure without the condition is void: {ratio}");
        let report = text_of(&humdrum.exits(0, &["report", "r"]).stdout);
        assert!(report.contains("wrong-answer") && report.contains("the condition stock"), "{report}");
    }
}

#[test]
fn a_condition_that_the_base_breaks_voids_the_test_for_all() {
    let humdrum = with_shop();
    let (code, comparisons) = compare(&humdrum, &["fake@1.0+violates_at=100", "fake@1.1"], &[]);
    assert_eq!(code, 3);
    let (status, note) = &comparisons[0][1];
    assert!(
        status == "wrong-answer" && note.starts_with("the base ") && note.contains(BROKEN),
        "{comparisons:?}"
    );
}

#[test]
fn a_check_of_the_folder_tells_whether_conditions_hold() {
    let humdrum = with_shop();
    let told = text_of(&humdrum.exits(0, &["suite", "check", "./shop", "fake@1.0"]).stdout);
    assert!(told.contains("fake@1.0: 20 rows") && told.contains("\n  1 condition holds\n"), "{told}");
    // The second load finds what the first trial broke; later on, the second trial breaks it.
    for (at, when) in [(10, "after the load"), (30, "after buy")] {
        let subject = format!("breaks=fake@1.0+violates_at={at}");
        let output = humdrum.exits(2, &["suite", "check", "./shop", &subject]);
        let (told, refused) = (text_of(&output.stdout), text_of(&output.stderr));
        assert!(!told.contains("condition holds"), "{told}");
        assert_eq!(told.contains("buy                  refused"), at == 30, "{told}");
        assert!(refused.contains(&format!("breaks: {when}: ./{BROKEN}")), "{refused}");
        assert!(refused.contains("help: the load or a script breaks it"), "{refused}");
    }
}
