//! How far a ratio is valid: the interval for another run on this host, and for another host.
//!
//! ```text
//!   y_i = θ + u_i + e_i      runs i; u_i: that hour's luck, variance τ²; e_i: this run's interval knows its variance
//! ```
//!
//! τ² is by Paule & Mandel (1982); where runs alone show it, in its median-unbiased form (Viechtbauer 2021). The error of the mean is by Knapp & Hartung, modified so that it is never
//! below the one from the runs' own errors (Röver, Knapp & Friede 2015). The interval is the one in which θ +
//! u of a further run lies (Higgins, Thompson & Spiegelhalter 2009). One run alone does not show τ², which
//! then comes from a history.

use humdrum_model::HALF_95;

use crate::dist::t_critical;
use crate::interval::Means;
use crate::robust::mean;

/// Miss rate of all these intervals.
const LEVEL: f64 = 0.05;
/// Degrees of freedom of a host's own error, which is small beside the differences of hosts.
const HOST_FREEDOM: f64 = 30.0;
/// Halvings in the search for τ².
const STEPS: usize = 80;

/// The estimate of one test in one run, ln units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunEstimate {
    /// ln ratio.
    pub mean: f64,
    /// Its standard error from the spread of sessions.
    pub standard_error: f64,
    /// Degrees of freedom of that.
    pub freedom: f64,
}

impl RunEstimate {
    /// A ratio that was reported with a 95 % interval.
    pub fn within(ratio: f64, [low, high]: [f64; 2]) -> Self {
        let standard_error = (high / low).ln() / (2.0 * HALF_95);
        Self { mean: ratio.ln(), standard_error, freedom: HOST_FREEDOM }
    }
}

/// How much runs differ, from earlier runs; used while there are few runs.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// The class of tests: a group's name, or `*` for any.
    pub class: String,
    /// Sd between runs beyond their own errors, ln units.
    pub sd: f64,
    /// Degrees of freedom of that.
    pub freedom: f64,
    /// Its source, for people.
    pub basis: String,
}

/// The history for a class of tests: one of those given, else one of the shipped table, which has only the
/// classes that were recorded.
pub fn known(given: &[History], class: &str) -> Option<History> {
    let fits = |rows: &[History]| {
        let exact = rows.iter().find(|row| row.class == class);
        exact.or_else(|| rows.iter().find(|row| row.class == "*")).cloned()
    };
    fits(given).or_else(|| fits(&shipped()))
}

/// The shipped table; it names the records that it was computed from.
fn shipped() -> Vec<History> {
    let row = |line: &str| {
        let mut cells = line.split('\t');
        let class = cells.next()?.to_owned();
        let (sd, freedom) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
        Some(History { class, sd, freedom, basis: cells.next()?.to_owned() })
    };
    include_str!("../data/between-runs.tsv").lines().skip(1).filter_map(row).collect()
}

/// 95 % prediction interval of the true ln ratio in another run on this host. `None` without runs, and for
/// one or two runs without a history.
pub fn another_run(runs: &[RunEstimate], history: Option<&History>) -> Option<[f64; 2]> {
    Forecast::of(runs, history).map(|forecast| forecast.interval(LEVEL, 0.0))
}

/// Mean ln ratio over several runs, with an error that includes the variance between hours on this host.
/// `None` in the cases in which `another_run` is.
pub(crate) fn mean_over_runs(runs: &[RunEstimate], history: Option<&History>) -> Option<Means> {
    let forecast = Forecast::of(runs, history)?;
    Some(Means {
        mean: forecast.mean,
        sd: forecast.between.sqrt(),
        standard_error: (forecast.variance - forecast.between).max(0.0).sqrt(),
        freedom: forecast.freedom,
    })
}

/// 95 % prediction interval of the true ln ratio on another host. Each host's runs enter as one estimate.
pub fn another_host(hosts: &[RunEstimate]) -> Option<[f64; 2]> {
    another_run(hosts, None)
}

