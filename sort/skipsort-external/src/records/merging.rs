//! Merging inputs that are sorted already.
//!
//! Files whose places can be read at any time are merged in ranges by all threads, like runs; the cuts come from lines
//! looked up here and there, and every byte of every file is in exactly one range, also when a file is not sorted
//! after all. Pipes are merged by one thread. More inputs than may be open at once become runs, some at a time.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::fetch::Fetch;
use super::inputs::{Input, Open, opened, reach};
use super::lines::Lines;
use super::shape::{Frame, Shape};
use crate::crew;
use crate::error::Result;
use crate::merge::merge;
use crate::merge::runs::Setting;
use crate::order::Order;
use crate::output::part::Target;
use crate::output::sink::Sink;
use crate::output::writer::{Form, Piece, Writer};
use crate::progress::{Meter, Phase};
use crate::source::Source;
use crate::spill::Spilled;

/// Descriptors for everything that is not an input.
const OTHER_DESCRIPTORS: usize = 16;
/// Distance of the lines that are looked up in a file.
const STRIDE: u64 = 64 << 10;

/// Inputs of which at most so many are open at once.
pub(super) struct Merging<'s> {
    pub(super) setting: Setting<'s>,
    pub(super) shape: &'s Shape,
    pub(super) names: &'s [PathBuf],
    pub(super) open: &'s Open<'s>,
    pub(super) fan_in: Option<usize>,
}

impl Merging<'_> {
    /// Merges all into the target; with `all_first` all is read before.
    pub(super) fn merge(&self, mut spilled: Spilled, target: &mut dyn Target, all_first: bool) -> Result<()> {
        let Setting { budget, meter, .. } = self.setting;
        let most = budget.batch(self.fan_in, budget.fan_in()).min(descriptors()).max(2);
        meter.enter(Phase::Merging);
        if self.names.len() <= most && !all_first {
            return self.some(self.names, target, Form::Lines);
        }
        for names in self.names.chunks(most) {
            spilled.add(self.setting, |target| self.some(names, target, Form::Coded))?;
        }
        let runs = spilled.into_runs(self.setting, self.fan_in)?;
        self.setting.merge(&runs, target, Form::Lines)
    }

    fn some(&self, names: &[PathBuf], target: &mut dyn Target, form: Form) -> Result<()> {
        self.setting.meter.merged();
        let files = names.iter().map(|name| opened(name.clone(), self.open)).collect::<Result<Vec<_>>>()?;
        let lengths: Option<Vec<u64>> = files.iter().map(|input| length(&input.file)).collect();
        let Setting { order, budget, meter } = self.setting;
        let sink = Sink::new(target, 0, budget.waiting_in_merge(), meter);
        let piece = Piece { sink: &sink, order, form, part: budget.part() };
        let merged = match lengths.filter(|_| self.setting.budget.threads.get() > 1) {
            Some(lengths) => self.in_ranges(files, &lengths, piece),
            None => self.in_one(files, piece),
        };
        merged.and_then(|()| sink.finish())
    }

    fn in_one(&self, files: Vec<Input>, piece: Piece<'_, '_>) -> Result<()> {
        let Setting { budget, meter, .. } = self.setting;
        let input = budget.input(files.len(), 1);
        let sources = files.into_iter().map(|Input { name, file }| {
            let fetch = Fetch::Stream { file, name, meter };
            Lines::new(self.shape, fetch, input)
        });
        merge_piece(sources.collect(), piece, 0, meter).map(drop)
    }

    fn in_ranges(&self, files: Vec<Input>, lengths: &[u64], piece: Piece<'_, '_>) -> Result<()> {
        let (Setting { budget, meter, .. }, shape) = (self.setting, self.shape);
        let input = budget.input(files.len(), budget.threads.get());
        let files: Vec<Places<'_>> = files
            .into_iter()
            .zip(lengths)
            .map(|(input, length)| Places::new(shape, input, *length))
            .collect();
        let cuts = cuts(&files, shape.order(), budget.range() as u64)?;
        let claims = Mutex::new(Claims { at: 0, starts: vec![0; files.len()] });
        let work = || {
            let mut buffers: Vec<Vec<u8>> = vec![vec![0; input]; files.len()];
            while !piece.sink.stopped() {
                let claimed = claims.lock().expect("no panic under the lock").next(&files, &cuts);
                let merged = claimed.and_then(|claimed| {
                    let Some((at, stretches)) = claimed else { return Ok(None) };
                    let source = |((file, (from, to)), buffer): ((&Places<'_>, _), _)| {
                        meter.read((to - from) as usize);
                        Lines::with_buffer(shape, file.fetch(from, to), buffer)
                    };
                    let sources = files.iter().zip(stretches).zip(buffers.drain(..)).map(source).collect();
                    merge_piece(sources, piece, at, meter).map(Some)
                });
                match merged {
                    Ok(Some(sources)) => buffers.extend(sources.into_iter().map(Lines::into_buffer)),
                    Ok(None) => return,
                    Err(error) => piece.sink.fail(error),
                }
            }
        };
        crew::together(budget.threads.get().min(cuts.len() + 1), work);
        Ok(())
    }
}

