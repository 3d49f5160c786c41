//! A user's own workload on the fake engine, which holds no rows: from the folder to the report, and what is refused.

use std::fs;
use std::path::Path;

use crate::common::{Humdrum, processes, text_of};

/// The example of `suite new` in `shop`.
fn with_shop() -> Humdrum {
    let humdrum = Humdrum::new();
    let told = text_of(&humdrum.exits(0, &["suite", "new", "shop"]).stdout);
    assert!(told.contains("humdrum suite check ./shop"), "{told}");
    humdrum
}

#[test]
fn a_folder_is_measured_and_kept_with_the_results() {
    let humdrum = with_shop();
    let reads = ["--suite", "./shop", "--tests", "browse,report", "--budget", "60s"];
    let (code, summary, said) =
        humdrum.compare("r", &[&["fake@1.0", "fake@1.0+slowdown=5%"], &reads[..]].concat());
    assert_eq!((code, &summary["suite"]), (1, &"shop".into()), "{said}");
    let tests = summary["comparisons"][0]["tests"].as_array().expect("tests");
    let names: Vec<&str> = tests.iter().filter_map(|test| test["test"].as_str()).collect();
    assert_eq!(names, ["browse", "best-sellers"]);
    for file in ["workload.toml", "schema.sql", "load.sql", "browse.sql"] {
        let [given, kept] =
            ["shop", "r/suite"].map(|at| fs::read(humdrum.path(at).join(file)).expect("read"));
        assert!(given == kept, "{file}");
    }
    let plan = humdrum.results("r").plan;
    assert_eq!(
        (plan.scale.to_string().as_str(), plan.scale.rows),
        ("rows=44040,tables=1,clients=1,scale=4", 44_040)
    );
    assert_eq!(plan.suite_sha256.map(|sum| sum.len()), Some(64));

    // The folder itself is not needed any more.
    fs::remove_dir_all(humdrum.path("shop")).expect("removed");
    humdrum.exits(1, &["extend", "r", "--budget", "60s", "--quiet"]);
    let report = text_of(&humdrum.exits(0, &["report", "r"]).stdout);
    assert!(report.contains("shop, scale 4, "), "{report}");
}

#[test]
fn a_run_does_not_go_on_with_other_files() {
    let humdrum = with_shop();
    humdrum
        .compare("r", &["fake@1.0", "fake@1.1", "--suite", "shop", "--tests", "browse", "--budget", "60s"]);
    let script = humdrum.path("r/suite/browse.sql");
    fs::write(&script, "SELECT 1;\n").expect("written");
    let refused = text_of(&humdrum.exits(2, &["extend", "r"]).stderr);
    assert!(refused.contains("r/suite was changed since `shop` was measured"), "{refused}");
    assert!(refused.contains("help: put the files back as they were"), "{refused}");
    fs::remove_file(&script).expect("removed");
    let refused = text_of(&humdrum.exits(2, &["extend", "r"]).stderr);
    assert!(refused.contains("no file `browse.sql`"), "{refused}");
}

/// The fake engine gives no rows, so `\gset` has none to keep: the base refuses, and nothing is compared.
#[test]
fn what_the_base_refuses_while_it_runs_is_a_mistake_at_its_place() {
    let humdrum = with_shop();
    let compare =
        ["compare", "fake@1.0", "fake@1.1", "--suite", "./shop", "--budget", "60s", "--out", "r", "--quiet"];
    let refused = text_of(&humdrum.exits(2, &[&compare[..], &["--tests", "checkout"]].concat()).stderr);
    let place = "error: fake@1.0: ./shop/checkout.sql:5:1: \\gset expects one row, and the answer has 0";
    assert!(refused.contains(place), "{refused}");
    assert!(refused.contains("help: make the query return exactly one row"), "{refused}");
    fs::write(humdrum.path("shop/browse.sql"), "\\set a 1 / (:client_id * 0)\nSELECT :a;\n")
        .expect("written");
    fs::remove_dir_all(humdrum.path("r")).expect("removed");
    let refused = text_of(&humdrum.exits(2, &[&compare[..], &["--tests", "browse"]].concat()).stderr);
    assert!(refused.contains("./shop/browse.sql:1:1: division by zero"), "{refused}");
}

