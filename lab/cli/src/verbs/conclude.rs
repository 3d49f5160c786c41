//! The end of every measurement: judges what there is, keeps what later runs need to know of this host, and reports.

use humdrum_analyse::{JudgedRun, Options, RULES};
use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, FaultKind, Results};
use humdrum_record::{ResultsFolder, Store, as_host, certificate};

use super::report::{Shown, present};
use crate::judged::{Wanted, judged};
use crate::lab::Lab;

/// Ends a measurement: judges what there is, together with other runs of the same results, writes the files, prints the table,
/// and chooses the exit code.
///
/// # Errors
/// What ended the measurement: an interruption after the files were written from what there is, any other fault before (all
/// that was measured is in the store either way).
pub fn conclude(
    lab: &Lab,
    mut store: Store,
    out: &ResultsFolder,
    shown: Shown<'_>,
    strict: bool,
    measured: Result<(), Fault>,
) -> Result<u8, Fault> {
    let results = store.read()?;
    if is_empty(&results) {
        drop(store);
        out.discard();
        measured?;
        return Err(Fault::crash(
            "nothing could be measured: no two subjects were alive at once, or the budget was too small",
        ));
    }
    let go_on = format!("humdrum resume {}", out.folder.display());
    let interrupted = measured.as_ref().is_err_and(|fault| fault.kind == FaultKind::Interrupted);
    if !interrupted {
        measured.map_err(|fault| if fault.hint.is_none() { fault.hint(go_on.clone()) } else { fault })?;
    }
    if !interrupted {
        keep(lab, &results);
    }
    let whole = out.whole();
    if results.finished && results.plan.shard.is_some() {
        keep_judgement(lab, &mut store, results);
    }
    drop(store);
    let judged = judged(lab, &whole, &whole.folder, Wanted::default())?;
    present(lab, &whole, shown, &judged)?;
    if interrupted {
        let what = "interrupted; everything measured so far is kept";
        return Err(Fault::new(FaultKind::Interrupted, what).hint(go_on));
    }
    Ok(humdrum_analyse::exit_code(&judged.summary, strict))
}

/// Keeps what a merge with other hosts' shards needs of this one. Without it a merge reads the blocks.
fn keep_judgement(lab: &Lab, store: &mut Store, shard: Results) {
    let judgement = JudgedRun::of(&as_host(shard), &Options::default());
    if let Err(fault) = store.keep_judgement(RULES, &judgement) {
        lab.console
            .update(Update::Note(&format!("a merge will have to read all blocks of this shard: {fault}")));
    }
}

/// Whether nothing was measured, and nothing failed that is worth a line.
pub(super) fn is_empty(results: &Results) -> bool {
    results.blocks.is_empty() && results.events.is_empty() && results.steps.is_empty()
}

/// What a finished run tells of the host, for later ones.
pub(super) fn keep(lab: &Lab, results: &Results) {
    let summary = humdrum_analyse::summarise(results);
    if let Some(found) = humdrum_analyse::certified_floor(results, &summary) {
        certificate::keep(&lab.dirs.cache, (found.floor, found.excess), &results.started);
    }
    if let Some(remark) = humdrum_run::keep_history(results, &summary, &lab.dirs) {
        lab.console.update(Update::Note(&remark));
    }
}
