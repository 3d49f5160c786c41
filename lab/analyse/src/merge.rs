//! Shards of one plan, together. Those of one host become one record, as if that host had measured all their sessions.
//!
//! The result depends on the set of shards and not on their order, and merging what was merged before changes nothing:
//! shards are sorted by number, and of several measurements of one number always the same one is taken.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use humdrum_model::{Design, Event, Fault, Plan, Results, Shard, TestStatus, Timings};

use crate::hosts::identity;

/// Shards that were put together.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The shards that count, by number.
    pub shards: Vec<Results>,
    /// One record for each host, in the order of the first shard of each.
    pub hosts: Vec<Results>,
}

/// Puts shards together. What is missing, unfinished or there twice is a remark in the first record.
///
/// # Errors
/// Usage: no shards, results of a whole plan, shards of different plans, builds or metrics.
pub fn merge(all: Vec<Results>) -> Result<Merged, Fault> {
    let mut by_number: BTreeMap<u32, Vec<Results>> = BTreeMap::new();
    for results in all {
        by_number.entry(number_of(&results)?).or_default().push(results);
    }
    let mut remarks = Vec::new();
    let mut shards = Vec::new();
    for (number, mut measured) in by_number {
        measured.sort_by_key(rank);
        measured.dedup_by(|one, two| rank(one) == rank(two));
        let more = measured.len() - 1;
        let best = measured.swap_remove(0);
        if more > 0 {
            remarks.push(format!(
                "shard {number} was measured {} times; the one begun at {} counts",
                more + 1,
                best.started
            ));
        }
        if !best.finished {
            remarks.push(format!("shard {number} did not come to its end; its finished sessions count"));
        }
        shards.push(best);
    }
    let Some(first) = shards.first() else {
        return Err(Fault::usage("there are no shards to merge").hint("name the results folders of shards"));
    };
    shards.iter().skip(1).try_for_each(|other| alike(first, other))?;
    remarks.extend(missing(&shards));
    let mut hosts = by_host(&shards);
    if let Some(first) = hosts.first_mut() {
        first.events.extend(remarks.into_iter().map(remark));
    }
    Ok(Merged { shards, hosts })
}

/// Finished before unfinished, more blocks before fewer, earlier before later.
fn rank(results: &Results) -> (bool, Reverse<usize>, String, String) {
    (!results.finished, Reverse(results.blocks.len()), results.started.clone(), identity(&results.host))
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
fn missing(shards: &[Results]) -> Option<String> {
    let of = shards.first()?.plan.shard?.of;
    let have: Vec<u32> = shards.iter().filter_map(|one| Some(one.plan.shard?.number)).collect();
    let missing: Vec<String> =
        (1..=of).filter(|number| !have.contains(number)).map(|number| number.to_string()).collect();
    (!missing.is_empty())
        .then(|| format!("{} of {of} shards are here; missing: {}", have.len(), missing.join(", ")))
}

fn remark(what: String) -> Event {
    Event { subject: None, test: None, session: None, status: TestStatus::Ok, what, log_tail: None }
}

fn by_host(shards: &[Results]) -> Vec<Results> {
    let mut hosts: Vec<(String, Vec<Results>)> = Vec::new();
    for shard in shards {
        let host = identity(&shard.host);
        match hosts.iter_mut().find(|(known, _)| *known == host) {
            Some((_, own)) => own.push(shard.clone()),
            None => hosts.push((host, vec![shard.clone()])),
        }
    }
    hosts.into_iter().filter_map(|(_, own)| pooled(own)).collect()
}

/// The shards of one host as one record. Calibrations, plans and examinations are those of its first shard.
fn pooled(shards: Vec<Results>) -> Option<Results> {
    let mut shards = shards.into_iter().map(renumbered);
    let mut all = shards.next()?;
    for shard in shards {
        all.started = all.started.min(shard.started);
        all.seconds += shard.seconds;
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
    all.sessions.sort_by_key(|session| session.number);
    all.blocks.sort_by_key(|block| block.session);
    all.latencies.sort_by_key(|latency| latency.session);
    all.states.sort_by_key(|state| state.session);
    all.debts.sort_by_key(|debt| debt.session);
    all.steps.sort_by_key(|step| step.session);
    all.host_readings.sort_by_key(|reading| reading.session);
    all.plan = all.plan.whole();
    // What is unfinished is a remark; the record itself has nothing left to measure.
    all.finished = true;
    Some(all)
}

/// Sessions with the numbers that they have in the whole plan: shard 3 of 4 has 2, 6, 10, …
fn renumbered(mut results: Results) -> Results {
    let Some(Shard { number, of, .. }) = results.plan.shard else { return results };
    let renumber = |session: &mut u32| *session = *session * of + (number - 1);
    results.sessions.iter_mut().for_each(|session| renumber(&mut session.number));
    results.blocks.iter_mut().for_each(|block| renumber(&mut block.session));
    results.latencies.iter_mut().for_each(|latency| renumber(&mut latency.session));
    results.states.iter_mut().for_each(|state| renumber(&mut state.session));
    results.debts.iter_mut().for_each(|debt| renumber(&mut debt.session));
    results.steps.iter_mut().for_each(|step| renumber(&mut step.session));
    results.host_readings.iter_mut().for_each(|reading| renumber(&mut reading.session));
    results.events.iter_mut().filter_map(|event| event.session.as_mut()).for_each(renumber);
    results
}

#[cfg(test)]
mod tests;
