//! The Insert Benchmark, as the Small Datum blog runs it: ten whole steps over tables that are used as queues.
//!
//! ```text
//!   l.i0     insert X rows                       100 rows a statement, no secondary indexes
//!   l.x      build three secondary indexes
//!   l.i1     insert Y, delete the Y oldest        50
//!   l.i2     insert Z, delete the Z oldest         5; then every engine does its housekeeping
//!   qr100    queries as fast as they go beside writers of 100 rows a second; qp100, qr500 … qp1000 alike
//! ```
//!
//! `table.rs` is the table of steps, `scale.rs` and `sizes.rs` have their sizes, `schema.rs` the tables and `rows.rs`
//! their rows. `streams.rs` has the statement streams of each client. `ids.rs` computes the ids after some steps, and
//! `verify.rs` compares them with the tables.

mod ids;
mod rows;
mod scale;
mod schema;
mod sizes;
mod streams;
mod table;
mod verify;

use humdrum_contract::{
    Client, ClientStreams, Clock, Connection, Dialect, Interrupt, Outcome, Progress, QueueSql, Seat, Server,
    StepSeat, StepWork, Steps, Workload,
};
use humdrum_model::{Contents, Fault, Interface, LoadFacts, Quantity, Scale, TestInfo};
use humdrum_workload_common::{housekeep, quantities};

use table::{Step, step};

/// The suite, for `--suite insert`.
pub struct Insert;

/// Bytes per row: payload, four indexes, and what engines add. The reference's tables are about as large.
const BYTES_PER_ROW: u64 = 260;

impl Workload for Insert {
    fn name(&self) -> &'static str {
        "insert"
    }

    fn about(&self) -> &'static str {
        "the Insert Benchmark: bulk steps over a queue, then range and point queries beside paced writers"
    }

    fn interface(&self) -> Interface {
        Interface::Sql
    }

    fn tests(&self, compat: bool) -> Vec<TestInfo> {
        table::TABLE.iter().map(|step| step.info(compat)).collect()
    }

    fn scales(&self) -> Vec<Scale> {
        scale::scales()
    }

    fn fit(&self, scale: &mut Scale, said: &[&str]) -> Outcome<()> {
        scale::fit(scale, said)
    }

    fn steps(&self) -> Option<&dyn Steps> {
        Some(self)
    }

    /// Inserts, deletes, queries and the look-up, each over a connection of its own.
    fn connections(&self, scale: &Scale) -> u32 {
        scale.clients * 4
    }

    fn resize(&self, scale: &mut Scale, bytes: u64) -> Outcome<()> {
        scale::resize(scale, bytes / u64::from(scale.tables.max(1)) / BYTES_PER_ROW);
        Ok(())
    }

    /// Deleted rows still take space for a while, so that half of them are counted.
    fn bytes(&self, scale: &Scale) -> u64 {
        let sizes = sizes::Sizes::of(scale);
        (sizes.x + (sizes.y + sizes.z) / 2) * u64::from(scale.tables) * BYTES_PER_ROW
    }

    /// Drops and creates the tables. The first step fills them.
    fn load(
        &self,
        server: &mut dyn Server,
        scale: &Scale,
        _seed: u64,
        _progress: &dyn Progress,
        _interrupt: &Interrupt,
    ) -> Outcome<LoadFacts> {
        let mut session = server.connect(schema::PATIENCE)?.into_sql()?;
        let queue = queue(server.dialect())?;
        for table in schema::tables(scale) {
            schema::create(&queue, &table).iter().try_for_each(|sql| session.query(sql).map(drop))?;
        }
        Ok(LoadFacts { checksum: "empty".to_owned(), ..LoadFacts::default() })
    }

    fn prewarm(&self, _server: &mut dyn Server, _scale: &Scale) -> Outcome<()> {
        Ok(())
    }

    fn client(
        &self,
        _seat: &Seat<'_>,
        _connection: Connection,
        _dialect: Option<&dyn Dialect>,
    ) -> Outcome<Box<dyn Client>> {
        Err(Fault::usage("the insert suite has whole steps, not single operations"))
    }

    fn state(
        &self,
        connection: &mut Connection,
        dialect: Option<&dyn Dialect>,
        scale: &Scale,
    ) -> Outcome<Vec<Quantity>> {
        let (sql, queue) = (speaking(dialect)?, queue(dialect)?);
        let of_table = |table: &String| {
            let mut gauges = sql.table_state(table);
            gauges.extend((queue.table_gauges)(table));
            gauges
        };
        let tables = schema::tables(scale);
        let gauges = tables.iter().flat_map(of_table);
        let of_server = sql.server_state().into_iter().chain((queue.server_gauges)());
        quantities(connection.sql()?, gauges.chain(of_server))
    }

    fn post_write(
        &self,
        connection: &mut Connection,
        dialect: Option<&dyn Dialect>,
        scale: &Scale,
        clock: &dyn Clock,
        interrupt: &Interrupt,
    ) -> Outcome<()> {
        let chores = speaking(dialect)?.post_write(&schema::tables(scale));
        housekeep(connection.sql()?, &chores, clock, interrupt)
    }
}

impl Steps for Insert {
    /// All bulk steps up to the last of `wanted`, because later steps work on their rows.
    fn needed(&self, wanted: Vec<TestInfo>, all: &[TestInfo]) -> Vec<TestInfo> {
        let is_wanted = |test: &TestInfo| wanted.iter().any(|one| one.name == test.name);
        let end = all.iter().rposition(is_wanted).map_or(0, |last| last + 1);
        let needed = all[..end].iter().filter(|test| test.group == table::BULK || is_wanted(test));
        needed.cloned().collect()
    }

    fn work(&self, test: &str, scale: &Scale, compat: bool) -> Outcome<StepWork> {
        step(test)?.work(scale, compat)
    }

    fn streams(
        &self,
        seat: &StepSeat<'_>,
        open: &mut dyn FnMut() -> Outcome<Connection>,
        dialect: Option<&dyn Dialect>,
    ) -> Outcome<Vec<ClientStreams>> {
        streams::all(seat, open, &queue(dialect)?)
    }

    fn queries(&self, test: &str, scale: &Scale, dialect: Option<&dyn Dialect>) -> Vec<String> {
        match (step(test), queue(dialect)) {
            (Ok(step), Ok(queue)) => streams::samples(step, scale, &queue),
            _ => Vec::new(),
        }
    }

    fn verify(
        &self,
        done: &[&str],
        seat: &StepSeat<'_>,
        connection: &mut Connection,
        dialect: Option<&dyn Dialect>,
    ) -> Outcome<Contents> {
        verify::verify(done, seat, connection.sql()?, &queue(dialect)?)
    }

    /// The reference's wait, shortened in proportion to its read-write steps.
    fn wait_seconds(&self, test: &str, scale: &Scale) -> Option<f64> {
        (test == table::LAST_BULK).then(|| scale::wait_seconds(scale))
    }

    fn seconds(&self, tests: &[TestInfo], scale: &Scale) -> f64 {
        let known: Vec<&Step> = tests.iter().filter_map(|test| step(&test.name).ok()).collect();
        scale::seconds(&known, scale)
    }
}

fn speaking(dialect: Option<&dyn Dialect>) -> Outcome<&dyn Dialect> {
    dialect.ok_or_else(|| Fault::usage("the insert suite needs an engine that speaks SQL"))
}

fn queue(dialect: Option<&dyn Dialect>) -> Outcome<QueueSql> {
    let queue = dialect.and_then(Dialect::queue);
    queue.ok_or_else(|| {
        Fault::usage("this engine does not say how it keeps a queue; the insert suite needs that")
    })
}
