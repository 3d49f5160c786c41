//! The order of a search: both ends, then one position after the other, then the step that was found once more.

use std::collections::BTreeSet;

use crate::choose::choose;
use crate::evidence::Evidence;
use crate::levels::{Level, differences, ratio};
use crate::posterior::{Segment, segments_of};
use crate::round::{Kind, Round, groups};
use crate::series::{hump, missing};
use crate::two::{Two, two_changes};

/// Probability at which a place counts as found, and a second change as there.
pub const ENOUGH: f64 = 0.95;
/// Confirmations of one step beyond those that are asked for, before the search gives up on it.
const FURTHER_MAX: usize = 2;

/// What is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Weight of every position as the first that is bad, before anything was measured. Position 0 is good, its weight is
    /// not used.
    pub weights: Vec<f64>,
    /// So many evenly spaced positions are measured before the search.
    pub series: usize,
    /// False after a round that did not show a difference of the ends.
    pub ends_differ: bool,
    /// A step is found after so many confirmations of it. Where each has builds of its own, so many builds.
    pub confirmations: usize,
}

impl Problem {
    /// Positions that are all equally probable.
    pub fn uniform(positions: usize) -> Self {
        Self { weights: vec![1.0; positions], series: 0, ends_differ: true, confirmations: 1 }
    }

    /// The bad end.
    pub fn last(&self) -> usize {
        self.weights.len() - 1
    }
}

/// What is known so far.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The good end of what is searched: position 0 unless there are several changes.
    pub low: usize,
    /// The bad end.
    pub high: usize,
    /// Where the step may be.
    pub segments: Vec<Segment>,
    /// Segments outside that hold another change.
    pub others: Vec<Segment>,
}

impl View {
    /// The most probable segment.
    pub fn top(&self) -> Segment {
        let whole = Segment { after: self.low, until: self.high, prior: 1.0, mass: 1.0 };
        self.segments.iter().copied().max_by(|a, b| a.mass.total_cmp(&b.mass)).unwrap_or(whole)
    }
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Measure these positions side by side, the first as the base.
    Measure {
        /// What for.
        kind: Kind,
        /// Ascending.
        positions: Vec<usize>,
    },
    /// The step is found, and its neighbours differ in fresh sessions.
    Found(Found),
    /// The step seems found, but its neighbours do not differ in fresh sessions.
    Unconfirmed(Found),
    /// The ends do not differ, and nothing between them is known to.
    Same,
}

/// Where the step is: after a position, and at the latest at another. Positions between them could not be measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The last that is good.
    pub after: usize,
    /// The first that is bad.
    pub until: usize,
    /// Speed of `until` relative to `after`, from the confirmations.
    pub ratio: Level,
    /// Probability.
    pub mass: f64,
}

/// What is known from these rounds. A range with several changes is narrowed to the largest that goes in the direction of
/// the whole, or, where what lies between the ends is repaired, to the change before the repair.
pub fn view(problem: &Problem, rounds: &[Round]) -> View {
    let (mut low, mut high, mut others) = (0, problem.last(), Vec::new());
    if let Some((until, rest)) = hump(problem, rounds) {
        high = until;
        others.push(rest);
    }
    loop {
        let evidence = Evidence::new(groups(rounds, low, high));
        let segments = segments_of(&evidence, &problem.weights, low, high);
        match two_changes(&evidence, &segments).filter(|two| two.mass >= ENOUGH) {
            Some(two) if two.is_repaired() || first_is_larger(rounds, low, high, &two) => {
                high = two.first.until;
                others.push(two.second);
            }
            Some(two) => {
                low = two.second.after;
                others.push(two.first);
            }
            None => return View { low, high, segments, others },
        }
    }
}

