//! Shards of one plan, together. Those of one host become one record, as if that host had measured all their sessions. Which
//! shards count follows from their heads, so that no block is read.
//!
//! The result depends on the set of shards and not on their order, and merging what was merged before changes nothing:
//! shards are sorted by number, and of several measurements of one number always the same one is taken. What was not taken
//! goes along as facts, so that a later merge says of it what this one says.

mod alike;
mod remarks;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use humdrum_model::{Event, Fault, Measurement, Results, ShardRecord, TestStatus};

use crate::hosts::{grouped, identity};

/// A clock that shows an earlier time than this is wrong: there was no humdrum then.
const FIRST_TIME: &str = "2025-01-01";

/// Shards that were put together.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The shards that count, by number.
    pub shards: Vec<ShardRecord>,
    /// Measurements of these that do not count.
    pub passed_over: Vec<Measurement>,
    /// One for each host, in the order of the first shard of each.
    pub hosts: Vec<MergedHost>,
    /// What is missing, unfinished, there twice or doubtful. The first record has it as its warnings.
    pub remarks: Vec<String>,
}

/// The shards of one host.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedHost {
    /// The record without its measurements.
    pub record: Results,
    /// The numbers of the shards that hold these.
    pub shards: Vec<u32>,
}

/// Puts shards together. `passed_over` is what earlier merges left out of them.
///
/// # Errors
/// Usage: no shards, results of a whole plan, shards of different plans, builds or metrics, a shard whose head is damaged. All
/// shards are compared, also those that would not count.
pub fn merge(all: Vec<ShardRecord>, passed_over: Vec<Measurement>) -> Result<Merged, Fault> {
    all.iter().try_for_each(alike::check)?;
    alike::all(&all)?;
    let mut known: BTreeSet<Measurement> = passed_over.into_iter().collect();
    known.extend(all.iter().map(measurement));
    let mut by_number: BTreeMap<u32, ShardRecord> = BTreeMap::new();
    for shard in all {
        let number = number_of(&shard);
        let is_better = by_number.get(&number).is_none_or(|best| rank(&shard) < rank(best));
        if is_better {
            by_number.insert(number, shard);
        }
    }
    let shards: Vec<ShardRecord> = by_number.into_values().collect();
    let mut hosts = by_host(&shards);
    if hosts.is_empty() {
        return Err(Fault::usage("none of these shards has measured anything yet")
            .hint("wait until one has, or resume them: humdrum resume FOLDER"));
    }
    let remarks = remarks::of(&shards, &known);
    if let Some(first) = hosts.first_mut() {
        first.record.events.extend(remarks.iter().cloned().map(remark));
    }
    let counting: BTreeSet<Measurement> = shards.iter().map(measurement).collect();
    let passed_over = known.into_iter().filter(|one| !counting.contains(one)).collect();
    Ok(Merged { shards, passed_over, hosts, remarks })
}

/// What tells a shard from other measurements of its number.
fn measurement(shard: &ShardRecord) -> Measurement {
    let ShardRecord { record, last_block, digest, .. } = shard;
    Measurement {
        shard: number_of(shard),
        started: record.started.clone(),
        host: identity(&record.host),
        finished: record.finished,
        last_block: *last_block,
        digest: digest.clone(),
    }
}

/// Finished before unfinished, more blocks before fewer, a right clock before a wrong one, earlier before later. The digest comes last,
/// so that the order in which shards are named decides nothing.
type Rank = (bool, Reverse<i64>, bool, String, String, String);

fn rank(shard: &ShardRecord) -> Rank {
    let Measurement { started, host, finished, last_block, digest, .. } = measurement(shard);
    (!finished, Reverse(last_block), has_wrong_clock(&started), started, host, digest)
}

fn has_wrong_clock(started: &str) -> bool {
    started < FIRST_TIME
}

/// Its number; `alike::check` has refused records without one.
fn number_of(shard: &ShardRecord) -> u32 {
    shard.record.plan.shard.map_or(0, |shard| shard.number)
}

fn remark(what: String) -> Event {
    Event { subject: None, test: None, session: None, status: TestStatus::Ok, what, log_tail: None }
}

/// Whether a run got as far as its servers. Before that a record has nothing that could be judged, not even a failure.
fn has_begun(shard: &ShardRecord) -> bool {
    shard.last_block > 0 || shard.record.subjects.iter().any(|facts| !facts.are_unknown())
}

fn by_host(shards: &[ShardRecord]) -> Vec<MergedHost> {
    let begun = shards.iter().filter(|shard| has_begun(shard));
    let hosts = grouped(begun.map(|shard| (identity(&shard.record.host), shard)));
    hosts.into_iter().filter_map(|(_, own)| pooled(&own)).collect()
}

/// The shards of one host as one record. Calibrations, plans and examinations are those of its first shard; of whole steps, the
/// examinations of all shards are read with their sessions.
fn pooled(shards: &[&ShardRecord]) -> Option<MergedHost> {
    let (first, further) = shards.split_first()?;
    let mut record = first.record.clone();
    record.seconds += further.iter().map(|shard| shard.record.seconds).sum::<f64>();
    let starts = || shards.iter().map(|shard| &shard.record.started);
    let started = starts().filter(|started| !has_wrong_clock(started)).min().or_else(|| starts().min());
    record.started.clone_from(started?);
    record.plan = record.plan.whole();
    // What is unfinished is a remark; the record itself has nothing left to measure.
    record.finished = true;
    let shards = shards.iter().map(|shard| number_of(shard)).collect();
    Some(MergedHost { record, shards })
}

#[cfg(test)]
mod tests;
