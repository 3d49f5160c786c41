//! Several builds of each subject, `--builds N`: a run for each, in one results folder, judged together.

use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, Plan};
use humdrum_record::{ResultsFolder, Store};
use humdrum_run::Places;

use super::compare::create;
use super::conclude::conclude;
use super::report::Shown;
use crate::lab::Lab;

/// A run that was measured, or failed to be.
pub(super) struct Ended {
    /// Its file.
    pub(super) store: Store,
    /// Its folder.
    pub(super) out: ResultsFolder,
    /// How it ended.
    pub(super) measured: Result<(), Fault>,
}

/// Measures the builds that are left after a run, then judges all of them and reports. With one build that is the run alone.
///
/// # Errors
/// As the whole pipeline.
pub(super) fn conclude_all(
    lab: &Lab,
    first: &Plan,
    mut ended: Ended,
    places: impl Fn(&ResultsFolder) -> Places,
    shown: Shown<'_>,
) -> Result<u8, Fault> {
    let whole = ended.out.whole();
    while ended.measured.is_ok() && is_left(first, &whole)? {
        drop(ended.store);
        ended = further(lab, first, &whole, &places)?;
    }
    let Ended { store, out, measured } = ended;
    conclude(lab, store, &out, shown, first.strict, measured)
}

/// Whether a build was not measured yet.
///
/// # Errors
/// Usage: a run is missing that was there.
pub(super) fn is_left(first: &Plan, whole: &ResultsFolder) -> Result<bool, Fault> {
    let runs = whole.further_runs()?.len() as u32 + 1;
    Ok(first.builds.is_some_and(|builds| runs < builds.of))
}

/// One more run of the same results.
///
/// # Errors
/// When its file cannot be made.
pub(super) fn further(
    lab: &Lab,
    first: &Plan,
    whole: &ResultsFolder,
    places: impl Fn(&ResultsFolder) -> Places,
) -> Result<Ended, Fault> {
    let number = whole.further_runs()?.len() as u32 + 1;
    let plan = first.again(number);
    let out = whole.add_run()?;
    let builds =
        plan.builds.map_or_else(String::new, |builds| format!(", build {} of {}", builds.number, builds.of));
    lab.console.update(Update::Step(&format!("run {} of {}{builds}", number + 1, whole.folder.display())));
    let mut store = create(lab, &plan, &out)?;
    let measured = humdrum_run::measure(&plan, &lab.catalogue, &places(&out), &mut store, &lab.console);
    lab.console.clear();
    Ok(Ended { store, out, measured })
}