/// Whether the first of two changes goes farther than the second in the direction of both together.
fn first_is_larger(rounds: &[Round], low: usize, high: usize, two: &Two) -> bool {
    let jump = |from: usize, to: usize| ratio(&differences(rounds, to, from)).map(|found| found.ratio.ln());
    match (jump(low, two.first.until), jump(two.second.after, high)) {
        (Some(first), Some(second)) if first + second < 0.0 => first <= second,
        (Some(first), Some(second)) => first >= second,
        _ => two.first_is_larger(),
    }
}

/// What to do after these rounds; `broken` positions do not build or start.
pub fn next(problem: &Problem, rounds: &[Round], broken: &BTreeSet<usize>) -> Next {
    if !rounds.iter().any(|round| round.kind == Kind::Ends && round.has_spread()) {
        return Next::Measure { kind: Kind::Ends, positions: vec![0, problem.last()] };
    }
    if let Some(missing) = missing(problem, rounds, broken) {
        return missing;
    }
    if !problem.ends_differ && hump(problem, rounds).is_none() {
        return Next::Same;
    }
    let view = view(problem, rounds);
    let top = view.top();
    let is_narrow = (top.after + 1..top.until).all(|position| broken.contains(&position));
    if top.mass >= ENOUGH && is_narrow {
        return confirmed(problem, &view, top, rounds);
    }
    match choose(&view.segments, &problem.weights, broken) {
        Some(position) => measure(Kind::Candidate, &[view.low, position, view.high]),
        None => confirmed(problem, &view, top, rounds),
    }
}

/// Rounds that are probably left: one for each bit that is not known, and the confirmations.
pub fn rounds_left(problem: &Problem, view: &View, rounds: &[Round]) -> u32 {
    let confirmed = rounds.iter().filter(|round| round.kind == Kind::Confirm).count();
    let confirmations = problem.confirmations.saturating_sub(confirmed).max(1);
    let bits = |one: &Segment| {
        let inside = &problem.weights[one.after + 1..=one.until];
        let total: f64 = inside.iter().sum();
        let each = inside.iter().map(|weight| one.mass * weight / total).filter(|mass| *mass > 0.0);
        each.map(|mass| -mass * mass.log2()).sum::<f64>()
    };
    confirmations as u32 + view.segments.iter().map(bits).sum::<f64>().round() as u32
}

fn confirmed(problem: &Problem, view: &View, top: Segment, rounds: &[Round]) -> Next {
    let ours = |round: &&Round| round.kind == Kind::Confirm && round.has(top.after) && round.has(top.until);
    let confirmations: Vec<&Round> = rounds.iter().filter(ours).collect();
    let again = measure(Kind::Confirm, &[view.low, top.after, top.until, view.high]);
    let enough = confirmations.len() >= problem.confirmations;
    let logs = confirming(problem, &confirmations, top);
    let Some(ratio) = ratio(&logs).filter(|_| enough) else { return again };
    let found = Found { after: top.after, until: top.until, ratio, mass: top.mass };
    match ratio.ci95 {
        Some([low, high]) if low > 1.0 || high < 1.0 => Next::Found(found),
        _ if confirmations.len() < problem.confirmations + FURTHER_MAX => again,
        _ => Next::Unconfirmed(found),
    }
}

/// Ln of the ratio of the two beside a step. Where several confirmations are asked for, the mean of each is one value, because the
/// sessions of a confirmation share the luck of its builds.
fn confirming(problem: &Problem, confirmations: &[&Round], top: Segment) -> Vec<f64> {
    let each = confirmations.iter().map(|round| differences([*round], top.until, top.after));
    if problem.confirmations == 1 {
        return each.flatten().collect();
    }
    let mean = |logs: Vec<f64>| logs.iter().sum::<f64>() / logs.len() as f64;
    each.filter(|logs| !logs.is_empty()).map(mean).collect()
}

/// The positions in order, each once.
fn measure(kind: Kind, positions: &[usize]) -> Next {
    let mut positions = positions.to_vec();
    positions.dedup();
    Next::Measure { kind, positions }
}

#[cfg(test)]
mod tests;