/// Share of runs, over all tests, that lie in the interval predicted by the other runs of the test, their own
/// error included. `None` if no test has enough runs.
pub fn coverage(tests: &[Vec<RunEstimate>]) -> Option<f64> {
    let inside = |left: LeftOut| f64::from(u8::from(left.inside));
    let held: Vec<f64> = tests.iter().flat_map(|runs| left_out(runs, LEVEL)).map(inside).collect();
    (!held.is_empty()).then(|| mean(&held))
}

/// The hosts whose ratio is not where all others together say, by position, with the interval that these give. The level is
/// divided by the number of hosts. Fewer than four hosts have none: two others say nothing.
pub(crate) fn standing_apart(hosts: &[RunEstimate]) -> Vec<(usize, [f64; 2])> {
    let left = left_out(hosts, LEVEL / hosts.len().max(1) as f64);
    left.filter(|left| !left.inside).map(|left| (left.place, left.interval)).collect()
}

/// A run beside what the others predict for it.
struct LeftOut {
    place: usize,
    /// Includes the run's own error.
    interval: [f64; 2],
    inside: bool,
}

/// Each run beside the prediction by all others; none where these are too few to predict.
fn left_out(runs: &[RunEstimate], level: f64) -> impl Iterator<Item = LeftOut> {
    (0..runs.len()).filter_map(move |place| {
        let mut others = runs.to_vec();
        let one = others.remove(place);
        let interval = Forecast::of(&others, None)?.interval(level, one.standard_error.powi(2));
        let [low, high] = interval;
        Some(LeftOut { place, interval, inside: (low..=high).contains(&one.mean) })
    })
}

/// Mean over runs, and the variance of a further run's true value around it.
struct Forecast {
    mean: f64,
    variance: f64,
    /// The part of it that is the variance between runs.
    between: f64,
    freedom: f64,
}

impl Forecast {
    fn of(runs: &[RunEstimate], history: Option<&History>) -> Option<Self> {
        let between = Between::of(runs, history)?;
        let weights: Vec<f64> =
            runs.iter().map(|run| 1.0 / (run.standard_error.powi(2) + between.variance)).collect();
        let total: f64 = weights.iter().sum();
        let mean = runs.iter().zip(&weights).map(|(run, weight)| run.mean * weight).sum::<f64>() / total;
        let of_mean = knapp_hartung(runs, &weights, mean).max(1.0) / total;
        Some(Self {
            mean,
            variance: of_mean + between.variance,
            between: between.variance,
            freedom: between.freedom,
        })
    }

    /// The interval, including the error of the value that is compared with it.
    fn interval(&self, level: f64, error: f64) -> [f64; 2] {
        let half = t_critical(level, self.freedom) * (self.variance + error).sqrt();
        [self.mean - half, self.mean + half]
    }
}

/// Weighted squared distance of runs from their mean, divided by degrees of freedom; 1 for a single run.
fn knapp_hartung(runs: &[RunEstimate], weights: &[f64], mean: f64) -> f64 {
    let squares: f64 = runs.iter().zip(weights).map(|(run, weight)| weight * (run.mean - mean).powi(2)).sum();
    if runs.len() > 1 { squares / (runs.len() - 1) as f64 } else { 1.0 }
}

/// Variance between runs, with its degrees of freedom.
struct Between {
    variance: f64,
    freedom: f64,
}

impl Between {
    /// Runs and history together, each by its degrees of freedom.
    fn of(runs: &[RunEstimate], history: Option<&History>) -> Option<Self> {
        let own = runs.len().checked_sub(1)? as f64;
        match history {
            None => (own >= 2.0).then(|| Self { variance: median_unbiased(runs), freedom: own }),
            Some(history) => {
                let seen = if own > 0.0 { paule_mandel(runs) } else { 0.0 };
                let freedom = own + history.freedom;
                let variance = (own * seen + history.freedom * history.sd.powi(2)) / freedom;
                Some(Self { variance, freedom })
            }
        }
    }
}

/// The τ² at which the weighted squared distance of runs from their mean equals its expectation; 0 if the
/// runs' own errors explain it.
pub(crate) fn paule_mandel(runs: &[RunEstimate]) -> f64 {
    variance_at(runs, 1.0)
}