#[test]
fn suite_new_writes_over_nothing() {
    let humdrum = with_shop();
    for (name, said) in
        [("shop", "it is there already"), ("-x", ""), ("a b", "cannot be the name"), ("..", "cannot be")]
    {
        let refused = text_of(&humdrum.exits(2, &["suite", "new", name]).stderr);
        assert!(refused.contains(said) && refused.contains("help: "), "{refused}");
    }
}

/// A mistake: the file, its text before and after (all of it, if there is nothing before), and what is said.
type Mistake = (&'static str, &'static str, &'static str, &'static str);

const MISTAKES: &[Mistake] = &[
    ("workload.toml", "name = \"shop\"", "", "shop/workload.toml:1:1: missing field `name`"),
    ("workload.toml", "name = \"shop\"", "name = 3", "invalid type: integer `3`, expected a string"),
    ("workload.toml", "name = \"shop\"", "name = \"my shop\"", "`my shop` cannot be a name"),
    (
        "workload.toml",
        "name = \"shop\"",
        "name = \"sysbench\"",
        "humdrum has a workload of its own called `sysbench`",
    ),
    ("workload.toml", "about", "abuot", "unknown field `abuot`"),
    ("workload.toml", "about = \"", "about = \"\n", "./shop/workload.toml:8:"),
    ("workload.toml", "rows = 11010", "rows = 0", "`rows` is 0, and must be 1 or more"),
    ("workload.toml", "tiny = 1", "tiny = 0", "a scale of 0 is outside 1 to 1000000"),
    ("workload.toml", "{ tiny = 1, small = 4, large = 40 }", "{ }", "there is no scale"),
    ("workload.toml", "# protocol = \"prepared\"", "protocol = \"fast\"", "no protocol `fast`"),
    ("workload.toml", "browse = 20", "browse = 0", "a weight of 0 is outside 1 to 1000000"),
    ("workload.toml", "browse = 20", "brwse = 20", "the mix names `brwse`, and there is no such test"),
    (
        "workload.toml",
        "file = \"browse.sql\"",
        "file = \"browse.sql\"\nweight = 2",
        "there is a `mix` already",
    ),
    ("workload.toml", "name = \"browse\"", "name = \"mix\"", "the mix names `browse`"),
    ("workload.toml", "name = \"browse\"", "name = \"checkout\"", "there is another test `checkout` above"),
    ("workload.toml", "\"browse.sql\"", "\"browze.sql\"", "no file `browze.sql` in ./shop"),
    ("workload.toml", "\"browse.sql\"", "\"../browse.sql\"", "`../browse.sql` is not in this folder"),
    ("workload.toml", "group = \"report\"", "group = \"my group\"", "`my group` cannot be a name"),
    ("browse.sql", "", "-- nothing\n", "`browse.sql` has no SQL statement, so that it would measure nothing"),
    ("workload.toml", "file = \"totals.sql\"", "", "./shop/workload.toml:42:1: missing field `file`"),
    (
        "workload.toml",
        "\"totals.sql\"",
        "\"total.sql\"",
        "./shop/workload.toml:44:8: no file `total.sql` in ./shop",
    ),
    ("workload.toml", "name = \"totals\"", "name = \"all\"", "`all` cannot be a name"),
    (
        "workload.toml",
        "[[condition]]",
        "[[condition]]\nname = \"totals\"\nfile = \"totals.sql\"\n[[condition]]",
        "./shop/workload.toml:46:8: there is another condition `totals` above",
    ),
    ("totals.sql", "", "-- nothing\n", "`totals.sql` has no SQL statement, so that it would check nothing"),
    ("totals.sql", "SELECT", "SELECT 1;\nSELECT", "./shop/totals.sql:3:1: a condition is a single statement"),
    (
        "totals.sql",
        "SELECT",
        "\\set a 1\nSELECT",
        "./shop/totals.sql:2:1: a condition has no commands that begin",
    ),
    (
        "totals.sql",
        "",
        "DELETE FROM orders;\n",
        "./shop/totals.sql:1:1: a condition changes and locks no rows",
    ),
    ("totals.sql", "", "SHOW TABLES;\n", "./shop/totals.sql:1:1: a condition is a query"),
    ("browse.sql", "random_zipfian", "random_zipf", "./shop/browse.sql:2:9: no function `random_zipf`"),
    ("browse.sql", "= :id", "= :di", "./shop/browse.sql:3:52: no variable `di` is set before this place"),
    ("browse.sql", "= :id;", "= 'x;", "./shop/browse.sql:3:52: this quote is not closed"),
    ("browse.sql", "SELECT", "\\sleep 1\nSELECT", "./shop/browse.sql:3:1: \\sleep of pgbench is not offered"),
    ("browse.sql", "\\set id", "\\st id", "./shop/browse.sql:2:1: no command \\st"),
    ("browse.sql", "SELECT", "\\if true\nSELECT", "./shop/browse.sql:3:1: no \\endif closes this \\if"),
    (
        "browse.sql",
        "SELECT",
        "\\startpipeline\nSELECT",
        "./shop/browse.sql:3:1: no \\endpipeline closes this",
    ),
    (
        "checkout.sql",
        "BEGIN;",
        "\\startpipeline\nBEGIN;",
        "./shop/checkout.sql:6:1: \\gset and \\aset are not allowed",
    ),
    ("schema.sql", "CREATE", "\\startpipeline\n\\endpipeline\nCREATE", "pipelines are for tests"),
    ("checkout.sql", "= :id \\gset", "= :id; \\gset", "no open statement is before this \\gset"),
    ("schema.sql", "price INTEGER", "price 'INTEGER", "this quote is not closed"),
    ("load.sql", ":scale;", ":scal;", "no variable `scal` is set before this place"),
];

