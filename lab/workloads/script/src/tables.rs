//! The tables of a user's own workload: creating and filling them, their sums, their state.

use std::sync::Arc;
use std::time::{Duration, Instant};

use humdrum_contract::{Dialect, Interrupt, Outcome, Progress, SchemaSql, Server, SqlSession, Update};
use humdrum_model::{Contents, Fault, LoadFacts, Quantity};
use humdrum_workload_common::{quantities, whole_number};

use crate::client::no_schema;
use crate::data;
use crate::dump::{self, Dump, Setter, Statistics};
use crate::folder::Folder;
use crate::machine::Machine;
use crate::parse::{Action, Script};

/// Timeout of one statement of a load.
const PATIENCE: Duration = Duration::from_secs(3600);

/// How the engine treats such tables.
pub(crate) fn schema_sql(dialect: Option<&dyn Dialect>) -> Outcome<SchemaSql> {
    dialect.and_then(Dialect::schema).ok_or_else(no_schema)
}

/// Makes the tables anew and fills them.
pub(crate) fn load(
    folder: &Folder,
    server: &mut dyn Server,
    (scale, seed): (u64, u64),
    progress: &dyn Progress,
    interrupt: &Interrupt,
) -> Outcome<LoadFacts> {
    let started = Instant::now();
    let mut session = server.connect(PATIENCE)?.into_sql()?;
    let session = &mut *session;
    let sql = schema_sql(server.dialect())?;
    sql.begin(session)?;
    if let Some(schema) = name(&session.query(sql.schema)?) {
        (sql.empty)(&schema).iter().try_for_each(|statement| session.query(statement).map(drop))?;
    }
    let tell = |what, unit| {
        move |done, total| {
            progress.update(Update::Part { what, done, total: Some(total), unit });
            interrupt.check()
        }
    };
    let mut setters = Vec::new();
    match &folder.dump {
        Some(dump) => setters = restore(dump, &*server, &sql, progress, interrupt)?,
        None => run(folder.schema(sql.names)?, session, (scale, seed), &mut tell("schema", "statements"))?,
    }
    if !folder.data.is_empty() {
        data::load(&folder.data, session, (scale, seed), &mut tell("data", "rows"))?;
    }
    if let Some(script) = folder.load(sql.names) {
        run(script, session, (scale, seed), &mut tell("load", "statements"))?;
    }
    let tables = tables(session, &sql)?;
    if !tables.is_empty() {
        (sql.settle)(&tables).iter().try_for_each(|statement| session.query(statement).map(drop))?;
    }
    // Behind what would renew them.
    if folder.statistics == Statistics::Import {
        dump::set_statistics(&setters, session)?;
    }
    let mut facts = facts(session, server.dialect(), &sql)?;
    facts.seconds = started.elapsed().as_secs_f64();
    Ok(facts)
}

/// Restores a dump over a session of its own: it changes settings that statements after it count on.
fn restore(
    dump: &Dump,
    server: &dyn Server,
    sql: &SchemaSql,
    progress: &dyn Progress,
    interrupt: &Interrupt,
) -> Outcome<Vec<Setter>> {
    if server.data_folder().is_none() {
        let what = "a dump is not restored on a server that is not humdrum's: it names schemas of its own";
        return Err(
            Fault::usage(what).hint("name a release, as postgres@17.7; or write schema.sql and load.sql")
        );
    }
    let mut session = server.connect(PATIENCE)?.into_sql()?;
    sql.begin(&mut *session)?;
    dump::restore(dump, &mut *session, progress, interrupt)
}

/// Runs a script once; `tell` hears how many of its statements are behind.
fn run(
    script: &Script,
    session: &mut dyn SqlSession,
    (scale, seed): (u64, u64),
    tell: &mut dyn FnMut(u64, u64) -> Outcome<()>,
) -> Outcome<()> {
    let total = script.statements().count() as u64;
    let mut machine = Machine::new(Arc::new(script.clone()), 0, scale);
    let (mut text, mut done) = (String::new(), 0);
    machine.begin(seed);
    while let Some(command) = machine.next()? {
        tell(done, total)?;
        let command = &script.commands[command];
        let Action::Sql(sql) = &command.action else { continue };
        let here = |fault: Fault| fault.at(command.place.clone());
        machine.write(&sql.spoken_by_all(), &mut text).map_err(here)?;
        match &sql.keep {
            Some(keep) => {
                let fetched = session.fetch_text(&text).map_err(here)?;
                machine.keep(keep, &fetched).map_err(here)?;
            }
            None => drop(session.query(&text).map_err(here)?),
        }
        done += 1;
    }
    tell(total, total)
}

/// The tables' names.
pub(crate) fn tables(session: &mut dyn SqlSession, sql: &SchemaSql) -> Outcome<Vec<String>> {
    Ok(session.query(sql.tables)?.iter().filter_map(|row| row.first().cloned().flatten()).collect())
}

fn name(rows: &[Vec<Option<String>>]) -> Option<String> {
    rows.first().and_then(|row| row.first().cloned().flatten())
}

/// Rows, checksum and size.
pub(crate) fn facts(
    session: &mut dyn SqlSession,
    dialect: Option<&dyn Dialect>,
    sql: &SchemaSql,
) -> Outcome<LoadFacts> {
    let Contents { rows, checksum } = contents(session, sql)?;
    let mut facts = LoadFacts { rows, checksum, ..LoadFacts::default() };
    for table in tables(session, sql)? {
        let size = dialect.map(|dialect| dialect.table_bytes(&table)).unwrap_or_default();
        facts.bytes += whole_number(&session.query(&size)?, 0)? as u64;
    }
    Ok(facts)
}

/// Rows and one checksum of all tables.
pub(crate) fn contents(session: &mut dyn SqlSession, sql: &SchemaSql) -> Outcome<Contents> {
    let columns = session.query(sql.columns)?;
    let (mut rows, mut sum) = (0, 0_u128);
    for table in tables(session, sql)? {
        let own = columns.iter().filter(|row| row.first().and_then(Option::as_deref) == Some(&*table));
        let own: Vec<String> = own.filter_map(|row| row.get(1).cloned().flatten()).collect();
        let answer = session.query(&(sql.checksum)(&table, &own))?;
        rows += whole_number(&answer, 0)? as u64;
        sum = sum.wrapping_mul(31).wrapping_add(whole_number(&answer, 1)?);
    }
    Ok(Contents { rows, checksum: format!("{sum:x}") })
}

/// Renews the statistics of all tables. Reading them into memory is left to the sums that follow.
pub(crate) fn renew_statistics(server: &mut dyn Server) -> Outcome<()> {
    let mut session = server.connect(PATIENCE)?.into_sql()?;
    let sql = schema_sql(server.dialect())?;
    for table in tables(&mut *session, &sql)? {
        session.query(&(sql.analyze)(&table))?;
    }
    Ok(())
}

/// The facts of tables that were filled before.
pub(crate) fn inspect(server: &mut dyn Server) -> Outcome<LoadFacts> {
    let mut session = server.connect(PATIENCE)?.into_sql()?;
    facts(&mut *session, server.dialect(), &schema_sql(server.dialect())?)
}

/// Quantities of the tables, added up by name, then those of the server.
pub(crate) fn state(session: &mut dyn SqlSession, dialect: &dyn Dialect) -> Outcome<Vec<Quantity>> {
    let tables = tables(session, &schema_sql(Some(dialect))?)?;
    let gauges = tables.iter().flat_map(|table| dialect.table_state(table));
    quantities(session, gauges.chain(dialect.server_state()))
}
