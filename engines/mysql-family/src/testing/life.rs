//! A test that every release must pass: a server is filled, queried, stopped and killed, and keeps its data.

use humdrum_contract::{Param, ParamType, Role, RowSource, Server, SqlSession};
use humdrum_engine_kit::testing::{Rig, main_process, session, shown, single, until};
use humdrum_engine_kit::{CLIENT_CONNECTION, SqlEngine, Version};
use humdrum_model::{Setting, SubjectFacts};
use humdrum_provision::{logs, signal};

use crate::flavour::Flavour;

const ROWS: u64 = 1000;

/// Data is written, survives a clean restart and an unclean one, and nothing of the server is left after it.
///
/// # Panics
/// Where a release does not live.
pub fn lives_a_whole_life(engine: SqlEngine<Flavour>, version: &str) {
    let rig = Rig::new(engine);
    let mut server = rig.started("server", version);
    let before = fill(&*server);
    knows_its_threads(&*server);
    counts_waits(&mut *server);
    let facts = server.facts().expect("facts");
    assert_eq!(facts.version, version);
    let setting =
        |name: &str| facts.settings.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!(setting("character_set_server"), Some("latin1"));
    assert_eq!(setting("session.character_set_client"), Some("latin1"));
    assert_eq!(setting("performance_schema"), Some("ON"));
    assert_eq!(setting("skip_networking"), Some("ON"));
    assert_eq!(setting("sync_binlog"), Some("0"));
    has_what_it_was_given(&facts);
    assert!(!facts.build.is_empty() && facts.origin.contains("sha256 ") && facts.fingerprint.len() == 64);
    let processes = server.processes();
    server.stop().unwrap_or_else(|fault| panic!("{}", shown(&fault)));
    assert!(!server.is_running() && processes.iter().all(|process| !signal::is_alive(process.pid)));
    server.start().unwrap_or_else(|fault| panic!("{}", shown(&fault)));
    assert_eq!(checksum(&*server), before, "data outlives a stop");
    let main = main_process(&*server);
    signal::send(main, libc::SIGKILL);
    assert!(until(|| !server.is_running()), "killed");
    server.start().unwrap_or_else(|fault| panic!("{}", shown(&fault)));
    assert_eq!(checksum(&*server), before, "data outlives a crash");
    says_nothing_against_our_settings(&*server);
    let path = rig.run.path().to_path_buf();
    drop((server, rig));
    assert!(!path.exists());
}

/// Over TCP a server is reached at every start, and its threads are known as they are over a socket.
///
/// # Panics
/// Where it is not.
pub fn is_reached_over_tcp(engine: SqlEngine<Flavour>, version: &str) {
    let rig = Rig::new(engine);
    let settings = [Setting::Value { key: CLIENT_CONNECTION.0.into(), value: "tcp".into() }];
    let mut server =
        rig.create("server", version, &settings).unwrap_or_else(|fault| panic!("{}", shown(&fault)));
    for _ in 0..2 {
        server.start().unwrap_or_else(|fault| panic!("{}", shown(&fault)));
        let facts = server.facts().expect("facts");
        let setting =
            |name: &str| facts.settings.iter().find(|(known, _)| known == name).map(|(_, value)| &**value);
        assert_eq!(setting("skip_networking"), Some("OFF"));
        let port = single(&mut *session(&*server), "SELECT @@port").parse().expect("a port");
        // 127.0.0.1, as the kernel writes it.
        assert_eq!(listening(port), ["0100007F"], "no other host reaches it");
        knows_its_threads(&*server);
        server.stop().unwrap_or_else(|fault| panic!("{}", shown(&fault)));
    }
}

/// Addresses at which some program listens at a port, IPv4 and IPv6.
fn listening(port: u16) -> Vec<String> {
    let tables =
        ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let place = |line: &str| {
        let mut words = line.split_ascii_whitespace().skip(1);
        let (address, at) = words.next()?.split_once(':')?;
        let listens = words.nth(1)? == "0A" && u16::from_str_radix(at, 16).ok()? == port;
        listens.then(|| address.to_owned())
    };
    tables.iter().flat_map(|table| table.lines()).filter_map(place).collect()
}

