//! How far a ratio is valid: the interval for another run on this host, and for another host.
//!
//! ```text
//!   y_i = θ + u_i + e_i      runs i; u_i: that hour's luck, variance τ²; e_i: this run's interval knows its variance
//! ```
//!
//! τ² is by Paule & Mandel (1982); where runs alone show it, in its median-unbiased form (Viechtbauer 2021). The error of the mean is by Knapp & Hartung, modified so that it is never
//! below the one from the runs' own errors (Röver, Knapp & Friede 2015), and allows for weights that are estimated (Meier 1953). The interval is the one in which θ +
//! u of a further run lies (Higgins, Thompson & Spiegelhalter 2009). One run alone does not show τ², which
//! then comes from a history.

mod kinds;
mod levels;

use humdrum_model::HALF_95;

use crate::dist::t_critical;
use crate::interval::Means;
use crate::robust::mean;

pub(crate) use kinds::{OfKind, by_kind, show_another};
pub(crate) use levels::{Level, levels};

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
        let found = weighted(runs, between.variance);
        // Of a single run, all that is known of its error is its own.
        let scatter = if runs.len() > 1 { found.squares / (runs.len() - 1) as f64 } else { 1.0 };
        let of_mean = scatter.max(1.0) / found.total * of_weights(runs, between.variance, found.total);
        Some(Self {
            mean: found.mean,
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
    variance_within(&[runs], 1.0)
}

/// The τ² at which the same distance is the median of its distribution (Viechtbauer 2021): as often too large as too small.
/// That of Paule & Mandel is too small more often than not, most of all for three runs, of which it makes 0 in most cases
/// where runs differ by less than their errors. The median of χ² is by Wilson & Hilferty (1931).
fn median_unbiased(runs: &[RunEstimate]) -> f64 {
    median_unbiased_within(&[runs])
}

/// The same of groups, each with a mean of its own.
fn median_unbiased_within(groups: &[&[RunEstimate]]) -> f64 {
    variance_within(groups, (1.0 - 2.0 / (9.0 * freedom_within(groups).max(1.0))).powi(3))
}

/// Degrees of freedom of a variance within groups.
fn freedom_within(groups: &[&[RunEstimate]]) -> f64 {
    groups.iter().map(|runs| runs.len().saturating_sub(1)).sum::<usize>() as f64
}

/// The τ² at which the weighted squared distance of runs from the means of their groups, per degree of freedom, is `expected`.
fn variance_within(groups: &[&[RunEstimate]], expected: f64) -> f64 {
    let freedom = freedom_within(groups);
    let excess = |variance: f64| {
        let squares: f64 = groups.iter().map(|runs| weighted(runs, variance).squares).sum();
        squares / freedom - expected
    };
    if freedom < 1.0 || excess(0.0) <= 0.0 {
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

/// By how much more a mean varies than its weights say if they were known, because each run's own error is estimated from few sessions
/// (Meier 1953); the less, the more of a weight is the variance between runs.
fn of_weights(runs: &[RunEstimate], between: f64, total: f64) -> f64 {
    let part = |run: &RunEstimate| {
        let own = run.standard_error.powi(2);
        let weight = weight(run, between);
        let (share, own_share) = (weight / total, own * weight);
        own_share.powi(2) * share * (1.0 - share) / run.freedom.max(1.0)
    };
    1.0 + 4.0 * runs.iter().map(part).sum::<f64>()
}

fn weight(run: &RunEstimate, between: f64) -> f64 {
    1.0 / (run.standard_error.powi(2) + between).max(1e-18)
}

/// Runs weighted by the inverse of their variance, between runs and own.
struct Weighted {
    mean: f64,
    /// Sum of weights: the inverse of the variance of the mean.
    total: f64,
    /// Weighted squared distance of runs from their mean.
    squares: f64,
}

fn weighted(runs: &[RunEstimate], between: f64) -> Weighted {
    let weight = |run: &RunEstimate| weight(run, between);
    let total: f64 = runs.iter().map(weight).sum();
    let mean = runs.iter().map(|run| run.mean * weight(run)).sum::<f64>() / total;
    let squares = runs.iter().map(|run| weight(run) * (run.mean - mean).powi(2)).sum();
    Weighted { mean, total, squares }
}

#[cfg(test)]
mod of_hosts;
#[cfg(test)]
mod records;

#[cfg(test)]
mod tests;
