//! The sysbench microbenchmarks, as the Small Datum blog runs them: the same tables, statements, names and
//! order. Each test repeats one small operation, so that a change in one part of a server shows in one place.
//!
//! `definitions.rs` is the table of tests, `data.rs` makes the rows, `client.rs` does the operations.

mod client;
mod data;
mod definitions;
mod load;
mod random;

use humdrum_contract::{Client, Connection, Dialect, Interrupt, Outcome, Progress, Server, Workload};
use humdrum_model::{Fault, Interface, LoadFacts, Scale, TestInfo};

/// The suite, for `--suite sysbench`.
pub struct Sysbench;

/// Heap and index bytes of one row: 24 of header, 4 + 4 of ids, 121 + 61 of text, about 40 in two indexes.
const BYTES_PER_ROW: u64 = 260;

impl Workload for Sysbench {
    fn name(&self) -> &'static str {
        "sysbench"
    }

    fn about(&self) -> &'static str {
        "the sysbench microbenchmarks: point, range and aggregate reads"
    }

    fn interface(&self) -> Interface {
        Interface::Sql
    }

    fn tests(&self) -> Vec<TestInfo> {
        definitions::table().iter().map(definitions::Definition::info).collect()
    }

    fn scales(&self) -> Vec<Scale> {
        let scale = |name: &str, rows| Scale { name: name.into(), rows, tables: 1, clients: 1 };
        vec![
            scale("tiny", 20_000),
            scale("small", 100_000),
            scale("medium", 1_000_000),
            scale("large", 10_000_000),
        ]
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

    fn client(
        &self,
        test: &str,
        connection: Connection,
        dialect: Option<&dyn Dialect>,
        scale: &Scale,
        number: u32,
    ) -> Outcome<Box<dyn Client>> {
        let definition = definitions::table().iter().find(|definition| definition.name == test);
        let definition = definition.ok_or_else(|| Fault::usage(format!("no test `{test}` in sysbench")))?;
        let dialect = dialect.ok_or_else(|| Fault::usage("sysbench needs an engine that speaks SQL"))?;
        client::open(definition, connection.into_sql()?, dialect, scale, number)
    }
}

/// Names of the tables at a scale.
fn tables(scale: &Scale) -> Vec<String> {
    (1..=scale.tables).map(|number| format!("sbtest{number}")).collect()
}