/// The snapshot has all messages, to be read as a user reads them.
#[test]
fn every_kind_of_bad_folder_is_told_with_its_place_and_what_to_type() {
    let mut all = String::new();
    for (file, before, after, wanted) in MISTAKES {
        let humdrum = with_shop();
        let path = humdrum.path("shop").join(file);
        let text = fs::read_to_string(&path).expect("read");
        assert!(text.contains(before), "{file} has no {before}");
        let text = if before.is_empty() { (*after).to_owned() } else { text.replacen(before, after, 1) };
        fs::write(&path, text).expect("written");
        let compare = ["compare", "fake@1.0", "fake@1.1", "--suite", "./shop", "--out", "r"];
        all.push_str(&refused(&humdrum, &compare, wanted));
        all.push('\n');
        assert!(!humdrum.path("r").exists(), "{wanted}");
    }
    insta::assert_snapshot!("bad_folders", all);
}

#[test]
fn folders_without_their_files_are_told_likewise() {
    let humdrum = with_shop();
    let remove = |name: &str| fs::remove_file(humdrum.path("shop").join(name)).expect("removed");
    refused(&humdrum, &["suite", "check", "./none"], "./none: there is no such folder");
    fs::write(humdrum.path("shop/browse.sql"), b"SELECT '\xff';\n").expect("written");
    refused(&humdrum, &["suite", "check", "./shop"], "./shop/browse.sql: stream did not contain valid UTF-8");
    remove("schema.sql");
    fs::write(humdrum.path("shop/browse.sql"), "SELECT 1;\n").expect("written");
    refused(&humdrum, &["suite", "check", "./shop"], "./shop: no schema.sql creates the tables");
    fs::write(humdrum.path("shop/schema.other.sql"), "CREATE TABLE t (id INTEGER);\n").expect("written");
    let subject = ["suite", "check", "./shop", "fake@1.0"];
    refused(&humdrum, &subject, "./shop: no schema.sql or schema.fake.sql creates the tables");
    remove("workload.toml");
    refused(&humdrum, &["suite", "check", "./shop"], "./shop/workload.toml: No such file");
}

/// What was said, after exit code 2, with something to type; nothing runs on.
pub(super) fn refused(humdrum: &Humdrum, args: &[&str], wanted: &str) -> String {
    let said = text_of(&humdrum.exits(2, args).stderr);
    assert!(said.contains(wanted) && said.contains("help: "), "{wanted}: {said}");
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(processes::naming(humdrum.folder()), Vec::<String>::new(), "{wanted}");
    said
}

/// The folders that this repository ships can be read.
#[test]
fn shipped_folders_are_read() {
    let humdrum = Humdrum::new();
    let suites = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites");
    for folder in fs::read_dir(suites).expect("listed").flatten() {
        let path = folder.path().display().to_string();
        let told = text_of(&humdrum.exits(0, &["suite", "check", &path]).stdout);
        assert!(told.contains(" tests can be read"), "{told}");
    }
}
