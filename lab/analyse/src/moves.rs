//! A row of releases: each against the one before it, and where each test's level changed.
//!
//! ```text
//!   ln ratio   ● ● ●                    levels: the fewest that explain the row (`levels_of`, penalised least
//!              ─────┐ ● ●               squares over all partitions, exact for a row of this length);
//!                   └───────┐ ● ● ●     a place between two levels stays if their difference, session by
//!                           └──────     session, is shown (`estimate`, as for any two subjects)
//! ```
//!
//! Where all releases ran in the same blocks, the difference of two levels is made within blocks: what disturbed the host,
//! and the base's own luck, is in none of them. Where sessions have some of the releases only, each release is compared
//! with the base in its own sessions, and differences are made of these (`moves/apart.rs`). Where a change is looked for at several places, its p is
//! multiplied by their number, and then adjusted for all tests together. The reference for long histories is
//! E-divisive; a row of three to twenty releases, each measured in many sessions, has its noise known from these.

mod apart;
mod row;

use humdrum_model::{
    Comparison, Move, Place, Results, Series, SeriesPoint, SeriesTest, Step, TestInfo, TestStatus, Verdict,
};

use crate::band::Band;
use crate::decide::judge;
use crate::estimate::{Estimate, Rules};
use crate::family::benjamini_hochberg;
use crate::measure::estimate;
use crate::ratio::{session_values, session_values_weighted};
use crate::run::{KeptSession, Run};
use apart::Level;
use row::{levels_of, row_of};

/// Fewer releases are no row.
const RELEASES_MIN: usize = 3;
/// The row that a plan's subjects are: releases of one engine, each another one.
pub(crate) fn series(run: &Run<'_>, comparisons: &[Comparison]) -> Option<Series> {
    let subjects = &run.results.plan.subjects;
    let places: Vec<&Place> = subjects.iter().map(|subject| &subject.place).collect();
    let differ = places.iter().enumerate().all(|(at, place)| !places[..at].contains(place));
    let alike = subjects.iter().all(|subject| subject.engine == subjects[0].engine);
    if subjects.len() < RELEASES_MIN || !differ || !alike {
        return None;
    }
    let tests = run.results.plan.tests.iter().enumerate();
    let mut rows: Vec<Row<'_>> = tests.map(|(place, info)| Row::new(run, info, place, comparisons)).collect();
    adjust_steps(&mut rows);
    adjust_moves(&mut rows);
    let releases = subjects.iter().map(|subject| subject.label.clone()).collect();
    Some(Series { releases, tests: rows.into_iter().map(|row| row.finish(run.results)).collect() })
}

/// One test on its way.
struct Row<'a> {
    info: &'a TestInfo,
    band: Band,
    points: Vec<SeriesPoint>,
    /// (subject, the one before it, estimate, adjusted p).
    steps: Vec<(usize, usize, Estimate, Option<f64>)>,
    changes: Vec<Change>,
}

/// A place at which the level changed.
struct Change {
    /// Subjects on either side.
    before: usize,
    after: usize,
    found: Estimate,
    p: f64,
}

impl<'a> Row<'a> {
    fn new(run: &Run<'a>, info: &'a TestInfo, place: usize, comparisons: &[Comparison]) -> Self {
        let results = run.results;
        let design = &results.plan.design;
        let band = Band::new(design, info.writes, results.aa_excess);
        let rules = Rules { design, family: run.family(), finished: results.finished };
        let points = points(results, place, comparisons);
        let measured: Vec<usize> = (0..points.len()).filter(|at| points[*at].rqps.is_some()).collect();
        let sessions = run.test(&info.name).map_or(&[][..], |blocks| &blocks.sessions);
        let contrast = Contrast { sessions, band: &band, rules: &rules };
        let steps = measured
            .windows(2)
            .filter_map(|pair| Some((pair[1], pair[0], contrast.between(&pair[..1], &pair[1..])?, None)));
        let (steps, changes) = (steps.collect(), contrast.changes(&measured));
        Self { info, band, points, steps, changes }
    }

    fn finish(self, results: &Results) -> SeriesTest {
        let label = |subject: usize| results.plan.subjects[subject].label.clone();
        let (alpha, band) = (results.plan.design.alpha, self.band);
        let mut points = self.points;
        for (subject, before, found, p_adjusted) in self.steps {
            let (ratio, ci95) = ratio_of(&found);
            let verdict = judge(&found, p_adjusted, alpha, &band);
            points[subject].step = Some(Step { against: label(before), ratio, ci95, p_adjusted, verdict });
        }
        let change = |change: Change| {
            let (ratio, ci95) = ratio_of(&change.found);
            let verdict = judge(&change.found, Some(change.p), alpha, &band);
            let (at, after) = (label(change.after), label(change.before));
            Move { at, after, ratio, ci95, p_adjusted: change.p, verdict }
        };
        let shown = self.changes.into_iter().filter(|change| change.p <= alpha);
        // What is known to be smaller than what matters is no move.
        let moves = shown.map(change).filter(|change| change.verdict != Verdict::Boring).collect();
        let (test, group) = (self.info.name.clone(), self.info.group.clone());
        SeriesTest { test, group, delta: self.band.delta, points, moves }
    }
}

fn ratio_of(found: &Estimate) -> (f64, [f64; 2]) {
    (found.mean.exp(), [(found.mean - found.half).exp(), (found.mean + found.half).exp()])
}

