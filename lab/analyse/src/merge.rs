//! Shards of one plan, together. Those of one host become one record, as if that host had measured all their sessions. Which
//! shards count follows from their heads, so that no block is read.
//!
//! The result depends on the set of shards and not on their order, and merging what was merged before changes nothing:
//! shards are sorted by number, and of several measurements of one number always the same one is taken.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use humdrum_model::{Design, Event, Fault, Plan, Results, ShardRecord, TestStatus, Timings};

use crate::hosts::identity;

/// Shards that were put together.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The shards that count, by number.
    pub shards: Vec<ShardRecord>,
    /// One for each host, in the order of the first shard of each.
    pub hosts: Vec<MergedHost>,
}

/// The shards of one host.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedHost {
    /// The record without its measurements.
    pub record: Results,
    /// The numbers of the shards that hold these.
    pub shards: Vec<u32>,
}

/// Puts shards together. What is missing, unfinished or there twice is a remark in the first record.
///
/// # Errors
/// Usage: no shards, results of a whole plan, shards of different plans, builds or metrics.
pub fn merge(all: Vec<ShardRecord>) -> Result<Merged, Fault> {
    let mut by_number: BTreeMap<u32, Vec<ShardRecord>> = BTreeMap::new();
    for shard in all {
        by_number.entry(number_of(&shard.record)?).or_default().push(shard);
    }
    let mut remarks = Vec::new();
    let mut shards = Vec::new();
    for (number, measured) in by_number {
        let (best, said) = best(number, measured);
        remarks.extend(said);
        shards.extend(best);
    }
    let Some(first) = shards.first() else {
        return Err(Fault::usage("there are no shards to merge").hint("name the results folders of shards"));
    };
    shards.iter().skip(1).try_for_each(|other| alike(&first.record, &other.record))?;
    remarks.extend(missing(&shards));
    let mut hosts = by_host(&shards);
    if let Some(first) = hosts.first_mut() {
        first.record.events.extend(remarks.into_iter().map(remark));
    }
    Ok(Merged { shards, hosts })
}

/// The measurement of a shard that counts, and remarks on it.
fn best(number: u32, mut measured: Vec<ShardRecord>) -> (Option<ShardRecord>, Vec<String>) {
    measured.sort_by_key(rank);
    measured.dedup_by(|one, two| rank(one) == rank(two));
    let times = measured.len();
    let best = measured.into_iter().next();
    let mut remarks = Vec::new();
    if let Some(best) = &best {
        if times > 1 {
            let begun = &best.record.started;
            remarks
                .push(format!("shard {number} was measured {times} times; the one begun at {begun} counts"));
        }
        if !best.record.finished {
            remarks.push(format!("shard {number} did not come to its end; its finished sessions count"));
        }
    }
    (best, remarks)
}

/// Finished before unfinished, more blocks before fewer, earlier before later.
fn rank(shard: &ShardRecord) -> (bool, Reverse<i64>, String, String) {
    let ShardRecord { record, last_block, .. } = shard;
    (!record.finished, Reverse(*last_block), record.started.clone(), identity(&record.host))
}

fn number_of(results: &Results) -> Result<u32, Fault> {
    results.plan.shard.map(|shard| shard.number).ok_or_else(|| {
        Fault::usage(format!("the results begun at {} are of a whole plan and no shard", results.started))
            .hint("`humdrum report A B` puts whole runs side by side; `--shard 1/4` measures a shard")
    })
}

/// Refuses shards that are not of one plan and the same builds.
fn alike(first: &Results, other: &Results) -> Result<(), Fault> {
    let [one, two] = [first, other].map(|results| results.plan.shard.map_or(0, |shard| shard.number));
    let refuse = |what: &str| {
        Fault::usage(format!("shards {one} and {two} are not of one plan: {what} differ"))
            .hint("measure all shards with the same command and version, and only --shard different")
    };
    if let Some(what) = difference(&first.plan, &other.plan) {
        return Err(refuse(what));
    }
    let versions =
        |results: &Results| results.subjects.iter().map(|facts| facts.version.clone()).collect::<Vec<_>>();
    if versions(first) != versions(other) {
        return Err(refuse("the servers' versions"));
    }
    if first.metrics != other.metrics {
        return Err(refuse("the quantities that were read"));
    }
    Ok(())
}

/// What differs between the plans of two shards, apart from the shard. Timings are of the host and do not count.
fn difference(one: &Plan, two: &Plan) -> Option<&'static str> {
    let of = |plan: &Plan| plan.shard.map_or(0, |shard| shard.of);
    let [left, right] = [one.whole(), two.whole()].map(|plan| Plan {
        design: Design { timings: Timings::NONE, incomplete: None, ..plan.design.clone() },
        ..plan
    });
    let facets = [
        ("the numbers of shards", of(one) == of(two)),
        ("the suites", left.suite == right.suite && left.suite_sha256 == right.suite_sha256),
        ("the subjects", left.subjects == right.subjects),
        ("the tests", left.tests == right.tests),
        ("the scales", left.scale == right.scale),
        ("the modes", left.mode == right.mode),
        ("the seeds", left.seed == right.seed),
        ("the budgets", left.budget_seconds == right.budget_seconds),
        ("the designs", left.design == right.design),
        ("the memory limits", left.memory_bytes == right.memory_bytes),
        ("other options", left == right),
    ];
    facets.into_iter().find(|(_, equal)| !equal).map(|(what, _)| what)
}

/// What is not there, in one sentence; `None` if all shards are.
fn missing(shards: &[ShardRecord]) -> Option<String> {
    let of = shards.first()?.record.plan.shard?.of;
    let have: Vec<u32> = shards.iter().filter_map(|one| Some(one.record.plan.shard?.number)).collect();
    let missing: Vec<String> =
        (1..=of).filter(|number| !have.contains(number)).map(|number| number.to_string()).collect();
    (!missing.is_empty())
        .then(|| format!("{} of {of} shards are here; missing: {}", have.len(), missing.join(", ")))
}

fn remark(what: String) -> Event {
    Event { subject: None, test: None, session: None, status: TestStatus::Ok, what, log_tail: None }
}

fn by_host(shards: &[ShardRecord]) -> Vec<MergedHost> {
    let mut hosts: Vec<(String, Vec<&ShardRecord>)> = Vec::new();
    for shard in shards {
        let host = identity(&shard.record.host);
        match hosts.iter_mut().find(|(known, _)| *known == host) {
            Some((_, own)) => own.push(shard),
            None => hosts.push((host, vec![shard])),
        }
    }
    hosts.into_iter().filter_map(|(_, own)| pooled(&own)).collect()
}

/// The shards of one host as one record. Calibrations, plans and examinations are those of its first shard.
fn pooled(shards: &[&ShardRecord]) -> Option<MergedHost> {
    let (first, further) = shards.split_first()?;
    let mut record = first.record.clone();
    for shard in further {
        record.started = record.started.min(shard.record.started.clone());
        record.seconds += shard.record.seconds;
    }
    record.plan = record.plan.whole();
    // What is unfinished is a remark; the record itself has nothing left to measure.
    record.finished = true;
    let shards = shards.iter().filter_map(|shard| Some(shard.record.plan.shard?.number)).collect();
    Some(MergedHost { record, shards })
}

#[cfg(test)]
mod tests;
