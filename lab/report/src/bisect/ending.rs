//! How a search ended, a sentence each: what was found, what else is known, and what it took.

use humdrum_model::{Bisect, BisectBranch, BisectSegment, BisectState};

use super::{kind, likely, named, s, times};
use crate::number::{duration, ratio};
use crate::text::{clean, quoted};

/// Characters of a commit's id that people type.
const ID_CHARS: usize = 10;
/// Seconds beside measuring that are worth a word.
const BESIDE_SHOWN: f64 = 10.0;

/// The sentences.
pub(super) fn ending(bisect: &Bisect) -> Vec<String> {
    let mut lines = vec![headline(bisect)];
    lines.extend(unmeasured(bisect));
    lines.extend(bisect.merged.iter().map(|branch| inside(bisect, branch)));
    lines.extend(bisect.others.iter().map(|other| another(bisect, other)));
    lines.push(cost(bisect));
    lines
}

pub(super) fn headline(bisect: &Bisect) -> String {
    let what = format!("{} of {}", bisect.quantity, clean(&bisect.test));
    let ends = bisect.ends.as_ref().map_or_else(String::new, times);
    let last = bisect.positions.len().saturating_sub(1);
    let (good, bad) = (subject(bisect, 0), subject(bisect, last));
    match (bisect.state, &bisect.found) {
        (BisectState::Found, Some(found)) => format!(
            "{what}: the first that differs is {}{}; it has {} of {} (probability {:.0} %)",
            subject(bisect, found.until),
            about(bisect, found.until),
            times(&found.ratio),
            subject(bisect, found.after),
            100.0 * found.mass
        ),
        (BisectState::Unconfirmed, Some(found)) => format!(
            "{what}: nothing is named, because {} and {}, beside which the step seems to be, do not differ in fresh sessions: {}",
            subject(bisect, found.after),
            subject(bisect, found.until),
            times(&found.ratio)
        ),
        (BisectState::Same, _) => {
            format!(
                "{what}: {bad} has {ends} of {good}: no difference is shown, so there is nothing to search; \
                 a longer --budget shows smaller ones, --series 8 a change that was repaired"
            )
        }
        (BisectState::BudgetSpent, _) => {
            format!("{what}: the budget is spent; {} of {last} {} are left", likely(bisect), kind(bisect))
        }
        _ => format!("{what}: not finished; {} of {last} {} are left", likely(bisect), kind(bisect)),
    }
}

fn subject(bisect: &Bisect, position: usize) -> String {
    bisect.positions.get(position).map_or_else(String::new, |one| clean(&one.subject))
}

fn about(bisect: &Bisect, position: usize) -> String {
    let about = bisect.positions.get(position).map_or("", |one| one.about.as_str());
    if about.is_empty() { String::new() } else { format!(" ({})", clean(about)) }
}

/// The positions beside the step that could not be measured: it may be any of them.
fn unmeasured(bisect: &Bisect) -> Option<String> {
    let found = bisect.found.filter(|found| found.after + 1 < found.until)?;
    let names: Vec<String> = (found.after + 1..found.until).map(|position| named(bisect, position)).collect();
    Some(format!("It may as well be one of these, which could not be measured: {}", names.join(", ")))
}

/// Where the commits of a branch that the step merged were searched, or the command that does.
fn inside(bisect: &Bisect, branch: &BisectBranch) -> String {
    let count = branch.commits as u64;
    let merges = format!("It merges {count} commit{}", s(count));
    if bisect.goes_inside {
        return format!("{merges}, among which the search went on: the folder `inside` has what it found");
    }
    let short = |id: &str| id.chars().take(ID_CHARS).collect::<String>();
    let ends = format!("{} {}", short(&branch.good), short(&branch.bad));
    let command = match &bisect.script {
        Some(script) => {
            let words = [script.repository.display().to_string(), script.run.clone()];
            let [repository, run] = words.map(|word| quoted(&clean(&word)));
            format!("humdrum bisect {repository} {ends} --run {run}")
        }
        None => {
            let found = bisect.found.map_or_else(String::new, |found| subject(bisect, found.until));
            let (repository, rest) = found.rsplit_once('#').unwrap_or((found.as_str(), ""));
            // Settings of the subject come after the commit.
            let settings = rest.find('+').map_or("", |at| &rest[at..]);
            format!(
                "humdrum bisect {} {ends} --tests {}",
                quoted(&format!("{repository}{settings}")),
                clean(&bisect.test)
            )
        }
    };
    let them = if count == 1 { "it" } else { "them" };
    format!("{merges}; to search {them}, with the same options: {command}")
}

/// `There is another change: after 10.5.1, at the latest at 10.6.2, which has 0.671 of it; …`.
pub(super) fn another(bisect: &Bisect, other: &BisectSegment) -> String {
    let (after, until) = (subject(bisect, other.after), subject(bisect, other.until));
    let level = |position: usize| {
        let measured = bisect.levels.iter().find(|level| level.position == position);
        if position == 0 { Some(1.0) } else { measured.map(|level| level.ratio.ratio) }
    };
    let size = level(other.after).zip(level(other.until)).map(|(before, then)| ratio(Some(then / before)));
    let size = size.map_or_else(String::new, |size| format!(", which has {size} of it"));
    let more = if other.after + 1 == other.until {
        String::new()
    } else {
        "; another bisect can search between the two".to_owned()
    };
    format!("There is another change: after {after}, at the latest at {until}{size}{more}")
}

/// `9 rounds, 8 of 60 releases measured, 6 min 2 s`.
fn cost(bisect: &Bisect) -> String {
    let mut measured: Vec<usize> =
        bisect.rounds.iter().flat_map(|round| round.positions.iter().copied()).collect();
    measured.sort_unstable();
    measured.dedup();
    let rounds = bisect.rounds.len();
    let beside: f64 = bisect.rounds.iter().map(|round| round.beside_seconds).sum();
    let beside = match (beside >= BESIDE_SHOWN, kind(bisect)) {
        (false, _) => String::new(),
        (true, "commits") => format!(" and {} of building and starting", duration(beside)),
        (true, _) => format!(" and {} of fetching and starting", duration(beside)),
    };
    format!(
        "{rounds} round{}, {} of {} {} tried, {} of measuring{beside}",
        s(rounds as u64),
        measured.len(),
        bisect.positions.len(),
        kind(bisect),
        duration(bisect.seconds)
    )
}
