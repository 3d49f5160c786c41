//! Random integers by distribution, with the arithmetic of pgbench over the lab's own generator. The same seed gives the
//! same numbers on every subject; pgbench's generator would give others.

use std::f64::consts::PI;

use humdrum_contract::{Outcome, Random};
use humdrum_model::Fault;

/// The ends of a range, both included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    least: i64,
    count: u64,
}

impl Range {
    /// Refuses what pgbench refuses: an empty range, and one of 2^63 values or more.
    pub(crate) fn of(least: i64, greatest: i64) -> Outcome<Self> {
        if greatest < least {
            return Err(Fault::usage(format!("the range from {least} to {greatest} is empty")));
        }
        let count = greatest.checked_sub(least).and_then(|width| width.checked_add(1));
        let count = count.ok_or_else(|| Fault::usage("a range must have fewer than 2^63 values"))?;
        Ok(Self { least, count: count as u64 })
    }

    /// The value at a share in [0, 1) of the range.
    fn at(self, share: f64) -> i64 {
        let offset = (self.count as f64 * share) as u64;
        self.least + offset.min(self.count - 1) as i64
    }
}

pub(crate) fn uniform(random: &mut Random, range: Range) -> i64 {
    range.least + random.below(range.count) as i64
}

/// Truncated to `parameter` standard deviations on either side of the middle.
pub(crate) fn gaussian(random: &mut Random, range: Range, parameter: f64) -> Outcome<i64> {
    if parameter.is_nan() || parameter < 2.0 {
        return Err(Fault::usage(format!(
            "the parameter of random_gaussian must be 2 or more, not {parameter}"
        )));
    }
    loop {
        let deviation = normal(random);
        if (-parameter..parameter).contains(&deviation) {
            return Ok(range.at((deviation + parameter) / (parameter * 2.0)));
        }
    }
}

/// Box and Muller (1958).
fn normal(random: &mut Random) -> f64 {
    let (radius, angle) = (1.0 - random.unit(), 1.0 - random.unit());
    (-2.0 * radius.ln()).sqrt() * (2.0 * PI * angle).sin()
}

/// The first values are the most frequent ones.
pub(crate) fn exponential(random: &mut Random, range: Range, parameter: f64) -> Outcome<i64> {
    if parameter.is_nan() || parameter <= 0.0 {
        let what = format!("the parameter of random_exponential must be greater than 0, not {parameter}");
        return Err(Fault::usage(what));
    }
    let cut = (-parameter).exp();
    let uniform = 1.0 - random.unit();
    Ok(range.at(-(cut + (1.0 - cut) * uniform).ln() / parameter))
}

/// By rejection (Devroye: "Non-Uniform Random Variate Generation", 1986, pages 550 and 551): no table of the range.
pub(crate) fn zipfian(random: &mut Random, range: Range, parameter: f64) -> Outcome<i64> {
    if !(1.001..=1000.0).contains(&parameter) {
        let what = format!("the parameter of random_zipfian must be from 1.001 to 1000, not {parameter}");
        return Err(Fault::usage(what));
    }
    if range.count == 1 {
        return Ok(range.least);
    }
    let power = parameter - 1.0;
    let b = 2.0_f64.powf(power);
    loop {
        let (u, v) = (random.unit(), random.unit());
        let rank = u.powf(-1.0 / power).floor();
        let t = (1.0 + 1.0 / rank).powf(power);
        if v * rank * (t - 1.0) / (b - 1.0) <= t / b && rank <= range.count as f64 {
            return Ok(range.least + (rank as u64).clamp(1, range.count) as i64 - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: usize = 20_000;

    /// How often each of 1..=10 was drawn.
    fn counts(mut draw: impl FnMut(&mut Random, Range) -> i64) -> [usize; 10] {
        let range = Range::of(1, 10).expect("a range");
        let (mut random, mut counts) = (Random::new(42), [0; 10]);
        for _ in 0..DRAWS {
            counts[draw(&mut random, range) as usize - 1] += 1;
        }
        counts
    }

    /// Each count is within five standard deviations of its expectation.
    fn assert_shares(counts: [usize; 10], share: impl Fn(f64) -> f64) {
        let total: f64 = (1..=10).map(|rank| share(f64::from(rank))).sum();
        for (rank, count) in (1_i32..).zip(counts) {
            let p = share(f64::from(rank)) / total;
            let (expected, deviation) = (DRAWS as f64 * p, (DRAWS as f64 * p * (1.0 - p)).sqrt());
            assert!(
                (count as f64 - expected).abs() < 5.0 * deviation + 1.0,
                "{rank}: {count} for {expected}"
            );
        }
    }

    #[test]
    fn uniform_draws_are_equally_frequent() {
        assert_shares(counts(uniform), |_| 1.0);
    }

    #[test]
    fn zipfian_draws_follow_the_power_law() {
        assert_shares(counts(|random, range| zipfian(random, range, 1.2).expect("valid")), |k| k.powf(-1.2));
    }

    #[test]
    fn exponential_draws_decay() {
        let drawn = counts(|random, range| exponential(random, range, 3.0).expect("valid"));
        assert_shares(drawn, |k| (-0.3 * (k - 1.0)).exp());
    }

    #[test]
    fn gaussian_draws_gather_in_the_middle() {
        let drawn = counts(|random, range| gaussian(random, range, 2.5).expect("valid"));
        // The share between 5 and 6 of 10 is that within half a standard deviation: 38.3 % of 98.8 %.
        let middle = (drawn[4] + drawn[5]) as f64 / DRAWS as f64;
        assert!((middle - 0.3829 / 0.9876).abs() < 0.02, "{middle}");
        assert!(drawn[0] < drawn[2] && drawn[9] < drawn[7]);
    }

    #[test]
    fn bad_ranges_and_parameters_are_refused() {
        assert!(Range::of(2, 1).is_err() && Range::of(i64::MIN, i64::MAX).is_err());
        let range = Range::of(1, 10).expect("a range");
        let random = &mut Random::new(1);
        assert!(gaussian(random, range, 1.9).is_err() && gaussian(random, range, f64::NAN).is_err());
        assert!(exponential(random, range, 0.0).is_err());
        assert!(zipfian(random, range, 1.0).is_err());
    }
}
