//! What is said of shards that were put together. No remark has a folder's name, because merging in steps must say the same.

use std::collections::{BTreeMap, BTreeSet};

use humdrum_model::{Measurement, ShardRecord};

use super::{has_begun, has_wrong_clock, measurement, number_of};

/// All remarks on the shards that count; `known` are all measurements of them, also those that do not count.
pub(super) fn of(shards: &[ShardRecord], known: &BTreeSet<Measurement>) -> Vec<String> {
    let mut all: Vec<String> = shards.iter().flat_map(|shard| of_one(shard, known)).collect();
    all.extend(processors(shards));
    all.extend(programs(shards));
    all.extend(missing(shards));
    all
}

fn of_one(shard: &ShardRecord, known: &BTreeSet<Measurement>) -> Vec<String> {
    let best = measurement(shard);
    let (number, begun) = (best.shard, &best.started);
    let own = || known.iter().filter(|one| one.shard == number);
    let moments: BTreeSet<(&str, &str)> = own().map(|one| (&*one.host, &*one.started)).collect();
    let mut all = Vec::new();
    if moments.len() > 1 {
        let times = moments.len();
        all.push(format!(
            "shard {number} was measured {times} times, further runs of it included; the one begun at {begun} counts"
        ));
    }
    // One measurement at two moments of its run is no contradiction; at the same moment it is.
    let digests: BTreeSet<&str> = own()
        .filter(|one| (&one.host, &one.started) == (&best.host, begun))
        .filter(|one| (one.finished, one.last_block) == (best.finished, best.last_block))
        .map(|one| one.digest.as_str())
        .collect();
    if digests.len() > 1 {
        all.push(format!(
            "shard {number}: {} records of the measurement begun at {begun} differ; one of them counts, and the others were changed or \
             are of another host with the same id",
            digests.len()
        ));
    }
    if has_wrong_clock(begun) {
        all.push(format!("shard {number} says that it began at {begun}: the clock of its host was wrong"));
    }
    if !has_begun(shard) {
        all.push(format!("shard {number} has measured nothing yet"));
    } else if !best.finished {
        let log = if shard.ends_with_a_beginning {
            "; its last session has no block: if its folder was copied, results.sqlite-wal belongs to it"
        } else {
            ""
        };
        all.push(format!("shard {number} did not come to its end; what it measured counts, but not a session that had just begun{log}"));
    }
    all
}

/// Hosts with one id and several processors, which are not one host.
fn processors(shards: &[ShardRecord]) -> Vec<String> {
    let mut of: BTreeMap<&str, BTreeMap<&str, Vec<String>>> = BTreeMap::new();
    for shard in shards {
        let host = &shard.record.host;
        if let Some(id) = &host.id {
            let models = of.entry(id).or_default();
            models.entry(&host.cpu_model).or_default().push(number_of(shard).to_string());
        }
    }
    let several = of.into_iter().filter(|(_, models)| models.len() > 1);
    let told = |(id, models): (&str, BTreeMap<&str, Vec<String>>)| {
        let each: Vec<String> = models
            .into_iter()
            .map(|(model, shards)| format!("shards {} on {model}", shards.join(", ")))
            .collect();
        let count = each.len();
        format!(
            "the host id {id} has {count} processor models, which count as {count} hosts: {}",
            each.join("; ")
        )
    };
    several.map(told).collect()
}

/// Shards that different versions of this program measured.
fn programs(shards: &[ShardRecord]) -> Option<String> {
    let versions: BTreeSet<&str> = shards.iter().map(|shard| shard.record.tool.as_str()).collect();
    (versions.len() > 1).then(|| {
        format!("the shards were measured by {}", versions.into_iter().collect::<Vec<_>>().join(" and "))
    })
}

/// What is not there, in one sentence; `None` if all shards are.
fn missing(shards: &[ShardRecord]) -> Option<String> {
    let of = shards.first()?.record.plan.shard?.of;
    let have: Vec<u32> = shards.iter().map(number_of).collect();
    let missing: Vec<String> =
        (1..=of).filter(|number| !have.contains(number)).map(|number| number.to_string()).collect();
    (!missing.is_empty())
        .then(|| format!("{} of {of} shards are here; missing: {}", have.len(), missing.join(", ")))
}
