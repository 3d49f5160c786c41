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
    let setting = Setting { budget: setting.budget.with_threads_there_are(), ..setting };
    let Setting { shape, budget, meter } = setting;
    let output = Output::open(options, setting)?;
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
    text.sort(rows, spare, &filled.loader, budget.threads, shape.from(), &emit);
    sink.finish()
}

/// Where lines go in the end.
pub(crate) struct Output<'o> {
    setting: Setting<'o>,
    /// Rows to write.
    left: u64,
    destination: Destination,
}

impl<'o> Output<'o> {
    /// An output that cannot be opened should be known before hours of sorting.
    pub(crate) fn open(options: &Options, setting: Setting<'o>) -> Result<Self> {
        let destination = Destination::open(options.output.as_deref())?;
        Ok(Output { setting, left: limit(options), destination })
    }

    /// Lets `work` write to it, and makes it final.
    pub(crate) fn write(mut self, work: impl FnOnce(&mut dyn Target) -> Result<()>) -> Result<()> {
        let Setting { shape, meter, .. } = self.setting;
        if self.left > 0 {
            let destination = &mut self.destination;
            work(&mut LineTarget { destination, frame: shape.frame, left: self.left, meter })?;
        }
        self.destination.commit()
    }
}

/// Rows to write.
pub(crate) fn limit(options: &Options) -> u64 {
    options.limit.unwrap_or(u64::MAX)
}
