//! Which position to measure next.

use std::collections::BTreeSet;

use crate::posterior::Segment;

/// A position that tells less than this share of the best one is not worth a detour around broken ones.
const WORTH_SHARE: f64 = 0.3;

/// The position whose answer tells most: the step is before it with a probability nearest to one half. Positions that do
/// not build or start are left out, and the more of them there are around, the farther the choice keeps away from them.
/// `None` if nothing between the ends can be measured.
pub(crate) fn choose(segments: &[Segment], weights: &[f64], broken: &BTreeSet<usize>) -> Option<usize> {
    let scores = scores(segments, weights);
    let whole: Vec<(usize, f64)> =
        scores.into_iter().filter(|(position, _)| !broken.contains(position)).collect();
    let best = |far: usize| {
        let fits = whole.iter().filter(|(position, _)| far_enough(*position, broken, far));
        fits.max_by(|a, b| a.1.total_cmp(&b.1)).copied()
    };
    let (nearest, most) = best(0)?;
    // Where neighbours fail too, a whole stretch of history is broken: 1, 2, 4 … positions away, if that still tells
    // something.
    let mut far = distance(segments, broken, nearest);
    while far > 1 {
        match best(far).filter(|(_, score)| *score >= WORTH_SHARE * most) {
            Some((found, _)) => return Some(found),
            None => far /= 2,
        }
    }
    Some(nearest)
}

/// Every position between the ends, with F · (1 - F) for the probability F that the step is there or before.
fn scores(segments: &[Segment], weights: &[f64]) -> Vec<(usize, f64)> {
    let mut before = 0.0;
    let mut scores = Vec::new();
    for segment in segments {
        let inside = segment.after + 1..=segment.until;
        let total: f64 = weights[inside.clone()].iter().sum();
        for position in inside {
            before += segment.mass * weights[position] / total;
            scores.push((position, before * (1.0 - before)));
        }
    }
    // The last one is the bad end.
    scores.pop();
    scores
}

/// How far from a broken position: 0, 1, 2, 4 … with the number of broken ones in the segment of the best position.
fn distance(segments: &[Segment], broken: &BTreeSet<usize>, nearest: usize) -> usize {
    let around = segments.iter().find(|one| one.after < nearest && nearest <= one.until);
    let count = around.map_or(0, |one| broken.range(one.after + 1..=one.until).count());
    if count == 0 { 0 } else { 1 << (count - 1).min(20) }
}

fn far_enough(position: usize, broken: &BTreeSet<usize>, far: usize) -> bool {
    far == 0 || broken.range((position + 1).saturating_sub(far)..position + far).next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(until: usize) -> [Segment; 1] {
        [Segment { after: 0, until, prior: 1.0, mass: 1.0 }]
    }

    #[test]
    fn halves_what_is_left() {
        assert_eq!(choose(&whole(16), &[1.0; 17], &BTreeSet::new()), Some(8));
        let mut weights = [1.0; 17];
        weights[2] = 100.0;
        assert!(matches!(choose(&whole(16), &weights, &BTreeSet::new()), Some(1 | 2)));
    }

    #[test]
    fn an_uncertain_position_is_measured_again() {
        let half = |after, until, mass| Segment { after, until, prior: 0.5, mass };
        let segments = [half(0, 8, 0.5), half(8, 16, 0.5)];
        assert_eq!(choose(&segments, &[1.0; 17], &BTreeSet::new()), Some(8));
    }

    #[test]
    fn keeps_away_from_what_does_not_build() {
        let mut broken = BTreeSet::new();
        let mut tried = Vec::new();
        for _ in 0..5 {
            let next = choose(&whole(1024), &[1.0; 1025], &broken).unwrap();
            tried.push(next.abs_diff(512));
            broken.insert(next);
        }
        assert_eq!(tried[..2], [0, 1]);
        assert!(tried.is_sorted() && tried[4] >= 8, "{tried:?}");
    }

    #[test]
    fn takes_the_only_one_that_is_left() {
        let broken: BTreeSet<usize> = (1..8).filter(|position| *position != 5).collect();
        assert_eq!(choose(&whole(8), &[1.0; 9], &broken), Some(5));
        assert_eq!(choose(&whole(8), &[1.0; 9], &(1..8).collect()), None);
        assert_eq!(choose(&whole(1), &[1.0; 2], &BTreeSet::new()), None);
    }
}
