//! Shards in any order and grouping, missing, cut off, there twice, or of other plans.

use humdrum_model::{Shard, SubjectFacts};
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
    let (named, digest) = (format!("s{number}"), format!("{number}{host}"));
    ShardRecord {
        file: format!("shard-{number}").into(),
        named,
        record,
        last_block: 100,
        ends_with_a_beginning: false,
        digest,
    }
}

fn remarks(merged: &Merged) -> Vec<String> {
    merged.hosts[0].record.warnings().map(str::to_owned).collect()
}

#[test]
fn shards_of_one_host_are_one_record() {
    let merged = merge((1..=OF).rev().map(|number| shard(number, "a")).collect(), Vec::new()).unwrap();
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
    let merged = merge(vec![shard(1, "b"), shard(2, "a"), shard(3, "b"), shard(4, "c")], Vec::new()).unwrap();
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
    let merged = merge(vec![shard(1, "a"), again, cut, shard(1, "a")], Vec::new()).unwrap();
    let told = remarks(&merged).join("\n");
    for expected in [
        "shard 1 was measured 2 times, further runs of it included; the one begun at 2026-01-01",
        "shard 2 did not come",
        "missing: 3, 4",
    ] {
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
        let merged = merge(order.map(at).into(), Vec::new()).unwrap();
        assert_eq!(merged.shards[0].last_block, 60);
        assert!(!merged.remarks.join("\n").contains("measured 2 times"), "{:?}", merged.remarks);
    }
}

type Change = fn(&mut Results);

#[test]
fn other_plans_builds_and_whole_runs_are_refused() {
    let changes: [(Change, &str); 8] = [
        (|one| one.plan.shard.as_mut().unwrap().seed = 2, "the seeds differ (2 here, 1 there)"),
        (|one| one.plan.shard.as_mut().unwrap().of = 5, "the numbers of shards differ (5 here, 4 there)"),
        (|one| one.plan.scale.rows += 1, "the scales differ"),
        (|one| one.plan.judging.gate = true, "other options differ"),
        (|one| one.subjects[1].version = "9".into(), "the builds differ"),
        (|one| one.subjects[1].origin = "another checksum".into(), "another checksum here"),
        (|one| one.plan.shard.as_mut().unwrap().number = 9, "damaged: it says that it is shard 9 of 4"),
        (|one| one.started = "yesterday".into(), "`yesterday`, which is no time"),
    ];
    // The number of another shard, and that of one that is there: both are compared.
    for number in [1, 3] {
        for (change, expected) in changes {
            let mut other = shard(number, "a");
            other.named = "odd".into();
            // It would count, if it were of the plan.
            other.last_block = 1000;
            change(&mut other.record);
            for order in [0, 1, 2] {
                let mut all = vec![shard(1, "a"), shard(2, "a")];
                all.insert(order, other.clone());
                let fault = merge(all, Vec::new()).unwrap_err();
                assert!(fault.what.contains(expected) && fault.what.starts_with("odd "), "{fault}");
                assert!((fault.exit_code(), fault.hint.is_some()) == (2, true));
            }
        }
    }
    let mut whole = shard(1, "a");
    whole.record.plan.shard = None;
    assert!(merge(vec![whole], Vec::new()).unwrap_err().what.contains("s1 has results of a whole plan"));
    assert_eq!(merge(Vec::new(), Vec::new()).unwrap_err().exit_code(), 2);
}

#[test]
fn a_shard_that_ended_before_its_servers_were_up_is_told_and_voids_nothing() {
    let mut early = shard(1, "a");
    (early.last_block, early.record.finished) = (0, false);
    early.record.subjects.iter_mut().for_each(|facts| *facts = SubjectFacts::default());
    early.record.metrics.clear();
    let merged = merge(vec![early.clone(), shard(2, "a")], Vec::new()).unwrap();
    assert_eq!((merged.hosts[0].shards.as_slice(), merged.shards.len()), (&[2][..], 2));
    assert!(remarks(&merged).join("\n").contains("shard 1 has measured nothing yet"));
    let fault = merge(vec![early], Vec::new()).unwrap_err();
    assert!(fault.what.contains("none of these shards"), "{fault}");
}

#[test]
fn a_clock_that_is_wrong_is_told_and_wins_nothing() {
    let mut back = shard(1, "a");
    back.record.started = "1970-01-01T00:00:03Z".into();
    let merged = merge(vec![back.clone(), shard(1, "a"), shard(2, "a")], Vec::new()).unwrap();
    assert!(remarks(&merged)[0].contains("the one begun at 2026-01-01"), "{:?}", remarks(&merged));
    let merged = merge(vec![back, shard(2, "a")], Vec::new()).unwrap();
    assert!(remarks(&merged)[0].contains("the clock of its host was wrong"), "{:?}", remarks(&merged));
    assert_eq!(merged.hosts[0].record.started, "2026-01-02T00:00:00Z");
}

#[test]
fn one_host_id_with_two_processors_is_told() {
    let mut other = shard(2, "a");
    other.record.host.cpu_model = "Another".into();
    let merged = merge(vec![shard(1, "a"), other, shard(3, "b")], Vec::new()).unwrap();
    let told = remarks(&merged).join("\n");
    assert!(
        told.contains("the host id a has 2 processor models") && told.contains("shards 2 on Another"),
        "{told}"
    );
}

#[test]
fn of_records_that_say_the_same_of_themselves_and_differ_one_counts_in_any_order() {
    let changed = ShardRecord { digest: "0".into(), ..shard(1, "a") };
    let found = [[shard(1, "a"), changed.clone()], [changed, shard(1, "a")]]
        .map(|all| merge(all.into(), Vec::new()).unwrap());
    assert_eq!(found[0], found[1]);
    assert!(
        remarks(&found[0])[0].contains("2 records of the measurement begun at"),
        "{:?}",
        remarks(&found[0])
    );
}

/// One of several measurements of a shard: again at another time, cut off, or changed.
fn variant(number: u32, host: &str, kind: u32) -> ShardRecord {
    let mut one = shard(number, host);
    match kind {
        1 => one.record.started = format!("2026-02-0{number}T00:00:00Z"),
        2 => (one.record.finished, one.last_block) = (false, 40),
        3 => one.digest = "changed".into(),
        4 => one.record.started = "1970-01-01T00:00:00Z".into(),
        _ => {}
    }
    one
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// In any order, in any grouping, with repetitions, measured again, cut off and changed: the same records and remarks.
    #[test]
    fn merging_is_commutative_and_associative(all in prop::collection::vec((1..=OF, 0_usize..3, 0_u32..5), 1..9),
                                              order in any::<u64>(), cut in 0_usize..9) {
        let all: Vec<ShardRecord> = all.into_iter().map(|(number, host, kind)| variant(number, ["a", "b", "c"][host], kind)).collect();
        let at_once = merge(all.clone(), Vec::new()).unwrap();
        let mut mixed = all;
        let turns = mixed.len();
        mixed.rotate_left((order % turns as u64) as usize);
        if order & 1 << 40 != 0 { mixed.reverse(); }
        let rest = mixed.split_off(cut.min(mixed.len()));
        let (mut shards, mut passed_over) = (Vec::new(), Vec::new());
        for part in [mixed, rest] {
            if !part.is_empty() {
                let merged = merge(part, Vec::new()).unwrap();
                shards.extend(merged.shards);
                passed_over.extend(merged.passed_over);
            }
        }
        prop_assert_eq!(merge(shards, passed_over).unwrap(), at_once);
    }
}
