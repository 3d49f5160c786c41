//! Medians and their intervals.

/// A median with the interval that holds the true one with at least 95 % probability, if there are
/// six samples or more; with fewer, the range of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Median {
    pub(crate) low: f64,
    pub(crate) mid: f64,
    pub(crate) high: f64,
}

/// Of at least one sample.
pub(crate) fn median(samples: &[f64]) -> Median {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let len = sorted.len();
    let skip = outside(len);
    Median {
        low: sorted[skip],
        mid: (sorted[(len - 1) / 2] + sorted[len / 2]) / 2.0,
        high: sorted[len - 1 - skip],
    }
}

/// How many samples may be cut from each end: the true median lies outside the k-th smallest and
/// k-th largest with probability 2 P(Binomial(len, 1/2) < k), which shall stay below 5 %.
fn outside(len: usize) -> usize {
    // Beyond this the powers of two leave the range of doubles, and the normal approximation is exact
    // to the integer.
    if len > 500 {
        return (len as f64 / 2.0 - 0.98 * (len as f64).sqrt()).floor() as usize;
    }
    let mut probability = 0.5f64.powi(len as i32);
    let (mut tail, mut skip) = (probability, 0);
    while 2.0 * tail <= 0.05 {
        skip += 1;
        probability *= (len - skip + 1) as f64 / skip as f64;
        tail += probability;
    }
    skip.saturating_sub(1)
}

/// The geometric mean; 1 of nothing.
pub(crate) fn geomean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value.ln(), count + 1));
    (sum / f64::from(count.max(1))).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_widths_are_those_of_the_sign_test() {
        // Tables of the sign test: n = 6 cuts none, 9 cuts one, 12 cuts two, 20 cuts five.
        assert_eq!([1, 5, 6, 9, 12, 20].map(outside), [0, 0, 0, 1, 2, 5]);
        // Large n: n/2 - 0.98 sqrt(n), whichever way it is computed.
        assert!((226..=229).contains(&outside(500)) && (955..=957).contains(&outside(2001)));
    }

    #[test]
    fn median_of_even_and_odd() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Median { low: 1.0, mid: 2.0, high: 3.0 });
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]).mid, 2.5);
        assert!((geomean([2.0, 8.0].into_iter()) - 4.0).abs() < 1e-12);
    }
}
