//! The suite for engines that speak SQL.

use std::time::Duration;

use humdrum_model::FaultKind;

use super::common::{IMPATIENCE, PATIENCE, facts_are_complete, fault_once_frozen};
use crate::{Connection, Dialect, Param, ParamType, RowSource, Server, SqlSession};

const ROWS: u64 = 1000;

/// Runs a server through its whole life, from the first start to the last stop. It was created and not
/// started.
///
/// # Panics
/// If the server does not do what the contract says.
pub fn sql(server: &mut dyn Server) {
    assert!(!server.is_running(), "created is not started");
    server.start().expect("starts");
    assert!(server.is_running(), "started is running");
    let before = load(server);
    odd_values_are_loaded_as_they_are(server);
    answers_are_counted_and_hashed(server);
    faults_leave_the_session_usable(server);
    pipelines_answer_in_order(server);
    facts_are_complete(server);
    frozen_servers_do_not_answer(server);
    server.stop().expect("stops");
    assert!(!server.is_running(), "stopped is not running");
    assert!(server.connect(IMPATIENCE).is_err(), "nobody answers after a stop");
    server.start().expect("starts again");
    assert_eq!(checksum(server), before, "data outlives a restart");
    server.stop().expect("stops again");
}

/// As `sql`. In addition, a copy of the data can be restored several times after changes, and copies of several data sets
/// stand beside each other. For engines whose timings say that data can be copied.
///
/// # Panics
/// If a check fails.
pub fn copies(server: &mut dyn Server) {
    sql(server);
    server.keep("whole").expect("keeps");
    let mut before = None;
    for ending in ["killed", "killed again"] {
        server.start().expect("starts on what was kept");
        let found = checksum(server);
        assert_eq!(before.get_or_insert_with(|| found.clone()), &found, "{ending}");
        open(server, PATIENCE).query("DELETE FROM sbtest1 WHERE id > 500").expect("deletes");
        open(server, PATIENCE).query("DROP TABLE IF EXISTS other").expect("drops");
        open(server, PATIENCE).query("CREATE TABLE other (id INTEGER)").expect("creates");
        assert_ne!(checksum(server), found, "half of the rows are gone");
        server.kill().expect("ends");
        server.bring_back("whole").expect("comes back");
    }
    server.start().expect("starts once more");
    assert_eq!(Some(checksum(server)), before);
    assert!(open(server, PATIENCE).query("SELECT id FROM other").is_err(), "what came later is gone");
    server.stop().expect("stops");
    another_copy(server, before.as_deref().unwrap_or_default());
}

/// A second copy leaves the first one as it is.
fn another_copy(server: &mut dyn Server, whole: &[Vec<Option<String>>]) {
    server.start().expect("starts");
    open(server, PATIENCE).query("DELETE FROM sbtest1 WHERE id > 500").expect("deletes");
    let half = checksum(server);
    server.stop().expect("stops");
    server.keep("half").expect("keeps another");
    for (name, expected) in [("whole", whole), ("half", half.as_slice()), ("whole", whole)] {
        server.bring_back(name).expect("comes back");
        server.start().expect("starts on it");
        assert_eq!(checksum(server), expected, "{name}");
        server.kill().expect("ends");
    }
}

fn open(server: &dyn Server, timeout: Duration) -> Box<dyn SqlSession> {
    server.connect(timeout).and_then(Connection::into_sql).expect("a session")
}

fn dialect(server: &dyn Server) -> &dyn Dialect {
    server.dialect().expect("an engine that speaks SQL has a dialect")
}

