//! What a search will still take: rounds, builds, and the time of both.

use humdrum_model::{Bisect, BisectKind, BisectRound};

use super::{kind, likely, s};
use crate::number::duration;

/// Positions of a confirmation: both ends, and the two beside the step.
const CONFIRMED: usize = 4;

/// `14 of 59 commits left, about 5 rounds with 8 builds, 12 min 30 s`.
pub(super) fn left(bisect: &Bisect) -> String {
    let all = bisect.positions.len().saturating_sub(1);
    let rounds = bisect.rounds_left;
    let builds = match builds(bisect) {
        0 => String::new(),
        builds => format!(" with {builds} build{}", s(builds as u64)),
    };
    format!(
        "{} of {all} {} left, about {rounds} round{}{builds}, {}",
        likely(bisect),
        kind(bisect),
        s(u64::from(rounds)),
        duration(seconds(bisect))
    )
}

/// Each further candidate is built, and all that each confirmation measures where it has links of its own.
fn builds(bisect: &Bisect) -> usize {
    if kind(bisect) != "commits" {
        return 0;
    }
    let confirmed = bisect.rounds.iter().filter(|round| round.kind == BisectKind::Confirm).count();
    let confirmations = (bisect.builds as usize).saturating_sub(confirmed).max(1);
    let candidates = (bisect.rounds_left as usize).saturating_sub(confirmations);
    let confirmation = match (bisect.fresh_links, &bisect.script) {
        (true, _) => bisect.positions.len().min(CONFIRMED),
        // The copies of the two beside the step hold other commits by then.
        (false, Some(_)) => 2,
        (false, None) => 0,
    };
    candidates + confirmations * confirmation
}

/// Rounds take as long as those before them. What a round takes beside measuring is above all the building of its candidate;
/// the links of a confirmation begin with a tree of their own, as those of the ends did.
fn seconds(bisect: &Bisect) -> f64 {
    let rounds = f64::from(bisect.rounds_left);
    let measured = bisect.rounds.iter().filter(|round| round.seconds > 0.0).count().max(1);
    let mean = |wanted: fn(BisectKind) -> bool| -> Option<f64> {
        let these: Vec<&BisectRound> = bisect.rounds.iter().filter(|round| wanted(round.kind)).collect();
        let sum: f64 = these.iter().map(|round| round.beside_seconds).sum();
        (!these.is_empty()).then(|| sum / these.len() as f64)
    };
    let ends = mean(|kind| kind == BisectKind::Ends).unwrap_or_default();
    let candidate =
        mean(|kind| matches!(kind, BisectKind::Candidate | BisectKind::Series)).unwrap_or(ends / 2.0);
    let confirmation = if bisect.fresh_links { ends } else { candidate };
    rounds * bisect.seconds / measured as f64 + (rounds - 1.0).max(0.0) * candidate + confirmation
}

#[cfg(test)]
mod tests {
    use super::super::tests::search;
    use super::*;

    #[test]
    fn time_left_has_the_builds_and_the_links_of_the_confirmation() {
        let mut search = search();
        assert_eq!(left(&search), "8 of 16 releases left, about 4 rounds, 2 min 0 s");
        search.positions.iter_mut().for_each(|one| one.about = "2026-01-02 A change".into());
        search.rounds[0].beside_seconds = 200.0;
        assert_eq!(builds(&search), 3, "the two beside the step are built by then");
        search.rounds[1].beside_seconds = 30.0;
        search.rounds[2].beside_seconds = 10.0;
        // Four rounds of 30 s, three candidates of 20 s, the confirmation as a candidate.
        assert_eq!(seconds(&search), 4.0 * 30.0 + 3.0 * 20.0 + 20.0);
        search.fresh_links = true;
        assert_eq!(seconds(&search), 4.0 * 30.0 + 3.0 * 20.0 + 200.0);
        assert!(
            left(&search).contains("8 of 16 commits left, about 4 rounds with 7 builds, "),
            "{}",
            left(&search)
        );
        search.builds = 3;
        search.rounds_left = 6;
        assert_eq!(builds(&search), 3 + 3 * 4);
    }

    #[test]
    fn before_a_candidate_was_built_the_ends_tell() {
        let mut search = search();
        search.rounds.truncate(1);
        search.rounds[0].beside_seconds = 200.0;
        assert_eq!(seconds(&search), 4.0 * 90.0 + 3.0 * 100.0 + 100.0);
    }
}
