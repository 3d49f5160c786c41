//! One round: a comparison of a few positions side by side, and what it tells of each.

use std::path::Path;

use humdrum_analyse::quantity_log_ratios;
use humdrum_bisect::{Kind, Session};
use humdrum_model::{
    Bisect, BisectPosition, BisectRatio, BisectRound, Event, Fault, LAYOUT, Place, Plan, Results, Setting,
    THROUGHPUT,
};
use humdrum_plan::{Request, parse_subject};
use humdrum_record::{ResultsFolder, Store};
use humdrum_run::Places;
use humdrum_sample::gate::OnBusy;

use super::way::Measured;
use crate::lab::Lab;
use crate::planned::check;
use crate::verbs::compare::create;

/// Sessions below which a position counts as not measured.
const SESSIONS_MIN: usize = 2;

/// Rounds that are comparisons by the lab.
pub struct Comparison {
    /// The request of every round, without its subjects.
    pub request: Request,
    /// On a host that other programs keep busy.
    pub on_busy: OnBusy,
}

impl Comparison {
    /// Measures a round, or goes on with it.
    ///
    /// # Errors
    /// As a comparison.
    pub fn measure(
        &self,
        lab: &Lab,
        bisect: &Bisect,
        (kind, positions): (Kind, &[usize]),
        folder: &Path,
    ) -> Result<Measured, Fault> {
        let number = bisect.rounds.len() as u64;
        // The two beside the step are linked anew, so that the luck of earlier links cannot pass for a step.
        let is_fresh = kind == Kind::Confirm && bisect.fresh_links;
        let link = if is_fresh { 1 + confirmations(bisect) } else { 0 };
        let subject = |position: &usize| linked(&bisect.positions[*position].subject, link);
        let request = Request {
            subjects: positions.iter().map(subject).collect(),
            seed: Some(bisect.seed.wrapping_add(number)),
            ..self.request.clone()
        };
        let results = measure(lab, &request, seconds(kind, bisect.round_seconds), folder, self.on_busy)?;
        Ok(told(bisect, positions, &results))
    }

    /// What a round on record told.
    ///
    /// # Errors
    /// When its results cannot be read.
    pub fn read(bisect: &Bisect, positions: &[usize], folder: &Path) -> Result<Measured, Fault> {
        let out = ResultsFolder { folder: folder.to_owned() };
        let results = Store::open(&out.results())?.read()?;
        Ok(told(bisect, positions, &results))
    }
}

/// Whether positions can be linked in another order.
pub fn has_layouts(lab: &Lab, positions: &[BisectPosition]) -> bool {
    let subject = positions.first().and_then(|one| parse_subject(&one.subject).ok());
    subject.is_some_and(|subject| {
        let is_source = matches!(subject.place, Place::Source { .. });
        is_source && lab.catalogue.engine(&subject).is_ok_and(|engine| engine.has_layouts(&subject))
    })
}

/// Whether a fault's place is a subject, or a further link of it.
pub fn is_of(place: &str, subject: &str) -> bool {
    let is_link = |(of, seed): (&str, &str)| of == subject && seed.parse::<u32>().is_ok();
    place == subject || place.rsplit_once(layout("").as_str()).is_some_and(is_link)
}

/// Confirmations that were measured; each has links of its own.
fn confirmations(bisect: &Bisect) -> u32 {
    let is_one = |round: &&BisectRound| round.kind == Kind::Confirm && round.skipped.is_none();
    bisect.rounds.iter().filter(is_one).count() as u32
}

/// A subject in the layout of a further link, counted from 1; the layout that the user typed is left out. 0: the subject itself.
fn linked(subject: &str, link: u32) -> String {
    let seed = match typed_layout(subject) {
        _ if link == 0 => return subject.to_owned(),
        Some(typed) if (1..=link).contains(&typed) => link + 1,
        _ => link,
    };
    subject.to_owned() + &layout(&seed.to_string())
}

fn layout(seed: &str) -> String {
    format!("+{LAYOUT}={seed}")
}

fn typed_layout(subject: &str) -> Option<u32> {
    let settings = parse_subject(subject).ok()?.settings;
    settings.iter().rev().find_map(|one| match one {
        Setting::Value { key, value } if key == LAYOUT => value.parse().ok(),
        _ => None,
    })
}

fn told(bisect: &Bisect, positions: &[usize], results: &Results) -> Measured {
    let sessions = sessions(results, &bisect.quantity, &bisect.test, positions);
    let why = |position: &usize| Some((*position, unmeasured(results, &sessions, positions, *position)?));
    let unmeasured = positions.iter().filter_map(why).collect();
    Measured { ends: ends(results, &bisect.quantity), seconds: results.seconds, unmeasured, sessions }
}

