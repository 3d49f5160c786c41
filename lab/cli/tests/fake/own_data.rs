//! Data of a user's own workload on the fake engine: rows that `workload.toml` describes.

use std::fs;

use super::own_suite::refused;
use crate::common::{Humdrum, text_of};

pub(super) const WORKLOAD: &str = r#"name = "shop"
scales = { tiny = 1, large = 10 }

[[test]]
name = "browse"
file = "browse.sql"

[[data]]
table = "products"
rows = "20 * scale"

[data.columns]
id = "sequence"
name = { words = [1, 3] }
price = { uniform = [0.5, 99.99], digits = 2 }
city = { csv = "cities.csv", column = "name" }
kind = { list = ["book", "toy"], weights = [9, 1], null = 0.1 }
since = { uniform = [2020-01-01, 2026-11-30] }

[[data]]
table = "orders"
rows = 50
columns = { product = { zipf = [1, "20 * scale"], theta = 0.9 } }

[[data]]
table = "cities"
file = "cities.csv"
"#;

/// A folder whose rows are described.
pub(super) fn described() -> Humdrum {
    let humdrum = Humdrum::new();
    for (file, text) in [
        ("workload.toml", WORKLOAD),
        ("browse.sql", "\\set id random(1, 20 * :scale)\nSELECT name FROM products WHERE id = :id;\n"),
        (
            "schema.sql",
            "CREATE TABLE products (id INTEGER, name TEXT, price NUMERIC(6, 2), city TEXT, kind TEXT, since DATE);\n\
             CREATE TABLE orders (product INTEGER);\nCREATE TABLE cities (name TEXT, people INTEGER);\n",
        ),
        ("cities.csv", "name,people\nOslo,709037\n\"Rio, old\",\n"),
    ] {
        write(&humdrum, file, text);
    }
    humdrum
}

pub(super) fn write(humdrum: &Humdrum, file: &str, text: &str) {
    fs::create_dir_all(humdrum.path("shop")).expect("made");
    fs::write(humdrum.path("shop").join(file), text).expect("written");
}

#[test]
fn described_rows_are_loaded_measured_and_kept() {
    let humdrum = described();
    let told = text_of(&humdrum.exits(0, &["suite", "check", "./shop", "fake@1.0"]).stdout);
    assert!(told.contains("fake@1.0: 72 rows at scale=1"), "{told}");
    let large = ["suite", "check", "./shop", "fake@1.0", "fake@1.1", "--scale", "large"];
    let told = text_of(&humdrum.exits(0, &large).stdout);
    assert!(told.contains("fake@1.0: 252 rows at scale=10") && !told.contains("differ between"), "{told}");
    let (_, _, said) =
        humdrum.compare("r", &["fake@1.0", "fake@1.1", "--suite", "./shop", "--budget", "60s"]);
    let results = humdrum.results("r");
    assert_eq!(results.plan.scale.rows, 72, "{said}");
    assert!(results.loads.iter().all(|load| load.rows == 72 && load.checksum == results.loads[0].checksum));
    let kept = fs::read_to_string(humdrum.path("r/suite/cities.csv")).expect("kept");
    assert!(kept.starts_with("name,people"));
    // Other values would be other data.
    write(&humdrum, "../r/suite/cities.csv", "name,people\nRome,1\n");
    let refused = text_of(&humdrum.exits(2, &["extend", "r"]).stderr);
    assert!(refused.contains("was changed since `shop` was measured"), "{refused}");
}

/// Text before, text after, and what is said.
const MISTAKES: &[(&str, &str, &str)] = &[
    ("rows = \"20 * scale\"", "rows = \"20 * size\"", "shop/workload.toml:10:8: `size` is not a value"),
    ("rows = \"20 * scale\"", "rows = -3", "shop/workload.toml:9:9: -3 rows at scale 1"),
    ("rows = \"20 * scale\"\n", "", "shop/workload.toml:9:9: the data of `products` have no `rows`"),
    (
        "file = \"cities.csv\"",
        "file = \"towns.csv\"",
        "shop/workload.toml:27:8: no file `towns.csv` in ./shop",
    ),
    ("file = \"cities.csv\"", "file = \"cities.csv\"\nrows = 3", "come from a file and from generators"),
    (
        "id = \"sequence\"",
        "id = \"sequenze\"",
        "shop/workload.toml:13:6: column `id`: no generator `sequenze`",
    ),
    ("words = [1, 3]", "wrods = [1, 3]", "unknown field `wrods`"),
    ("words = [1, 3]", "words = [3, 1]", "shop/workload.toml:14:8: column `name`: `words` is [3, 1]"),
    ("words = [1, 3]", "words = 2, value = 1", "column `name`: words and value at once"),
    ("words = [1, 3]", "null = 0.5", "column `name`: no generator is named"),
    ("[0.5, 99.99], digits = 2", "[0.5, 99.99], digits = 40", "column `price`: `digits` is 40"),
    ("[0.5, 99.99], digits = 2", "[0.5, 99.99, 100.0]", "`uniform` takes two ends, not 3 values"),
    (
        "[0.5, 99.99], digits = 2",
        "[99.99, 0.5]",
        "column `price` of `products`: the range from 99.99 to 0.50 is empty",
    ),
    ("column = \"name\"", "column = \"town\"", "./shop/cities.csv:1:1: it has no column `town`"),
    ("weights = [9, 1]", "weights = [9]", "column `kind`: 1 weights for 2 values"),
    ("weights = [9, 1]", "weights = [0, 0]", "column `kind`: all weights are 0"),
    ("weights = [9, 1]", "theta = 2", "`theta` belongs to `zipf`, and the generator is `list`"),
    ("null = 0.1", "null = 1.5", "column `kind`: `null` is 1.5"),
    ("theta = 0.9", "theta = 0", "column `product`: `theta` is 0"),
    ("[2020-01-01, 2026-11-30]", "[2020-01-01, 3]", "column `since`: `2020-01-01` is no whole number"),
    ("table = \"cities\"", "tabel = \"cities\"", "unknown field `tabel`"),
];

