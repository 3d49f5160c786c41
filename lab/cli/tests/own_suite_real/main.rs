//! A user's own workload on real servers: the worked example of the guide, and the same folders on three engines.

#[path = "../common/mod.rs"]
mod common;
mod dumps;
mod pipelines;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Humdrum, text_of};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files and commands of a guide. A file is a line with nothing but its name, and the block behind it.
fn worked_example(text: &str) -> (Vec<(String, String)>, Vec<String>) {
    let (mut files, mut commands) = (Vec::new(), Vec::new());
    let mut lines = text.lines();
    let mut named = None;
    while let Some(line) = lines.next() {
        if let Some(block) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            match named.take() {
                Some(name) => files.push((name, format!("{}\n", body.join("\n")))),
                None if block == "sh" => commands.extend(body.iter().map(|line| (*line).to_owned())),
                None => {}
            }
        } else if !line.is_empty() {
            let name = line.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
            named = name.filter(|name| name.starts_with("shop/")).map(str::to_owned);
        }
    }
    (files, commands)
}

#[test]
fn the_guide_has_a_worked_example() {
    let text = fs::read_to_string(repository().join("docs/your-workload.md")).expect("read");
    let (files, commands) = worked_example(&text);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    let wanted = ["workload.toml", "schema.sql", "load.sql", "browse.sql", "checkout.sql"];
    assert_eq!(names, wanted.map(|name| format!("shop/{name}")));
    assert!(commands.len() == 3 && commands.iter().all(|line| line.starts_with("humdrum ")), "{commands:?}");
}

#[test]
#[ignore = "slow: two servers, two minutes"]
fn the_worked_example_of_the_guide_runs() {
    let humdrum = Humdrum::with_shared_builds();
    let text = fs::read_to_string(repository().join("docs/your-workload.md")).expect("read");
    let (files, commands) = worked_example(&text);
    fs::create_dir(humdrum.path("shop")).expect("made");
    for (name, text) in files {
        fs::write(humdrum.path(&name), text).expect("written");
    }
    for command in commands {
        let args: Vec<&str> = command.split(' ').skip(1).collect();
        let output = humdrum.run(&args);
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 1)), "{command}: {code:?}\n{}", text_of(&output.stderr));
    }
    assert!(humdrum.path("shop-results/report.html").exists());
    let results = humdrum.results("shop-results");
    let failed = results.events.iter().any(|event| event.status.is_failure());
    assert!(results.finished && !failed, "{:?}", results.events);
}

/// Loads, answers and contents are the same on engines that share a schema, twice on each.
#[test]
#[ignore = "slow: servers of three engines"]
fn folders_run_alike_on_three_engines() {
    let humdrum = Humdrum::with_shared_builds();
    humdrum.exits(0, &["suite", "new", "shop"]);
    let tpcb = repository().join("suites/tpcb").display().to_string();
    for folder in ["./shop", &tpcb] {
        let engines = ["postgres@17.7", "mysql@8.0.33", "mariadb@10.11"];
        let told = text_of(&humdrum.exits(0, &[&["suite", "check", folder], &engines[..]].concat()).stdout);
        assert!(!told.contains("differ between"), "{told}");
        assert_eq!(told.matches("20 operations, ").count() % 3, 0, "{told}");
    }
}

/// Its tables `orders` and `order_line` are in one order only where names are compared by their bytes.
#[test]
#[ignore = "slow: servers of three engines, some minutes"]
fn tpcc_holds_its_conditions_on_three_engines() {
    let humdrum = Humdrum::with_shared_builds();
    let tpcc = repository().join("suites/tpcc").display().to_string();
    let check = ["suite", "check", &tpcc, "postgres@17.7", "mysql@8.0.33", "mariadb@10.11.19"];
    let told = text_of(&humdrum.exits(0, &check).stdout);
    assert_eq!(told.matches("\n  4 conditions hold\n").count(), 3, "{told}");
    assert!(!told.contains("differ between"), "{told}");
}

