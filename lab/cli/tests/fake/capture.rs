//! `humdrum capture`: logs as servers write them, and the folder that is made of them measured on the fake engine.

use crate::common::{Humdrum, text_of};

/// A log of Postgres: 300 look-ups, 100 transactions of two statements, and what is not replayed.
fn log() -> String {
    let mut log = String::new();
    let mut line = |pid: u32, ms: f64, text: &str| {
        log +=
            &format!("2026-11-25 19:00:00.123 UTC [{pid}] LOG:  duration: {ms:.3} ms  statement: {text}\n");
    };
    for number in 0..100 {
        line(1, 0.1, "BEGIN");
        for look_up in 0..3 {
            line(2, 1.0, &format!("SELECT name FROM products WHERE id = {}", 3 * number + look_up));
        }
        line(1, 2.0, &format!("UPDATE products SET stock = stock - 1 WHERE id = {number}"));
        line(1, 2.0, &format!("INSERT INTO orders VALUES ({number}, 1, 'a, \"b\"')"));
        line(1, 0.1, "COMMIT");
        line(2, 0.1, "SET application_name = 'x'");
    }
    log
}

const SCHEMA: &str = "CREATE TABLE products (id INTEGER, name VARCHAR(40), stock INTEGER);\n\
    CREATE TABLE orders (product INTEGER, amount INTEGER, note VARCHAR(40));\n";

#[test]
fn a_log_is_measured_as_a_workload() {
    let humdrum = Humdrum::new();
    std::fs::write(humdrum.path("postgresql.log"), log()).expect("written");
    let told = text_of(
        &humdrum.exits(0, &["capture", "postgresql.log", "-o", "shop", "--json", "found.json"]).stdout,
    );
    assert!(told.contains("800 statements") && told.contains("100 left out: SET is no statement"), "{told}");
    assert!(told.contains("tx-update-products") && told.contains("pg_dump -Fc"), "{told}");
    let found = std::fs::read_to_string(humdrum.path("found.json")).expect("JSON");
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    let weights: Vec<f64> =
        found["tests"].as_array().expect("tests").iter().filter_map(|test| test["weight"].as_f64()).collect();
    assert_eq!(weights, [0.25, 0.75], "the transaction took more time");
    let refused = text_of(&humdrum.exits(2, &["suite", "check", "./shop"]).stderr);
    assert!(refused.contains("no schema.sql creates the tables"), "{refused}");
    std::fs::write(humdrum.path("shop/schema.sql"), SCHEMA).expect("written");
    humdrum.exits(0, &["suite", "check", "./shop", "fake@1.0"]);
    let args = [
        "compare",
        "fake@1.0",
        "fake@1.0+slowdown=5%",
        "--suite",
        "./shop",
        "--tests",
        "mix",
        "--out",
        "r",
        "--quiet",
    ];
    let told = text_of(&humdrum.exits(1, &args).stdout);
    assert!(told.contains("mix") && told.contains("0.95"), "{told}");
    // The samples are kept with the results.
    assert!(humdrum.path("r/suite/select-products.csv").exists());
    humdrum.exits(1, &["extend", "r", "--quiet"]);
}

#[test]
fn equal_logs_make_equal_folders_and_a_mask_hides_texts() {
    let humdrum = Humdrum::new();
    std::fs::write(humdrum.path("a.log"), log()).expect("written");
    for out in ["one/shop", "two/shop"] {
        std::fs::create_dir(humdrum.path(out).parent().expect("a parent")).expect("made");
        humdrum.exits(0, &["capture", "a.log", "-o", out, "--samples", "7", "--mask"]);
    }
    for file in ["workload.toml", "select-products.csv", "tx-update-products.csv", "tx-update-products.sql"] {
        let [one, two] = ["one", "two"]
            .map(|folder| std::fs::read(humdrum.path(&format!("{folder}/shop/{file}"))).expect(file));
        assert_eq!(one, two, "{file}");
    }
    let csv = std::fs::read_to_string(humdrum.path("one/shop/select-products.csv")).expect("samples");
    assert_eq!(csv.lines().count(), 8);
}