/// Warnings are shown with `--nocapture`; a value that was changed or left aside is a mistake of ours.
fn says_nothing_against_our_settings(server: &dyn Server) {
    let log = server.log_file().map(|path| logs::whole(&path)).unwrap_or_default();
    let warnings = log.lines().filter_map(|line| Some(line.split_once("[Warning]")?.1));
    // Old releases want to be nicer to themselves than a niced test allows for.
    let mut warnings: Vec<&str> = warnings.filter(|line| !line.contains("Setting thread")).collect();
    warnings.sort_unstable();
    warnings.dedup();
    warnings.iter().for_each(|warning| println!("  {}", warning.trim()));
    let against = ["adjusted to", "unknown variable", "is out of range", "unknown option", "ignoring option"];
    assert!(
        !warnings.iter().any(|warning| against.iter().any(|sign| warning.contains(sign))),
        "{warnings:#?}"
    );
}

/// Every named configuration that is for a release starts there, and is what it says.
///
/// # Panics
/// Where one is not.
pub fn configurations_start(engine: SqlEngine<Flavour>, version: &str) {
    let rig = Rig::new(engine);
    let number = Version::of(version);
    for named in engine.0.profile.options.named.iter().filter(|named| named.span.holds(number)) {
        let settings = [Setting::Named(named.name.into())];
        let created = rig.create(named.name, version, &settings);
        let mut server = created.unwrap_or_else(|fault| panic!("{}: {}", named.name, shown(&fault)));
        server.start().unwrap_or_else(|fault| panic!("{}: {}", named.name, shown(&fault)));
        has_what_it_was_given(&server.facts().expect("facts"));
        println!("  {}", named.name);
    }
}

/// A server may round, or leave aside, what it is given, and not say so.
fn has_what_it_was_given(facts: &SubjectFacts) {
    for (name, given) in &facts.given {
        let Some((_, found)) = facts.settings.iter().find(|(known, _)| known == name) else { continue };
        // Lists, of which only a part was given or which come in another order.
        let parts: Vec<String> = found.split(',').map(plain_value).collect();
        let whole = given.split(',').all(|part| parts.contains(&plain_value(part)));
        assert!(whole || name == "log_bin", "{name} was given {given} and is {found}");
    }
}

/// `64M`, `ON` and `1` as servers show them.
fn plain_value(text: &str) -> String {
    let text = text.trim().to_ascii_uppercase();
    match text.as_str() {
        "ON" | "TRUE" => return "1".into(),
        "OFF" | "FALSE" => return "0".into(),
        _ => {}
    }
    let unit = ["K", "M", "G"].iter().position(|unit| text.ends_with(unit));
    let number = unit.and_then(|unit| Some(text[..text.len() - 1].parse::<u64>().ok()? << (10 * (unit + 1))));
    let shown = number.map_or(text, |bytes| bytes.to_string());
    // Fractions are shown with as many zeros as a release likes.
    if shown.contains('.') { shown.trim_end_matches('0').trim_end_matches('.').to_owned() } else { shown }
}

/// A session is a thread, and its time is seen where the lab looks for it.
fn knows_its_threads(server: &dyn Server) {
    let mut sql = session(server);
    let thread = sql.server_process().expect("the session's thread is known");
    let turns = || {
        let text = std::fs::read_to_string(format!("/proc/{thread}/schedstat")).expect("schedstat");
        text.split_ascii_whitespace().nth(2).and_then(|turns| turns.parse::<u64>().ok()).expect("turns")
    };
    let before = turns();
    (0..50).for_each(|_| drop(sql.query("SELECT 1").expect("answers")));
    assert!(turns() >= before + 25, "the thread serves this session");
    let processes = server.processes();
    let role = processes.iter().find(|process| process.pid == thread).map(|process| process.role);
    assert_eq!(role, Some(Role::Session));
    assert!(processes.iter().filter(|process| process.role == Role::Background).count() > 3);
}

