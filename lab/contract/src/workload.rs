//! A workload: loads data and defines one operation of each of its tests.

use std::ops::Range;

use humdrum_model::{Contents, Fault, Interface, LoadFacts, Quantity, Scale, TestInfo};

use crate::{Answer, Clock, Connection, Dialect, Engine, Interrupt, Outcome, Progress, Server, Steps};

/// A suite of tests over one data set.
pub trait Workload: Send + Sync {
    /// The name for `--suite`.
    fn name(&self) -> &str;
    /// One line.
    fn about(&self) -> &str;
    /// Identifies the content of a user's own workload; `None` for those of this program.
    fn fingerprint(&self) -> Option<&str> {
        None
    }
    /// The interface that an engine must have.
    fn interface(&self) -> Interface;
    /// All tests, in the order of reports; `phase` says when each runs. With `compat`, like the reference.
    fn tests(&self, compat: bool) -> Vec<TestInfo>;
    /// The test or group that runs if a user names none.
    fn tests_default(&self) -> &'static str {
        "all"
    }
    /// Named scales, smallest first.
    fn scales(&self) -> Vec<Scale>;
    /// Numbers that a scale may have beside those of the named ones, which leave them as they usually are.
    fn further_numbers(&self) -> &'static [&'static str] {
        &[]
    }
    /// Completes a scale, or refuses it; `said` are the keys that the user gave.
    ///
    /// # Errors
    /// Usage.
    fn fit(&self, _scale: &mut Scale, _said: &[&str]) -> Outcome<()> {
        Ok(())
    }
    /// Sets the rows, and what follows from them, so that the data of all tables have about so many bytes.
    ///
    /// # Errors
    /// Usage: rows do not decide the size of the data.
    fn resize(&self, _scale: &mut Scale, _bytes: u64) -> Outcome<()> {
        let what = format!("the data of suite {} have no size that can be chosen", self.name());
        Err(Fault::usage(what).hint("name another scale"))
    }
    /// Whether an engine can run these tests, by all that is known before a server is started.
    ///
    /// # Errors
    /// Usage, with the place of what it cannot do.
    fn suits(&self, _engine: &dyn Engine, _tests: &[TestInfo]) -> Outcome<()> {
        Ok(())
    }
    /// The suite's steps, if its tests are whole steps and not one repeated operation.
    fn steps(&self) -> Option<&dyn Steps> {
        None
    }
    /// Connections that clients open to one subject at the same time.
    fn connections(&self, scale: &Scale) -> u32 {
        scale.clients
    }
    /// Bytes on disk, roughly, of one subject at a scale.
    fn bytes(&self, scale: &Scale) -> u64;
    /// (Re)creates the data: the same bytes for every subject and every time. Returns row count and checksum
    /// by the server's own arithmetic; the caller compares subjects.
    ///
    /// # Errors
    /// Any fault of the server; interrupted.
    fn load(
        &self,
        server: &mut dyn Server,
        scale: &Scale,
        seed: u64,
        progress: &dyn Progress,
        interrupt: &Interrupt,
    ) -> Outcome<LoadFacts>;
    /// Reads loaded data into the server's memory after a restart, and renews its statistics.
    ///
    /// # Errors
    /// Whatever the server says.
    fn prewarm(&self, server: &mut dyn Server, scale: &Scale) -> Outcome<()>;
    /// Row count and checksum of the data as after `load`, computed again for data from a copy; `None` if
    /// they cannot be computed.
    ///
    /// # Errors
    /// Whatever the server says.
    fn inspect(&self, _server: &mut dyn Server, _scale: &Scale) -> Outcome<Option<LoadFacts>> {
        Ok(None)
    }
    /// One client of one test over one connection.
    ///
    /// # Errors
    /// Any fault of the server when statements are prepared.
    fn client(
        &self,
        seat: &Seat<'_>,
        connection: Connection,
        dialect: Option<&dyn Dialect>,
    ) -> Outcome<Box<dyn Client>>;
    /// The largest number of operations in a slice of a test, guard included; for tests that use up the data.
    fn most_operations(&self, _test: &str, _scale: &Scale) -> Option<u64> {
        None
    }
    /// Sizes of the data, and the server's debt for it. Cheap.
    ///
    /// # Errors
    /// Whatever the server says.
    fn state(
        &self,
        _connection: &mut Connection,
        _dialect: Option<&dyn Dialect>,
        _scale: &Scale,
    ) -> Outcome<Vec<Quantity>> {
        Ok(Vec::new())
    }
    /// Rows and checksum: equal for all subjects that did the same work. Reads everything.
    ///
    /// # Errors
    /// Whatever the server says.
    fn contents(
        &self,
        _connection: &mut Connection,
        _dialect: Option<&dyn Dialect>,
        _scale: &Scale,
    ) -> Outcome<Option<Contents>> {
        Ok(None)
    }
    /// How many conditions the data must meet after all work, whatever the order of operations.
    fn conditions(&self) -> usize {
        0
    }
    /// Checks these conditions on a server whose clients are done. May read everything.
    ///
    /// # Errors
    /// A wrong answer, if one does not hold; whatever the server says.
    fn check_conditions(
        &self,
        _connection: &mut Connection,
        _dialect: Option<&dyn Dialect>,
        _scale: &Scale,
    ) -> Outcome<()> {
        Ok(())
    }
    /// Statements of a test with typical arguments, for query plans. Statements without a plan (BEGIN, INSERT
    /// of values) are left out.
    fn sample_statements(&self, _test: &str, _scale: &Scale) -> Vec<String> {
        Vec::new()
    }
    /// The post-write step: makes the server pay its debt, and returns when that is done.
    ///
    /// # Errors
    /// Any fault of the server; a timeout when a debt is not paid in time; interrupted.
    fn post_write(
        &self,
        _connection: &mut Connection,
        _dialect: Option<&dyn Dialect>,
        _scale: &Scale,
        _clock: &dyn Clock,
        _interrupt: &Interrupt,
    ) -> Outcome<()> {
        Ok(())
    }
}

