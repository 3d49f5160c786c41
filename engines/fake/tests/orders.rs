//! Every setting of the script has its effect, tested through the engine's traits.

use std::path::PathBuf;
use std::time::Duration;

use humdrum_contract::*;
use humdrum_engine_fake::{Fake, FakeKv};
use humdrum_model::{Fault, FaultKind, Place, Setting, Subject};
use tempfile::TempDir;

const TIMEOUT: Duration = Duration::from_secs(30);

struct Rig {
    run: TempDir,
}

impl Rig {
    fn new() -> Self {
        Self { run: tempfile::tempdir().unwrap() }
    }

    /// A server that was not started.
    fn server(&self, name: &str, version: &str, orders: &str) -> Box<dyn Server> {
        self.server_of(&Fake, name, version, orders)
    }

    fn server_of(&self, engine: &dyn Engine, name: &str, version: &str, orders: &str) -> Box<dyn Server> {
        let settings = orders.split('+').filter(|order| !order.is_empty()).map(setting).collect();
        let place = Place::Version(version.into());
        let subject = Subject { label: name.into(), engine: engine.name().into(), place, settings };
        let home = self.run.path().join(name);
        let _ = std::fs::create_dir(&home);
        let sizing = Sizing { memory_bytes: 1 << 28, limit_bytes: None, cpus: 2, connections: 2 };
        engine.install(&subject, &dirs(), &Silent).unwrap().create(&home, &sizing).unwrap()
    }

    /// A started server with a loaded table, and a session.
    fn session(&self, name: &str, version: &str, orders: &str) -> (Box<dyn Server>, Box<dyn SqlSession>) {
        let mut server = self.server(name, version, orders);
        server.start().unwrap();
        let mut session = server.connect(TIMEOUT).unwrap().into_sql().unwrap();
        session.load("sbtest1", &["k", "c"], &mut Rows(0)).unwrap();
        (server, session)
    }
}

fn setting(order: &str) -> Setting {
    match order.split_once('=') {
        Some((key, value)) => Setting::Value { key: key.into(), value: value.into() },
        None => Setting::Named(order.into()),
    }
}

fn dirs() -> Dirs {
    Dirs {
        cache: PathBuf::new(),
        runs: PathBuf::new(),
        run_as: None,
        allow_external: false,
        reuse_trees: false,
        interrupt: Interrupt::new(),
    }
}

/// A thousand rows.
struct Rows(u32);

impl RowSource for Rows {
    fn next_row(&mut self, row: &mut Vec<u8>) -> bool {
        self.0 += 1;
        row.extend_from_slice(format!("{}\tc", self.0).as_bytes());
        self.0 <= 1000
    }
}

/// Nanoseconds of `count` point selects, and the fault that ended them early.
fn points(server: &dyn Server, session: &mut dyn SqlSession, count: i32) -> Result<u64, Fault> {
    let statement = session.prepare("SELECT c FROM sbtest1 WHERE id = $1", &[ParamType::Int])?;
    let begin = server.clock().now_ns();
    for id in 1..=count {
        assert_eq!(session.run(statement, &[Param::Int(id)])?, 1);
    }
    Ok(server.clock().now_ns() - begin)
}

#[test]
fn a_slowdown_is_as_ordered() {
    let rig = Rig::new();
    let (base, mut base_session) = rig.session("a", "1.0", "");
    let (slow, mut slow_session) = rig.session("b", "1.0", "slowdown=3%");
    let base_ns = points(base.as_ref(), base_session.as_mut(), 500).unwrap();
    let slow_ns = points(slow.as_ref(), slow_session.as_mut(), 500).unwrap();
    let ratio = slow_ns as f64 / base_ns as f64;
    assert!((1.0295..1.0305).contains(&ratio), "{ratio}");
}

#[test]
fn noise_repeats_for_the_same_subject_and_differs_between_subjects() {
    let measure = |name: &str| {
        let rig = Rig::new();
        let (server, mut session) = rig.session(name, "1.0", "noise=5%+session_noise=1%");
        points(server.as_ref(), session.as_mut(), 300).unwrap()
    };
    assert_eq!(measure("a"), measure("a"));
    assert_ne!(measure("a"), measure("b"));
}

#[test]
fn session_noise_differs_between_sessions() {
    let rig = Rig::new();
    let (server, mut session) = rig.session("a", "1.0", "session_noise=1%");
    let mut cell = |first: i32| {
        let statement = session.prepare("SELECT c FROM sbtest1 WHERE id = $1", &[ParamType::Int]).unwrap();
        session.run(statement, &[Param::Int(first)]).unwrap();
        let begin = server.clock().now_ns();
        session.run(statement, &[Param::Int(5)]).unwrap();
        server.clock().now_ns() - begin
    };
    assert_ne!(cell(1), cell(2));
    assert_eq!(cell(3), cell(3));
}

#[test]
fn a_crash_ends_the_server_until_it_is_started_again() {
    let rig = Rig::new();
    let (mut server, mut session) = rig.session("a", "1.0", "crash_after=10");
    let fault = points(server.as_ref(), session.as_mut(), 20).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Crash);
    assert!(!server.is_running());
    assert!(server.explain(fault).log_tail.unwrap().contains("operation 10 killed the server"));
    assert!(server.connect(TIMEOUT).is_err());
    server.start().unwrap();
    assert!(session.query("BEGIN").is_err(), "a session of the dead server");
    let mut fresh = server.connect(TIMEOUT).unwrap().into_sql().unwrap();
    points(server.as_ref(), fresh.as_mut(), 20).unwrap();
}

