//! Sorting what is in memory, and the runs that come of it.

use skipsort::{Loader, Text, TextRow};

use crate::emit::{Emit, EmitText};
use crate::error::Result;
use crate::memory::arena::Batch;
use crate::merge::runs::Setting;
use crate::output::part::Target;
use crate::output::sink::Sink;
use crate::output::writer::{Form, Piece};
use crate::progress::Phase;
use crate::run::store::{Run, Store, thin};
use crate::storage::Storage;

/// Sorts rows into `target`.
pub(crate) fn sorted(
    batch: Batch<'_>,
    setting: Setting<'_>,
    target: &mut dyn Target,
    form: Form,
) -> Result<()> {
    let Setting { order, budget, meter } = setting;
    meter.enter(if form == Form::Coded { Phase::Sorting } else { Phase::Writing });
    let first = if order.descending { batch.rows.len() } else { 0 };
    let sink = Sink::new(target, first, budget.waiting(), meter);
    let text = Text::new(batch.text, batch.long);
    let piece = Piece { sink: &sink, order, form, part: budget.part() };
    let emit = Emit { text, piece };
    text.sort(batch.rows, batch.spare, batch.loader, budget.threads, order.from(), &emit);
    sink.finish()
}

/// Sorts rows of a caller's text into a run, each with its payload behind it.
pub(crate) fn sorted_text<'t>(
    text: Text<'t>,
    (rows, spare): (&mut [TextRow], &mut [TextRow]),
    loader: &Loader,
    payload: impl Fn(TextRow) -> &'t [u8] + Sync,
    setting: Setting<'_>,
    target: &mut dyn Target,
) -> Result<()> {
    let Setting { order, budget, meter } = setting;
    meter.enter(Phase::Sorting);
    let sink = Sink::new(target, 0, budget.waiting(), meter);
    let piece = Piece { sink: &sink, order, form: Form::Coded, part: budget.part() };
    let emit = EmitText { text, piece, payload };
    text.sort(rows, spare, loader, budget.threads, order.from(), &emit);
    sink.finish()
}

/// The runs of one sort, in the order of the input.
pub(crate) struct Spilled {
    store: Store,
    runs: Vec<Run>,
}

impl Spilled {
    /// None yet.
    pub(crate) fn new(storage: Box<dyn Storage>, setting: Setting<'_>) -> Self {
        Spilled { store: Store::new(storage, setting.budget.marks()), runs: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Writes the run that `write` makes.
    pub(crate) fn add(
        &mut self,
        setting: Setting<'_>,
        write: impl FnOnce(&mut dyn Target) -> Result<()>,
    ) -> Result<()> {
        let mut target = self.store.begin()?;
        write(&mut target)?;
        self.runs.push(self.store.end(target, setting.meter)?);
        thin(&mut self.runs, setting.budget.marks());
        Ok(())
    }

    /// True when the storage does not take another run.
    pub(crate) fn is_full(&self) -> bool {
        self.runs.len() >= self.store.runs_most()
    }

    /// Merges all runs into one; the memory that was filled is free then.
    pub(crate) fn make_room(&mut self, setting: Setting<'_>, fan_in: Option<usize>) -> Result<()> {
        let most = self.most(setting, fan_in);
        let runs = setting.merge_down(std::mem::take(&mut self.runs), most, &mut self.store)?;
        self.runs.push(setting.merge_into_run(&runs, &mut self.store)?);
        Ok(())
    }

    /// Runs merged at once.
    fn most(&self, setting: Setting<'_>, fan_in: Option<usize>) -> usize {
        let usual = setting.budget.fan_in().min(self.store.runs_most());
        setting.budget.batch(fan_in, usual).max(2)
    }

    /// All runs, of which there are so few that they can be merged at once.
    pub(crate) fn into_runs(mut self, setting: Setting<'_>, fan_in: Option<usize>) -> Result<Vec<Run>> {
        let most = self.most(setting, fan_in);
        setting.merge_down(self.runs, most, &mut self.store)
    }
}
