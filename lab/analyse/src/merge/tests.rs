//! Shards in any order and grouping, missing, cut off, there twice, or of other plans.

use humdrum_model::Stage;
use proptest::prelude::*;

use super::*;
use crate::summary::summarise;
use crate::testkit::Bench;

const OF: u32 = 4;

/// A shard of two sessions on that host.
fn shard(number: u32, host: &str) -> Results {
    let mut bench = Bench::new(&["t"], 2, 0, 2);
    bench.reseed(u64::from(number));
    bench.block_noise = 0.002;
    for _ in 0..2 {
        bench.session(Stage::Confirmation, |_| true, 30, |_, _| -0.05);
    }
    let mut results = bench.results;
    results.host.id = Some(host.to_owned());
    results.started = format!("2026-01-0{number}T00:00:00Z");
    results.plan.shard =
        Some(Shard { number, of: OF, seed: 1, screening_sessions: 0, confirmation_sessions: 2 * OF });
    results.finished = true;
    results
}

fn remarks(merged: &Merged) -> Vec<String> {
    merged.hosts[0].warnings().map(str::to_owned).collect()
}

#[test]
fn shards_of_one_host_are_one_record_with_all_their_sessions() {
    let merged = merge((1..=OF).map(|number| shard(number, "a")).collect()).unwrap();
    assert_eq!((merged.hosts.len(), merged.shards.len(), remarks(&merged).len()), (1, 4, 0));
    let numbers: Vec<u32> = merged.hosts[0].sessions.iter().map(|session| session.number).collect();
    assert_eq!(numbers, (0..2 * OF).collect::<Vec<_>>());
    assert_eq!(merged.hosts[0].plan, shard(1, "a").plan.whole());
    let summary = summarise(&merged.hosts[0]);
    let test = &summary.comparisons[0].tests[0];
    assert_eq!(test.sessions, 2 * OF);
    assert!((test.rqps.unwrap() - (-0.05_f64).exp()).abs() < 0.005, "{:?}", test.rqps);
}

#[test]
fn each_host_has_a_record() {
    let merged = merge(vec![shard(1, "b"), shard(2, "a"), shard(3, "b"), shard(4, "c")]).unwrap();
    let ids: Vec<&str> = merged.hosts.iter().filter_map(|host| host.host.id.as_deref()).collect();
    assert_eq!(ids, ["b", "a", "c"]);
    assert_eq!(merged.hosts[0].sessions.len(), 4);
}

#[test]
fn what_is_missing_unfinished_or_there_twice_is_said() {
    let mut cut = shard(2, "a");
    cut.finished = false;
    cut.blocks.truncate(40);
    let mut again = shard(1, "a");
    again.started = "2026-02-01T00:00:00Z".into();
    let merged = merge(vec![shard(1, "a"), again, cut, shard(1, "a")]).unwrap();
    let told = remarks(&merged).join("\n");
    for expected in
        ["shard 1 was measured 2 times; the one begun at 2026-01-01", "shard 2 did not come", "missing: 3, 4"]
    {
        assert!(told.contains(expected), "{told}");
    }
    assert!(merged.hosts[0].finished);
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
        change(&mut other);
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
        let mut mixed: Vec<Results> = order.iter().map(|number| of(*number)).collect();
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