/// The test and options that a client is made for.
#[derive(Clone, Copy, Debug)]
pub struct Seat<'a> {
    /// The test's name.
    pub test: &'a str,
    /// Data and clients.
    pub scale: &'a Scale,
    /// Number of the client, below `scale.clients`.
    pub number: u32,
    /// As the reference does it.
    pub compat: bool,
}

/// An operation: its seed and number determine all that it does, on every subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// A random number of its own.
    pub seed: u64,
    /// Its number within (test, session), from 0 without gaps, uncounted operations included. Tests that use
    /// up the data choose rows by it.
    pub number: u64,
}

/// Operations that are done in one call: `count` of them, from `first` on. Numbers increase by one, seeds by
/// `seed_step`, wrapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The first.
    pub first: Operation,
    /// From one seed to the next.
    pub seed_step: u64,
    /// How many.
    pub count: u64,
}

/// The result of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchDone {
    /// Rows, returned or changed.
    pub rows: u64,
    /// From the first operation's start to the last one's end, ns.
    pub wall_ns: u64,
}

/// Repeats one operation over one connection.
pub trait Client: Send {
    /// Whether operations are so short that they run in batches, by `operate_batch`, in the engine's process.
    fn takes_batches(&self) -> bool {
        false
    }
    /// Does a batch; `latency` takes (highest ns of a bucket, operations in it). Called only if
    /// `takes_batches`.
    ///
    /// # Errors
    /// As `operate`.
    fn operate_batch(&mut self, _batch: &Batch, _latency: &mut dyn FnMut(u64, u64)) -> Outcome<BatchDone> {
        Err(Fault::usage("this client does one operation at a time"))
    }
    /// Does an operation: the same statements on every subject. Returns rows, returned or changed.
    ///
    /// # Errors
    /// Crash, timeout, or what the server said.
    fn operate(&mut self, operation: Operation) -> Outcome<u64>;
    /// How many kinds of operations the test is a mix of.
    fn scripts(&self) -> usize {
        1
    }
    /// The kind of the last operation, from 0: its place in the test's `scripts`.
    fn script(&self) -> usize {
        0
    }
    /// As `operate`, with a checksum of the rows. Not measured.
    ///
    /// # Errors
    /// As `operate`.
    fn operate_checked(&mut self, operation: Operation) -> Outcome<Answer>;
    /// Prepares the data for operations of these numbers, so that each of them finds the rows that it
    /// changes. Called on client 0 before each slice of a test that writes. Not measured.
    ///
    /// # Errors
    /// As `operate`.
    fn make_ready(&mut self, _numbers: Range<u64>) -> Outcome<()> {
        Ok(())
    }
    /// The server process or thread that serves it, where the host can see it.
    fn server_process(&self) -> Option<u32>;
}
