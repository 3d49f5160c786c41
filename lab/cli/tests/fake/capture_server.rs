//! `humdrum capture URL`: the counters of a fake server, and the folder that is made of them measured on the fake engine.

use serde_json::Value;

use crate::common::{Humdrum, processes, text_of};

const SCHEMA: &str = "CREATE TABLE products (id INTEGER, name VARCHAR(40), stock INTEGER);\n\
    CREATE TABLE orders (id INTEGER, product INTEGER, note VARCHAR(40), day DATE);\n";

fn found(humdrum: &Humdrum, args: &[&str]) -> (String, Value) {
    let args = [&["capture"], args, &["-o", "shop", "--json", "found.json"]].concat();
    let told = text_of(&humdrum.exits(0, &args).stdout);
    let json = std::fs::read_to_string(humdrum.path("found.json")).expect("JSON");
    (told, serde_json::from_str(&json).expect("JSON"))
}

#[test]
fn what_a_server_counts_is_measured_as_a_workload() {
    let humdrum = Humdrum::new();
    let (told, json) = found(&humdrum, &["fake://shop", "--for", "50ms", "--samples", "100"]);
    assert!(told.contains("672 statements in ") && told.contains(" ms on fake://shop"), "{told}");
    for part in [
        "100 left out: BEGIN",
        "7 left out: their texts are hidden",
        "5 left out: the server keeps them in a form",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let test = |name: &str| {
        let tests = json["tests"].as_array().expect("tests");
        tests.iter().find(|test| test["name"] == name).cloned().unwrap_or_else(|| panic!("no {name}: {json}"))
    };
    assert_eq!(
        (test("select-products")["operations"].as_u64(), json["statements"].as_u64()),
        (Some(300), Some(672))
    );
    assert!((test("insert-orders")["seconds"].as_f64().expect("seconds") - 0.3).abs() < 1e-9);
    let read = |name: &str| std::fs::read_to_string(humdrum.path("shop").join(name)).expect(name);
    let csv = read("select-products.csv");
    assert_eq!((csv.lines().next(), csv.lines().count()), (Some("id"), 101));
    let insert = read("insert-orders.sql");
    assert!(insert.contains("\\set id random(501, 2147483647)"), "{insert}");
    let like = read("select-orders.sql");
    assert!(like.contains(": always 1 day: no column tells"), "{like}");
    let toml = read("workload.toml");
    assert!(toml.contains("weight = 300"), "{toml}");
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
}

#[test]
fn all_since_the_reset_and_masked_texts() {
    let humdrum = Humdrum::new();
    let (told, json) = found(&humdrum, &["fake@fake://shop", "--for", "0", "--mask"]);
    assert!(told.contains("since its counters were reset") && json["seconds"].is_null(), "{told}");
    let csv = std::fs::read_to_string(humdrum.path("shop/insert-orders.csv")).expect("samples");
    assert!(!csv.contains("note of"), "{csv}");
}

#[test]
fn a_table_that_may_not_be_read_is_told() {
    let humdrum = Humdrum::new();
    let (told, json) = found(&humdrum, &["fake://shop?refuses", "--for", "10ms"]);
    assert!(told.contains("products could not be read: permission denied"), "{told}");
    assert!(told.contains("select-products.sql: id: the rows of products could not be read"), "{told}");
    assert_eq!(json["notes"].as_array().map(Vec::len), Some(1));
    let script = std::fs::read_to_string(humdrum.path("shop/select-products.sql")).expect("a script");
    assert!(script.contains("\\set id 1\n"), "{script}");
}

#[test]
fn what_cannot_be_captured_is_refused() {
    let humdrum = Humdrum::new();
    let refused = |args: &[&str], expected: &[&str]| {
        let told = text_of(&humdrum.exits(2, &[&["capture"], args, &["-o", "shop"]].concat()).stderr);
        assert!(expected.iter().all(|part| told.contains(part)), "{args:?}: {told}");
        assert!(!humdrum.path("shop").exists(), "nothing is left");
    };
    refused(&["fake://shop?idle", "--for", "10ms"], &["no statement", "database shop in ", "--for 10m"]);
    refused(&["fake://shop?off"], &["counts nothing"]);
    refused(&["fake://shop?odd"], &["no fake server"]);
    refused(&["oracle://me:secret@h/x"], &["no engine has servers at oracle://"]);
    refused(&["postgres://me:secret@/db?host=/nowhere&port=x"], &["the port is not a number"]);
    refused(&["fake-kv://shop"], &["do not count statements"]);
    refused(&["fake://shop", "a.log"], &["a server is captured alone"]);
    refused(&["fake://shop", "--format", "postgres"], &["--format is for logs"]);
    refused(&["a.log", "--for", "1m"], &["--for is for running servers"]);
    refused(&["fake://shop", "--for", "soon"], &["--for"]);
    std::fs::create_dir(humdrum.path("there")).expect("made");
    let told = text_of(&humdrum.exits(2, &["capture", "fake://shop", "-o", "there"]).stderr);
    assert!(told.contains("it is there already"), "{told}");
}

/// A first Ctrl-C ends the wait, and what has run is written.
#[test]
fn ctrl_c_ends_the_wait() {
    let humdrum = Humdrum::new();
    let mut command =
        humdrum.private(&["capture", "fake://shop", "--for", "10m", "-o", "shop", "--progress", "json"]);
    let mut child = command
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("humdrum starts");
    // The first line of progress is that of the wait.
    let mut line = String::new();
    let errors = child.stderr.take().expect("a pipe");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(errors), &mut line).expect("a line");
    assert!(line.contains("watching shop"), "{line}");
    processes::send(child.id(), libc::SIGINT);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", text_of(&output.stderr));
    assert!(humdrum.path("shop/workload.toml").exists());
}
