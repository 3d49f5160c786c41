//! Which subject's slices caused blocks to be discarded. If a rule hits one subject's slices more often than
//! the other's, that subject may be the cause, and discarding its blocks would bias the ratio.

use humdrum_model::{Blame, Block};
use statrs::distribution::{Binomial, DiscreteCDF};

use crate::decide::is_uneven;

/// The gap between two slices of a block from which on the sampler discards the block. A gap counts for the
/// slice after it, because that slice's guard ran in it.
const GAP_NS: u64 = 100_000_000;

/// Counts of discarded blocks for `subject` against the base; `None` if none is attributed to a subject.
pub(crate) fn blame<'a>(discarded: impl Iterator<Item = &'a Block>, subject: usize) -> Option<Blame> {
    let both = |block: &&Block| block.slice(0).is_some() && block.slice(subject).is_some();
    let blamed: Vec<usize> = discarded.filter(both).flat_map(culprits).collect();
    let of = |whose: usize| blamed.iter().filter(|one| **one == whose).count() as u64;
    let (base, own) = (of(0), of(subject));
    (base + own > 0).then(|| Blame { base, subject: own, p: alike_p(base, own) })
}

/// A note if chance does not explain how the discarded blocks are distributed over subjects.
pub(crate) fn note(found: &Blame) -> Option<String> {
    is_uneven(found).then(|| {
        format!(
            "the host disturbed {} blocks in the subject's slices and {} in the base's (p = {:.1e}): discarding \
             was not even",
            found.subject, found.base, found.p
        )
    })
}

/// Subjects in whose slices a block was disturbed.
fn culprits(block: &Block) -> Vec<usize> {
    let marked: Vec<usize> =
        block.slices.iter().filter(|slice| slice.blamed).map(|slice| slice.subject).collect();
    if !marked.is_empty() {
        return marked;
    }
    let gaps = block
        .slices
        .windows(2)
        .map(|pair| (pair[1].start_ns.saturating_sub(pair[0].start_ns + pair[0].wall_ns), pair[1].subject));
    gaps.max().filter(|(gap, _)| *gap > GAP_NS).map(|(_, subject)| subject).into_iter().collect()
}

/// Two-sided exact binomial p of counts that are alike.
fn alike_p(one: u64, other: u64) -> f64 {
    let Ok(coin) = Binomial::new(0.5, one + other) else { return 1.0 };
    (2.0 * coin.cdf(one.min(other))).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::block;

    #[test]
    fn marks_and_gaps_are_counted_for_their_subject() {
        let mut blocks: Vec<Block> = (0..12).map(|index| block("t", 0, index, &[10, 10])).collect();
        for block in &mut blocks {
            block.discarded = Some("steal".into());
        }
        blocks[..9].iter_mut().for_each(|block| block.slices[1].blamed = true);
        blocks[9].slices[1].start_ns += 2 * GAP_NS;
        let found = blame(blocks.iter(), 1).unwrap();
        assert_eq!((found.base, found.subject), (0, 10));
        assert!((found.p - 2.0 / 1024.0).abs() < 1e-12 && note(&found).is_some());
        assert!(blame(blocks[10..].iter(), 1).is_none());
    }

    #[test]
    fn even_counts_are_chance() {
        assert_eq!(alike_p(5, 5), 1.0);
        assert!((alike_p(2, 8) - 2.0 * 56.0 / 1024.0).abs() < 1e-12);
    }
}
