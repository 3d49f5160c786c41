//! When steal discards blocks, and when it is how the host is.
//!
//! A rule set beforehand marks the blocks of each second in which the hypervisor took much of the host. Where that is now and
//! then, the blocks are no evidence. Where most of a test's blocks are marked, steal is no disturbance but the host itself: blocks
//! of both sides met it in turn, and without them nothing would be left. There all of them count, the interval is as wide as
//! they make it, and a note says so. The choice looks at no ratio.

use std::collections::BTreeMap;

use crate::Block;

/// How the reason of a block that the rule of steal marked begins.
pub const STEAL: &str = "steal";

/// Which blocks of a run count.
#[derive(Clone, Debug, Default)]
pub struct Counting<'a> {
    /// By test: the share of blocks that the rule of steal marked, of tests where it is more than half.
    stolen: BTreeMap<&'a str, f64>,
}

impl<'a> Counting<'a> {
    /// Of all blocks of the tests that are asked for later.
    pub fn of(blocks: impl IntoIterator<Item = &'a Block>) -> Self {
        let mut counts: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
        for block in blocks {
            let [marked, all] = counts.entry(&block.test).or_default();
            (*marked, *all) = (*marked + u64::from(block.is_stolen()), *all + 1);
        }
        let most = counts.into_iter().filter(|(_, [marked, all])| 2 * marked > *all);
        Self { stolen: most.map(|(test, [marked, all])| (test, marked as f64 / all as f64)).collect() }
    }

    /// Whether a block is evidence: no rule discards it.
    pub fn counts(&self, block: &Block) -> bool {
        block.discarded.is_none() || (block.is_stolen() && self.stolen.contains_key(&*block.test))
    }

    /// The share of a test's blocks that the rule of steal marked, if they count because they are most of them.
    pub fn stolen(&self, test: &str) -> Option<f64> {
        self.stolen.get(test).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten blocks: the rule of steal marked the first ones, and another the last.
    fn blocks(stolen: u32) -> Vec<Block> {
        let why = |index| match index {
            9 => Some("gap: 200 ms between two slices".to_owned()),
            _ => (index < stolen).then(|| format!("{STEAL}: 9.0 % of the host over 1.0 s")),
        };
        let block =
            |index| Block { test: "t".into(), session: 0, index, slices: Vec::new(), discarded: why(index) };
        (0..10).map(block).collect()
    }

    #[test]
    fn what_is_marked_now_and_then_is_discarded() {
        let blocks = blocks(5);
        let counting = Counting::of(&blocks);
        assert_eq!(blocks.iter().filter(|block| counting.counts(block)).count(), 4);
        assert_eq!(counting.stolen("t"), None);
    }

    #[test]
    fn what_is_marked_most_of_the_time_counts_and_other_rules_stay() {
        let blocks = blocks(6);
        let counting = Counting::of(&blocks);
        assert_eq!(blocks.iter().filter(|block| counting.counts(block)).count(), 9);
        assert_eq!((counting.stolen("t"), counting.stolen("u")), (Some(0.6), None));
    }
}
