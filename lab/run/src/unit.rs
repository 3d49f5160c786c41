//! A unit: one test in one session. A cell of blocks and a step of chunks are the two kinds.

mod cell;
mod step;

use std::sync::Arc;

use humdrum_contract::Clock;
use humdrum_model::{Block, Contents, Fault, Metric, TestInfo};
use humdrum_record::Store;
use humdrum_sample::Discard;

use crate::journal::Expected;
use crate::roster::Entrant;

pub(crate) use cell::Cell;
pub(crate) use step::Step;

/// One test in one session.
pub(crate) trait Unit {
    /// The test.
    fn test(&self) -> &TestInfo;
    /// Its position in the session.
    fn position(&self) -> usize;
    /// Whether later units depend on it.
    fn changes_data(&self) -> bool;
    /// Subjects that do not run in it, because of failures in earlier sessions.
    fn excluded(&self) -> Vec<usize>;
    /// The record of the unit when it is done.
    fn expected(&self) -> Expected<'_>;
    /// The consequence of a subject's failure in it for the rest of the session.
    fn consequence(&self) -> Consequence;
    /// Runs it on these subjects. Blocks go to `sink`; blocks that are on record do not.
    ///
    /// The outcome is an error when the run is interrupted or the record cannot be written.
    fn run(
        &self,
        clock: Arc<dyn Clock>,
        metrics: &[Metric],
        entrants: Vec<Entrant<'_>>,
        store: &mut Store,
        sink: &mut dyn Sink,
    ) -> (Done, Result<(), Fault>);
}

/// Takes blocks as they end.
pub(crate) trait Sink {
    /// Takes a block.
    fn block(&mut self, store: &mut Store, block: Block) -> Result<(), Fault>;
    /// Discards blocks of a test that it has taken.
    fn discard(
        &mut self,
        store: &mut Store,
        test: &str,
        session: u32,
        discard: &Discard,
    ) -> Result<(), Fault>;
}

/// The consequence of a subject's failure in a unit for the rest of the session.
pub(crate) enum Consequence {
    /// Its server is started again for the next test. If the test writes, the subject is behind: its data differ.
    NextTest {
        /// Whether the test writes.
        writes: bool,
    },
    /// Every later unit builds upon this one: the subject is behind, and its server is ended.
    RestOfSession,
}

/// The result of a unit.
#[derive(Default)]
pub(crate) struct Done {
    /// The subjects that failed.
    pub(crate) exits: Vec<Exit>,
    /// Contents of the others' tables, if they were summed up.
    pub(crate) contents: Vec<(usize, Option<Contents>)>,
    /// How much of it ran.
    pub(crate) ran: Ran,
}

/// How much of a unit ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ran {
    /// Nothing: there was no subject to compare, or no work.
    #[default]
    Not,
    /// A part: something ended it.
    Partly,
    /// All of it, with the subjects that did not fail.
    Whole,
}

/// A subject whose part in a unit is over, and why.
pub(crate) struct Exit {
    pub(crate) subject: usize,
    pub(crate) fault: Fault,
}
