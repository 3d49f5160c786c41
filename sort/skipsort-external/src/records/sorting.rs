//! Sorting: fill the memory, sort it, and write it out, or spill it and merge.
//!
//! ```text
//!   all fits      fill ─► sort ─► output              rows go out while others are being sorted
//!   it does not   fill ─► sort ─► run   ... again and again ... ─► merge ─► output
//! ```

use super::feed::Feed;
use super::fill;
use super::inputs::Inputs;
use super::shape::Shape;
use crate::error::Result;
use crate::merge::runs::Setting;
use crate::output::part::Target;
use crate::output::writer::Form;
use crate::progress::Phase;
use crate::spill::{Spilled, sorted};

/// Sorts all inputs into the output that `write` gives to its argument.
pub(super) fn run(
    inputs: Inputs<'_>,
    shape: &Shape,
    setting: Setting<'_>,
    mut spilled: Spilled,
    fan_in: Option<usize>,
    target: &mut dyn Target,
) -> Result<()> {
    let (meter, mut counted) = (setting.meter, None);
    let mut feed = Feed::new(inputs, shape.frame, meter);
    let mut arena = fill::arena(setting.budget, shape)?;
    loop {
        meter.enter(Phase::Reading);
        let filled = fill::fill(&mut arena, &mut feed, shape, counted.is_none())?;
        meter.read_rows(filled.rows);
        let budget = *counted.get_or_insert_with(|| fill::threads_for(&filled, setting.budget));
        let setting = Setting { budget, ..setting };
        if filled.ended && spilled.is_empty() {
            return sorted(arena.batch(&filled), setting, target, Form::Lines);
        }
        feed.read_ahead(filled.text);
        if filled.rows > 0 {
            spilled.add(setting, |target| sorted(arena.batch(&filled), setting, target, Form::Coded))?;
        }
        if filled.ended {
            break;
        }
        if spilled.is_full() {
            drop(arena);
            spilled.make_room(setting, fan_in)?;
            arena = fill::arena(setting.budget, shape)?;
        } else {
            arena.tidy_up(&filled)?;
        }
    }
    drop(arena);
    let runs = spilled.into_runs(setting, fan_in)?;
    setting.merge(&runs, target, Form::Lines)
}
