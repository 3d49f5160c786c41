//! The sysbench microbenchmarks, as the Small Datum blog runs them: the same tables, statements, names and
//! order. Each test repeats one small operation, so that a change in one part of a server shows in one place.
//!
//! `definitions/` has the tables of tests, `data.rs` makes the rows, and `statements.rs` has the SQL. `read_client.rs`
//! and `write_client.rs` do the operations. `settle.rs` reads the state after writes.

mod data;
mod definitions;
mod load;
mod read_client;
mod refill;
mod runner;
mod samples;
mod settle;
mod statements;
mod totals;
mod walk;
mod write_client;

use humdrum_contract::{
    Client, Clock, Connection, Dialect, Interrupt, Outcome, Progress, Seat, Server, Workload,
};
use humdrum_model::{Contents, Fault, Interface, LoadFacts, Quantity, Scale, TestInfo};

use definitions::{Shape, Write};

/// The suite, for `--suite sysbench`.
pub struct Sysbench;

/// Heap and index bytes of one row: 24 of header, 4 + 4 of ids, 121 + 61 of text, about 40 in two indexes.
const BYTES_PER_ROW: u64 = 260;

impl Workload for Sysbench {
    fn name(&self) -> &'static str {
        "sysbench"
    }

    fn about(&self) -> &'static str {
        "the sysbench microbenchmarks: point, range and aggregate reads, and writes"
    }

    fn interface(&self) -> Interface {
        Interface::Sql
    }

    fn tests(&self, compat: bool) -> Vec<TestInfo> {
        definitions::infos(compat)
    }

    /// Reads, because they change no data and are decided in five minutes.
    fn tests_default(&self) -> &'static str {
        "read"
    }

    fn scales(&self) -> Vec<Scale> {
        let scale =
            |name: &str, rows| Scale { name: name.into(), rows, tables: 1, clients: 1, ..Scale::default() };
        vec![
            scale("tiny", 20_000),
            // The B-tree of a Postgres primary key has three levels from 149,000 rows on, like tables in production.
            // Releases often differ in the cost of a level. More rows would only add noise.
            scale("small", 160_000),
            scale("medium", 1_000_000),
            scale("large", 10_000_000),
        ]
    }

    fn resize(&self, scale: &mut Scale, bytes: u64) -> Outcome<()> {
        scale.rows = (bytes / u64::from(scale.tables.max(1)) / BYTES_PER_ROW).next_multiple_of(1000);
        Ok(())
    }

    fn bytes(&self, scale: &Scale) -> u64 {
        scale.rows * u64::from(scale.tables) * BYTES_PER_ROW
    }

    fn load(
        &self,
        server: &mut dyn Server,
        scale: &Scale,
        seed: u64,
        progress: &dyn Progress,
        interrupt: &Interrupt,
    ) -> Outcome<LoadFacts> {
        load::load(server, scale, seed, progress, interrupt)
    }

    fn prewarm(&self, server: &mut dyn Server, scale: &Scale) -> Outcome<()> {
        load::prewarm(server, scale)
    }

    fn inspect(&self, server: &mut dyn Server, scale: &Scale) -> Outcome<Option<LoadFacts>> {
        load::inspect(server, scale).map(Some)
    }

    fn client(
        &self,
        seat: &Seat<'_>,
        connection: Connection,
        dialect: Option<&dyn Dialect>,
    ) -> Outcome<Box<dyn Client>> {
        let definition = definitions::find(seat.test);
        let definition =
            definition.ok_or_else(|| Fault::usage(format!("no test `{}` in sysbench", seat.test)))?;
        let (session, dialect) = (connection.into_sql()?, spoken(dialect)?);
        match definition.shape {
            Shape::Read(read) => read_client::open(read, session, dialect, seat),
            Shape::Write(write) => write_client::open(write, session, dialect, seat),
        }
    }

    fn most_operations(&self, test: &str, scale: &Scale) -> Option<u64> {
        let deletes = definitions::find(test)?.shape == Shape::Write(Write::Delete);
        deletes.then(|| write_client::most_deletes(scale))
    }

    fn state(
        &self,
        connection: &mut Connection,
        dialect: Option<&dyn Dialect>,
        scale: &Scale,
    ) -> Outcome<Vec<Quantity>> {
        settle::state(connection.sql()?, spoken(dialect)?, scale)
    }

    fn contents(
        &self,
        connection: &mut Connection,
        dialect: Option<&dyn Dialect>,
        scale: &Scale,
    ) -> Outcome<Option<Contents>> {
        settle::contents(connection.sql()?, spoken(dialect)?, scale).map(Some)
    }

    fn sample_statements(&self, test: &str, scale: &Scale) -> Vec<String> {
        samples::of(test, scale)
    }

    fn post_write(
        &self,
        connection: &mut Connection,
        dialect: Option<&dyn Dialect>,
        scale: &Scale,
        clock: &dyn Clock,
        interrupt: &Interrupt,
    ) -> Outcome<()> {
        settle::post_write(connection.sql()?, spoken(dialect)?, scale, clock, interrupt)
    }
}

/// The dialect, or a fault for engines without SQL.
fn spoken(dialect: Option<&dyn Dialect>) -> Outcome<&dyn Dialect> {
    dialect.ok_or_else(|| Fault::usage("sysbench needs an engine that speaks SQL"))
}

/// Names of the tables at a scale.
fn tables(scale: &Scale) -> Vec<String> {
    (1..=scale.tables).map(|number| format!("sbtest{number}")).collect()
}
