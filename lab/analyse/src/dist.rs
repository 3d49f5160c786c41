//! Tails and quantiles of the normal and Student's t distribution, accurate far out.
//!
//! Sequential boundaries need tails of 1e-40 at one degree of freedom. Quantile functions that compute `1 -
//! x` lose all digits there, so quantiles are found by bisection on the tail itself.

use std::cell::RefCell;
use std::collections::HashMap;

use statrs::function::beta::beta_reg;
use statrs::function::erf::{erfc, erfc_inv};

/// P(Z > z).
pub(crate) fn normal_tail(z: f64) -> f64 {
    0.5 * erfc(z / std::f64::consts::SQRT_2)
}

/// The z whose upper tail is `tail` (0 < tail < 1).
pub(crate) fn normal_critical(tail: f64) -> f64 {
    std::f64::consts::SQRT_2 * erfc_inv(2.0 * tail)
}

/// P(T > t) for t >= 0.
pub(crate) fn t_tail(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    0.5 * beta_reg(0.5 * freedom, 0.5, freedom / (freedom + t * t))
}

/// Two-sided p of a t statistic.
pub(crate) fn t_two_sided(t: f64, freedom: f64) -> f64 {
    (2.0 * t_tail(t.abs(), freedom)).min(1.0)
}

/// The t that |T| exceeds with probability `two_sided`; at most 1e12, which means "never". Cached, because
/// every look uses the same few values for every test.
pub(crate) fn t_critical(two_sided: f64, freedom: f64) -> f64 {
    thread_local! {
        static KNOWN: RefCell<HashMap<[u64; 2], f64>> = RefCell::default();
    }
    let key = [two_sided.to_bits(), freedom.to_bits()];
    KNOWN.with_borrow_mut(|known| {
        *known.entry(key).or_insert_with(|| t_critical_by_bisection(two_sided, freedom))
    })
}

fn t_critical_by_bisection(two_sided: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (1e-6_f64.ln(), 1e12_f64.ln());
    for _ in 0..70 {
        let middle = 0.5 * (low + high);
        if t_two_sided(middle.exp(), freedom) > two_sided { low = middle } else { high = middle }
    }
    high.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_printed_tables() {
        for (two_sided, freedom, expected) in
            [(0.05, 1.0, 12.706), (0.05, 8.0, 2.306), (0.01, 3.0, 5.841), (0.001, 11.0, 4.437)]
        {
            assert!((t_critical(two_sided, freedom) - expected).abs() < 6e-4);
        }
        assert!((normal_critical(0.025) - 1.959_964).abs() < 1e-5);
        assert!((normal_tail(1.0) - 0.158_655).abs() < 1e-5);
    }

    #[test]
    fn far_tails_stay_finite_and_ordered() {
        let far = t_critical(1e-40, 1.0);
        let near = t_critical(1e-10, 1.0);
        assert!(far >= near && near > 1e9 && far <= 1.01e12);
    }
}
