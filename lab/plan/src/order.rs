//! Every random choice of a run, from one recorded seed: which subject goes first in a block, and which operations a
//! block does. The functions are pure, so that a resumed run makes the same choices.

use humdrum_model::{FNV1A, fnv1a};

/// The order of subjects in a block. Blocks come in mirrored pairs (0 and 1, 2 and 3, …), which `analyse` averages: a
/// steady drift cancels in a pair, and so does the effect of cold caches after a switch. Two subjects alternate
/// AB BA AB … with a random start per (test, session). More subjects have a new random permutation per pair (after the
/// randomised multiple interleaved trials of Abedi & Brecht 2017).
pub fn order(seed: u64, test: &str, session: u32, block: u32, subjects: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..subjects).collect();
    if subjects == 2 {
        let start = cell_seed(seed ^ ORDER, test, session) >> 63;
        if (start + u64::from(block)) % 2 == 1 {
            order.reverse();
        }
    } else {
        shuffle(&mut order, mix(cell_seed(seed ^ ORDER, test, session) ^ mix(u64::from(block / 2))));
        if block % 2 == 1 {
            order.reverse();
        }
    }
    order
}

/// The seed of a block's operations: the same for every subject, different for every block.
pub fn block_seed(plan_seed: u64, test: &str, session: u32, block: u32) -> u64 {
    mix(cell_seed(plan_seed, test, session) ^ mix(u64::from(block)))
}

/// Makes the order independent of the operations, which come from the same seed. Any constant does.
const ORDER: u64 = 0x6f72_6465_7221_0001;

/// A seeded Fisher-Yates shuffle.
pub(crate) fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    for last in (1..items.len()).rev() {
        state = mix(state);
        // The product keeps the high bits, which are mixed best. The bias at these sizes is below 1e-17.
        let chosen = ((u128::from(state) * (last as u128 + 1)) >> 64) as usize;
        items.swap(last, chosen);
    }
}

/// The seed of one (test, session).
pub(crate) fn cell_seed(seed: u64, test: &str, session: u32) -> u64 {
    mix(mix(seed ^ fnv1a(FNV1A, test.as_bytes())) ^ u64::from(session))
}

/// One step of splitmix64 (Steele, Lea & Flood 2014): neighbouring inputs give unrelated outputs.
fn mix(input: u64) -> u64 {
    let mut z = input.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_alternate_and_both_starts_occur() {
        let starts: BTreeSet<usize> = (0..40).map(|session| order(1, "scan", session, 0, 2)[0]).collect();
        assert_eq!(starts, BTreeSet::from([0, 1]));
        for block in 0..10 {
            assert_ne!(order(1, "scan", 3, block, 2), order(1, "scan", 3, block + 1, 2));
        }
    }

    #[test]
    fn many_take_each_place_about_equally_often() {
        let mut counts = [[0_u32; 4]; 4];
        for block in 0..4000 {
            for (place, subject) in order(7, "scan", 0, block, 4).into_iter().enumerate() {
                counts[place][subject] += 1;
            }
        }
        // 1000 expected, sd 27: five of them is wide enough never to fail for a fair shuffle.
        assert!(counts.iter().flatten().all(|count| (860..1140).contains(count)), "{counts:?}");
    }

    #[test]
    fn block_seeds_do_not_repeat() {
        let mut seeds = BTreeSet::new();
        for test in ["scan", "point-query"] {
            for session in 0..20 {
                seeds.extend((0..500).map(|block| block_seed(1, test, session, block)));
            }
        }
        assert_eq!(seeds.len(), 2 * 20 * 500);
    }

    #[test]
    fn choices_are_those_of_earlier_releases() {
        // A resumed run must choose as the run it continues did: these numbers never change.
        // The two published functions, checked at values published with them.
        assert_eq!(fnv1a(FNV1A, b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
    }

    proptest! {
        #[test]
        fn always_a_permutation(seed: u64, session in 0_u32..100, block: u32, subjects in 1_usize..9) {
            let mut found = order(seed, "scan", session, block, subjects);
            found.sort_unstable();
            prop_assert_eq!(found, (0..subjects).collect::<Vec<_>>());
        }

        #[test]
        fn two_are_balanced(seed: u64, session in 0_u32..100, first in 0_u32..1000) {
            let led = (first..first + 100).filter(|block| order(seed, "scan", session, *block, 2)[0] == 0).count();
            prop_assert_eq!(led, 50);
        }
    }
}
