//! Records of several shards. The plan and the remarks are in the record itself, and the measurements stay in the shards' own files,
//! because copying millions of blocks takes longer than anything else in a merge.
//!
//! ```text
//!   DIR/results.sqlite             the first host: meta `shards` is [1, 4]
//!   DIR/runs/2/results.sqlite      the second host: [2, 3]
//!   DIR/shards/1/results.sqlite    shard 1, as it was measured
//! ```

use std::path::Path;

use humdrum_model::{Fault, MergeFacts, Results, Shard};
use rusqlite::{Connection, Result};

use crate::faults::{damaged, writing};
use crate::folder::ResultsFolder;
use crate::json::{from_json, to_json};
use crate::read::meta_value;
use crate::store::Store;

/// The key in `meta` of the shards' numbers.
const KEY: &str = "shards";

impl Store {
    /// Creates the record of some shards, which are in the same results folder. The first record of the folder has the facts of
    /// the merge.
    ///
    /// # Errors
    /// As `create`.
    pub fn create_pooled(
        path: &Path,
        record: &Results,
        shards: &[u32],
        facts: Option<&MergeFacts>,
    ) -> std::result::Result<(), Fault> {
        let mut store = Self::create(path, &Results { finished: false, ..record.clone() })?;
        let numbers = to_json(&shards).map_err(|error| writing(path, &error))?;
        store.set_meta(KEY, &numbers)?;
        facts.map_or(Ok(()), |facts| store.keep_merge_facts(facts))?;
        if record.finished { store.finish() } else { Ok(()) }
    }
}

impl Store {
    /// Whether the record is made of shards.
    ///
    /// # Errors
    /// Usage: the file is damaged.
    pub fn is_pooled(&self) -> std::result::Result<bool, Fault> {
        let found = shards(&self.connection).map_err(|error| damaged(&self.path, &error))?;
        Ok(!found.is_empty())
    }
}

/// The shards that a record is made of; none for a record with measurements of its own.
pub(crate) fn shards(connection: &Connection) -> Result<Vec<u32>> {
    meta_value(connection, KEY)?.map_or_else(|| Ok(Vec::new()), |text| from_json(&text))
}

/// Adds the measurements of shards to the record in `path`. What the record itself says comes last.
pub(crate) fn fill(all: &mut Results, path: &Path, shards: &[u32]) -> std::result::Result<(), Fault> {
    if shards.is_empty() {
        return Ok(());
    }
    let folder = ResultsFolder { folder: path.parent().unwrap_or(path).to_path_buf() }.whole();
    let own = std::mem::take(&mut all.events);
    for number in shards {
        let file = folder.shard(*number);
        if !file.exists() {
            return Err(Fault::usage(format!(
                "{} is missing, to which {} refers",
                file.display(),
                path.display()
            ))
            .hint("copy the whole folder of merged results, or merge the shards again"));
        }
        let shard = renumbered(Store::open_quickly(&file)?.read()?);
        // The record itself has those of the first shard, under the numbers of that shard's own sessions.
        if all.steps.is_empty() && !shard.steps.is_empty() {
            all.examinations.clear();
        }
        extend(all, shard);
    }
    all.events.extend(own);
    sort(all);
    Ok(())
}

fn extend(all: &mut Results, shard: Results) {
    // Of whole steps, each session is a round. The rounds of a test are the same in each shard: the first shard's are kept.
    if !shard.steps.is_empty() {
        all.examinations.extend(shard.examinations);
    }
    all.loads.extend(shard.loads);
    all.sessions.extend(shard.sessions);
    all.blocks.extend(shard.blocks);
    all.latencies.extend(shard.latencies);
    all.states.extend(shard.states);
    all.debts.extend(shard.debts);
    all.steps.extend(shard.steps);
    all.host_readings.extend(shard.host_readings);
    all.events.extend(shard.events);
}

/// Everything in the order of the whole plan's sessions.
fn sort(all: &mut Results) {
    all.sessions.sort_by_key(|session| session.number);
    all.blocks.sort_by_key(|block| block.session);
    all.latencies.sort_by_key(|latency| latency.session);
    all.states.sort_by_key(|state| state.session);
    all.debts.sort_by_key(|debt| debt.session);
    all.steps.sort_by_key(|step| step.session);
    all.host_readings.sort_by_key(|reading| reading.session);
}

/// Sessions with the numbers that they have in the whole plan: shard 3 of 4 has 2, 6, 10, …
pub(crate) fn renumbered(mut results: Results) -> Results {
    let Some(Shard { number, of, .. }) = results.plan.shard else { return results };
    let renumber = |session: &mut u32| *session = *session * of + (number - 1);
    results.sessions.iter_mut().for_each(|session| renumber(&mut session.number));
    results.blocks.iter_mut().for_each(|block| renumber(&mut block.session));
    results.latencies.iter_mut().for_each(|latency| renumber(&mut latency.session));
    results.states.iter_mut().for_each(|state| renumber(&mut state.session));
    results.debts.iter_mut().for_each(|debt| renumber(&mut debt.session));
    results.steps.iter_mut().for_each(|step| renumber(&mut step.session));
    results.host_readings.iter_mut().for_each(|reading| renumber(&mut reading.session));
    if !results.steps.is_empty() {
        results.examinations.iter_mut().for_each(|one| renumber(&mut one.round));
    }
    results.events.iter_mut().filter_map(|event| event.session.as_mut()).for_each(renumber);
    results
}
