//! `humdrum resume`: continues an interrupted run with the same plan and the same seeds.

use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, FaultKind, Place, Plan};
use humdrum_record::{ResultsFolder, Store};

use super::bisect;
use super::builds::{Ended, conclude_all, is_left};
use super::report::Shown;
use super::report::bisect::is_bisect;
use crate::args::ResumeOptions;
use crate::lab::Lab;

/// `humdrum resume RESULTS`.
///
/// # Errors
/// Usage when there is nothing to resume; else as `compare`.
pub fn resume(lab: &mut Lab, options: &ResumeOptions) -> Result<u8, Fault> {
    if is_bisect(&options.results) {
        return bisect::resume(lab, options);
    }
    go_on(lab, options, Shown::of(options.json.as_deref()))
}

/// Goes on with a comparison.
///
/// # Errors
/// As `resume`.
pub(super) fn go_on(lab: &mut Lab, options: &ResumeOptions, shown: Shown<'_>) -> Result<u8, Fault> {
    let out = ResultsFolder::open(&options.results)?;
    let mut store = Store::open(&out.results_at(&options.results))?;
    refuse_merged(&store, &out)?;
    store.lock()?;
    let results = store.read()?;
    let whole = out.whole();
    let is_first = whole.folder == out.folder;
    let first =
        if is_first { results.plan.clone() } else { Store::open(&whole.results())?.read_head()?.plan };
    let goes_on = is_left(&first, &whole)? && newest(&whole)?.folder == out.folder;
    if results.finished && !goes_on {
        let hint = format!("humdrum report {}", out.folder.display());
        return Err(Fault::usage("this run came to its end; there is nothing to resume").hint(hint));
    }
    lab.adopt_kept(&results.plan, &out)?;
    let lab = &*lab;
    let places = |out: &ResultsFolder| lab.places(options.allow_external, out.logs());
    let blocks = results.blocks.len();
    lab.console.update(Update::Step(&format!("going on after {blocks} blocks in {}", out.folder.display())));
    let measured = match results.finished {
        true => Ok(()),
        false => humdrum_run::measure(&results.plan, &lab.catalogue, &places(&out), &mut store, &lab.console),
    };
    let measured = measured.map_err(|fault| remind_of_passwords(fault, &results.plan));
    lab.console.clear();
    conclude_all(lab, &first, Ended { store, out, measured }, places, shown)
}

/// Shards are measured in their own folders; what was merged has copies of them.
fn refuse_merged(store: &Store, out: &ResultsFolder) -> Result<(), Fault> {
    if !store.is_pooled()? {
        return Ok(());
    }
    let folder = out.whole().folder;
    let what = format!("{} has merged shards; there is nothing to resume", folder.display());
    Err(Fault::usage(what).hint(
        "resume the shard that did not come to its end in its own folder, and merge again to another folder",
    ))
}

/// The last run of these results.
fn newest(whole: &ResultsFolder) -> Result<ResultsFolder, Fault> {
    Ok(whole.further_runs()?.pop().unwrap_or_else(|| whole.clone()))
}

/// Results hold no passwords, so that a server that was named by a URL with one may refuse us now.
fn remind_of_passwords(fault: Fault, plan: &Plan) -> Fault {
    let external = plan.subjects.iter().any(|subject| matches!(subject.place, Place::External(_)));
    if !external || fault.hint.is_some() || fault.kind == FaultKind::Interrupted {
        return fault;
    }
    fault.hint("passwords are not kept with results: set PGPASSWORD or MYSQL_PWD and resume again")
}
