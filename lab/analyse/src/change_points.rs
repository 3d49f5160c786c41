//! Where the level of a series over time changed: E-divisive means.
//!
//! ```text
//!   split a segment where the energy distance of its two sides is largest       (Matteson & James 2014)
//!   shuffle the segment often: how often is the largest distance as large?      p, exact whatever the distribution
//!   p ≤ 5 %: a change, and both sides are searched in turn; else the segment is one level
//! ```
//!
//! Hunter (Fleming et al. 2023) replaces the shuffles by a t-test, because its series are long. The series of a site have tens
//! of results, which can all be shuffled. Fewer than eight show nothing: of the orders of six, one in ten has its two halves
//! apart. Shuffles are drawn from a fixed seed, so that one series always gives one answer.
//!
//! Results are known with errors of their own, which shuffles do not use. The interval of a change does: results of one level are
//! to it what hosts of one kind are to their kind, and have the same model (`reach/levels.rs`), so that an interval is never
//! narrower than the results allow.

use humdrum_model::{ChangePoint, SeriesValue};

use crate::dist::t_critical;
use crate::reach::{Level, RunEstimate, levels};

/// A level has at least two results: a single one may be an outlier.
const LEVEL_MIN: usize = 2;
/// Shuffles of a segment, as in the paper.
const SHUFFLES: usize = 199;
const ALPHA: f64 = 0.05;

/// The changes of a series, in its order. Values that are not finite are of no level and are skipped.
pub fn change_points(series: &[SeriesValue]) -> Vec<ChangePoint> {
    let places: Vec<usize> = (0..series.len())
        .filter(|at| series[*at].value.is_finite() && series[*at].error.is_finite())
        .collect();
    let kept: Vec<SeriesValue> = places.iter().map(|at| series[*at]).collect();
    let values: Vec<f64> = kept.iter().map(|one| one.value).collect();
    let mut found = Vec::new();
    divide(&values, 0, &mut found);
    found.sort_by_key(|(at, _)| *at);
    let bounds: Vec<usize> =
        std::iter::once(0).chain(found.iter().map(|(at, _)| *at)).chain([kept.len()]).collect();
    let results: Vec<RunEstimate> = kept.iter().map(estimate).collect();
    let groups: Vec<&[RunEstimate]> = bounds.windows(2).map(|pair| &results[pair[0]..pair[1]]).collect();
    let all = levels(&groups);
    let change = |((at, p), pair): (&(usize, f64), &[Level])| {
        let difference = pair[1].mean - pair[0].mean;
        let half = t_critical(ALPHA, all.freedom) * (pair[0].variance + pair[1].variance).sqrt();
        let ci95 = [(difference - half).exp(), (difference + half).exp()];
        ChangePoint { at: places[*at], ratio: difference.exp(), ci95, p: *p }
    };
    found.iter().zip(all.levels.windows(2)).map(change).collect()
}

fn estimate(result: &SeriesValue) -> RunEstimate {
    // What the result's error was estimated from is not known, and weights do not ask.
    RunEstimate { mean: result.value, standard_error: result.error, freedom: f64::INFINITY }
}

/// Adds the changes of a segment that begins at `first`, with their p.
fn divide(values: &[f64], first: usize, found: &mut Vec<(usize, f64)>) {
    let Some((at, distance)) = best_split(values, &identity(values.len())) else { return };
    // Equal values have no distance, and every shuffle of them is as good.
    if distance <= 0.0 {
        return;
    }
    let mut shuffled = identity(values.len());
    let mut random = Shuffle(0x5eed ^ values.len() as u64);
    let mut as_large = 0;
    for _ in 0..SHUFFLES {
        random.shuffle(&mut shuffled);
        let other = best_split(values, &shuffled).map_or(0.0, |(_, distance)| distance);
        // Sums in another order differ in their last digits.
        as_large += usize::from(other >= distance * (1.0 - 1e-9));
    }
    let p = (1 + as_large) as f64 / (1 + SHUFFLES) as f64;
    if p <= ALPHA {
        found.push((first + at, p));
        divide(&values[..at], first, found);
        divide(&values[at..], first + at, found);
    }
}

fn identity(len: usize) -> Vec<usize> {
    (0..len).collect()
}

