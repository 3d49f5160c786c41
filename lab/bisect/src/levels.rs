//! What was measured of a position, for people: its speed relative to another, with an interval.

use humdrum_analyse::mean_within;

use crate::round::Round;

/// A ratio of speeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The ratio.
    pub ratio: f64,
    /// Its 95 % interval from the spread between sessions; `None` for a single session.
    pub ci95: Option<[f64; 2]>,
}

/// One position relative to another over all sessions that had both; `None` if none had.
pub fn level<'a>(
    rounds: impl IntoIterator<Item = &'a Round>,
    position: usize,
    other: usize,
) -> Option<Level> {
    ratio(&differences(rounds, position, other))
}

/// A ratio from ln ratios, one per session.
pub fn ratio(logs: &[f64]) -> Option<Level> {
    ratio_at(logs, 0.05)
}

/// The same with the interval of another error rate.
pub(crate) fn ratio_at(logs: &[f64], alpha: f64) -> Option<Level> {
    let found = mean_within(logs, alpha)?;
    Some(Level { ratio: found.mean.exp(), ci95: found.ci95.map(|ends| ends.map(f64::exp)) })
}

impl Level {
    /// Whether its interval excludes 1.
    pub fn differs(&self) -> bool {
        self.ci95.is_some_and(|[low, high]| low > 1.0 || high < 1.0)
    }
}

/// Ln of the ratio of one position to another in every session that had both.
pub(crate) fn differences<'a>(
    rounds: impl IntoIterator<Item = &'a Round>,
    position: usize,
    other: usize,
) -> Vec<f64> {
    let sessions = rounds.into_iter().flat_map(|round| &round.sessions);
    let both = sessions.filter_map(|session| {
        let of = |wanted: usize| session.iter().find(|(one, _)| *one == wanted).map(|(_, level)| *level);
        Some(of(position)? - of(other)?)
    });
    both.collect()
}
