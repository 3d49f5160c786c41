//! Means that a few extreme values do not affect.
//!
//! A burst on a shared host slows single slices by tens of percent, and sometimes a whole session. A trimmed
//! mean drops the lowest and the highest; its standard error comes from the winsorised variance (Tukey &
//! McLaughlin 1963; Yuen 1974).

/// Fraction of blocks dropped at each end.
const TRIM: f64 = 0.2;

/// A robust mean with its own standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Location {
    /// Trimmed mean.
    pub mean: f64,
    /// Its standard error; infinite for a single value.
    pub standard_error: f64,
    /// Values that were not dropped.
    pub kept: usize,
}

/// 20 % trimmed mean; the plain mean of fewer than five values. `None` without values.
pub(crate) fn trimmed(values: &[f64]) -> Option<Location> {
    trimmed_by(TRIM, values)
}

/// Mean without the lowest and the highest `fraction` of the values. `None` without values.
fn trimmed_by(fraction: f64, values: &[f64]) -> Option<Location> {
    if values.is_empty() {
        return None;
    }
    let sorted = sorted(values);
    let cut = (sorted.len() as f64 * fraction) as usize;
    let core = mean(&sorted[cut..sorted.len() - cut]);
    let winsorised = winsorised_sorted(&sorted, cut);
    let kept = 1.0 - 2.0 * cut as f64 / sorted.len() as f64;
    let standard_error = sd(&winsorised) / (kept * (sorted.len() as f64).sqrt());
    Some(Location { mean: core, standard_error, kept: sorted.len() - 2 * cut })
}

/// Arithmetic mean; NaN without values.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Sample standard deviation; infinite for fewer than two values, because they show no spread.
pub(crate) fn sd(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return f64::INFINITY;
    }
    let centre = mean(values);
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

/// Quantile by linear interpolation (`fraction` 0..=1). `None` without values.
pub(crate) fn quantile(values: &[f64], fraction: f64) -> Option<f64> {
    let sorted = sorted(values);
    let place = fraction * sorted.len().checked_sub(1)? as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(low + (high - low) * place.fract())
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn winsorised_sorted(sorted: &[f64], cut: usize) -> Vec<f64> {
    let (low, high) = (sorted[cut], sorted[sorted.len() - 1 - cut]);
    sorted.iter().map(|value| value.clamp(low, high)).collect()
}

/// Ranks in ascending order; equal values share the mean of their ranks.
pub(crate) fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|other| **other < value).count();
    let equal = |value: f64| values.iter().filter(|other| **other == value).count();
    values.iter().map(|value| below(*value) as f64 + (equal(*value) as f64 - 1.0) / 2.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wild_values_do_not_move_it() {
        let calm: Vec<f64> = (0..10).map(f64::from).collect();
        let mut wild = calm.clone();
        wild[9] = 1e9;
        assert_eq!(trimmed(&calm).unwrap().mean, trimmed(&wild).unwrap().mean);
        assert_eq!(trimmed(&calm).unwrap().mean, 4.5);
    }

    #[test]
    fn few_values_are_averaged_plainly() {
        assert_eq!(trimmed(&[1.0, 2.0, 6.0]).unwrap().mean, 3.0);
        assert!(trimmed(&[1.0]).unwrap().standard_error.is_infinite());
        assert!(trimmed(&[]).is_none() && quantile(&[], 0.5).is_none());
    }

    proptest! {
        #[test]
        fn lies_between_the_extremes_and_moves_with_a_shift(values in prop::collection::vec(-1e3..1e3f64, 1..60), shift in -10.0..10.0f64) {
            let here = trimmed(&values).unwrap().mean;
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(here >= low - 1e-9 && here <= high + 1e-9);
            let moved: Vec<f64> = values.iter().map(|value| value + shift).collect();
            prop_assert!((trimmed(&moved).unwrap().mean - here - shift).abs() < 1e-9);
        }
    }
}
