//! Sorting: fill the memory, sort it, and write it out, or spill it and merge.
//!
//! ```text
//!   all fits      fill ─► sort ─► output              rows go out while others are being sorted
//!   it does not   fill ─► sort ─► run   ... again and again ... ─► merge ─► output
//! ```

use crate::emit::Emit;
use crate::fault::Result;
use crate::input::feed::Feed;
use crate::memory::arena::{Arena, Filled};
use crate::memory::fill::fill;
use crate::merge::runs::Setting;
use crate::meter::Phase;
use crate::options::Options;
use crate::output::destination::Destination;
use crate::output::sink::Sink;
use crate::output::target::{LineTarget, Target};
use crate::output::writer::{Form, Piece};
use crate::run::store::{Run, Store, thin};

/// Compressed runs each take a descriptor; so many are merged into one.
const COMPRESSED_MOST: usize = 16;

pub(crate) fn run(options: &Options, setting: Setting<'_>, store: &mut Store<'_>) -> Result<()> {
    let Setting { shape, budget, meter } = setting;
    let mut output = Output { options, setting, early: Some(open_early(options)?) };
    let mut feed = Feed::new(options.inputs.clone(), shape.frame, meter);
    let mut arena = Arena::new(budget, shape)?;
    let mut runs: Vec<Run> = Vec::new();
    loop {
        meter.enter(Phase::Reading);
        let filled = fill(&mut arena, &mut feed, shape)?;
        meter.read_rows(filled.rows);
        if filled.ended && runs.is_empty() {
            return output.write(|target| sorted(&mut arena, &filled, setting, target, Form::Lines));
        }
        feed.read_ahead(filled.text);
        if filled.rows > 0 {
            let mut target = store.begin()?;
            sorted(&mut arena, &filled, setting, &mut target, Form::Coded)?;
            runs.push(store.end(target)?);
            thin(&mut runs, budget.marks());
        }
        if filled.ended {
            break;
        }
        if store.compresses() && runs.len() > COMPRESSED_MOST {
            runs = setting.merge_down(runs, 2, store)?;
        }
        arena.tidy_up(&filled)?;
    }
    drop(arena);
    let most = if store.compresses() { COMPRESSED_MOST } else { budget.fan_in() };
    let runs = setting.merge_down(runs, budget.batch(options.batch, most), store)?;
    output.write(|target| setting.merge(&runs, target, Form::Lines))
}

/// Sorts what is in the arena into `target`.
fn sorted(
    arena: &mut Arena,
    filled: &Filled,
    setting: Setting<'_>,
    target: &mut dyn Target,
    form: Form,
) -> Result<()> {
    let Setting { shape, budget, meter } = setting;
    meter.enter(if form == Form::Lines { Phase::Writing } else { Phase::Sorting });
    let first = if shape.descending { filled.rows } else { 0 };
    let sink = Sink::new(target, first, budget.waiting());
    let text = skipsort::Text::new(&arena.text[..filled.text], &filled.long);
    let piece = Piece { sink: &sink, shape, form, part: budget.part() };
    let (rows, spare) = arena.scratch.text_rows(arena.rows_most);
    let (rows, spare) = (&mut rows[..filled.rows], &mut spare[..filled.rows]);
    let emit = Emit { text, piece };
    skipsort::sort_text(&text, rows, spare, &filled.loader, budget.threads, shape.from(), &emit);
    sink.finish()
}

/// An output that cannot be opened should be known before hours of sorting; one that is written in place must not be
/// opened before all is read.
fn open_early(options: &Options) -> Result<Option<Destination>> {
    let output = options.output.as_deref();
    if Destination::in_place(output) || output.is_some_and(|path| path.exists() && !path.is_file()) {
        return Ok(None);
    }
    Destination::open(output).map(Some)
}

/// Where lines go in the end.
pub(crate) struct Output<'o> {
    options: &'o Options,
    setting: Setting<'o>,
    /// Opened before anything was read, unless that would harm an input.
    early: Option<Option<Destination>>,
}

impl<'o> Output<'o> {
    /// Opens nothing yet.
    pub(crate) fn late(options: &'o Options, setting: Setting<'o>) -> Self {
        Output { options, setting, early: None }
    }

    /// Opens the output if it is not open, lets `work` write to it, and makes it final.
    pub(crate) fn write(&mut self, work: impl FnOnce(&mut dyn Target) -> Result<()>) -> Result<()> {
        let mut destination = match self.early.take().flatten() {
            Some(destination) => destination,
            None => Destination::open(self.options.output.as_deref())?,
        };
        let left = limit(self.options);
        if left > 0 {
            let Setting { shape, meter, .. } = self.setting;
            work(&mut LineTarget { destination: &mut destination, frame: shape.frame, left, meter })?;
        }
        destination.commit()
    }
}

/// Rows to write.
pub(crate) fn limit(options: &Options) -> u64 {
    options.limit.unwrap_or(u64::MAX)
}
