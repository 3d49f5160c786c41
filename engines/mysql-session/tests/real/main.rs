//! Against a real server, MySQL or MariaDB of any release: `HUMDRUM_MYSQL_SOCKET=/path/of/socket cargo test -p
//! humdrum-mysql-session -- --ignored`. The account is `HUMDRUM_MYSQL_USER` (root), the password
//! `HUMDRUM_MYSQL_PASSWORD` (none); only the schema `humdrum_session_test` is touched.

mod server;

use std::fs;
use std::time::{Duration, Instant};

use humdrum_contract::{Dialect, Param, ParamType, SqlSession};
use humdrum_model::FaultKind;
use humdrum_mysql_session::{Endpoint, InnoDb, SPELLING, Session, Target, connect};
use humdrum_transport::Encryption;

use server::{Numbers, ROWS, SCHEMA, create, done, load, open, single, target};

#[test]
#[ignore = "needs a server"]
fn loads_number_rows_without_gaps() {
    let mut session = open("load");
    load(&mut session, ROWS);
    let ids = single(&mut session, "SELECT MIN(id), MAX(id), COUNT(*) FROM sbtest1");
    assert_eq!(ids, ["1", "60000", "60000"]);
    let by_file = single(&mut session, &InnoDb::default().table_checksum("sbtest1"));
    // Summed outside of any server: ids from 1, md5 of `id,k,c,pad`, its first eight digits.
    assert_eq!(by_file, ["60000", "128544971640190"]);

    // The same rows where the server takes no file.
    let mut limited = connect(&target(&format!("{SCHEMA}_load")), Duration::from_secs(60)).expect("connects");
    create(&mut limited);
    let inserted = insert_only(&mut limited);
    let by_insert = single(&mut limited, &InnoDb::default().table_checksum("sbtest1"));
    assert_eq!((inserted, by_insert), (ROWS, by_file));
    done(session, "load");
}

/// Loads as an account that may neither send files nor allow them.
fn insert_only(session: &mut Session) -> u64 {
    let before = single(session, "SELECT @@GLOBAL.local_infile").remove(0);
    session.query("SET GLOBAL local_infile = 0").expect("forbids");
    let _ = session.query("DROP USER 'humdrum_plain'@'localhost'");
    session.query("CREATE USER 'humdrum_plain'@'localhost' IDENTIFIED BY 'secret'").expect("an account");
    session
        .query(&format!("GRANT ALL ON `{SCHEMA}\\_load`.* TO 'humdrum_plain'@'localhost'"))
        .expect("grants");
    let plain = Target {
        user: "humdrum_plain".into(),
        password: "secret".into(),
        ..target(&format!("{SCHEMA}_load"))
    };
    let loaded = {
        let mut session = connect(&plain, Duration::from_secs(60)).expect("connects with a password");
        session.load("sbtest1", &["k", "c", "pad"], &mut Numbers(0, ROWS)).expect("loads")
    };
    session.query("DROP USER 'humdrum_plain'@'localhost'").expect("drops");
    session.query(&format!("SET GLOBAL local_infile = {before}")).expect("allows");
    loaded
}

#[test]
#[ignore = "needs a server"]
fn a_load_says_when_rows_were_bent() {
    let mut session = open("bent");
    create(&mut session);
    session.query("ALTER TABLE sbtest1 MODIFY k TINYINT NOT NULL").expect("alters");
    let fault =
        session.load("sbtest1", &["k", "c", "pad"], &mut Numbers(0, 100)).expect_err("k is too large");
    assert!(fault.what.contains("Out of range value for column 'k'"), "{fault}");
    done(session, "bent");
}

#[test]
#[ignore = "needs a server"]
fn text_and_binary_answers_are_the_same() {
    let mut session = open("answers");
    load(&mut session, 2000);
    session
        .query(
            "CREATE TABLE times (moment DATETIME, day DATE, span TIME, year YEAR, tiny TINYINT, \
             big BIGINT UNSIGNED, exact DECIMAL(20, 5)); \
             INSERT INTO times VALUES ('2026-11-21 09:05:01', '2026-01-02', '-26:03:04', 1999, -1, \
             18446744073709551615, -12345.678), ('2026-11-21', NULL, '00:00:00', 2026, 127, 0, 0)",
        )
        .expect("makes times");
    for (columns, tables, tail) in [
        ("*", "sbtest1", ""),
        ("k, c", "sbtest1", " ORDER BY c"),
        ("DISTINCT c", "sbtest1", " ORDER BY c"),
        ("SUM(k), COUNT(c), AVG(k), MIN(pad), NULL", "sbtest1", ""),
        ("id - 1000, CAST(id AS SIGNED) * -5000000000, CAST(id AS UNSIGNED), k = 7, id / 3", "sbtest1", ""),
        ("ADDTIME('10:00:00', '01:00:00.25'), IF(k < 500, NULL, k)", "sbtest1", ""),
        ("moment, day, span, year, tiny, big, exact", "sbtest1, times", ""),
    ] {
        let sql = |low: &str, high: &str| {
            format!("SELECT {columns} FROM {tables} WHERE id BETWEEN {low} AND {high}{tail}")
        };
        let prepared = session.prepare(&sql("?", "?"), &[ParamType::Int; 2]).expect("prepares");
        let params = [Param::Int(11), Param::Int(1310)];
        let text = session.run_text_checked(&sql("11", "1310")).expect("runs");
        assert_eq!(session.run_checked(prepared, &params).expect("runs"), text, "{columns}");
        assert_eq!(session.run(prepared, &params).expect("runs"), text.rows);
        assert_eq!(session.run_text(&sql("11", "1310")).expect("runs"), text.rows);
    }
    done(session, "answers");
}

