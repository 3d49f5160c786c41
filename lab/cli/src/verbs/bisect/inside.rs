//! A step that is a merge: the search goes on among the commits of the branch that it merged, as a search of its own.

use humdrum_model::{Bisect, BisectState};

use super::{positions, rounds_expected};

/// Its folder, below that of the search that named the merge.
pub const INSIDE: &str = "inside";
/// What a search takes at least, in rounds: its ends, which take two, and a confirmation.
const ROUNDS_LEAST: f64 = 3.0;

/// What is to be searched inside the merge of one branch, with what is left of the budget. `None` where the step is no such merge, or
/// may as well be another commit, or the budget is spent.
pub fn inside(outer: &Bisect) -> Option<Bisect> {
    let found = outer.found.filter(|found| found.after + 1 == found.until)?;
    let [branch] = &outer.merged[..] else { return None };
    let budget_seconds = outer.budget_seconds.map(|budget| budget - outer.seconds);
    let is_spent = budget_seconds.is_some_and(|left| left < ROUNDS_LEAST * outer.round_seconds);
    if is_spent || outer.state != BisectState::Found {
        return None;
    }
    let positions = positions::of_branch(outer, found.until, branch)?;
    Some(Bisect {
        seed: outer.seed.wrapping_add(outer.rounds.len() as u64),
        series: 0,
        budget_seconds,
        seconds: 0.0,
        rounds: Vec::new(),
        ends: None,
        levels: Vec::new(),
        posterior: Vec::new(),
        others: Vec::new(),
        rounds_left: rounds_expected(positions.len(), 0, outer.builds).ceil() as u32,
        state: BisectState::Unfinished,
        found: None,
        merged: Vec::new(),
        positions,
        ..outer.clone()
    })
}
