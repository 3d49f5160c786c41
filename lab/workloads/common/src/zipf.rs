//! Random numbers 1..=n with probability in proportion to number^-s.
//!
//! The method is rejection-inversion (Hörmann & Derflinger, "Rejection-inversion to generate variates from monotone
//! discrete distributions", ACM TOMACS 1996): invert the integral of the continuous hat function, round, and reject the
//! small part by which the hat exceeds the steps. It needs no table, and about one draw per number.
//!
//! ```text
//!   h(x) = x^-s          H(x) = ∫ h = (x^(1-s) - 1) / (1-s), or ln x for s = 1
//!   u uniform in (H(1.5) - h(1), H(n + 0.5)];  x = H⁻¹(u);  k = x rounded
//!   take k if k - x is small enough to be always right, or if u ≥ H(k + 0.5) - h(k)
//! ```

use humdrum_contract::Random;

/// The distribution of one range and exponent.
#[derive(Clone, Copy, Debug)]
pub struct Zipf {
    last: u64,
    exponent: f64,
    /// Ends of the range of `u`.
    low: f64,
    high: f64,
    /// `k - x` up to which `k` need not be checked.
    sure: f64,
}

impl Zipf {
    /// Numbers from 1 to `last`; the exponent is greater than 0.
    pub fn new(last: u64, exponent: f64) -> Self {
        let mut zipf = Self { last, exponent, low: 0.0, high: 0.0, sure: 0.0 };
        zipf.sure = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.hat(2.0));
        zipf.low = zipf.integral(1.5) - 1.0;
        zipf.high = zipf.integral(last as f64 + 0.5);
        zipf
    }

    /// One number.
    pub fn draw(&self, random: &mut Random) -> u64 {
        loop {
            let u = self.high + random.unit() * (self.low - self.high);
            let x = self.inverse(u);
            let k = x.round().clamp(1.0, self.last as f64);
            if k - x <= self.sure || u >= self.integral(k + 0.5) - self.hat(k) {
                return k as u64;
            }
        }
    }

    fn hat(&self, x: f64) -> f64 {
        x.powf(-self.exponent)
    }

    fn integral(&self, x: f64) -> f64 {
        let power = 1.0 - self.exponent;
        if power == 0.0 { x.ln() } else { (x.powf(power) - 1.0) / power }
    }

    fn inverse(&self, u: f64) -> f64 {
        let power = 1.0 - self.exponent;
        if power == 0.0 { u.exp() } else { (1.0 + u * power).powf(1.0 / power) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u64 = 400_000;

    /// How often each number is drawn.
    fn draws(last: u64, exponent: f64, seed: u64) -> Vec<u64> {
        let (zipf, mut random) = (Zipf::new(last, exponent), Random::new(seed));
        let mut seen = vec![0; last as usize];
        (0..DRAWS).for_each(|_| seen[zipf.draw(&mut random) as usize - 1] += 1);
        seen
    }

    /// Pearson's statistic of draws against the exact probabilities under an exponent.
    fn chi_square(seen: &[u64], exponent: f64) -> f64 {
        let weights: Vec<f64> = (1..=seen.len()).map(|k| (k as f64).powf(-exponent)).collect();
        let total: f64 = weights.iter().sum();
        let term = |(seen, weight): (&u64, f64)| {
            let expected = DRAWS as f64 * weight / total;
            (*seen as f64 - expected).powi(2) / expected
        };
        seen.iter().zip(weights).map(term).sum()
    }

    /// Wilson and Hilferty's approximation of chi-square's upper 1e-4 point.
    fn critical(freedom: f64) -> f64 {
        const Z: f64 = 3.719;
        let spread = 2.0 / (9.0 * freedom);
        freedom * (1.0 - spread + Z * spread.sqrt()).powi(3)
    }

    #[test]
    fn draws_are_in_the_exact_proportions() {
        for (last, exponent, seed) in [(2, 0.8, 1), (10, 0.8, 2), (500, 0.8, 3), (500, 1.0, 4), (50, 1.7, 5)]
        {
            let found = chi_square(&draws(last, exponent, seed), exponent);
            assert!(found < critical(last as f64 - 1.0), "1..={last}: {found}");
        }
    }

    /// The test can fail: a neighbouring exponent does not pass.
    #[test]
    fn another_distribution_would_be_noticed() {
        let seen = draws(500, 0.8, 3);
        for exponent in [0.0, 0.78, 0.82, 1.0] {
            assert!(chi_square(&seen, exponent) > critical(499.0), "{exponent}");
        }
    }

    #[test]
    fn stays_within_its_range() {
        let mut random = Random::new(9);
        for last in [1, 2, 3, 1_000_000] {
            let zipf = Zipf::new(last, 0.8);
            assert!((0..10_000).all(|_| (1..=last).contains(&zipf.draw(&mut random))), "{last}");
        }
    }
}
