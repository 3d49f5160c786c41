//! Logs in, folders out.

use super::*;
use crate::{Captured, LeftOut, Lines, Options};

const HEAD: &str = "2026-11-25 19:00:00.123 UTC [PID] LOG:  duration: MS ms  ";

fn captured(log: &str, format: &str) -> Captured {
    let reader = crate::reader(log.as_bytes(), None).expect("a log");
    assert_eq!(reader.name(), format);
    let mut captured = Captured::new(Options { samples: 100, seed: 1 }, reader.dialect());
    let (mut input, mut watch) = (log.as_bytes(), |_| Ok(()));
    reader.read(&mut Lines::new(&mut input, &mut watch), &mut captured).expect("read");
    captured
}

fn folder(log: &str, format: &str, mask: Option<u64>) -> (tempfile::TempDir, Vec<Written>) {
    let captured = captured(log, format);
    let dialect = captured.dialect();
    let place = tempfile::tempdir().expect("a folder");
    let layout = Layout { name: "shop", about: "captured", top: 2, data: None, mask };
    let tests = write(captured.patterns(), dialect, &layout, &place.path().join("shop")).expect("written");
    (place, tests)
}

fn file(place: &tempfile::TempDir, name: &str) -> String {
    fs::read_to_string(place.path().join("shop").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn line(pid: u32, ms: f64, message: &str) -> String {
    HEAD.replace("PID", &pid.to_string()).replace("MS", &ms.to_string()) + message + "\n"
}

/// Two sessions whose lines alternate: look-ups, and transactions with lists of several lengths.
fn shop() -> String {
    let mut log = String::new();
    for number in 0..50 {
        log += &line(1, 0.1, "statement: BEGIN");
        log += &line(
            2,
            2.0,
            &format!(
                "statement: SELECT * FROM orders WHERE day > date '2026-01-{:02}' ORDER BY 1 LIMIT 10",
                number % 28 + 1
            ),
        );
        log += &line(
            1,
            0.5,
            "execute s1: UPDATE stock SET amount = amount - 1\n\tWHERE product = $1 AND note <> $2",
        );
        log +=
            &format!("2026-11-25 19:00:00.123 UTC [1] DETAIL:  parameters: $1 = '{number}', $2 = 'it''s'\n");
        let list = vec!["7"; 1 + number % 3].join(", ");
        log += &line(
            1,
            0.5,
            &format!(
                "statement: INSERT INTO lines (product, state) SELECT {number}, x FROM t WHERE id IN ({list})"
            ),
        );
        log += &line(1, 0.1, "statement: COMMIT");
        log += &line(2, 0.1, "statement: SET work_mem = '4MB'");
        log += &line(2, 0.1, "bind s1: SELECT 1");
    }
    log
}

/// Found by fuzzing: the first word, the table, or bytes that are no text, longer than a file's name may be.
#[test]
fn words_of_any_length_give_names_that_files_can_have() {
    let log = line(1, 0.1, &format!("statement: SELECT 1 FROM {}", "t\u{fffd}".repeat(300)))
        + &line(1, 0.1, &format!("statement: BEGIN; {} x", "ROLLB".repeat(200)))
        + &line(2, 0.1, &format!("statement: UPDATE {} SET a = 7", "u".repeat(300)));
    let (place, tests) = folder(&log, "postgres", None);
    assert!(tests.len() >= 2 && tests.iter().all(|test| test.name.len() < 150), "{tests:?}");
    tests.iter().for_each(|test| assert!(!file(&place, &format!("{}.sql", test.name)).is_empty()));
}

#[test]
fn a_log_becomes_a_folder_that_can_be_read() {
    let (place, tests) = folder(&shop(), "postgres", None);
    let names: Vec<(&str, u64)> = tests.iter().map(|test| (test.name.as_str(), test.count)).collect();
    assert_eq!(names, [("select-orders", 50), ("tx-update-stock", 50)]);
    insta::assert_snapshot!(file(&place, "tx-update-stock.sql"));
    insta::assert_snapshot!(file(&place, "select-orders.sql"));
    insta::assert_snapshot!(file(&place, "workload.toml"));
    let csv = file(&place, "tx-update-stock.csv");
    assert!(csv.starts_with("product,note,v\n") && csv.contains("\"it's\""), "{csv}");
}

#[test]
fn what_cannot_be_replayed_is_counted() {
    let captured = captured(&shop(), "postgres");
    assert_eq!(captured.statements, 300);
    let left: Vec<(String, u64)> = captured.left_out.iter().map(|(why, count)| (why.why(), *count)).collect();
    assert_eq!(left, [("SET is no statement that is replayed".to_owned(), 50)]);
    let lacks = line(1, 1.0, "execute s1: SELECT a FROM t WHERE b = $1");
    let lacks = self::captured(&lacks, "postgres");
    assert_eq!(
        lacks.left_out.keys().next().map(|why| why.why().contains("log_parameter_max_length")),
        Some(true)
    );
    let fault = write(
        lacks.patterns(),
        Dialect::Postgres,
        &Layout { name: "x", about: "", top: 1, data: None, mask: None },
        Path::new("/nowhere/x"),
    );
    assert_eq!(fault.expect_err("nothing").exit_code(), 2);
}

#[test]
fn what_never_ends_is_left_out_and_not_kept() {
    let first = |text: &str| line(1, 1.0, &format!("statement: {text}"));
    // A statement of many lines, and one of many values; each in a transaction that is left out with it.
    let long = first("SELECT 1") + &format!("\t{}\n", "x".repeat(1000)).repeat(1200);
    let many = first(&format!("SELECT {}0", "0,".repeat(70_000)));
    let begin = first("BEGIN");
    let commit = first("COMMIT");
    let captured = captured(&format!("{begin}{long}{commit}{begin}{many}{commit}"), "postgres");
    let left: Vec<(LeftOut, u64)> = captured.left_out.clone().into_iter().collect();
    assert_eq!(left, [(LeftOut::LongTransaction, 2), (LeftOut::TooLong, 2)]);
    assert!(captured.patterns().is_empty());
}

#[test]
fn masked_texts_are_noise_and_stay_equal() {
    let mut log = String::new();
    for number in 0..40 {
        log += &line(
            1,
            1.0,
            &format!("statement: SELECT id FROM people WHERE name = 'Ann{}' AND age > {number}", number % 4),
        );
    }
    let (place, _) = folder(&log, "postgres", Some(7));
    let csv = file(&place, "select-people.csv");
    assert!(!csv.contains("Ann"), "{csv}");
    let texts: BTreeSet<&str> = csv.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(texts.len(), 4, "equal texts stay equal: {csv}");
    assert!(csv.contains(",39\n"), "numbers stay: {csv}");
}

#[test]
fn logs_of_mysql_are_read() {
    let slow = "/usr/sbin/mysqld, Version: 8.0.33. started with:\nTcp port: 3306  Unix socket: x\nTime                 Id Command    Argument\n".to_owned()
        + &(0..20).map(|number| format!(
            "# Time: 2026-11-25T19:00:00.1Z\n# User@Host: root[root] @ localhost []  Id:     8\n# Query_time: 0.002  Lock_time: 0.0 Rows_sent: 1\nSET timestamp=1764097200;\nSELECT a FROM t WHERE b = {number} AND c = \"x\\\"{number}\";\n"
        )).collect::<String>();
    let (place, tests) = folder(&slow, "mysql-slow", None);
    assert_eq!((tests[0].name.as_str(), tests[0].count), ("select-t", 20));
    assert!((tests[0].seconds - 0.04).abs() < 1e-9);
    assert!(file(&place, "select-t.csv").contains("3,\"x\"\"3\"\n"), "{}", file(&place, "select-t.csv"));
    let general = (0..20).map(|number| format!(
        "2026-11-25T19:00:00.1Z\t    8 Query\tBEGIN\n2026-11-25T19:00:00.1Z\t    8 Prepare\tUPDATE t SET a = ? WHERE id = ?\n2026-11-25T19:00:00.1Z\t    8 Execute\tUPDATE t SET a = 1\n WHERE id = {number}\n2026-11-25T19:00:00.1Z\t    9 Connect\troot@localhost on x\n2026-11-25T19:00:00.1Z\t    8 Query\tCOMMIT\n"
    )).collect::<String>();
    let (place, tests) = folder(&general, "mysql-general", None);
    assert_eq!((tests[0].name.as_str(), tests[0].count, tests[0].seconds), ("tx-update-t", 20, 0.0));
    assert_eq!(
        file(&place, "tx-update-t.sql"),
        "\\sample tx-update-t.csv\nBEGIN;\nUPDATE t SET a = 1\n WHERE id = :id;\nCOMMIT;\n"
    );
}

#[test]
fn lines_behind_the_time_of_a_slow_statement_do_not_hide_it() {
    // As MariaDB writes them; a bare log of MySQL has none behind `Query_time`.
    let slow: String = (0..20).map(|number| format!(
        "# User@Host: root[root] @ localhost []\n# Thread_id: 9  Schema: shop  QC_hit: No\n# Query_time: 0.002  Lock_time: 0.0  Rows_sent: 1\n# Rows_affected: 0  Bytes_sent: 64\nSET timestamp=1764097200;\nSELECT a FROM t WHERE b = {number};\n"
    )).collect();
    let captured = captured(&slow, "mysql-slow");
    assert_eq!(
        (captured.statements, captured.timed, captured.in_sessions, captured.unknown_lines),
        (20, 20, 20, 0)
    );
}

#[test]
fn the_other_logs_of_postgres_are_read() {
    let message = "duration: 1.000 ms  execute s1: SELECT a FROM t\nWHERE b = $1 AND \"\"c\"\" = 2";
    let csv: String = (0..10).map(|number| format!(
        "2026-11-25 19:00:00.123 UTC,\"me\",\"shop\",4711,\"[local]\",6744a.1267,{number},\"SELECT\",2026-11-25 19:00:00 UTC,3/0,0,LOG,00000,\"{message}\",\"parameters: $1 = '{number}'\",,,,,,,,\"\",\"client backend\",,0\n"
    )).collect();
    let (place, tests) = folder(&csv, "postgres-csv", None);
    assert_eq!((tests[0].name.as_str(), tests[0].count), ("select-t", 10));
    assert_eq!(
        file(&place, "select-t.sql"),
        "\\sample select-t.csv\nSELECT a FROM t\nWHERE b = :b AND \"c\" = 2;\n"
    );
    let json: String = (0..10).map(|number| format!(
        "{{\"timestamp\":\"x\",\"pid\":4711,\"session_id\":\"a.b\",\"error_severity\":\"LOG\",\"message\":\"duration: 1.5 ms  execute s1: SELECT a FROM t WHERE b = $1\",\"detail\":\"Parameters: $1 = '{number}'\"}}\n"
    )).collect();
    let (_, tests) = folder(&json, "postgres-json", None);
    assert_eq!((tests[0].count, tests[0].samples), (10, 10));
}

#[test]
fn a_transaction_that_also_defines_or_copies_is_left_out_whole() {
    let mut log = String::new();
    for statement in ["BEGIN", "SET LOCAL a = 1", "INSERT INTO t VALUES (1)", "COMMIT"] {
        log += &line(1, 1.0, &format!("statement: {statement}"));
    }
    for statement in
        ["BEGIN", "TRUNCATE t", "INSERT INTO u VALUES (1)", "COMMIT", "SELECT name FROM pg_settings"]
    {
        log += &line(1, 1.0, &format!("statement: {statement}"));
    }
    let (place, tests) = folder(&log, "postgres", None);
    assert_eq!(tests.iter().map(|test| test.name.as_str()).collect::<Vec<_>>(), ["tx-insert-t"]);
    assert_eq!(file(&place, "tx-insert-t.sql"), "BEGIN;\nINSERT INTO t VALUES (1);\nCOMMIT;\n");
}

#[test]
fn numbers_in_arithmetic_keep_the_type_that_they_had_as_literals() {
    let log: String = (0..40)
        .map(|number: u64| {
            let sql = format!(
                "statement: SELECT id, total * {number}.5 FROM orders WHERE day = date '2026-01-01' + {number} AND big > {} - {number} AND id = {number}0",
                5_000_000_000 + number * 3
            );
            line(1, 1.0, &sql)
        })
        .collect();
    let (place, _) = folder(&log, "postgres", None);
    let script = file(&place, "select-orders.sql");
    for part in [
        "AS numeric) FROM",
        "date '2026-01-01' + CAST(:day AS integer)",
        "AS bigint) - CAST(:day AS integer)",
        "id = :id;",
    ] {
        assert!(script.contains(part), "{part}: {script}");
    }
}

#[test]
fn tests_can_be_taken_out_of_a_folder() {
    let (place, _) = folder(&shop(), "postgres", None);
    let text = file(&place, "workload.toml");
    let left = without(&text, &["tx-update-stock"]).expect("one is left");
    assert!(
        left.contains("select-orders") && !left.contains("tx-update-stock") && left.starts_with("# Made by")
    );
    assert_eq!(without(&text, &["tx-update-stock", "select-orders"]), None);
    assert_eq!(without(&text, &["stock"]).as_deref(), Some(text.as_str()));
}