/// All releases against the first one, as the comparisons have it.
fn points(results: &Results, place: usize, comparisons: &[Comparison]) -> Vec<SeriesPoint> {
    let others: Vec<_> = comparisons.iter().map(|comparison| &comparison.tests[place]).collect();
    let measured = others.iter().any(|test| test.rqps.is_some());
    let first = SeriesPoint {
        release: results.plan.subjects[0].label.clone(),
        status: TestStatus::Ok,
        rqps: measured.then_some(1.0),
        ci95: None,
        verdict: None,
        step: None,
    };
    let point = |(test, comparison): (&&humdrum_model::TestResult, &Comparison)| SeriesPoint {
        release: comparison.subject.clone(),
        status: test.status,
        rqps: test.rqps,
        ci95: test.ci95,
        verdict: test.verdict,
        step: None,
    };
    std::iter::once(first).chain(others.iter().zip(comparisons).map(point)).collect()
}

/// Differences between groups of subjects, made within blocks.
struct Contrast<'a> {
    sessions: &'a [KeptSession<'a>],
    band: &'a Band,
    rules: &'a Rules<'a>,
}

impl Contrast<'_> {
    /// ln of the rate of `ours` over the rate of `theirs`, each the mean of a group.
    fn between(&self, theirs: &[usize], ours: &[usize]) -> Option<Estimate> {
        if self.rules.design.incomplete.is_some() {
            return self.between_apart(theirs, ours);
        }
        let level = |group: &[usize], sign: f64| -> Vec<(usize, f64)> {
            let weight = sign / group.len() as f64;
            group.iter().map(|subject| (*subject, weight)).collect()
        };
        let weights = [level(ours, 1.0), level(theirs, -1.0)].concat();
        estimate(&session_values_weighted(self.sessions, &weights), self.band, self.rules)
    }

    /// The same where releases do not share all sessions. The base's level is known: it is what all others are compared with.
    fn between_apart(&self, theirs: &[usize], ours: &[usize]) -> Option<Estimate> {
        let levels = |group: &[usize], sign: f64| -> Vec<Level> {
            let weight = sign / group.len() as f64;
            let others = group.iter().filter(|subject| **subject > 0);
            others.map(|subject| (weight, session_values(self.sessions, *subject))).collect()
        };
        apart::difference(&[levels(ours, 1.0), levels(theirs, -1.0)].concat(), self.band, self.rules)
    }

    /// Where the level changes, those places left out again that the sessions do not bear out.
    fn changes(&self, measured: &[usize]) -> Vec<Change> {
        let places = measured.len().saturating_sub(1);
        let found = match self.rules.design.incomplete {
            None => row_of(self.sessions, measured),
            Some(_) => apart::row(self.sessions, measured, self.rules),
        };
        let Some((row, variance)) = found else { return Vec::new() };
        let mut starts = levels_of(&row, variance);
        loop {
            let changes: Vec<Change> = self.at(measured, &starts, places);
            let doubtful = changes.iter().enumerate().max_by(|a, b| a.1.p.total_cmp(&b.1.p));
            match doubtful {
                Some((number, worst)) if worst.p > self.rules.design.alpha => drop(starts.remove(number)),
                _ => return changes,
            }
        }
    }

    fn at(&self, measured: &[usize], starts: &[usize], places: usize) -> Vec<Change> {
        let change = |number: usize| {
            let begin = if number == 0 { 0 } else { starts[number - 1] };
            let end = starts.get(number + 1).copied().unwrap_or(measured.len());
            let (theirs, ours) = (&measured[begin..starts[number]], &measured[starts[number]..end]);
            let found = self.between(theirs, ours);
            // A difference of one session alone is no evidence.
            let p = found.as_ref().and_then(|found| found.p).map_or(1.0, |p| (p * places as f64).min(1.0));
            found.map(|found| Change { before: theirs[theirs.len() - 1], after: ours[0], found, p })
        };
        let changes: Vec<Change> = (0..starts.len()).filter_map(change).collect();
        // Without blocks in which both sides ran there is nothing to be said of any of them.
        if changes.len() == starts.len() { changes } else { Vec::new() }
    }
}

fn adjust_steps(rows: &mut [Row<'_>]) {
    let of = |row: &Row<'_>| row.steps.iter().map(|step| step.2.p.unwrap_or(1.0)).collect::<Vec<f64>>();
    let mut adjusted = benjamini_hochberg(&rows.iter().flat_map(of).collect::<Vec<f64>>()).into_iter();
    for step in rows.iter_mut().flat_map(|row| &mut row.steps) {
        step.3 = adjusted.next().filter(|_| step.2.p.is_some());
    }
}

/// A test in which nothing was found counts as one with p = 1.
fn adjust_moves(rows: &mut [Row<'_>]) {
    let of = |row: &Row<'_>| match row.changes.is_empty() {
        true => vec![1.0],
        false => row.changes.iter().map(|change| change.p).collect::<Vec<f64>>(),
    };
    let mut adjusted = benjamini_hochberg(&rows.iter().flat_map(of).collect::<Vec<f64>>()).into_iter();
    for row in rows {
        if row.changes.is_empty() {
            adjusted.next();
        }
        row.changes.iter_mut().for_each(|change| change.p = adjusted.next().unwrap_or(1.0));
    }
}

#[cfg(test)]
mod tests;
