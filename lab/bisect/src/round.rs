//! What a round measured, and the few sums of it that the evidence needs.

use std::collections::BTreeMap;

pub use humdrum_model::BisectKind as Kind;

/// One session: positions that ran in it, each with the ln of its speed relative to any one reference of that session.
pub type Session = Vec<(usize, f64)>;

/// A round that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Its purpose.
    pub kind: Kind,
    /// Its sessions.
    pub sessions: Vec<Session>,
}

impl Round {
    /// Whether a position ran in it.
    pub fn has(&self, position: usize) -> bool {
        self.sessions.iter().flatten().any(|(one, _)| *one == position)
    }

    /// Whether it has enough sessions for an interval. Of a round that the host disturbed, few may be left.
    pub fn has_spread(&self) -> bool {
        self.sessions.len() >= 2
    }
}

/// Sessions of one round that had the same positions.
///
/// Each session has a height of its own, the host's mood, which tells nothing: levels count as deviations from the
/// session's mean. The sums of squares split into a part between sessions, which knows no place of the step, and the means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    /// The positions, ascending.
    pub positions: Vec<usize>,
    /// The mean level of each, as deviations from their mean.
    pub means: Vec<f64>,
    /// Sum of squares of what the means leave.
    pub within: f64,
    /// Sessions.
    pub count: f64,
}

/// The groups of all rounds, with positions of `low..=high` only; sessions of fewer than two of them tell nothing.
pub(crate) fn groups(rounds: &[Round], low: usize, high: usize) -> Vec<Group> {
    rounds.iter().flat_map(|round| groups_of(round, low, high)).collect()
}

fn groups_of(round: &Round, low: usize, high: usize) -> Vec<Group> {
    let mut alike: BTreeMap<Vec<usize>, Vec<Vec<f64>>> = BTreeMap::new();
    for session in &round.sessions {
        let mut inside: Session =
            session.iter().copied().filter(|(position, _)| (low..=high).contains(position)).collect();
        inside.sort_by_key(|(position, _)| *position);
        if inside.len() > 1 {
            let (positions, levels) = inside.into_iter().unzip();
            alike.entry(positions).or_default().push(centred(levels));
        }
    }
    alike.into_iter().map(|(positions, sessions)| group(positions, &sessions)).collect()
}

fn group(positions: Vec<usize>, sessions: &[Vec<f64>]) -> Group {
    let count = sessions.len() as f64;
    let mean = |place: usize| sessions.iter().map(|levels| levels[place]).sum::<f64>() / count;
    let means: Vec<f64> = (0..positions.len()).map(mean).collect();
    let left = |levels: &Vec<f64>| -> f64 {
        levels.iter().zip(&means).map(|(level, mean)| (level - mean).powi(2)).sum()
    };
    let within = sessions.iter().map(left).sum();
    Group { positions, means, within, count }
}

/// Deviations from the mean.
pub(crate) fn centred(mut levels: Vec<f64>) -> Vec<f64> {
    let mean = levels.iter().sum::<f64>() / levels.len() as f64;
    levels.iter_mut().for_each(|level| *level -= mean);
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_with_the_same_positions_are_added_up() {
        let sessions = vec![vec![(0, 1.0), (4, 3.0)], vec![(4, 9.0), (0, 5.0)], vec![(0, 1.0), (9, 1.0)]];
        let round = Round { kind: Kind::Candidate, sessions };
        let found = groups(std::slice::from_ref(&round), 0, 8);
        assert_eq!(found.len(), 1, "position 9 is outside, and 0 alone tells nothing");
        assert_eq!((&found[0].positions, &found[0].means), (&vec![0, 4], &vec![-1.5, 1.5]));
        assert_eq!((found[0].within, found[0].count), (1.0, 2.0));
        assert!(round.has(9) && !round.has(5));
    }
}