/// What servers refuse is told with the statement's place.
#[test]
#[ignore = "slow: starts servers"]
fn what_servers_refuse_is_told_with_its_place() {
    for (file, before, after, wanted) in [
        ("schema.sql", "INTEGER NOT NULL,", "INTEGRE NOT NULL,", "./shop/schema.sql:4:1: "),
        ("load.sql", "FROM products p", "FROM product p", "./shop/load.sql:9:1: "),
        ("load.sql", "'2026-01-01 00:00:00'", "CURRENT_TIMESTAMP, 1", "./shop/load.sql:9:1: "),
        ("browse.sql", "price", "prise", "./shop/browse.sql:3:1: preparing "),
        (
            "checkout.sql",
            "WHERE id = :id \\gset",
            "WHERE id < 0 \\gset",
            "./shop/checkout.sql:5:1: \\gset expects one row",
        ),
        (
            "checkout.sql",
            "\\set total :price",
            "\\set total :prize",
            "./shop/checkout.sql:6:1: the variable `prize` has no value",
        ),
        (
            "checkout.sql",
            ":price * :amount",
            ":price * :amount + 1",
            "postgres@17.7: after checkout: ./shop/totals.sql:2:1: the condition totals",
        ),
        ("totals.sql", "price,", "prise,", "postgres@17.7: after the load: ./shop/totals.sql:2:1: "),
        ("browse.sql", "name, price", "CURRENT_TIMESTAMP", "gave other answers the second time"),
        ("load.sql", "100 + n % 900", "100 + floor(random() * 900)", "the second load made other rows"),
    ] {
        let humdrum = Humdrum::with_shared_builds();
        humdrum.exits(0, &["suite", "new", "shop"]);
        let path = humdrum.path("shop").join(file);
        let text = fs::read_to_string(&path).expect("read");
        assert!(text.contains(before), "{file} has no {before}");
        fs::write(&path, text.replacen(before, after, 1)).expect("written");
        let said = text_of(&humdrum.exits(2, &["suite", "check", "./shop", "postgres@17.7"]).stderr);
        assert!(said.contains(wanted) && said.contains("help: "), "{wanted}: {said}");
    }
}

const DESCRIBED: &str = r#"name = "shop"

[[test]]
name = "browse"
file = "browse.sql"

[[data]]
table = "products"
rows = "500 * scale"

[data.columns]
id = "sequence"
name = { words = [0, 4], null = 0.1 }
price = { uniform = [-5.5, 99.99], digits = 2 }
remark = { csv = "remarks.csv", column = "remark" }
seller = { zipf = [1, "50 * scale"], theta = 0.9 }
since = { uniform = [1999-12-25, 2026-11-30] }
moment = { uniform = [2024-01-01T08:00:00, 2024-12-31T20:00:00], null = 0.5 }

[[data]]
table = "remarks"
file = "remarks.csv"
"#;

/// Rows that `workload.toml` describes are the same on every engine, whatever is in them.
#[test]
#[ignore = "slow: servers of three engines"]
fn described_rows_are_alike_on_three_engines() {
    let humdrum = Humdrum::with_shared_builds();
    write(&humdrum, "workload.toml", DESCRIBED);
    write(&humdrum, "browse.sql", "\\set id random(1, 500)\nSELECT * FROM products WHERE id = :id;\n");
    write(
        &humdrum,
        "schema.sql",
        "CREATE TABLE products (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(80), price NUMERIC(8, 2), remark VARCHAR(80), \
         seller INTEGER NOT NULL, since DATE, moment TIMESTAMP NULL);\n\
         CREATE TABLE remarks (id INTEGER NOT NULL, remark VARCHAR(80));\n",
    );
    write(&humdrum, "load.sql", "CREATE INDEX products_seller ON products (seller);\n");
    write(
        &humdrum,
        "remarks.csv",
        "id,remark\n1,\"tab\there, \"\"quote\"\" and 'quote'\"\n2,back\\slash\\N\n3,\n4,\"\"\n5,\"two\nlines\"\n6,é ü 漢\n7,\\N\n",
    );
    let engines = ["postgres@17.7", "mysql@8.0.33", "mariadb@10.11.19"];
    let told = text_of(&humdrum.exits(0, &[&["suite", "check", "./shop"], &engines[..]].concat()).stdout);
    assert!(!told.contains("differ between"), "{told}");
    assert_eq!(told.matches(": 507 rows at scale=1").count(), 3, "{told}");
    write(&humdrum, "remarks.csv", "id,remark\n1,a\nx,b\n");
    for engine in engines {
        let said = text_of(&humdrum.exits(2, &["suite", "check", "./shop", engine]).stderr);
        assert!(said.contains("./shop/workload.toml:21:9: "), "{said}");
    }
}

fn write(humdrum: &Humdrum, file: &str, text: &str) {
    fs::create_dir_all(humdrum.path("shop")).expect("made");
    fs::write(humdrum.path("shop").join(file), text).expect("written");
}
