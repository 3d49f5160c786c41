//! `cargo xtask bench bisect [BISECTS]`: how often a bisect ends at the right commit, simulated, and how many builds it
//! takes; beside `git bisect run` with a t-test at each step.

mod rivals;
mod world;

use super::verbs;

use rivals::{Ended, by_posterior, by_t_test};
use world::{KINDS, Kind, World};

/// Bisects of each cell where the caller says nothing.
const BISECTS_DEFAULT: u64 = 1000;
const COMMITS: [usize; 3] = [16, 128, 1024];
const STEPS: [f64; 3] = [0.01, 0.02, 0.05];
const SPREADS: [f64; 2] = [0.003, 0.01];

/// Prints a table for each kind of history.
pub fn main(args: &[&str]) -> Result<(), String> {
    let bisects = args.first().map_or(Ok(BISECTS_DEFAULT), |text| text.parse());
    let bisects = bisects.map_err(|error| format!("BISECTS: {error}; {}", verbs::wanted("bisect")))?;
    for kind in KINDS {
        println!("{}, {bisects} bisects a cell\n", kind.told());
        println!(
            "| commits | step | sd | right | wrong | undecided | another | builds | rounds | git: right | wrong | builds |"
        );
        println!("|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
        for (commits, step, sd) in cells() {
            println!("{}", row(kind, commits, step, sd, bisects));
        }
        println!();
    }
    Ok(())
}

fn cells() -> impl Iterator<Item = (usize, f64, f64)> {
    let steps = COMMITS.into_iter().flat_map(|commits| STEPS.map(|step| (commits, step)));
    steps.flat_map(|(commits, step)| SPREADS.map(|sd| (commits, step, sd)))
}

fn row(kind: Kind, commits: usize, step: f64, sd: f64, bisects: u64) -> String {
    let world = |seed| World::new(kind, commits, step, sd, seed);
    let ours = Tally::of((1..=bisects).map(|seed| by_posterior(&mut world(seed))));
    let theirs = Tally::of((1..=bisects).map(|seed| by_t_test(&mut world(seed))));
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let cells = [
        commits.to_string(),
        format!("{:.0} %", 100.0 * step),
        format!("{:.1} %", 100.0 * sd),
        percent(ours.right),
        percent(ours.wrong),
        percent(1.0 - ours.right - ours.wrong),
        percent(ours.another),
        format!("{:.1}", ours.builds),
        format!("{:.1}", ours.rounds),
        percent(theirs.right),
        percent(theirs.wrong),
        format!("{:.1}", theirs.builds),
    ];
    format!("| {} |", cells.join(" | "))
}

/// Shares and means over the bisects of a cell.
#[derive(Default)]
struct Tally {
    right: f64,
    wrong: f64,
    another: f64,
    builds: f64,
    rounds: f64,
}

impl Tally {
    fn of(ended: impl Iterator<Item = Ended>) -> Self {
        let (mut sum, mut count) = (Self::default(), 0.0);
        for one in ended {
            sum.right += f64::from(u8::from(one.right == Some(true)));
            sum.wrong += f64::from(u8::from(one.right == Some(false)));
            sum.another += f64::from(u8::from(one.another));
            sum.builds += one.builds as f64;
            sum.rounds += f64::from(one.rounds);
            count += 1.0;
        }
        let mean = |sum: f64| sum / count;
        Self {
            right: mean(sum.right),
            wrong: mean(sum.wrong),
            another: mean(sum.another),
            builds: mean(sum.builds),
            rounds: mean(sum.rounds),
        }
    }
}