#[test]
fn a_hang_takes_the_whole_timeout() {
    let rig = Rig::new();
    let (mut server, mut session) = rig.session("a", "1.0", "hang_at=10");
    let begin = server.clock().now_ns();
    let fault = points(server.as_ref(), session.as_mut(), 20).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Timeout);
    assert!(server.clock().now_ns() - begin > TIMEOUT.as_nanos() as u64);
    assert!(server.is_running());
    assert_eq!(session.query("BEGIN").unwrap_err().kind, FaultKind::Timeout);
    server.stop().unwrap();
    server.start().unwrap();
    assert!(server.connect(TIMEOUT).is_ok());
}

#[test]
fn a_wrong_answer_has_a_row_too_many() {
    let rig = Rig::new();
    let (_server, mut session) = rig.session("a", "1.0", "wrong_at=3");
    let statement = session.prepare("SELECT c FROM sbtest1 WHERE id = $1", &[ParamType::Int]).unwrap();
    let rows: Vec<u64> = (1..5).map(|id| session.run(statement, &[Param::Int(id)]).unwrap()).collect();
    assert_eq!(rows, [1, 1, 2, 2]);
}

#[test]
fn right_answers_are_equal_on_all_releases_and_wrong_ones_are_not() {
    let rig = Rig::new();
    let answer = |name: &str, version: &str, orders: &str| {
        let (_server, mut session) = rig.session(name, version, orders);
        let statement =
            session.prepare("SELECT c FROM sbtest1 WHERE id IN ($1,$2)", &[ParamType::Int; 2]).unwrap();
        session.run_checked(statement, &[Param::Int(1), Param::Int(2)]).unwrap()
    };
    let base = answer("a", "1.0", "");
    assert_eq!(base, answer("b", "2.0", "noise=5%"));
    assert_ne!(base.checksum, answer("c", "1.0", "wrong_at=1").checksum);
}

#[test]
fn loads_are_remembered_and_can_be_refused() {
    let rig = Rig::new();
    let (server, mut session) = rig.session("a", "1.0", "");
    let dialect = server.dialect().unwrap();
    let ask =
        |session: &mut dyn SqlSession| session.query(&dialect.table_checksum("sbtest1")).unwrap()[0].clone();
    let first = ask(session.as_mut());
    assert_eq!(first[0].as_deref(), Some("1000"));
    session.query("DROP TABLE IF EXISTS sbtest1").unwrap();
    assert_eq!(ask(session.as_mut())[0].as_deref(), Some("0"));
    session.query("CREATE TABLE sbtest1 (id INTEGER)").unwrap();
    session.load("sbtest1", &["k", "c"], &mut Rows(0)).unwrap();
    assert_eq!(ask(session.as_mut()), first);
    let mut refusing = rig.server("b", "1.0", "load_fails");
    refusing.start().unwrap();
    let mut session = refusing.connect(TIMEOUT).unwrap().into_sql().unwrap();
    assert!(session.load("sbtest1", &["k"], &mut Rows(0)).is_err());
}

#[test]
fn a_rejected_setting_is_the_users_to_mend() {
    let fault = Rig::new().server("a", "1.0", "rejects_setting").start().unwrap_err();
    assert_eq!(fault.exit_code(), 2);
    assert!(fault.log_tail.unwrap().contains("unrecognized"));
}

#[test]
fn a_frozen_server_does_not_answer() {
    let rig = Rig::new();
    let (mut server, mut session) = rig.session("a", "1.0", "");
    server.freeze().unwrap();
    assert_eq!(session.query("BEGIN").unwrap_err().kind, FaultKind::Timeout);
    server.thaw().unwrap();
    session.query("BEGIN").unwrap();
    server.stop().unwrap();
    assert!(server.freeze().is_err());
}

#[test]
fn the_probe_follows_the_work() {
    let rig = Rig::new();
    let (server, mut session) = rig.session("a", "1.0", "");
    let (costly, mut costly_session) = rig.session("b", "1.0", "cpu=50%");
    let spent = |server: &dyn Server, session: &mut dyn SqlSession| {
        let mut probe = server.probes().remove(0);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        probe.read(&mut before).unwrap();
        points(server, session, 100).unwrap();
        probe.read(&mut after).unwrap();
        assert_eq!(before.len(), probe.metrics().len());
        after[0] - before[0]
    };
    let plain = spent(server.as_ref(), session.as_mut());
    let more = spent(costly.as_ref(), costly_session.as_mut());
    assert!(plain > 0 && (1.4..1.6).contains(&(more as f64 / plain as f64)), "{plain} {more}");
}

#[test]
fn fingerprints_are_equal_exactly_for_equal_subjects() {
    let rig = Rig::new();
    let print = |name, version, orders| rig.server(name, version, orders).facts().unwrap().fingerprint;
    assert_eq!(print("a", "1.0", "noise=5%"), print("b", "1.0", "noise=5%"));
    assert_ne!(print("a", "1.0", ""), print("b", "1.1", ""));
    assert_ne!(print("a", "1.0", ""), print("b", "1.0", "noise=5%"));
}

#[test]
fn conforms() {
    let rig = Rig::new();
    conformance::sql(&mut *rig.server("it", "1.0", ""));
}

#[test]
fn its_stores_conform() {
    let rig = Rig::new();
    conformance::kv(&mut *rig.server_of(&FakeKv, "it", "1.0", ""));
}
