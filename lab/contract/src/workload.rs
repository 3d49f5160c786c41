//! A workload: loads data and knows what one operation of each of its tests is.

use humdrum_model::{Interface, LoadFacts, Scale, TestInfo};

use crate::{Answer, Connection, Dialect, Interrupt, Outcome, Progress, Server};

/// A suite of tests over one data set.
pub trait Workload: Send + Sync {
    /// The name for `--suite`.
    fn name(&self) -> &'static str;
    /// One line.
    fn about(&self) -> &'static str;
    /// What an engine must speak.
    fn interface(&self) -> Interface;
    /// All tests, in the order in which they run.
    fn tests(&self) -> Vec<TestInfo>;
    /// Named scales, smallest first.
    fn scales(&self) -> Vec<Scale>;
    /// Bytes on disk, roughly, of one subject at a scale.
    fn bytes(&self, scale: &Scale) -> u64;
    /// (Re)creates the data: the same bytes for every subject and every time. Returns row count and checksum
    /// by the server's own arithmetic; the caller compares subjects.
    ///
    /// # Errors
    /// Whatever the server says; interrupted.
    fn load(
        &self,
        server: &mut dyn Server,
        scale: &Scale,
        seed: u64,
        progress: &dyn Progress,
        interrupt: &Interrupt,
    ) -> Outcome<LoadFacts>;
    /// Brings loaded data into the server's memory after a restart; best effort.
    ///
    /// # Errors
    /// Whatever the server says.
    fn prewarm(&self, server: &mut dyn Server, scale: &Scale) -> Outcome<()>;
    /// One client of one test over one connection; `number` of `scale.clients`.
    ///
    /// # Errors
    /// Whatever the server says to the statements being prepared.
    fn client(
        &self,
        test: &str,
        connection: Connection,
        dialect: Option<&dyn Dialect>,
        scale: &Scale,
        number: u32,
    ) -> Outcome<Box<dyn Client>>;
}

/// Repeats one operation over one connection.
pub trait Client: Send {
    /// Does the operation that `seed` stands for: the same seed, the same statements, on every subject.
    /// Returns rows.
    ///
    /// # Errors
    /// Crash, timeout, or what the server said.
    fn operate(&mut self, seed: u64) -> Outcome<u64>;
    /// The same, with a checksum of the rows. Not measured.
    ///
    /// # Errors
    /// As `operate`.
    fn operate_checked(&mut self, seed: u64) -> Outcome<Answer>;
    /// The server process or thread that serves it, where the host can see it.
    fn server_process(&self) -> Option<u32>;
}
