//! `-m`: merging inputs that are sorted already.
//!
//! Files whose places can be read at any time are merged in ranges by all threads, like runs; the cuts come from lines
//! looked up here and there, and every byte of every file is in exactly one range, also when a file is not sorted
//! after all. Pipes are merged by one thread. More inputs than may be open at once become runs, some at a time.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::Mutex;

use super::merge;
use super::runs::Setting;
use crate::crew;
use crate::fault::Result;
use crate::input::fetch::Fetch;
use crate::input::lines::Lines;
use crate::input::{open, reach};
use crate::meter::{Meter, Phase};
use crate::output::destination::Destination;
use crate::output::sink::Sink;
use crate::output::target::{LineTarget, Target};
use crate::output::writer::{Form, Piece, Writer};
use crate::run::store::{Run, Store};
use crate::shape::Shape;
use crate::source::Source;

/// Descriptors for everything that is not an input.
const OTHER_DESCRIPTORS: usize = 16;
/// Distance of the lines that are looked up in a file.
const STRIDE: u64 = 64 << 10;

/// Inputs of which at most so many are open at once.
pub(crate) struct Inputs<'s> {
    pub(crate) setting: Setting<'s>,
    pub(crate) names: &'s [PathBuf],
    pub(crate) batch: Option<usize>,
}

impl Inputs<'_> {
    /// Merges all into the output, which may be one of the inputs: then all is read before.
    pub(crate) fn merge(
        &self,
        store: &mut Store<'_>,
        limit: u64,
        mut destination: Destination,
    ) -> Result<()> {
        let Setting { shape, budget, meter } = self.setting;
        let batch = budget.batch(self.batch, budget.fan_in());
        let most = batch.min(descriptors()).max(2);
        let mut runs = Vec::new();
        let direct = self.names.len() <= most && !destination.may_harm(self.names);
        if !direct {
            for names in self.names.chunks(most) {
                runs.push(self.to_run(names, store)?);
            }
            runs = self.setting.merge_down(runs, batch, store)?;
        }
        let mut target = LineTarget { destination: &mut destination, frame: shape.frame, left: limit, meter };
        if direct {
            meter.enter(Phase::Merging);
            self.some(self.names, &mut target, Form::Lines)?;
        } else {
            self.setting.merge(&runs, &mut target, Form::Lines)?;
        }
        destination.commit()
    }

    fn to_run(&self, names: &[PathBuf], store: &mut Store<'_>) -> Result<Run> {
        let mut target = store.begin()?;
        self.some(names, &mut target, Form::Coded)?;
        store.end(target)
    }

    fn some(&self, names: &[PathBuf], target: &mut dyn Target, form: Form) -> Result<()> {
        self.setting.meter.merged();
        let files = names.iter().map(|name| Ok((name.clone(), open(name)?))).collect::<Result<Vec<_>>>()?;
        let lengths: Option<Vec<u64>> = files.iter().map(|(_, file)| length(file)).collect();
        let sink = Sink::new(target, 0, self.setting.budget.waiting_in_merge());
        let piece = Piece { sink: &sink, shape: self.setting.shape, form, part: self.setting.budget.part() };
        let merged = match lengths.filter(|_| self.setting.budget.threads.get() > 1) {
            Some(lengths) => self.in_ranges(files, &lengths, piece),
            None => self.in_one(files, piece),
        };
        merged.and_then(|()| sink.finish())
    }

    fn in_one(&self, files: Vec<(PathBuf, File)>, piece: Piece<'_, '_>) -> Result<()> {
        let Setting { shape, budget, meter } = self.setting;
        let input = budget.input(files.len(), 1);
        let sources = files.into_iter().map(|(name, file)| {
            let fetch = Fetch::Stream { file, name, count: meter.bytes_read() };
            Lines::new(shape, fetch, input)
        });
        merge_piece(sources.collect(), piece, 0, meter).map(drop)
    }

    fn in_ranges(&self, files: Vec<(PathBuf, File)>, lengths: &[u64], piece: Piece<'_, '_>) -> Result<()> {
        let Setting { shape, budget, meter } = self.setting;
        let input = budget.input(files.len(), budget.threads.get());
        let files: Vec<Places<'_>> = files
            .into_iter()
            .zip(lengths)
            .map(|((name, file), length)| Places::new(shape, name, file, *length))
            .collect();
        let cuts = cuts(&files, shape, budget.range() as u64)?;
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
                    Err(fault) => piece.sink.fail(fault),
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
    meter.read_rows(merge(&mut sources, &live, piece.shape, &mut writer)?);
    writer.finish(at + 1);
    Ok(sources)
}

/// How many inputs may be open, after asking for as many as the system allows.
fn descriptors() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
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
    file: Arc<File>,
    name: Arc<PathBuf>,
    length: u64,
}

impl<'s> Places<'s> {
    fn new(shape: &'s Shape, name: PathBuf, file: File, length: u64) -> Self {
        Places { shape, file: Arc::new(file), name: Arc::new(name), length }
    }

    fn fetch(&self, from: u64, to: u64) -> Fetch {
        Fetch::Stretch { file: Arc::clone(&self.file), name: Arc::clone(&self.name), at: from, end: to }
    }

    /// The first record that starts behind a byte: where, and its key.
    fn record_behind(&self, at: u64) -> Result<Option<(u64, Vec<u8>)>> {
        let (mut lines, skipped) = match self.shape.frame {
            crate::shape::Frame::Fixed(size) => {
                let start = at.next_multiple_of(size as u64).min(self.length);
                (Lines::new(self.shape, self.fetch(start, self.length), 4 << 10), start)
            }
            crate::shape::Frame::Delimited(_) => {
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
                Some((_, key)) if self.shape.before(&key, bound) => low = middle,
                _ => high = middle,
            }
        }
        let mut at = match low * STRIDE {
            start if start <= from => from,
            start => self.record_behind(start)?.map_or(self.length, |(at, _)| at).max(from),
        };
        let mut lines = Lines::new(self.shape, self.fetch(at, self.length), STRIDE as usize);
        while lines.advance()? && self.shape.before(lines.key(), bound) {
            at += (lines.record().len() + self.shape.frame.tail()) as u64;
        }
        Ok(at.min(self.length))
    }
}

/// Keys that cut all files into ranges of about `size` bytes.
fn cuts(files: &[Places<'_>], shape: &Shape, size: u64) -> Result<Vec<Vec<u8>>> {
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
    keys.sort_unstable_by(|a, b| shape.compare(a, b, 0).0);
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