/// Loading twice gives the same checksum: what is left of the first load is gone.
fn load(server: &mut dyn Server) -> Vec<Vec<Option<String>>> {
    let sums = [(); 2].map(|()| {
        let mut session = open(server, PATIENCE);
        session.query("DROP TABLE IF EXISTS sbtest1").expect("drops");
        let (id, options) = (dialect(server).serial_primary_key(), dialect(server).table_options());
        let columns = "k INTEGER NOT NULL, c CHAR(120) NOT NULL, pad CHAR(60) NOT NULL";
        session.query(&format!("CREATE TABLE sbtest1 (id {id}, {columns}) {options}")).expect("creates");
        let loaded = session.load("sbtest1", &["k", "c", "pad"], &mut Numbers(0)).expect("loads");
        assert_eq!(loaded, ROWS, "a load says how many rows it took");
        dialect(server).settle(&["sbtest1".into()]).iter().for_each(|sql| {
            session.query(sql).expect("settles");
        });
        drop(session);
        checksum(server)
    });
    assert_eq!(sums[0], sums[1], "the same load, the same checksum");
    assert_eq!(sums[0][0][0].as_deref(), Some("1000"), "the first value is the row count");
    sums[0].clone()
}

/// Any text can be loaded. An engine without rows answers nothing.
fn odd_values_are_loaded_as_they_are(server: &dyn Server) {
    let mut session = open(server, PATIENCE);
    session.query("DROP TABLE IF EXISTS odd").expect("drops");
    session.query("CREATE TABLE odd (id INTEGER NOT NULL, t VARCHAR(40))").expect("creates");
    assert_eq!(session.load("odd", &["id", "t"], &mut Odd(0)).expect("loads"), ODD.len() as u64);
    let found = session.query("SELECT t FROM odd ORDER BY id").expect("answers");
    let found: Vec<Option<&str>> = found.iter().map(|row| row[0].as_deref()).collect();
    assert!(found.is_empty() || found == ODD.map(|(_, value)| value), "{found:?}");
    session.query("DROP TABLE odd").expect("drops");
}

fn checksum(server: &dyn Server) -> Vec<Vec<Option<String>>> {
    open(server, PATIENCE).query(&dialect(server).table_checksum("sbtest1")).expect("a checksum")
}

fn answers_are_counted_and_hashed(server: &dyn Server) {
    let mut session = open(server, PATIENCE);
    let mark = |n| dialect(server).placeholder(n);
    let sql = format!("SELECT c FROM sbtest1 WHERE id BETWEEN {} AND {}", mark(1), mark(2));
    let range = session.prepare(&sql, &[ParamType::Int, ParamType::Int]).expect("prepares");
    let params = [Param::Int(11), Param::Int(30)];
    assert_eq!(session.run(range, &params).expect("runs"), 20, "rows are counted");
    let (one, two) = (session.run_checked(range, &params), session.run_checked(range, &params));
    assert_eq!(one.as_ref().expect("runs").rows, 20);
    let one = one.expect("runs");
    assert_eq!(one, two.expect("runs"), "the same rows have the same hash");
    let each_time = session.prepare_each_time(&sql, &[ParamType::Int, ParamType::Int]).expect("is kept");
    for _ in 0..2 {
        assert_eq!(session.run(each_time, &params).expect("runs"), 20);
        assert_eq!(session.run_checked(each_time, &params).expect("runs"), one, "prepared once or each time");
    }
    let scan = "SELECT * FROM sbtest1 WHERE LENGTH(c) < 0";
    assert_eq!(session.run_text(scan).expect("runs"), 0, "no rows are no rows");
    assert_eq!(session.run_text_checked(scan).expect("runs").rows, 0);
}

/// Prepares an invalid statement, the one fault that a test can cause on every engine.
fn faults_leave_the_session_usable(server: &dyn Server) {
    let mut session = open(server, PATIENCE);
    let mark = dialect(server).placeholder(1);
    if let Err(fault) =
        session.prepare(&format!("SELECT nothing FROM nowhere WHERE id = {mark}"), &[ParamType::Int])
    {
        assert!(!fault.what.is_empty(), "a fault says what happened");
    }
    let point = format!("SELECT c FROM sbtest1 WHERE id = {mark}");
    let point = session.prepare(&point, &[ParamType::Int]).expect("prepares after a fault");
    assert_eq!(session.run(point, &[Param::Int(1)]).expect("runs after a fault"), 1);
}