#[test]
fn what_is_no_log_is_refused() {
    let humdrum = Humdrum::new();
    let write = |name: &str, text: &[u8]| std::fs::write(humdrum.path(name), text).expect("written");
    let refused = |args: &[&str], expected: &str| {
        let told = text_of(&humdrum.exits(2, &[&["capture"], args].concat()).stderr);
        assert!(told.contains(expected), "{args:?}: {told}");
        assert!(!humdrum.path("shop").exists(), "nothing is left");
    };
    write("prose.txt", b"Call me Ishmael.\n");
    write("empty.log", b"");
    write("packed.gz", b"\x1f\x8b\x08\x00");
    write("noise.bin", &[0xff; 4096]);
    write("idle.log", b"2026-11-25 19:00:00 UTC [1] LOG:  database system is ready to accept connections\n");
    write("sets.log", b"2026-11-25 19:00:00 UTC [1] LOG:  duration: 1.0 ms  statement: SET a = 1\n");
    write(
        "lacks.log",
        b"2026-11-25 19:00:00 UTC [1] LOG:  duration: 1.0 ms  execute s: SELECT a FROM t WHERE b = $1\n",
    );
    write("slow.log", b"# Query_time: 0.1\nSELECT 1;\n");
    write("pg.log", log().as_bytes());
    refused(&["prose.txt", "-o", "shop"], "is no log that is known");
    refused(&["empty.log", "-o", "shop"], "is empty");
    refused(&["packed.gz", "-o", "shop"], "zcat");
    refused(&["noise.bin", "-o", "shop"], "is no log that is known");
    refused(&["idle.log", "-o", "shop"], "no statement that can be replayed");
    refused(&["sets.log", "-o", "shop"], "1 of 1 were left out, because SET");
    refused(&["lacks.log", "-o", "shop"], "log_parameter_max_length");
    refused(&["none.log", "-o", "shop"], "cannot be read");
    refused(&[".", "-o", "shop"], "cannot be read");
    refused(&["pg.log", "slow.log", "-o", "shop"], "another engine");
    refused(&["pg.log", "-o", "a shop"], "cannot be the name of a workload");
    refused(&["pg.log", "-o", "shop", "--data", "none.dump"], "none.dump");
    refused(&["pg.log", "-o", "shop", "--format", "oracle"], "no format `oracle`");
    refused(&["pg.log", "-o", "shop", "--top", "0"], "--top");
    refused(&["pg.log"], "--out");
    std::fs::create_dir(humdrum.path("there")).expect("made");
    let told = text_of(&humdrum.exits(2, &["capture", "pg.log", "-o", "there"]).stderr);
    assert!(told.contains("it is there already"), "{told}");
}

/// `\sample` in a script that somebody wrote.
#[test]
fn samples_that_cannot_be_drawn_are_named_with_their_place() {
    let humdrum = Humdrum::new();
    humdrum.exits(0, &["suite", "new", "shop"]);
    let write = |name: &str, text: &str| {
        std::fs::write(humdrum.path(&format!("shop/{name}")), text).expect("written")
    };
    let toml = "name = \"shop\"\n[[test]]\nname = \"one\"\nfile = \"one.sql\"\n";
    write("workload.toml", toml);
    write("ids.csv", "id,note\n1,\"a\"\n2,\n");
    write("none.csv", "id\n");
    write("odd.csv", "id,two words\n1,2\n");
    write("twice.csv", "id,id\n1,2\n");
    let refused = |script: &str, expected: &[&str]| {
        write("one.sql", script);
        let told = text_of(&humdrum.exits(2, &["suite", "check", "./shop"]).stderr);
        assert!(expected.iter().all(|part| told.contains(part)), "{script}: {told}");
    };
    refused("\\sample\nSELECT 1;\n", &["one.sql:1:8", "needs the name of a CSV file"]);
    refused("SELECT 1;\n\\sample id.csv\nSELECT :id;\n", &["one.sql:2:9", "no file `id.csv`", "ids.csv"]);
    refused("\\sample ../ids.csv\nSELECT :id;\n", &["is not in this folder"]);
    refused("\\sample none.csv\nSELECT :id;\n", &["none.csv:1:1", "no row below"]);
    refused("\\sample odd.csv\nSELECT :id;\n", &["odd.csv:1:1", "`two words`"]);
    refused("\\sample twice.csv\nSELECT :id;\n", &["two columns `id`"]);
    refused("\\sample ids.csv\nSELECT :name;\n", &["one.sql:2:8", "no variable `name`", ":note"]);
    refused("\\sampel ids.csv\nSELECT 1;\n", &["did you mean \\sample?"]);
    write("one.sql", "\\sample ids.csv\nSELECT :id, :note;\n");
    humdrum.exits(0, &["suite", "check", "./shop", "fake@1.0"]);
}