/// The split of values in an order whose sides have the largest energy distance, and that distance. One value at a time moves
/// from the right side to the left one, and the three sums of distances follow.
fn best_split(values: &[f64], order: &[usize]) -> Option<(usize, f64)> {
    let count = order.len();
    if count < 2 * LEVEL_MIN {
        return None;
    }
    let apart = |a: usize, b: usize| (values[order[a]] - values[order[b]]).abs();
    let (mut left, mut across) = (0.0, 0.0);
    let mut right: f64 = (0..count).map(|a| (0..a).map(|b| apart(a, b)).sum::<f64>()).sum();
    let mut best: Option<(usize, f64)> = None;
    for moved in 0..count - LEVEL_MIN {
        let to_left: f64 = (0..moved).map(|other| apart(moved, other)).sum();
        let to_right: f64 = (moved + 1..count).map(|other| apart(moved, other)).sum();
        left += to_left;
        right -= to_right;
        across += to_right - to_left;
        let (m, n) = ((moved + 1) as f64, (count - moved - 1) as f64);
        if moved + 1 < LEVEL_MIN {
            continue;
        }
        let pairs = |n: f64| 0.5 * n * (n - 1.0);
        let energy = 2.0 * across / (m * n) - left / pairs(m) - right / pairs(n);
        let distance = m * n / (m + n) * energy;
        if best.is_none_or(|(_, largest)| distance > largest) {
            best = Some((moved + 1, distance));
        }
    }
    best
}

/// SplitMix64, and the shuffle of Fisher and Yates.
struct Shuffle(u64);

impl Shuffle {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn shuffle(&mut self, places: &mut [usize]) {
        for last in (1..places.len()).rev() {
            // The bias of a remainder is below 2⁻⁵⁰ for series of any length that is plotted.
            let other = (self.next() % (last as u64 + 1)) as usize;
            places.swap(last, other);
        }
    }
}

#[cfg(test)]
mod simulated;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::simulated::{drawn, series};
    use super::*;
    use crate::testkit::Rng;

    #[test]
    fn several_changes_are_found_in_order() {
        let mut exact = 0;
        for seed in 0..40 {
            let changes =
                change_points(&drawn(&mut Rng::new(seed), &[(8, 0.0), (8, 0.2), (8, -0.1)], 0.005, 1.0));
            let places: Vec<usize> = changes.iter().map(|one| one.at).collect();
            assert!(places.contains(&8) && places.contains(&16) && places.is_sorted(), "{seed}: {places:?}");
            let holds = |one: &ChangePoint| one.ci95[0] < one.ratio && one.ratio < one.ci95[1];
            assert!(changes.iter().all(|one| one.p <= 0.05 && holds(one)), "{changes:?}");
            if places == [8, 16] {
                exact += 1;
                assert!(changes[0].ratio > 1.15 && changes[1].ratio < 0.8, "{changes:?}");
            }
        }
        // Each of three levels has its own chance of a false alarm.
        assert!(exact >= 30, "{exact} of 40");
    }

    #[test]
    fn too_little_is_no_series_and_what_is_no_number_is_skipped() {
        assert!(change_points(&[]).is_empty());
        assert!(change_points(&series(&[0.0, 0.0, 1.0, 1.0], 0.01)).is_empty(), "six orders tell nothing");
        let mut values = [vec![0.0; 8], vec![0.1; 8]].concat();
        values[3] = f64::NAN;
        let changes = change_points(&series(&values, 0.01));
        assert_eq!((changes.len(), changes[0].at), (1, 8), "places are those of the whole series");
    }

    /// The energy distance by its definition.
    fn plainly(values: &[f64], at: usize) -> f64 {
        let mean = |a: &[f64], b: &[f64], pairs: f64| {
            a.iter().map(|x| b.iter().map(|y| (x - y).abs()).sum::<f64>()).sum::<f64>() / pairs
        };
        let (left, right) = values.split_at(at);
        let (m, n) = (left.len() as f64, right.len() as f64);
        let energy = 2.0 * mean(left, right, m * n)
            - mean(left, left, m * (m - 1.0))
            - mean(right, right, n * (n - 1.0));
        m * n / (m + n) * energy
    }

    proptest! {
        #[test]
        fn the_best_split_is_the_best_by_the_definition(values in prop::collection::vec(-1.0f64..1.0, 4..24)) {
            let (at, distance) = best_split(&values, &identity(values.len())).expect("a split");
            prop_assert!((distance - plainly(&values, at)).abs() < 1e-9);
            for other in LEVEL_MIN..=values.len() - LEVEL_MIN {
                prop_assert!(plainly(&values, other) <= distance + 1e-9);
            }
        }

        #[test]
        fn units_and_sign_do_not_matter(seed: u64, scale in 0.1f64..10.0, shift in -1.0f64..1.0) {
            let one = drawn(&mut Rng::new(seed), &[(7, 0.0), (7, 0.08)], 0.01, 1.0);
            let of = |sign: f64| {
                let change = |one: &SeriesValue| SeriesValue { value: shift + sign * scale * one.value, error: scale * one.error };
                change_points(&one.iter().map(change).collect::<Vec<_>>())
            };
            let places = |found: Vec<ChangePoint>| found.iter().map(|one| one.at).collect::<Vec<_>>();
            prop_assert_eq!(places(of(1.0)), places(change_points(&one)));
            prop_assert_eq!(places(of(-1.0)), places(change_points(&one)));
        }
    }
}
