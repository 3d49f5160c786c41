//! Corrects p values for the number of tests: more tests give more false alarms by chance.
//!
//! The family is every (test, subject) that was run, on throughput alone; costs are not judged. Reports
//! control the false discovery rate (Benjamini & Hochberg 1995). Gates that must rarely give a false alarm
//! can use Holm (1979).

/// Benjamini–Hochberg adjusted p values, in the order given.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let size = p.len() as f64;
    step(p, true, |rank| size / (rank + 1) as f64)
}

/// Holm adjusted p values, in the order given.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let size = p.len();
    step(p, false, |rank| (size - rank) as f64)
}

/// Multiplies the p of each rank (0 = smallest) by `factor`, then keeps the result monotone: stepping up from
/// the largest with running minima, or down from the smallest with running maxima.
fn step(p: &[f64], up: bool, factor: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut ranked: Vec<(usize, usize)> = order.into_iter().enumerate().collect();
    if up {
        ranked.reverse();
    }
    let mut adjusted = vec![1.0; p.len()];
    let mut edge = if up { 1.0 } else { 0.0 };
    for (rank, index) in ranked {
        let value = (p[index] * factor(rank)).min(1.0);
        edge = if up { value.min(edge) } else { value.max(edge) };
        adjusted[index] = edge;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(left: &[f64], right: &[f64]) {
        assert!(left.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-12), "{left:?} {right:?}");
    }

    #[test]
    fn agrees_with_worked_examples() {
        close(&benjamini_hochberg(&[0.04, 0.01, 0.03, 0.02]), &[0.04, 0.04, 0.04, 0.04]);
        close(&holm(&[0.04, 0.01, 0.03, 0.02]), &[0.06, 0.04, 0.06, 0.06]);
        close(&benjamini_hochberg(&[0.5]), &[0.5]);
    }

    proptest! {
        #[test]
        fn never_below_the_raw_p_and_holm_is_the_stricter(p in prop::collection::vec(0.0..=1.0f64, 1..40)) {
            let (reports, gates) = (benjamini_hochberg(&p), holm(&p));
            for index in 0..p.len() {
                prop_assert!(reports[index] >= p[index] - 1e-15 && reports[index] <= 1.0);
                prop_assert!(gates[index] >= reports[index] - 1e-12 && gates[index] <= 1.0);
            }
        }

        #[test]
        fn keeps_the_order(p in prop::collection::vec(0.0..=1.0f64, 2..40)) {
            let adjusted = benjamini_hochberg(&p);
            for a in 0..p.len() {
                for b in 0..p.len() {
                    prop_assert!(p[a] > p[b] || adjusted[a] <= adjusted[b]);
                }
            }
        }
    }
}