/// Merges into the piece at `at`; the sources come back for their memory.
fn merge_piece<'l>(
    mut sources: Vec<Lines<'l>>,
    piece: Piece<'_, '_>,
    at: usize,
    meter: &Meter,
) -> Result<Vec<Lines<'l>>> {
    let live = sources.iter_mut().map(Source::advance).collect::<Result<Vec<bool>>>()?;
    let mut writer = Writer::new(piece, at);
    let (rows, sources) = merge(sources, &live, piece.order, &mut writer)?;
    meter.read_rows(rows);
    writer.finish(at + 1);
    Ok(sources)
}

/// How many inputs may be open.
fn descriptors() -> usize {
    use rustix::process::{Resource, getrlimit};
    let most = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |most| most as usize);
    most.saturating_sub(OTHER_DESCRIPTORS)
}

/// The length of what can be read at any place.
fn length(file: &File) -> Option<u64> {
    reach(file).filter(|(at, end)| *at == 0 && *end > 0).map(|(_, end)| end)
}

/// A file and where in it records are.
struct Places<'s> {
    shape: &'s Shape,
    order: Order,
    file: Arc<File>,
    name: Arc<PathBuf>,
    length: u64,
}

impl<'s> Places<'s> {
    fn new(shape: &'s Shape, Input { name, file }: Input, length: u64) -> Self {
        Places { shape, order: shape.order(), file: Arc::new(file), name: Arc::new(name), length }
    }

    fn fetch(&self, from: u64, to: u64) -> Fetch<'static> {
        Fetch::Stretch { file: Arc::clone(&self.file), name: Arc::clone(&self.name), at: from, end: to }
    }

    /// The first record that starts behind a byte: where, and its key.
    fn record_behind(&self, at: u64) -> Result<Option<(u64, Vec<u8>)>> {
        let (mut lines, skipped) = match self.shape.frame {
            Frame::Fixed(size) => {
                let start = at.next_multiple_of(size as u64).min(self.length);
                (Lines::new(self.shape, self.fetch(start, self.length), 4 << 10), start)
            }
            Frame::Delimited(_) => {
                let mut lines = Lines::new(self.shape, self.fetch(at, self.length), 4 << 10);
                let cut = lines.advance()?;
                let skipped = at + lines.record().len() as u64 + 1;
                if !cut {
                    return Ok(None);
                }
                (lines, skipped)
            }
        };
        Ok(lines.advance()?.then(|| (skipped, lines.key().to_vec())))
    }

    /// Where the first record is that is not before `bound`, looked for from `from` on.
    fn place_of(&self, bound: &[u8], from: u64) -> Result<u64> {
        let (mut low, mut high) = (from / STRIDE, self.length.div_ceil(STRIDE));
        // The last stride whose first record is before the bound.
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            match self.record_behind(middle * STRIDE)? {
                Some((_, key)) if self.order.before(&key, bound) => low = middle,
                _ => high = middle,
            }
        }
        let mut at = match low * STRIDE {
            start if start <= from => from,
            start => self.record_behind(start)?.map_or(self.length, |(at, _)| at).max(from),
        };
        let mut lines = Lines::new(self.shape, self.fetch(at, self.length), STRIDE as usize);
        while lines.advance()? && self.order.before(lines.key(), bound) {
            at += (lines.record().len() + self.shape.frame.tail()) as u64;
        }
        Ok(at.min(self.length))
    }
}

/// Keys that cut all files into ranges of about `size` bytes.
fn cuts(files: &[Places<'_>], order: Order, size: u64) -> Result<Vec<Vec<u8>>> {
    let total: u64 = files.iter().map(|file| file.length).sum();
    let ranges = total / size;
    if ranges < 2 {
        return Ok(Vec::new());
    }
    // Eight looks for every range make ranges of nearly equal size.
    let step = (size / 8).max(STRIDE);
    let mut keys = Vec::new();
    for file in files {
        for at in (step..file.length).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
            keys.extend(file.record_behind(at)?.map(|(_, key)| key));
        }
    }
    keys.sort_unstable_by(|a, b| order.compare(a, b, 0).0);
    let each = (keys.len() / usize::try_from(ranges).unwrap_or(usize::MAX)).max(1);
    let mut cuts: Vec<Vec<u8>> = keys.into_iter().skip(each).step_by(each).collect();
    cuts.dedup();
    Ok(cuts)
}

/// Ranges that no thread has taken.
struct Claims {
    at: usize,
    /// Where the next range starts in each file.
    starts: Vec<u64>,
}

impl Claims {
    /// The next range: its number, and its stretch of each file. The end of one is the start of the next, so nothing is
    /// left out or taken twice, whatever the files' order is.
    #[expect(clippy::type_complexity, reason = "a pair of a number and a list of pairs")]
    fn next(&mut self, files: &[Places<'_>], cuts: &[Vec<u8>]) -> Result<Option<(usize, Vec<(u64, u64)>)>> {
        if self.at > cuts.len() {
            return Ok(None);
        }
        let mut stretches = Vec::with_capacity(files.len());
        for (file, start) in files.iter().zip(&mut self.starts) {
            let end = match cuts.get(self.at) {
                Some(cut) => file.place_of(cut, *start)?,
                None => file.length,
            };
            stretches.push((*start, end));
            *start = end;
        }
        self.at += 1;
        Ok(Some((self.at - 1, stretches)))
    }
}