/// It counts waits for files while it is measured, and those for mutexes when it is told to, unless it always does, as 5.5.
fn counts_waits(server: &mut dyn Server) {
    let has = |server: &dyn Server, events: &str| {
        let question = server.dialect().and_then(|dialect| dialect.waited()).expect("a question");
        let rows = session(server).query(&question.sql).expect("waits");
        let number = |row: &[Option<String>], at: usize| {
            row[at].as_deref().and_then(|value| value.parse::<f64>().ok()).expect("a number")
        };
        assert!(rows.iter().all(|row| number(row, 2) > 0.0 && number(row, 3) >= 0.0), "{rows:?}");
        rows.iter().any(|row| row[1].as_deref().is_some_and(|event| event.starts_with(events)))
    };
    assert!(has(server, "wait/io/file/"));
    let always = has(server, "wait/synch/");
    assert_eq!(server.count_waits(true).expect("told to"), !always);
    assert!(has(server, "wait/synch/"));
    assert!(!server.count_waits(false).expect("told not to"));
}

fn fill(server: &dyn Server) -> String {
    let mut sql = session(server);
    let dialect = server.dialect().expect("SQL");
    let (id, options) = (dialect.serial_primary_key(), dialect.table_options());
    let columns = "k INTEGER NOT NULL, c CHAR(120) NOT NULL, pad CHAR(60) NOT NULL";
    sql.query(&format!("CREATE TABLE sbtest1 (id {id}, {columns}) {options}")).expect("creates");
    let logged = log_bytes(server, &mut *sql);
    assert_eq!(sql.load("sbtest1", &["k", "c", "pad"], &mut Numbers(0)).expect("loads"), ROWS);
    assert_eq!(log_bytes(server, &mut *sql), logged, "a load leaves nothing in the binary log");
    sql.query("UPDATE sbtest1 SET k = k + 1 WHERE id = 1").expect("updates");
    assert!(log_bytes(server, &mut *sql) > logged, "what comes after it is logged");
    let mark = dialect.placeholder(1);
    let point = sql
        .prepare(&format!("SELECT c FROM sbtest1 WHERE id = {mark}"), &[ParamType::Int])
        .expect("prepares");
    assert_eq!(sql.run(point, &[Param::Int(7)]).expect("runs"), 1);
    assert_eq!(single(&mut *sql, "SELECT DATABASE()"), "humdrum");
    checksum(server)
}

/// Bytes of the redo log and the binary log, by the gauges of the engine.
fn log_bytes(server: &dyn Server, sql: &mut dyn SqlSession) -> f64 {
    let queue = server.dialect().and_then(|dialect| dialect.queue()).expect("a queue");
    let gauges = (queue.server_gauges)();
    let of_logs = gauges.iter().filter(|gauge| gauge.name == "log_bytes").map(|gauge| &gauge.question);
    let bytes: Vec<f64> = of_logs
        .map(|question| (question.number)(&sql.query(&question.sql).expect("answers")).expect("a number"))
        .collect();
    assert_eq!(bytes.len(), 2, "redo log and binary log");
    bytes.iter().sum()
}

fn checksum(server: &dyn Server) -> String {
    let sql = server.dialect().expect("SQL").table_checksum("sbtest1");
    let row = session(server).query(&sql).expect("checksum").remove(0);
    assert_eq!(row[0].as_deref(), Some("1000"));
    row[1].clone().expect("a sum")
}

/// Rows whose values follow from their number.
struct Numbers(u64);

impl RowSource for Numbers {
    fn next_row(&mut self, row: &mut Vec<u8>) -> bool {
        if self.0 == ROWS {
            return false;
        }
        self.0 += 1;
        let (k, n) = (self.0 * 7 % 1000, self.0);
        row.extend_from_slice(format!("{k}\tc-{n:0115}\tpad-{n:053}").as_bytes());
        true
    }
}
