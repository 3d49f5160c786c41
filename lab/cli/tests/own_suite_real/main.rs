//! A user's own workload on real servers: the worked example of the guide, and the same folders on three engines.

#[path = "../common/mod.rs"]
mod common;
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

/// A folder without schema for the dumps of the tests, and these beside it.
fn with_dumps() -> Humdrum {
    let humdrum = Humdrum::with_shared_builds();
    let tests = "[[test]]\nname = \"browse\"\nfile = \"browse.sql\"\n[[test]]\nname = \"count\"\nfile = \"count.sql\"\n";
    write(&humdrum, "workload.toml", &format!("name = \"shop\"\n{tests}"));
    write(&humdrum, "browse.sql", "\\set id random(1, 40)\nSELECT * FROM products WHERE id = :id;\n");
    write(&humdrum, "count.sql", "SELECT COUNT(*) FROM app.orders WHERE product < 20;\n");
    for file in fs::read_dir(repository().join("lab/workloads/script/tests/dumps")).expect("listed").flatten()
    {
        fs::copy(file.path(), humdrum.path("").join(file.file_name())).expect("copied");
    }
    humdrum
}

/// What pg_dump writes, in each of its formats that are read.
#[test]
#[ignore = "slow: servers of two releases"]
fn dumps_of_postgres_are_restored() {
    let humdrum = with_dumps();
    for dump in ["shop.sql", "shop.sql.zst", "shop.dump", "shop-plain.dump", "shop-inserts.dump"] {
        let check = ["suite", "check", "./shop", "--data", dump, "postgres@16.11", "postgres@17.7"];
        let told = text_of(&humdrum.exits(0, &check).stdout);
        assert!(!told.contains("differ between"), "{dump}: {told}");
        assert_eq!(told.matches(": 140 rows at ").count(), 2, "{dump}: {told}");
    }
}

/// A setting is left out, a statement only on demand; both are shown with their line.
#[test]
#[ignore = "slow: starts servers"]
fn what_a_release_refuses_of_a_dump_is_told_with_its_line() {
    let humdrum = with_dumps();
    let dump = fs::read_to_string(humdrum.path("shop.sql")).expect("read");
    let odd = "SET no_such_setting = 1;\nCREATE TABLE public.bad (x no_such_type);\nCOPY public.none (id) FROM stdin;\n1\n\\.\n";
    fs::write(
        humdrum.path("odd.sql"),
        dump.replacen("CREATE SCHEMA app;", &format!("CREATE SCHEMA app;\n{odd}"), 1),
    )
    .expect("written");
    let line = 1 + dump[..dump.find("CREATE SCHEMA app;").expect("a schema")].matches('\n').count();
    let check = ["suite", "check", "./shop", "--data", "odd.sql", "postgres@17.7"];
    let said = text_of(&humdrum.exits(2, &check).stderr);
    let [setting, table, rows] = [1, 2, 3].map(|more| format!("odd.sql:{}:1: ", line + more));
    assert!(said.contains(&format!("left out: {}", humdrum.path(&setting).display())), "{said}");
    assert!(said.contains(&table) && said.contains("(CREATE TABLE public.bad (x no_such_type))"), "{said}");
    assert!(said.contains("help: --on-restore-error skip"), "{said}");
    let output = humdrum.exits(0, &[&check[..], &["--on-restore-error", "skip"]].concat());
    let said = text_of(&output.stderr);
    assert!([&setting, &table, &rows].iter().all(|place| said.contains(place.as_str())), "{said}");
    assert!(text_of(&output.stdout).contains(": 140 rows at "), "{said}");
}

/// What mariadb-dump writes, on MariaDB and MySQL.
#[test]
#[ignore = "slow: servers of two engines"]
fn dumps_of_mariadb_are_restored() {
    let humdrum = with_dumps();
    write(&humdrum, "count.sql", "SELECT COUNT(*) FROM orders WHERE product < 20;\n");
    let check = ["suite", "check", "./shop", "--data", "mariadb.sql", "mysql@8.0.33", "mariadb@10.11.19"];
    let told = text_of(&humdrum.exits(0, &check).stdout);
    assert!(!told.contains("differ between"), "{told}");
    assert_eq!(told.matches(": 140 rows at ").count(), 2, "{told}");
}

/// A dump is restored once, and copied for later sessions.
#[test]
#[ignore = "slow: two servers, a minute"]
fn a_comparison_on_a_dump_copies_it_for_its_sessions() {
    let humdrum = with_dumps();
    write(
        &humdrum,
        "buy.sql",
        "\\set id random(1, 40)\nUPDATE products SET price = price + 1 WHERE id = :id;\n",
    );
    let workload = fs::read_to_string(humdrum.path("shop/workload.toml")).expect("read");
    write(&humdrum, "workload.toml", &format!("{workload}[[test]]\nname = \"buy\"\nfile = \"buy.sql\"\n"));
    let compare = ["postgres@16.11", "postgres@17.7", "--suite", "./shop", "--data", "shop.dump"];
    let (code, _, said) =
        humdrum.compare("r", &[&compare[..], &["--budget", "60s", "--sessions", "4"]].concat());
    assert!(matches!(code, 0 | 1), "{said}");
    let results = humdrum.results("r");
    assert!(results.loads.iter().all(|load| load.rows == 140 && load.checksum == results.loads[0].checksum));
    assert!(
        results.finished && !results.events.iter().any(|event| event.status.is_failure()),
        "{:?}",
        results.events
    );
}
