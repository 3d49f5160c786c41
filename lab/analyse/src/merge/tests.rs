//! Shards in any order and grouping, missing, cut off, there twice, or of other plans.

use humdrum_model::Shard;
use proptest::prelude::*;

use super::*;
use crate::testkit::Bench;

const OF: u32 = 4;

/// A shard of a hundred blocks on that host.
fn shard(number: u32, host: &str) -> ShardRecord {
    let mut record = Bench::new(&["t"], 2, 0, 2).results;
    record.host.id = Some(host.to_owned());
    record.started = format!("2026-01-0{number}T00:00:00Z");
    record.plan.shard =
        Some(Shard { number, of: OF, seed: 1, screening_sessions: 0, confirmation_sessions: 2 * OF });
    record.finished = true;
    ShardRecord { file: format!("shard-{number}").into(), record, last_block: 100 }
}

fn remarks(merged: &Merged) -> Vec<String> {
    merged.hosts[0].record.warnings().map(str::to_owned).collect()
}

#[test]
fn shards_of_one_host_are_one_record() {
    let merged = merge((1..=OF).rev().map(|number| shard(number, "a")).collect()).unwrap();
    let [host] = &merged.hosts[..] else { panic!("one host") };
    assert_eq!(
        (host.shards.as_slice(), merged.shards.len(), remarks(&merged).len()),
        (&[1, 2, 3, 4][..], 4, 0)
    );
    assert_eq!(host.record.plan, shard(1, "a").record.plan.whole());
    assert_eq!((host.record.seconds, host.record.started.as_str()), (240.0, "2026-01-01T00:00:00Z"));
}

#[test]
fn each_host_has_a_record() {
    let merged = merge(vec![shard(1, "b"), shard(2, "a"), shard(3, "b"), shard(4, "c")]).unwrap();
    let hosts: Vec<(&str, &[u32])> = merged
        .hosts
        .iter()
        .filter_map(|host| Some((host.record.host.id.as_deref()?, host.shards.as_slice())))
        .collect();
    assert_eq!(hosts, [("b", &[1, 3][..]), ("a", &[2]), ("c", &[4])]);
}

#[test]
fn what_is_missing_unfinished_or_there_twice_is_said() {
    let mut cut = shard(2, "a");
    cut.record.finished = false;
    cut.last_block = 40;
    let mut again = shard(1, "a");
    again.record.started = "2026-02-01T00:00:00Z".into();
    let merged = merge(vec![shard(1, "a"), again, cut, shard(1, "a")]).unwrap();
    let told = remarks(&merged).join("\n");
    for expected in
        ["shard 1 was measured 2 times; the one begun at 2026-01-01", "shard 2 did not come", "missing: 3, 4"]
    {
        assert!(told.contains(expected), "{told}");
    }
    assert!(merged.hosts[0].record.finished);
}

#[test]
fn of_two_states_of_a_running_shard_the_later_one_counts() {
    let at = |last_block| {
        let mut shard = shard(1, "a");
        (shard.record.finished, shard.last_block) = (false, last_block);
        shard
    };
    for order in [[40, 60], [60, 40]] {
        assert_eq!(merge(order.map(at).into()).unwrap().shards[0].last_block, 60);
    }
}

#[test]
fn other_plans_builds_and_whole_runs_are_refused() {
    type Change = fn(&mut Results);
    let changes: [(Change, &str); 6] = [
        (|one| one.plan.shard.as_mut().unwrap().seed = 2, "the seeds differ"),
        (|one| one.plan.shard.as_mut().unwrap().of = 5, "the numbers of shards differ"),
        (|one| one.plan.scale.rows += 1, "the scales differ"),
        (|one| one.plan.judging.gate = true, "other options differ"),
        (|one| one.subjects[1].version = "9".into(), "versions differ"),
        (|one| one.plan.shard = None, "no shard"),
    ];
    for (change, expected) in changes {
        let mut other = shard(2, "a");
        change(&mut other.record);
        let what = merge(vec![shard(1, "a"), other]).unwrap_err().what;
        assert!(what.contains(expected), "{what}");
    }
    assert_eq!(merge(Vec::new()).unwrap_err().exit_code(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// In any order, in any grouping, with repetitions: the same records.
    #[test]
    fn merging_is_commutative_and_associative(order in Just((1..=OF).collect::<Vec<_>>()).prop_shuffle(), cut in 0_usize..5,
                                              twice in 1..=OF, hosts in prop::collection::vec(0_usize..3, OF as usize)) {
        let of = |number: u32| shard(number, ["a", "b", "c"][hosts[number as usize - 1]]);
        let all = merge((1..=OF).map(of).collect()).unwrap();
        let mut mixed: Vec<ShardRecord> = order.iter().map(|number| of(*number)).collect();
        mixed.push(of(twice));
        let rest = mixed.split_off(cut.min(mixed.len()));
        let mut parts = Vec::new();
        for part in [mixed, rest] {
            if !part.is_empty() {
                parts.extend(merge(part).unwrap().shards);
            }
        }
        prop_assert_eq!(merge(parts).unwrap(), all);
    }
}
