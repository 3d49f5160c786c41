//! The run of a results folder with its verdicts, together with the finished runs that were added to it. One run is in memory at a
//! time, because a run can have millions of blocks.

use std::path::Path;

use humdrum_analyse::{JudgedRun, Options, RULES, choice, choose, combine, rebased};
use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, Results, Summary};
use humdrum_record::{ResultsFolder, Store, only_shards_judgement};

use crate::known;
use crate::reader::Reader;

/// The first run of a folder, and the verdicts on all of its runs.
pub struct Judged {
    /// The first run.
    pub results: Results,
    /// The verdicts.
    pub summary: Summary,
}

/// Base and subjects of a report; those of the run where they are empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// The base.
    pub base: Option<&'a str>,
    /// The others.
    pub subjects: &'a [String],
}

/// Judges what is in `out`; `path` is what the user named, the folder or the file in it.
///
/// # Errors
/// Usage for a missing or foreign file, or subjects that the run does not have.
pub fn judged(
    reader: &Reader,
    out: &ResultsFolder,
    path: &Path,
    wanted: Wanted<'_>,
) -> Result<Judged, Fault> {
    let store = Store::open(&out.results_at(path))?;
    let head = store.read_head()?;
    let (further, heads) = finished_runs(out)?;
    let measured = &head.plan.subjects;
    let chosen = choose(measured, wanted.base, wanted.subjects)?;
    let choice = choice(measured, &chosen);
    let head = rebased(head, &chosen);
    let options = match head.plan.imported {
        // What is known of this host says nothing of the hosts of others.
        Some(_) => Options { choice, ..Options::default() },
        None => Options {
            history: reader
                .cache
                .as_deref()
                .map_or_else(Vec::new, |cache| known::history(&head, &heads, cache)),
            certificates: reader
                .cache
                .as_deref()
                .map_or_else(Vec::new, |cache| known::certificates(&head, cache)),
            choice,
        },
    };
    // What was measured before an interruption is judged all the same.
    let interrupted = reader.interrupt.is_set();
    let mut others = Vec::new();
    for (run, head) in further.iter().zip(&heads) {
        progress(reader, others.len(), further.len());
        if !interrupted {
            reader.interrupt.check()?;
        }
        let kept = only_shards_judgement::<JudgedRun>(&run.results(), RULES);
        // It was judged with its first subject as the base, and without a history, which only a run alone shows.
        if let Some(kept) = kept.filter(|_| options.choice.is_none()) {
            others.push(kept.headed(head));
            continue;
        }
        let results = rebased(Store::open_quickly(&run.results())?.read()?, &chosen);
        others.push(JudgedRun::of(&results, &options));
    }
    progress(reader, others.len(), further.len());
    let results = rebased(store.read()?, &chosen);
    let mut summary = combine(&JudgedRun::of(&results, &options), &others, &options);
    humdrum_explain::note_plans(&results, &mut summary);
    reader.console.clear();
    Ok(Judged { results, summary })
}

/// The runs that were added to a first one and came to their end, and their records without measurements.
fn finished_runs(out: &ResultsFolder) -> Result<(Vec<ResultsFolder>, Vec<Results>), Fault> {
    let mut finished = (Vec::new(), Vec::new());
    for run in out.further_runs()? {
        let head = Store::open_quickly(&run.results())?.read_head()?;
        if head.finished {
            finished.0.push(run);
            finished.1.push(head);
        }
    }
    Ok(finished)
}

fn progress(reader: &Reader, done: usize, further: usize) {
    if further > 0 {
        let total = Some(further as u64 + 1);
        reader.console.update(Update::Part { what: "judging", done: done as u64, total, unit: "runs" });
    }
}