#[test]
#[ignore = "needs a server"]
fn changes_are_counted_when_they_change() {
    let mut session = open("changes");
    load(&mut session, 100);
    let update = session
        .prepare("UPDATE sbtest1 SET c = ? WHERE id = ?", &[ParamType::Text, ParamType::Int])
        .expect("prepares");
    assert_eq!(session.run(update, &[Param::Text("new"), Param::Int(5)]).expect("runs"), 1);
    assert_eq!(session.run(update, &[Param::Text("new"), Param::Int(5)]).expect("runs"), 0, "as it was");
    assert_eq!(session.run(update, &[Param::Text("new"), Param::Int(500)]).expect("runs"), 0, "not there");
    let long = "x".repeat(300);
    let insert = "INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, LEFT(?, 100), '')";
    let types = [ParamType::Int, ParamType::Int, ParamType::Text];
    let insert = session.prepare(insert, &types).expect("prepares");
    assert_eq!(session.run(insert, &[Param::Int(0), Param::Int(1), Param::Text(&long)]).expect("runs"), 1);
    let duplicate = [Param::Int(1), Param::Int(1), Param::Text("")];
    let fault = session.run(insert, &duplicate).expect_err("is there");
    assert!(fault.what.starts_with("ERROR 1062 (23000)"), "{fault}");
    assert_eq!(fault.kind, FaultKind::Environment);
    let [begin, commit] = ["BEGIN", "COMMIT"].map(|sql| session.prepare(sql, &[]).expect("prepares"));
    session.run(begin, &[]).expect("begins");
    let delete = session.prepare("DELETE FROM sbtest1 WHERE id = ?", &[ParamType::Int]).expect("prepares");
    assert_eq!(session.run(delete, &[Param::Int(9)]).expect("runs"), 1);
    session.run(commit, &[]).expect("commits");
    assert_eq!(single(&mut session, "SELECT COUNT(*), MAX(id) FROM sbtest1"), ["100", "101"]);
    done(session, "changes");
}

#[test]
#[ignore = "needs a server"]
fn long_texts_go_both_ways() {
    let mut session = open("long");
    session.query("SET SESSION max_allowed_packet = 67108864").ok();
    let limit: u64 = single(&mut session, "SELECT @@max_allowed_packet")[0].parse().expect("a number");
    let long = "y".repeat(usize::try_from(limit).expect("fits").min(40 << 20) - 100);
    let rows = session.query(&format!("SELECT '{long}' AS c, 7")).expect("selects");
    assert!(rows == [[Some(long), Some("7".to_owned())]]);
    assert_eq!(single(&mut session, "SELECT 1; SELECT 2, 3"), ["2", "3"], "the session goes on");
    done(session, "long");
}

#[test]
#[ignore = "needs a server"]
fn the_session_is_what_it_asked_for() {
    let mut session = open("settings");
    let settings = session.session_settings().expect("settings");
    let value = |name: &str| {
        settings
            .iter()
            .find(|(setting, _)| setting == name)
            .map(|(_, value)| value.as_str())
            .unwrap_or_default()
    };
    for name in ["character_set_client", "character_set_connection", "character_set_results"] {
        assert_eq!(value(name), "latin1", "{name}");
    }
    assert_eq!(value("collation_connection"), "latin1_swedish_ci");
    assert!(settings.is_sorted());
    assert_eq!(single(&mut session, "SELECT VERSION()")[0], session.server_version());
    done(session, "settings");
}

/// The thread that is said to serve the session is the one that burns the processor for it.
#[test]
#[ignore = "needs a server"]
fn the_serving_thread_is_found() {
    let mut session = open("thread");
    let thread = session.server_process().expect("a thread");
    let nanoseconds = || -> u64 {
        let text = fs::read_to_string(format!("/proc/{thread}/schedstat")).expect("its times");
        text.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
    };
    let (before, began) = (nanoseconds(), Instant::now());
    session.query("SELECT BENCHMARK(3000000, MD5('a'))").expect("burns");
    let (used, passed) = (nanoseconds() - before, began.elapsed().as_nanos() as u64);
    assert!(used > passed / 4, "thread {thread} used {used} of {passed} ns");
    let other = open("thread");
    assert_ne!(other.server_process(), session.server_process());
    drop(other);
    done(open("thread"), "thread");
}