#[test]
fn mistakes_in_data_are_told_with_their_place() {
    let mut all = String::new();
    for (before, after, wanted) in MISTAKES {
        let humdrum = described();
        assert!(WORKLOAD.contains(before), "{before}");
        write(&humdrum, "workload.toml", &WORKLOAD.replacen(before, after, 1));
        all.push_str(&refused(&humdrum, &["suite", "check", "./shop"], wanted));
        all.push('\n');
    }
    for (text, wanted) in [
        ("name,people\nOslo\n", "./shop/cities.csv:2:1: 1 values, and the first line names 2 columns"),
        ("", "./shop/cities.csv:1:1: the file is empty"),
        ("name,people\n\"Oslo,1\n", "./shop/cities.csv:2:1: a quote is not closed"),
    ] {
        let humdrum = described();
        write(&humdrum, "cities.csv", text);
        refused(&humdrum, &["suite", "check", "./shop"], wanted);
    }
    insta::assert_snapshot!("bad_data", all);
}

#[test]
fn data_that_are_larger_than_the_disk_are_refused_before_anything_is_fetched() {
    let humdrum = described();
    write(&humdrum, "workload.toml", &WORKLOAD.replacen("20 * scale", "10000000 * scale", 1));
    let large = ["compare", "postgres@16.11", "postgres@17.7", "--budget", "150h", "--out", "r"];
    for more in
        [&["--suite", "./shop", "--scale", "scale=3000"][..], &["--scale", "rows=2000000000,tables=8"]]
    {
        refused(&humdrum, &[&large[..], more].concat(), "the data of all subjects take some ");
        assert!(!humdrum.path("r").exists());
    }
}

/// A mix whose rare script loses its index, while the other runs as before.
#[test]
fn a_script_that_lost_its_index_is_named_within_a_mix() {
    let humdrum = Humdrum::new();
    let tests =
        "[[test]]\nname = \"by-id\"\nfile = \"by-id.sql\"\n[[test]]\nname = \"by-k\"\nfile = \"by-k.sql\"\n";
    write(
        &humdrum,
        "workload.toml",
        &format!(
            "name = \"shop\"\nmix = {{ by-id = 9, by-k = 1 }}\n{tests}[[data]]\ntable = \"sbtest1\"\nrows = 2000\n\
             columns = {{ id = \"sequence\", k = {{ uniform = [1, 2000] }} }}\n"
        ),
    );
    write(&humdrum, "schema.sql", "CREATE TABLE sbtest1 (id INTEGER, k INTEGER);\n");
    write(&humdrum, "by-id.sql", "\\set id random(1, 2000)\nSELECT k FROM sbtest1 WHERE id = :id;\n");
    write(&humdrum, "by-k.sql", "\\set k random(1, 2000)\nSELECT id FROM sbtest1 WHERE k = :k;\n");
    let compare =
        ["fake@1.0", "fake@1.0+no_index", "--suite", "./shop", "--tests", "mix", "--budget", "120s"];
    let (code, summary, said) = humdrum.compare("r", &compare);
    assert_eq!(code, 1, "{said}");
    let scripts = summary["comparisons"][0]["tests"][0]["scripts"].as_array().expect("scripts");
    let of = |number: usize, key: &str| scripts[number]["judged"][key].clone();
    assert_eq!((&scripts[0]["script"], of(0, "verdict")), (&"by-id".into(), "boring".into()), "{summary}");
    assert_eq!((&scripts[1]["script"], of(1, "verdict")), (&"by-k".into(), "regression".into()), "{summary}");
    let share = |key: &str| scripts[1][key].as_f64().expect("a share");
    assert!((share("operations") - 0.1).abs() < 0.03 && share("time") > share("base_time"), "{summary}");
    let report = text_of(&humdrum.exits(0, &["report", "r"]).stdout);
    assert!(report.contains("2 scripts within mix: 1 regression: by-k "), "{report}");
    assert!(report.contains("scripts of the mix, each with a verdict of its own"), "{report}");
}
