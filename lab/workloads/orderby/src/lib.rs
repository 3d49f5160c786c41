//! Ordered queries: a test for each of the ways in which users order a table. An operation is one query, from its text to its
//! last row. `queries.rs` is the table of tests; README.md is for users.

mod queries;

use std::time::{Duration, Instant};

use humdrum_contract::{
    Answer, Batch, BatchDone, Client, Connection, Dialect, Interrupt, Operation, OrderBatch, OrderSession,
    OrderTable, Outcome, Progress, Seat, Server, Update, Workload,
};
use humdrum_model::{Fault, Interface, LoadFacts, Scale, TestInfo};

/// The suite, for `--suite orderby`.
pub struct OrderBy;

/// Making the largest table takes a minute.
const PATIENCE: Duration = Duration::from_secs(900);

/// Bytes of a row's values, measured: URLs and names differ.
const ROW_BYTES: u64 = 218;

impl Workload for OrderBy {
    fn name(&self) -> &'static str {
        "orderby"
    }

    fn about(&self) -> &'static str {
        "ORDER BY over one table: a string, several columns, wide rows, LIMIT, the first row, little memory"
    }

    fn interface(&self) -> Interface {
        Interface::OrderBy
    }

    fn tests(&self, _compat: bool) -> Vec<TestInfo> {
        queries::TABLE.iter().map(queries::Test::info).collect()
    }

    fn scales(&self) -> Vec<Scale> {
        let scale =
            |name: &str, rows| Scale { name: name.into(), rows, tables: 1, clients: 1, ..Scale::default() };
        vec![
            scale("tiny", 10_000),
            scale("small", 100_000),
            scale("medium", 1_000_000),
            scale("large", 10_000_000),
        ]
    }

    fn fit(&self, scale: &mut Scale, _said: &[&str]) -> Outcome<()> {
        if scale.tables != 1 {
            return Err(
                Fault::usage("suite orderby has one table").hint("give rows alone: --scale rows=1000000")
            );
        }
        Ok(())
    }

    fn resize(&self, scale: &mut Scale, bytes: u64) -> Outcome<()> {
        scale.rows = (bytes / ROW_BYTES).next_multiple_of(1000);
        Ok(())
    }

    /// The table, and what `spill` writes.
    fn bytes(&self, scale: &Scale) -> u64 {
        scale.rows * ROW_BYTES * 3
    }

    fn load(
        &self,
        server: &mut dyn Server,
        scale: &Scale,
        seed: u64,
        progress: &dyn Progress,
        interrupt: &Interrupt,
    ) -> Outcome<LoadFacts> {
        interrupt.check()?;
        let began = Instant::now();
        progress.update(Update::Detail("making the table"));
        let mut session = server.connect(PATIENCE)?.into_orderby()?;
        let made = session.make(&OrderTable { rows: scale.rows, seed })?;
        Ok(LoadFacts {
            rows: made.rows,
            checksum: format!("{:x}", made.checksum),
            bytes: made.bytes,
            seconds: began.elapsed().as_secs_f64(),
            ..LoadFacts::default()
        })
    }

    fn prewarm(&self, _server: &mut dyn Server, _scale: &Scale) -> Outcome<()> {
        Ok(())
    }

    fn client(
        &self,
        seat: &Seat<'_>,
        connection: Connection,
        _dialect: Option<&dyn Dialect>,
    ) -> Outcome<Box<dyn Client>> {
        let test = queries::TABLE.iter().find(|test| test.name == seat.test);
        let test = test.ok_or_else(|| Fault::usage(format!("no test `{}` in orderby", seat.test)))?;
        let mut session = connection.into_orderby()?;
        session.choose(&test.query())?;
        Ok(Box::new(OrderClient(session)))
    }
}

/// Every operation is the same query, whatever its seed.
struct OrderClient(Box<dyn OrderSession>);

impl Client for OrderClient {
    fn takes_batches(&self) -> bool {
        true
    }

    fn operate_batch(&mut self, batch: &Batch, latency: &mut dyn FnMut(u64, u64)) -> Outcome<BatchDone> {
        let done = self.0.run(&OrderBatch { count: batch.count, checked: false }, latency)?;
        Ok(BatchDone { rows: done.rows, wall_ns: done.wall_ns })
    }

    fn operate(&mut self, _operation: Operation) -> Outcome<u64> {
        let batch = OrderBatch { count: 1, checked: false };
        self.0.run(&batch, &mut |_, _| {}).map(|done| done.rows)
    }

    fn operate_checked(&mut self, _operation: Operation) -> Outcome<Answer> {
        let done = self.0.run(&OrderBatch { count: 1, checked: true }, &mut |_, _| {})?;
        Ok(Answer { rows: done.rows, checksum: done.checksum })
    }

    fn server_process(&self) -> Option<u32> {
        self.0.server_process()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_refused_and_bytes_are_rows() {
        let mut scale = Scale { rows: 10, tables: 2, ..Scale::default() };
        assert_eq!(OrderBy.fit(&mut scale, &["tables"]).expect_err("refused").exit_code(), 2);
        OrderBy.resize(&mut scale, 1 << 30).expect("a size");
        assert_eq!(scale.rows, 4_926_000);
        assert_eq!(OrderBy.bytes(&Scale { rows: 1_000, ..Scale::default() }), 654_000);
    }

    #[test]
    fn every_test_has_a_line_for_people() {
        let tests = OrderBy.tests(false);
        assert!(tests.len() == 7 && tests.iter().all(|test| test.operation.starts_with("one ORDER BY")));
    }
}