/// The τ² at which the same distance is the median of its distribution (Viechtbauer 2021): as often too large as too small.
/// That of Paule & Mandel is too small more often than not, most of all for three runs, of which it makes 0 in most cases
/// where runs differ by less than their errors. The median of χ² is by Wilson & Hilferty (1931).
fn median_unbiased(runs: &[RunEstimate]) -> f64 {
    let freedom = runs.len().saturating_sub(1).max(1) as f64;
    variance_at(runs, (1.0 - 2.0 / (9.0 * freedom)).powi(3))
}

/// The τ² at which the weighted squared distance of runs from their mean, per degree of freedom, is `expected`.
fn variance_at(runs: &[RunEstimate], expected: f64) -> f64 {
    let excess = |variance: f64| {
        let weights: Vec<f64> =
            runs.iter().map(|run| 1.0 / (run.standard_error.powi(2) + variance).max(1e-18)).collect();
        let total: f64 = weights.iter().sum();
        let mean = runs.iter().zip(&weights).map(|(run, weight)| run.mean * weight).sum::<f64>() / total;
        knapp_hartung(runs, &weights, mean) - expected
    };
    if runs.len() < 2 || excess(0.0) <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while excess(high) > 0.0 {
        high *= 4.0;
    }
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod of_hosts;
#[cfg(test)]
mod records;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Rng;

    /// Runs whose hours differ by `sd`.
    fn runs(rng: &mut Rng, count: usize, sd: f64) -> Vec<RunEstimate> {
        let error = 0.002;
        let run = |_| RunEstimate {
            mean: sd * rng.normal() + error * rng.normal(),
            standard_error: error,
            freedom: 11.0,
        };
        (0..count).map(run).collect()
    }

    #[test]
    fn the_variance_between_runs_is_found() {
        let mut rng = Rng::new(1);
        let found: Vec<f64> = (0..400).map(|_| paule_mandel(&runs(&mut rng, 12, 0.005))).collect();
        let sd = mean(&found).sqrt();
        assert!((sd - 0.005).abs() < 4e-4, "{sd}");
        assert_eq!(paule_mandel(&[RunEstimate { mean: 0.1, standard_error: 0.01, freedom: 5.0 }; 4]), 0.0);
    }

    /// Finding 2: the interval of one run holds for that run. Q / df was 5 to 6.7 over nine runs, which is an sd between
    /// hours of 2.3 times a run's own error.
    #[test]
    fn another_run_lies_where_this_one_says_and_not_inside_its_own_interval() {
        let mut rng = Rng::new(2);
        let tests: Vec<Vec<RunEstimate>> = (0..400).map(|_| runs(&mut rng, 12, 0.0046)).collect();
        let found = coverage(&tests).unwrap();
        assert!((0.92..0.98).contains(&found), "{found}");
        let naive = tests.iter().filter(|runs| {
            let [one, other, ..] = runs.as_slice() else { return false };
            (one.mean - other.mean).abs() < 1.96 * one.standard_error * 2f64.sqrt()
        });
        assert!(naive.count() < 300, "this run's interval would have to hold in 380 of 400");
    }

    #[test]
    fn one_run_takes_its_history() {
        let mut rng = Rng::new(3);
        let history = History { class: "*".into(), sd: 0.005, freedom: 8.0, basis: String::new() };
        let held = (0..2000).filter(|_| {
            let [low, high] = another_run(&runs(&mut rng, 1, 0.005), Some(&history)).unwrap();
            (low..high).contains(&(0.005 * rng.normal()))
        });
        let share = held.count() as f64 / 2000.0;
        assert!((0.93..0.985).contains(&share), "{share}");
        assert!(another_run(&runs(&mut rng, 1, 0.0), None).is_none());
        assert!(another_run(&[], Some(&history)).is_none());
        assert!(another_host(&runs(&mut rng, 3, 0.01)).is_some());
    }

    #[test]
    fn the_given_history_comes_before_the_shipped_one() {
        let given = History { class: "*".into(), sd: 0.1, freedom: 8.0, basis: "this host".into() };
        assert_eq!(known(&[given], "point").unwrap().basis, "this host");
        assert!(known(&[], "point").is_some_and(|row| row.sd > 0.0 && row.freedom > 0.0));
        assert!(known(&[], "write").is_none(), "no record tells how writes differ from run to run");
    }
}