/// The plan of a round. Its budget grows to what its test needs at least.
///
/// # Errors
/// As a comparison.
pub fn plan(lab: &Lab, request: &Request, seconds: f64) -> Result<Plan, Fault> {
    let budget = Some(format!("{}ms", (1000.0 * seconds).ceil()));
    let request = Request { budget, budget_grows: true, ..request.clone() };
    let catalogue = &lab.catalogue;
    let mut plan = check(&request, catalogue, &lab.dirs)?;
    humdrum_run::choose_mode(&request, &mut plan, catalogue, &lab.dirs)?;
    Ok(plan)
}

fn measure(
    lab: &Lab,
    request: &Request,
    seconds: f64,
    folder: &Path,
    on_busy: OnBusy,
) -> Result<Results, Fault> {
    let begun = ResultsFolder { folder: folder.to_owned() };
    let (out, mut store) = if is_begun(&begun) {
        let mut store = Store::open(&begun.results())?;
        store.lock()?;
        (begun, store)
    } else {
        // A file that was not made completely before the program was killed.
        begun.discard();
        let plan = plan(lab, request, seconds)?;
        let out = ResultsFolder::create(Some(folder), &plan.subjects)?;
        let store = create(lab, &plan, &out)?;
        (out, store)
    };
    let results = store.read()?;
    if results.finished {
        return Ok(results);
    }
    let mut places = Places { on_busy, ..lab.places(false, out.logs()) };
    // Commits of one search are neighbours.
    places.dirs.reuse_trees = true;
    humdrum_run::measure(&results.plan, &lab.catalogue, &places, &mut store, &lab.console)?;
    store.read()
}

/// Whether anything of a round is on record.
fn is_begun(out: &ResultsFolder) -> bool {
    Store::open(&out.results()).and_then(|store| store.read()).is_ok()
}

/// The sessions of a round: in each, the positions that ran, relative to the first.
fn sessions(results: &Results, quantity: &str, test: &str, positions: &[usize]) -> Vec<Session> {
    let ratios: Vec<_> =
        (1..positions.len()).map(|subject| quantity_log_ratios(results, quantity, test, subject)).collect();
    let mut numbers: Vec<u32> = ratios.iter().flat_map(|one| one.keys().copied()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let session = |number: u32| -> Session {
        let others = positions.iter().skip(1).zip(&ratios);
        let others = others.filter_map(|(position, ratios)| Some((*position, *ratios.get(&number)?)));
        std::iter::once((positions[0], 0.0)).chain(others).collect()
    };
    numbers.into_iter().map(session).collect()
}

/// Why a position of a round was not measured; `None` if it was, or if it did its work and the host disturbed it: that says
/// nothing of the position, and the round tells less.
fn unmeasured(results: &Results, sessions: &[Session], positions: &[usize], one: usize) -> Option<String> {
    let count = sessions.iter().flatten().filter(|(position, _)| *position == one).count();
    if count >= SESSIONS_MIN {
        return None;
    }
    let subject = positions.iter().position(|position| *position == one);
    let failed = |event: &&Event| event.subject == subject && event.status.is_failure();
    results.events.iter().rev().find(failed).map(|event| event.what.clone())
}

/// The ratio of the ends: with the interval that holds under the run's stopping rule.
fn ends(results: &Results, quantity: &str) -> Option<BisectRatio> {
    let summary = humdrum_analyse::summarise(results);
    let test = summary.comparisons.first()?.tests.first()?;
    if quantity == THROUGHPUT {
        return Some(BisectRatio { ratio: test.rqps?, ci95: test.ci95 });
    }
    let judged = test.judged.get(quantity)?;
    Some(BisectRatio { ratio: judged.ratio, ci95: Some(judged.ci95) })
}

/// Seconds that a round may take: that of the ends decides whether there is anything to search, and lasts longer.
fn seconds(kind: Kind, round_seconds: f64) -> f64 {
    if kind == Kind::Ends { 2.0 * round_seconds } else { round_seconds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confirmation_has_another_layout_than_all_other_rounds() {
        let plain = "it@src:/repo#abc";
        let added = |subject: &str| [0, 1, 2, 3].map(|link| linked(subject, link).replacen(subject, "", 1));
        assert_eq!(added(plain), ["", "+layout=1", "+layout=2", "+layout=3"]);
        assert_eq!(added("it@src:/repo#abc+layout=2"), ["", "+layout=1", "+layout=3", "+layout=4"]);
    }

    #[test]
    fn a_link_that_fails_is_its_subjects() {
        for subject in ["it@src:/repo#abc", "it@src:/repo#abc+layout=2"] {
            assert!(is_of(subject, subject) && is_of(&linked(subject, 3), subject));
            assert!(!is_of(&format!("{subject}+cc=clang"), subject) && !is_of("it@src:/repo#abd", subject));
        }
        assert!(!is_of("it@src:/repo#abc+layout=2+cc=clang", "it@src:/repo#abc"));
    }
}
