//! Sorting byte keys in memory: a test for each of the sets of the skipsort bench. An operation sorts one draw of a set's
//! keys; a client makes its draws when it opens, so that no set but the one that is measured takes memory.

use std::time::{Duration, Instant};

use humdrum_contract::{
    Answer, Batch, BatchDone, Client, Connection, Dialect, Interrupt, Operation, Outcome, Progress, Seat,
    Server, SortBatch, SortKeys, SortSession, Workload,
};
use humdrum_model::{Fault, Interface, LoadFacts, Phase, Scale, TestInfo};
use skipsort_testkit::patterns::{ADVERSARIES, ORDERED, Pattern, SETS};

/// The suite, for `--suite sort`.
pub struct Sort;

/// The group of the sets that make up the published geometric means.
const RESEMBLING_DATA: &str = "sets";

/// Rows of all draws together, where one draw has fewer.
const ROWS_OF_ALL_DRAWS: u64 = 1 << 18;
const DRAWS_MAX: u64 = 256;

/// Making the largest draws takes seconds.
const PATIENCE: Duration = Duration::from_secs(600);

/// All sets with their groups, in the order of reports.
fn sets() -> impl Iterator<Item = (&'static str, &'static Pattern)> {
    let of = |group, patterns: &'static [Pattern]| patterns.iter().map(move |pattern| (group, pattern));
    of(RESEMBLING_DATA, SETS).chain(of("ordered", ORDERED)).chain(of("adversaries", ADVERSARIES))
}

fn info(group: &str, pattern: &Pattern) -> TestInfo {
    TestInfo {
        name: pattern.name.into(),
        group: group.into(),
        operation: format!("one sort of keys: {}", pattern.about),
        statements: 1,
        writes: false,
        // A million rows take a slower sort half a second.
        long: true,
        phase: Phase::Fresh,
        ..TestInfo::default()
    }
}

fn keys(set: &str, scale: &Scale) -> SortKeys {
    let draws = (ROWS_OF_ALL_DRAWS / scale.rows.max(1)).clamp(1, DRAWS_MAX);
    SortKeys { set: set.to_owned(), rows: scale.rows, draws }
}

impl Workload for Sort {
    fn name(&self) -> &'static str {
        "sort"
    }

    fn about(&self) -> &'static str {
        "sorting byte keys in memory: URLs, paths, UUIDs, log lines, keys of a DBMS"
    }

    fn interface(&self) -> Interface {
        Interface::Sort
    }

    fn tests(&self, _compat: bool) -> Vec<TestInfo> {
        sets().map(|(group, pattern)| info(group, pattern)).collect()
    }

    fn tests_default(&self) -> &'static str {
        RESEMBLING_DATA
    }

    fn scales(&self) -> Vec<Scale> {
        let scale =
            |name: &str, rows| Scale { name: name.into(), rows, tables: 1, clients: 1, ..Scale::default() };
        vec![
            scale("tiny", 1_000),
            scale("small", 10_000),
            scale("medium", 100_000),
            scale("large", 1_000_000),
        ]
    }

    fn fit(&self, scale: &mut Scale, _said: &[&str]) -> Outcome<()> {
        if scale.tables != 1 {
            return Err(Fault::usage("a sort has no tables").hint("give rows alone: --scale rows=100000"));
        }
        Ok(())
    }

    /// Nothing is written to disk.
    fn bytes(&self, _scale: &Scale) -> u64 {
        0
    }

    /// Tells the worker the seed of all keys. Clients make their own; those of the first set prove that all subjects make
    /// the same.
    fn load(
        &self,
        server: &mut dyn Server,
        scale: &Scale,
        seed: u64,
        _progress: &dyn Progress,
        interrupt: &Interrupt,
    ) -> Outcome<LoadFacts> {
        interrupt.check()?;
        let began = Instant::now();
        let mut session = server.connect(PATIENCE)?.into_sort()?;
        session.seed(seed)?;
        let made = session.make(&keys(SETS[0].name, scale))?;
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
        let mut session = connection.into_sort()?;
        session.make(&keys(seat.test, seat.scale))?;
        Ok(Box::new(SortClient(session)))
    }
}

struct SortClient(Box<dyn SortSession>);

fn single(operation: Operation, checked: bool) -> SortBatch {
    SortBatch { first_seed: operation.seed, seed_step: 0, count: 1, checked }
}

impl Client for SortClient {
    fn takes_batches(&self) -> bool {
        true
    }

    fn operate_batch(&mut self, batch: &Batch, latency: &mut dyn FnMut(u64, u64)) -> Outcome<BatchDone> {
        let &Batch { first, seed_step, count } = batch;
        let batch = SortBatch { first_seed: first.seed, seed_step, count, checked: false };
        let done = self.0.run(&batch, latency)?;
        Ok(BatchDone { rows: done.rows, wall_ns: done.wall_ns })
    }

    fn operate(&mut self, operation: Operation) -> Outcome<u64> {
        self.0.run(&single(operation, false), &mut |_, _| {}).map(|done| done.rows)
    }

    fn operate_checked(&mut self, operation: Operation) -> Outcome<Answer> {
        let done = self.0.run(&single(operation, true), &mut |_, _| {})?;
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
    fn few_rows_have_many_draws_and_many_rows_one() {
        let draws = |rows| keys("uuid", &Scale { rows, ..Scale::default() }).draws;
        assert_eq!([1, 1_000, 10_000, 1_000_000].map(draws), [256, 256, 26, 1]);
    }

    #[test]
    fn every_set_is_a_test_and_the_default_ones_are_seventeen() {
        let tests = Sort.tests(false);
        assert_eq!(tests.iter().filter(|test| test.group == Sort.tests_default()).count(), 17);
        let mut names: Vec<&str> = tests.iter().map(|test| test.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), tests.len(), "names are told apart");
    }

    #[test]
    fn tables_are_refused() {
        let mut scale = Scale { rows: 10, tables: 2, ..Scale::default() };
        assert_eq!(Sort.fit(&mut scale, &["tables"]).expect_err("refused").exit_code(), 2);
    }
}
