//! A run's blocks by test, and by session within a test; built once and then only read.

use std::collections::BTreeMap;

use humdrum_model::{Block, Counting, Debt, Payment, Results, SessionInfo, Stage};

use crate::warmup::{self, Steadiness};

/// Results with an index.
pub(crate) struct Run<'a> {
    /// Everything measured.
    pub results: &'a Results,
    tests: BTreeMap<&'a str, TestBlocks<'a>>,
}

/// All blocks of one test.
#[derive(Default)]
pub(crate) struct TestBlocks<'a> {
    /// Every block, discarded ones included.
    pub all: Vec<&'a Block>,
    /// Which of them count.
    pub counting: Counting<'a>,
    /// The sessions that are evidence, in order.
    pub sessions: Vec<KeptSession<'a>>,
}

impl<'a> TestBlocks<'a> {
    /// Those that a rule discards.
    pub fn discarded(&self) -> impl Iterator<Item = &'a Block> {
        self.all.iter().copied().filter(|block| !self.counting.counts(block))
    }
}

/// The blocks of one (test, session) that count.
pub(crate) struct KeptSession<'a> {
    /// The session's purpose.
    pub stage: Stage,
    /// The session's number.
    pub number: u32,
    /// Blocks planned, relative to a session of ordinary length.
    pub stretch: f64,
    /// Neither discarded nor cut off as warm-up, in index order.
    pub blocks: Vec<&'a Block>,
    /// The result of warm-up detection.
    pub steadiness: Steadiness,
    /// The payments of the run, if those of this test are part of its time.
    pub paid_within: Option<&'a [Debt]>,
}

impl KeptSession<'_> {
    /// Nanoseconds that each call of a subject is charged for the payment after the test: none where that is no part of the test's
    /// time. `None` if it is, and no payment is on record.
    pub fn charge_ns(&self, subject: usize) -> Option<f64> {
        let Some(debts) = self.paid_within else { return Some(0.0) };
        let test = &self.blocks.first()?.test;
        let is_own = |debt: &&Debt| {
            debt.test == *test
                && (debt.session, debt.subject) == (self.number, subject)
                && debt.operations > 0
        };
        debts.iter().find(is_own).map(|debt| debt.wall_ns as f64 / debt.operations as f64)
    }
}

impl<'a> Run<'a> {
    /// Sorts the blocks.
    pub fn new(results: &'a Results) -> Self {
        Self::with(results, results.blocks.iter())
    }

    /// The same with the blocks of one test alone: what asks for each of many tests would else sort all of them each time.
    pub fn of_test(results: &'a Results, test: &str) -> Self {
        Self::with(results, results.blocks.iter().filter(|block| block.test == test))
    }

    /// The same with these blocks in place of the results' own.
    pub fn with(results: &'a Results, all: impl Iterator<Item = &'a Block>) -> Self {
        let infos = results.sessions.iter().map(|session| (session.number, session)).collect();
        let mut tests: BTreeMap<&str, TestBlocks<'a>> = BTreeMap::new();
        for block in all {
            tests.entry(&block.test).or_default().all.push(block);
        }
        // A whole step is a fixed amount of work, the beginning included, and what it leaves behind slows it down: it
        // has neither a warm-up nor a steady state.
        let examine =
            if results.steps.is_empty() { warmup::examine } else { |_: &[f64]| Steadiness::default() };
        for (name, blocks) in &mut tests {
            blocks.all.sort_by_key(|block| (block.session, block.index));
            blocks.counting = Counting::of(blocks.all.iter().copied());
            blocks.sessions = kept(blocks, &infos, examine, paid_within(results, name));
        }
        Self { results, tests }
    }

    /// The blocks of one test; `None` before its first block.
    pub fn test(&self, name: &str) -> Option<&TestBlocks<'a>> {
        self.tests.get(name)
    }

    /// How often a test was measured in a session.
    pub fn cells(&self) -> usize {
        let sessions = |blocks: &TestBlocks<'_>| blocks.all.chunk_by(|a, b| a.session == b.session).count();
        self.tests.values().map(sessions).sum()
    }

    /// Subjects other than the base, by index.
    pub fn compared(&self) -> std::ops::Range<usize> {
        1..self.results.plan.subjects.len().max(1)
    }

    /// Size of the family: every test of the plan against every subject.
    pub fn family(&self) -> usize {
        (self.results.plan.tests.len() * self.compared().len()).max(1)
    }
}

/// The payments on record, if those of a test are part of its time.
fn paid_within<'a>(results: &'a Results, test: &str) -> Option<&'a [Debt]> {
    let info = results.plan.tests.iter().find(|info| info.name == test);
    info.filter(|info| info.payment == Payment::Within).map(|_| results.debts.as_slice())
}

/// All sessions of a test are cut at the same block, the median of the cuts found in each: a warm-up is in
/// every session, and a stall at the start of one session is not. So no block is cut for its value.
fn kept<'a>(
    test: &TestBlocks<'a>,
    infos: &BTreeMap<u32, &SessionInfo>,
    examine: fn(&[f64]) -> Steadiness,
    paid_within: Option<&'a [Debt]>,
) -> Vec<KeptSession<'a>> {
    let counted = |chunk: &[&'a Block]| -> Vec<&'a Block> {
        chunk.iter().copied().filter(|block| test.counting.counts(block)).collect()
    };
    let cells = test.all.chunk_by(|a, b| a.session == b.session);
    let sessions: Vec<(u32, Vec<&'a Block>)> = cells.map(|cell| (cell[0].session, counted(cell))).collect();
    let found: Vec<Steadiness> =
        sessions.iter().map(|(_, blocks)| examine(&warmup::series(blocks))).collect();
    let cut = median(found.iter().map(|steadiness| steadiness.cut).collect());
    let session = |((number, mut blocks), steadiness): ((u32, Vec<&'a Block>), Steadiness)| {
        blocks.drain(..cut.min(blocks.len()));
        let info = infos.get(&number);
        let stage = info.map_or(Stage::Confirmation, |info| info.stage);
        let stretch = info.map_or(1.0, |info| info.stretch).max(0.0);
        let stretch = if stretch > 0.0 { stretch } else { 1.0 };
        let kept = KeptSession { stage, number, stretch, blocks, steadiness, paid_within };
        (!kept.blocks.is_empty()).then_some(kept)
    };
    sessions.into_iter().zip(found).filter_map(session).collect()
}

/// The lower median; 0 without values.
fn median(mut cuts: Vec<usize>) -> usize {
    cuts.sort_unstable();
    cuts.get(cuts.len().saturating_sub(1) / 2).copied().unwrap_or(0)
}
