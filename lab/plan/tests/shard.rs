//! Parts of a plan: together they have its sessions, and no two of them the same work.

mod common;

use std::collections::BTreeSet;

use common::{checked, request};
use humdrum_model::Plan;
use humdrum_plan::{Request, parse_shard, shard};
use proptest::prelude::*;

fn plan(sessions: u32) -> Plan {
    let budget = Some("1h".to_owned());
    checked(&Request { sessions: Some(sessions), budget, ..request(&["fake@1.0", "fake@1.1"]) })
        .expect("a plan")
}

#[test]
fn a_shard_is_a_number_of_a_count() {
    assert_eq!(parse_shard("3/16"), Ok((3, 16)));
    for bad in ["", "3", "0/4", "5/4", "1/0", "a/b", "1/4/2", "-1/4"] {
        assert_eq!(parse_shard(bad).unwrap_err().exit_code(), 2, "{bad}");
    }
}

#[test]
fn more_shards_than_sessions_are_refused_with_what_would_do() {
    let hint = shard(&plan(4), 1, 5).unwrap_err().hint.unwrap();
    assert!(hint.contains("at most 4 shards") && hint.contains("--sessions 5"), "{hint}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn shards_have_all_sessions_between_them(sessions in 4_u32..60, of in 1_u32..20) {
        prop_assume!(of <= sessions);
        let plan = plan(sessions);
        let parts: Vec<Plan> = (1..=of).map(|number| shard(&plan, number, of).unwrap()).collect();
        let counts: Vec<u32> = parts.iter().map(|part| part.design.confirmation_sessions).collect();
        prop_assert_eq!(counts.iter().sum::<u32>(), sessions);
        prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1);
        let seeds: BTreeSet<u64> = parts.iter().map(|part| part.seed).collect();
        prop_assert_eq!(seeds.len(), of as usize);
        for part in &parts {
            prop_assert_eq!(&part.whole(), &plan);
        }
    }
}
