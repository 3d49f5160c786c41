//! Merging runs by all threads: each merges its own range of keys from all runs.
//!
//! ```text
//!   run 0    | a....b | b....f | f...  |      marks of all runs tell which keys cut the whole
//!   run 1    | a..b   | c..e   | g.... |      into ranges of equal size
//!   run 2    |        | b..... | f..   |
//!            thread 0   thread 1  thread 0     the sink puts what comes out in order
//! ```
//!
//! Equal keys are in one range, so `-u` needs no look across. Compressed runs can only be read from the start: one
//! range, one thread.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::merge;
use crate::crew;
use crate::error::Result;
use crate::memory::budget::Budget;
use crate::order::Order;
use crate::output::part::Target;
use crate::output::sink::Sink;
use crate::output::writer::{Form, Piece, Writer};
use crate::progress::{Meter, Phase};
use crate::run::coded::{Bounds, Coded, Reuse};
use crate::run::spent::Spent;
use crate::run::store::{Run, Store, thin};

/// What all merges need to know.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'s> {
    pub(crate) order: Order,
    pub(crate) budget: Budget,
    pub(crate) meter: &'s Meter,
}

impl Setting<'_> {
    /// Merges all runs into `target`.
    pub(crate) fn merge(self, runs: &[Run], target: &mut dyn Target, form: Form) -> Result<()> {
        self.meter.enter(Phase::Merging);
        self.meter.merged();
        let seekable = runs.iter().all(Run::seekable);
        let cuts = if seekable { cuts(runs, self.order, self.budget.range() as u64) } else { Vec::new() };
        let sink = Sink::new(target, 0, self.budget.waiting_in_merge(), self.meter);
        let piece = Piece { sink: &sink, order: self.order, form, part: self.budget.part() };
        let next = AtomicUsize::new(0);
        let spent = Spent::new(runs, &cuts);
        let threads = self.budget.threads.get().min(cuts.len() + 1);
        let input = self.budget.input(runs.len(), threads);
        let work = || {
            let mut reuse: Vec<Reuse> = Vec::new();
            reuse.resize_with(runs.len(), Reuse::default);
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at > cuts.len() || sink.stopped() {
                    return;
                }
                let from = at.checked_sub(1).map(|before| &*cuts[before]);
                let range = Range { runs, from, to: cuts.get(at).map(Vec::as_slice), input };
                match range.merge(piece, at, &mut reuse) {
                    Ok(()) => spent.done(at, self.order),
                    Err(error) => sink.fail(error),
                }
            }
        };
        crew::together(threads, work);
        sink.finish()
    }

    /// Merges runs into one.
    pub(crate) fn merge_into_run(self, runs: &[Run], store: &mut Store) -> Result<Run> {
        let mut target = store.begin()?;
        self.merge(runs, &mut target, Form::Coded)?;
        let run = store.end(target, self.meter)?;
        store.release(runs);
        Ok(run)
    }

    /// Merges neighbouring runs until at most `most` are left.
    pub(crate) fn merge_down(self, mut runs: Vec<Run>, most: usize, store: &mut Store) -> Result<Vec<Run>> {
        while runs.len() > most {
            // As few as suffice, so that no record is written more often than it has to be.
            let groups = (runs.len() - most).div_ceil(most - 1).min(runs.len() / most).max(1);
            let rest = runs.split_off((groups * most).min(runs.len()));
            let mut merged = Vec::new();
            for group in runs.chunks(most) {
                merged.push(self.merge_into_run(group, store)?);
            }
            merged.extend(rest);
            thin(&mut merged, self.budget.marks());
            runs = merged;
        }
        Ok(runs)
    }
}

/// Keys that cut the runs into ranges of about `size` bytes of records.
fn cuts(runs: &[Run], order: Order, size: u64) -> Vec<Vec<u8>> {
    let mut marks: Vec<(&[u8], u64)> = Vec::new();
    for run in runs {
        for at in 0..run.marks.len() {
            let end = if at + 1 < run.marks.len() { run.marks.offset(at + 1) } else { run.coded };
            let raw =
                (end - run.marks.offset(at)) as u128 * u128::from(run.raw) / u128::from(run.coded.max(1));
            marks.push((run.marks.key(at), raw as u64));
        }
    }
    marks.sort_unstable_by(|a, b| order.compare(a.0, b.0, 0).0);
    let (mut cuts, mut bytes): (Vec<Vec<u8>>, u64) = (Vec::new(), 0);
    for (key, raw) in marks {
        let new = cuts.last().is_none_or(|last| last != key);
        if bytes >= size && new {
            cuts.push(key.to_vec());
            bytes = 0;
        }
        bytes += raw;
    }
    cuts
}

/// All records from one key to another.
struct Range<'r> {
    runs: &'r [Run],
    from: Option<&'r [u8]>,
    to: Option<&'r [u8]>,
    /// Size of a source's buffer.
    input: usize,
}

impl<'r> Range<'r> {
    fn merge(&self, piece: Piece<'r, '_>, at: usize, reuse: &mut Vec<Reuse>) -> Result<()> {
        let mut sources = Vec::with_capacity(self.runs.len());
        let mut live = Vec::with_capacity(self.runs.len());
        for (run, reuse) in self.runs.iter().zip(reuse.drain(..)) {
            let mut source = self.source(run, piece.order, reuse)?;
            live.push(source.start()?);
            sources.push(source);
        }
        let mut writer = Writer::new(piece, at);
        let (_, sources) = merge(sources, &live, piece.order, &mut writer)?;
        writer.finish(at + 1);
        reuse.extend(sources.into_iter().map(Coded::into_reuse));
        Ok(())
    }

    /// The part of a run that holds the range: from the last mark before it to the first behind it.
    fn source(&self, run: &'r Run, order: Order, reuse: Reuse) -> Result<Coded<'r>> {
        let marks = &run.marks;
        let last_before = |bound: &[u8]| run.place_before(bound, order);
        let start = self.from.map_or(0, last_before);
        let end = self.to.map(|to| marks.before(to, order)).filter(|at| *at < marks.len());
        let end = end.map_or(run.coded, |at| marks.offset(at));
        let doubtful = self.to.map_or(0, last_before).saturating_sub(start);
        let bounds = Bounds { from: self.from, to: self.to, doubtful };
        let stretch = run.stretch(start, end.max(start))?;
        Ok(Coded::new(order, stretch, bounds, self.input, reuse))
    }
}
