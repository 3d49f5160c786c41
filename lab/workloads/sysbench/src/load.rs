//! Creating, filling and checking the tables.

use std::time::{Duration, Instant};

use humdrum_contract::{Dialect, Interrupt, Outcome, Progress, Server, SqlSession, Update};
use humdrum_model::{Contents, Fault, FaultKind, LoadFacts, Scale};
use humdrum_workload_common::whole_number;

use crate::data::{COLUMNS, Rows};
use crate::tables;
use crate::totals::sum;

/// Timeout of one statement in a load. The largest scale is loaded in minutes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3600);

pub(crate) fn load(
    server: &mut dyn Server,
    scale: &Scale,
    seed: u64,
    progress: &dyn Progress,
    interrupt: &Interrupt,
) -> Outcome<LoadFacts> {
    let began = Instant::now();
    let mut session = server.connect(PATIENCE)?.into_sql()?;
    let dialect = server.dialect().ok_or_else(|| Fault::usage("sysbench needs SQL"))?;
    for (number, table) in tables(scale).iter().enumerate() {
        create(&mut *session, dialect, table)?;
        fill(&mut *session, table, number as u64, scale, seed, interrupt)
            .map_err(|fault| fault.at(table.clone()))?;
        let done = (number as u64 + 1) * scale.rows;
        let total = Some(scale.rows * u64::from(scale.tables));
        progress.update(Update::Part { what: "load", done, total, unit: "rows" });
    }
    for statement in dialect.settle(&tables(scale)) {
        session.query(&statement)?;
    }
    let mut facts = sums(&mut *session, dialect, scale)?;
    facts.seconds = began.elapsed().as_secs_f64();
    Ok(facts)
}

fn create(session: &mut dyn SqlSession, dialect: &dyn Dialect, table: &str) -> Outcome<()> {
    session.query(&format!("DROP TABLE IF EXISTS {table}"))?;
    let (id, options) = (dialect.serial_primary_key(), dialect.table_options());
    session.query(&format!(
        "CREATE TABLE {table} (id {id}, k INTEGER DEFAULT 0 NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, \
         pad CHAR(60) DEFAULT '' NOT NULL) {options}"
    ))?;
    Ok(())
}

/// Loads the rows, then builds the secondary index, as the reference does.
fn fill(
    session: &mut dyn SqlSession,
    table: &str,
    number: u64,
    scale: &Scale,
    seed: u64,
    interrupt: &Interrupt,
) -> Outcome<()> {
    let watch = interrupt.clone();
    let mut rows = Rows::new(seed, number, scale.rows, Box::new(move |_| !watch.is_set()));
    let loaded = session.load(table, &COLUMNS, &mut rows)?;
    interrupt.check()?;
    if loaded != scale.rows {
        let what = format!("the server says that it loaded {loaded} of {} rows", scale.rows);
        return Err(Fault::new(FaultKind::WrongAnswer, what));
    }
    session.query(&format!("CREATE INDEX k_{} ON {table} (k)", number + 1))?;
    Ok(())
}

/// The facts of data that were loaded before.
pub(crate) fn inspect(server: &mut dyn Server, scale: &Scale) -> Outcome<LoadFacts> {
    let mut session = server.connect(PATIENCE)?.into_sql()?;
    let dialect = server.dialect().ok_or_else(|| Fault::usage("sysbench needs SQL"))?;
    sums(&mut *session, dialect, scale)
}

/// Row count and checksum by the server's own arithmetic, and the size.
fn sums(session: &mut dyn SqlSession, dialect: &dyn Dialect, scale: &Scale) -> Outcome<LoadFacts> {
    let Contents { rows, checksum } = sum(session, scale, |table| dialect.table_checksum(table))?;
    let mut facts = LoadFacts { rows, checksum, ..LoadFacts::default() };
    for table in tables(scale) {
        facts.bytes += whole_number(&session.query(&dialect.table_bytes(&table))?, 0)? as u64;
    }
    Ok(facts)
}

pub(crate) fn prewarm(server: &mut dyn Server, scale: &Scale) -> Outcome<()> {
    let mut session = server.connect(PATIENCE)?.into_sql()?;
    let dialect = server.dialect().ok_or_else(|| Fault::usage("sysbench needs SQL"))?;
    for table in tables(scale) {
        for statement in dialect.prewarm(&table) {
            session.query(&statement)?;
        }
    }
    Ok(())
}
