//! Examines tests of a run that came to its end: those that its budget had no time for, or that did not move. What is found is
//! appended to the record, so that every later explanation and report has it.

use humdrum_model::Fault;
use humdrum_provision::hosts;
use humdrum_record::{ResultsFolder, Store};

use crate::args::ExplainOptions;
use crate::lab::Lab;
use crate::verbs::explained::wanted;

/// Examines the test that was named, or all that moved.
///
/// # Errors
/// Usage: the run did not come to its end, or another host measured it; else as a comparison.
pub fn examine(
    lab: &Lab,
    options: &ExplainOptions,
    out: &ResultsFolder,
    store: &mut Store,
) -> Result<(), Fault> {
    let results = store.read()?;
    if !results.finished {
        let hint = format!("humdrum resume {} measures and examines the rest", out.folder.display());
        return Err(Fault::usage("this run did not come to its end").hint(hint));
    }
    let here = hosts::known_facts().id;
    if results.host.id.is_some() && results.host.id != here {
        let hint = "examine it there, or compare anew here: counters of two hosts do not belong together";
        return Err(Fault::usage("another host measured these results").hint(hint));
    }
    let summary = humdrum_analyse::summarise(&results);
    let asked: Vec<(String, usize)> =
        wanted(&summary, options)?.iter().map(|(number, test)| (test.test.clone(), number + 1)).collect();
    if asked.is_empty() {
        return Ok(());
    }
    store.lock()?;
    let places = lab.places(options.allow_external, out.logs());
    let (plan, catalogue) = (&results.plan, &lab.catalogue);
    humdrum_run::examine_later(plan, catalogue, &places, store, &lab.console, &asked)?;
    lab.console.clear();
    Ok(())
}
