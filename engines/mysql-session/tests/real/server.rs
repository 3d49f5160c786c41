//! The server under test, and a table in a schema of its own.

use std::path::PathBuf;
use std::time::Duration;

use humdrum_contract::{Dialect, RowSource, SqlSession};
use humdrum_mysql_session::{CharacterSet, Endpoint, InnoDb, Session, Target, connect};

pub const SCHEMA: &str = "humdrum_session_test";
/// More than one chunk of a load.
pub const ROWS: u64 = 60_000;

/// The server under test, and a schema to begin in.
pub fn target(database: &str) -> Target {
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    let socket = of("HUMDRUM_MYSQL_SOCKET");
    assert!(!socket.is_empty(), "set HUMDRUM_MYSQL_SOCKET to the socket of a server");
    let user = of("HUMDRUM_MYSQL_USER");
    Target {
        endpoint: Endpoint::Unix(PathBuf::from(socket)),
        user: if user.is_empty() { "root".into() } else { user },
        password: of("HUMDRUM_MYSQL_PASSWORD"),
        database: database.into(),
        encryption: None,
        character_set: CharacterSet::LATIN1,
        is_ours: false,
    }
}

/// A session in a schema of the calling test's own.
pub fn open(test: &str) -> Session {
    let patience = Duration::from_secs(60);
    let schema = format!("{SCHEMA}_{test}");
    let mut session = connect(&target(""), patience).expect("connects");
    session.query(&format!("DROP DATABASE IF EXISTS {schema}")).expect("drops");
    session.query(&format!("CREATE DATABASE {schema}")).expect("creates");
    connect(&target(&schema), patience).expect("connects")
}

/// Leaves nothing behind.
pub fn done(mut session: Session, test: &str) {
    session.query(&format!("DROP DATABASE {SCHEMA}_{test}")).expect("drops");
}

/// The empty table.
pub fn create(session: &mut Session) {
    let columns = "k INTEGER NOT NULL, c CHAR(120) NOT NULL, pad CHAR(60) NOT NULL";
    let (id, options) = (InnoDb::default().serial_primary_key(), InnoDb::default().table_options());
    session.query("DROP TABLE IF EXISTS sbtest1").expect("drops");
    session.query(&format!("CREATE TABLE sbtest1 (id {id}, {columns}) {options}")).expect("creates");
}

/// Rows whose values follow from their number.
pub struct Numbers(pub u64, pub u64);

impl RowSource for Numbers {
    fn next_row(&mut self, row: &mut Vec<u8>) -> bool {
        if self.0 == self.1 {
            return false;
        }
        self.0 += 1;
        let number = self.0;
        row.extend_from_slice(
            format!("{}\tit's {number:0113}\tpad-{number:055}", number * 7 % 1000).as_bytes(),
        );
        true
    }
}

/// The table as a workload makes it.
pub fn load(session: &mut Session, rows: u64) {
    create(session);
    assert_eq!(session.load("sbtest1", &["k", "c", "pad"], &mut Numbers(0, rows)).expect("loads"), rows);
    session.query("CREATE INDEX k_1 ON sbtest1 (k)").expect("indexes");
    for sql in InnoDb::default().settle(&["sbtest1".into()]) {
        session.query(&sql).unwrap_or_else(|fault| panic!("{sql}: {fault}"));
    }
}

/// The values of the only row.
pub fn single(session: &mut Session, sql: &str) -> Vec<String> {
    let rows = session.query(sql).unwrap_or_else(|fault| panic!("{sql}: {fault}"));
    assert_eq!(rows.len(), 1, "{sql}");
    rows.into_iter().flatten().map(Option::unwrap_or_default).collect()
}