#[test]
#[ignore = "needs a server"]
fn what_writes_leave_behind_is_paid() {
    let mut session = open("writes");
    load(&mut session, 20_000);
    for _ in 0..5 {
        session.query("UPDATE sbtest1 SET k = k + 1").expect("updates");
    }
    let counted = session.query("SET GLOBAL innodb_monitor_enable = 'purge_del_mark_records'").is_ok();
    session.query("DELETE FROM sbtest1 WHERE id % 2 = 0").expect("deletes");
    let tables = ["sbtest1".to_owned()];
    let setting = "SHOW GLOBAL VARIABLES LIKE 'innodb_max_dirty_pages_pct%'";
    let before = session.query(setting).expect("asks");
    for chore in InnoDb::default().post_write(&tables) {
        for sql in &chore.statements {
            session.query(sql).unwrap_or_else(|fault| panic!("{sql}: {fault}"));
        }
        let Some(wait) = chore.wait else { continue };
        let began = Instant::now();
        loop {
            let number = wait.question.ask(&mut session).expect("a number");
            if number <= wait.at_most {
                break;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{}: still {number}", wait.what);
            std::thread::sleep(Duration::from_millis(20));
        }
        println!("{}: {:?}", wait.what, began.elapsed());
        if counted && wait.what == "purge" {
            nothing_is_purged_later(&mut session);
        }
    }
    assert_eq!(session.query(setting).expect("asks"), before, "limits are back");
    let of_server = InnoDb::default()
        .server_state()
        .into_iter()
        .chain((InnoDb::default().queue().expect("told").server_gauges)());
    for gauge in InnoDb::default().table_state("sbtest1").into_iter().chain(of_server) {
        let number = gauge.question.ask(&mut session).expect("a number");
        println!("{}: {number} {}", gauge.name, gauge.unit);
        assert!(number >= 0.0);
        if gauge.unit == "bytes" && gauge.name != "checkpoint_age_bytes" {
            assert!(number > 100_000.0, "{}: {number}", gauge.name);
        }
    }
    for sql in InnoDb::default().prewarm("sbtest1") {
        session.query(&sql).unwrap_or_else(|fault| panic!("{sql}: {fault}"));
    }
    let plan =
        session.query(&format!("EXPLAIN {}", InnoDb::default().prewarm("sbtest1")[1])).expect("explains");
    assert!(plan.iter().flatten().flatten().any(|value| value == "k_1"), "{plan:?}");
    let bytes = single(&mut session, &InnoDb::default().table_bytes("sbtest1"));
    assert!(bytes[0].parse::<u64>().expect("a number") > 1_000_000, "{bytes:?}");
    done(session, "writes");
}

/// If purge was done, the server's own count of purged rows does not change.
fn nothing_is_purged_later(session: &mut Session) {
    let sql = "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'purge_del_mark_records'";
    let mut purged = || -> u64 { single(session, sql)[0].parse().expect("a count") };
    let at_once = purged();
    std::thread::sleep(Duration::from_secs(3));
    println!("records purged: {at_once}, and 3 s later {}", purged());
    assert!(at_once >= 10_000 && purged() < at_once + 100, "{at_once}, then {}", purged());
}

/// `HUMDRUM_MYSQL_PORT`: the same server on 127.0.0.1. A password that is not in the server's cache is sent
/// over an encrypted connection.
#[test]
#[ignore = "needs a server"]
fn passwords_travel_over_tcp() {
    let Some(port) = std::env::var("HUMDRUM_MYSQL_PORT").ok().and_then(|port| port.parse().ok()) else {
        println!("HUMDRUM_MYSQL_PORT is not set: nothing tried");
        return;
    };
    let mut session = open("tcp");
    let _ = session.query("DROP USER 'humdrum_tcp'@'127.0.0.1'");
    session.query("CREATE USER 'humdrum_tcp'@'127.0.0.1' IDENTIFIED BY 'secret'").expect("an account");
    let over_tcp = |password: &str| Target {
        endpoint: Endpoint::Tcp("127.0.0.1".into(), port),
        user: "humdrum_tcp".into(),
        password: password.into(),
        encryption: Some(Encryption::usual(&SPELLING)),
        ..target("")
    };
    for attempt in ["the first time", "from the cache"] {
        let mut session = connect(&over_tcp("secret"), Duration::from_secs(10)).expect(attempt);
        assert_eq!(single(&mut session, "SELECT 1"), ["1"], "{attempt}");
        assert_eq!(session.server_process(), None);
    }
    let fault = connect(&over_tcp("wrong"), Duration::from_secs(10)).expect_err("another password");
    assert!(fault.what.contains("ERROR 1045 (28000)"), "{fault}");
    session.query("DROP USER 'humdrum_tcp'@'127.0.0.1'").expect("drops");
    done(session, "tcp");
}