/// Where the protocol has pipelines: answers come in the order of statements, those behind a fault up to the next point of
/// synchronization do not come, and the session can be used again.
fn pipelines_answer_in_order(server: &dyn Server) {
    let mut session = open(server, PATIENCE);
    if session.pipeline().is_none() {
        return;
    }
    let mark = |n| dialect(server).placeholder(n);
    let sql = format!("SELECT c FROM sbtest1 WHERE id BETWEEN {} AND {}", mark(1), mark(2));
    let types = [ParamType::Inferred; 2];
    let first = session.prepare(&sql, &types).expect("prepares");
    let each_time = session.prepare_each_time(&sql, &types).expect("is kept");
    let until = |last| [Param::Long(1), Param::Long(last)];
    let bad = session.prepare_each_time("SELECT nothing FROM nowhere", &[]).expect("is kept");
    let alone = session.run_checked(first, &until(7)).expect("runs");
    // The last one has more to say than fits into any buffer on the way.
    for many in [3, 5_000] {
        let mut answers = Vec::new();
        let pipeline = session.pipeline().expect("a pipeline");
        pipeline.begin(true);
        for number in 0..many {
            pipeline.send(if number % 2 == 0 { first } else { each_time }, &until(7)).expect("sends");
        }
        pipeline.sync().expect("synchronizes");
        pipeline.send(first, &until(9)).expect("sends");
        pipeline.end(&mut |answer| answers.push(answer)).expect("answers");
        assert_eq!((answers.len(), answers[many].rows), (many + 1, 9));
        assert!(answers[..many].iter().all(|answer| *answer == alone), "those of statements alone");
    }
    let mut answered = 0;
    let pipeline = session.pipeline().expect("a pipeline");
    pipeline.begin(false);
    let one = until(1);
    for (statement, params) in [(first, &one[..]), (bad, &[]), (first, &one)] {
        pipeline.send(statement, params).expect("sends");
    }
    if let Err(fault) = pipeline.end(&mut |_| answered += 1) {
        assert!(answered == 1 && !fault.what.is_empty(), "{answered}: {fault}");
    }
    assert_eq!(session.run(first, &until(1)).expect("runs after a fault"), 1);
}

fn frozen_servers_do_not_answer(server: &mut dyn Server) {
    let mut session = open(server, PATIENCE);
    session.run_text("SELECT * FROM sbtest1 WHERE LENGTH(c) < 0").expect("answers");
    session.set_timeout(IMPATIENCE).expect("takes a limit");
    server.freeze().expect("freezes");
    let fault = fault_once_frozen(|| session.run_text("SELECT * FROM sbtest1 WHERE LENGTH(c) < 0"));
    assert_eq!(fault.kind, FaultKind::Timeout, "{fault}");
    server.thaw().expect("thaws");
    let mut session = open(server, PATIENCE);
    session.run_text("SELECT * FROM sbtest1 WHERE LENGTH(c) < 0").expect("answers again");
}

/// Rows whose values follow from their number.
struct Numbers(u64);

impl RowSource for Numbers {
    fn next_row(&mut self, row: &mut Vec<u8>) -> bool {
        if self.0 == ROWS {
            return false;
        }
        self.0 += 1;
        row.extend_from_slice(
            format!("{}\tc-{:0115}\tpad-{:053}", self.0 * 7 % 1000, self.0, self.0).as_bytes(),
        );
        true
    }
}

/// Values that a bulk load must not confuse with the marks between values and rows.
struct Odd(usize);

const ODD: [(&[u8], Option<&str>); 5] = [
    (b"1\t\\N", None),
    (b"2\ta\\tb\\nc\\\\d", Some("a\tb\nc\\d")),
    (b"3\t", Some("")),
    (b"4\t'\"\\r", Some("'\"\r")),
    (b"5\t\\\\N", Some("\\N")),
];

impl RowSource for Odd {
    fn next_row(&mut self, row: &mut Vec<u8>) -> bool {
        let Some((text, _)) = ODD.get(self.0) else { return false };
        self.0 += 1;
        row.extend_from_slice(text);
        true
    }
}
