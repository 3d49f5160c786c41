//! The two ways to search a history: by posterior, and `git bisect run` with a t-test at each step.

use std::collections::BTreeSet;

use humdrum_bisect::{Kind, Next, Problem, Round, level, next, view};

use super::world::{SESSIONS, World};

/// The ends are measured for twice as long as a position between them.
const SESSIONS_ENDS: usize = 2 * SESSIONS;
/// Rounds after which a search gives up.
const ROUNDS_MAX: u32 = 60;

/// How a search ended.
pub struct Ended {
    /// Whether what it named holds a step; `None` if it named nothing.
    pub right: Option<bool>,
    /// Whether it said that there is another change.
    pub another: bool,
    /// Commits tried, the ends and those that failed included. Links of a confirmation are not counted.
    pub builds: usize,
    /// Measurements.
    pub rounds: u32,
}

/// As `humdrum bisect`.
pub fn by_posterior(world: &mut World) -> Ended {
    let mut problem = Problem::uniform(world.positions());
    let (mut rounds, mut broken, mut built) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let mut right = None;
    while (rounds.len() as u32) < ROUNDS_MAX {
        match next(&problem, &rounds, &broken) {
            Next::Measure { kind, positions } => {
                built.extend(positions.iter().copied());
                if let Some(failed) = positions.iter().find(|position| !world.builds(**position)) {
                    broken.insert(*failed);
                    continue;
                }
                let sessions = if kind == Kind::Ends { SESSIONS_ENDS } else { SESSIONS };
                rounds.push(Round { kind, sessions: world.measure(kind, &positions, sessions) });
                if kind == Kind::Ends {
                    problem.ends_differ =
                        level(&rounds, problem.last(), 0).is_some_and(|ends| ends.differs());
                }
            }
            Next::Found(found) => {
                right = Some(world.steps.iter().any(|step| found.after < *step && *step <= found.until));
                break;
            }
            Next::Unconfirmed(_) | Next::Same => break,
        }
    }
    let another = !view(&problem, &rounds).others.is_empty();
    Ended { right, another, builds: built.len(), rounds: rounds.len() as u32 }
}

/// As `git bisect run` with a script that measures a commit beside the good one: bad if they differ.
pub fn by_t_test(world: &mut World) -> Ended {
    let (mut low, mut high) = (0, world.positions() - 1);
    let (mut broken, mut built) = (BTreeSet::new(), BTreeSet::from([0]));
    let mut rounds = 0;
    while let Some(middle) = middle(low, high, &broken) {
        built.insert(middle);
        if !world.builds(middle) {
            broken.insert(middle);
            continue;
        }
        rounds += 1;
        let sessions = world.measure(Kind::Candidate, &[0, middle], SESSIONS);
        let bad =
            level([&Round { kind: Kind::Candidate, sessions }], middle, 0).is_some_and(|it| it.differs());
        if bad { high = middle } else { low = middle }
    }
    let right = Some(world.steps.iter().any(|step| low < *step && *step <= high));
    Ended { right, another: false, builds: built.len(), rounds }
}

/// The position nearest to the middle that is not known to be broken.
fn middle(low: usize, high: usize, broken: &BTreeSet<usize>) -> Option<usize> {
    let whole = (low + 1..high).filter(|position| !broken.contains(position));
    whole.min_by_key(|position| (2 * position).abs_diff(low + high))
}
