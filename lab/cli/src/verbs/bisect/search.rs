//! The search: asks for the next round, measures it, and keeps what is known.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use humdrum_bisect::{Found, Kind, Level, Next, Problem, Round, Segment, level, next, rounds_left, view};
use humdrum_contract::{Progress, Update};
use humdrum_model::{
    Bisect, BisectBranch, BisectFound, BisectLevel, BisectRatio, BisectRound, BisectSegment, BisectState,
    Fault, FaultKind,
};
use humdrum_provision::commits::{Branch, merged};
use humdrum_record::{ResultsFolder, write_whole};

use super::positions::commit_of;
use super::round;
use super::way::{Measured, Way};
use crate::lab::Lab;
use crate::verbs::report::bisect::round_folder;

/// Rounds after which a search that has no budget gives up, as a multiple of those that were expected.
const ROUNDS_FACTOR: usize = 4;

/// A search under way.
pub struct Search<'a> {
    lab: &'a Lab,
    pub folder: PathBuf,
    pub way: Way,
    pub bisect: Bisect,
    problem: Problem,
    rounds: Vec<Round>,
    broken: BTreeSet<usize>,
    rounds_max: usize,
}

impl<'a> Search<'a> {
    /// Before its first round.
    pub fn new(lab: &'a Lab, folder: PathBuf, way: Way, bisect: Bisect) -> Self {
        let weights = bisect.positions.iter().map(|position| position.weight).collect();
        let expected = super::rounds_expected(bisect.positions.len(), bisect.series, bisect.builds);
        let rounds_max = ROUNDS_FACTOR * expected as usize;
        let (rounds, broken) = (Vec::new(), BTreeSet::new());
        let confirmations = bisect.builds as usize;
        let problem = Problem { weights, series: bisect.series, ends_differ: true, confirmations };
        Self { lab, folder, way, bisect, problem, rounds, broken, rounds_max }
    }

    /// After the rounds on record, whose results are read again.
    ///
    /// # Errors
    /// When results of a round cannot be read.
    pub fn replayed(lab: &'a Lab, folder: PathBuf, way: Way, bisect: Bisect) -> Result<Self, Fault> {
        let mut search = Self::new(lab, folder, way, bisect);
        search.problem.ends_differ = search.bisect.ends.as_ref().is_none_or(differs);
        for (number, one) in search.bisect.rounds.clone().iter().enumerate() {
            if let Some((position, _)) = &one.skipped {
                search.broken.insert(*position);
                continue;
            }
            let folder = round_folder(&search.folder, number + 1);
            let measured = search.way.read(&search.bisect, &one.positions, &folder)?;
            search.rounds.push(Round { kind: one.kind, sessions: measured.sessions });
        }
        Ok(search)
    }

    /// Makes its folder, with what an interrupted search goes on from.
    ///
    /// # Errors
    /// When the disk or the folder refuses.
    pub fn begin(&self) -> Result<(), Fault> {
        make(&self.folder)?;
        self.lab.keep_suite(&ResultsFolder { folder: self.folder.clone() })?;
        self.save()
    }

    /// Searches until the step is found, or cannot be.
    ///
    /// # Errors
    /// What ended a round; the rounds before it are kept.
    pub fn go(&mut self) -> Result<(), Fault> {
        while self.bisect.state == BisectState::Unfinished {
            self.lab.dirs.interrupt.check()?;
            match next(&self.problem, &self.rounds, &self.broken) {
                Next::Measure { .. } if self.is_spent() => self.bisect.state = BisectState::BudgetSpent,
                Next::Measure { kind, positions } => self.round(kind, &positions)?,
                Next::Found(found) => self.end(BisectState::Found, found),
                Next::Unconfirmed(found) => self.end(BisectState::Unconfirmed, found),
                Next::Same => self.bisect.state = BisectState::Same,
            }
            self.save()?;
        }
        Ok(())
    }

    fn is_spent(&self) -> bool {
        let over = |budget: f64| self.bisect.seconds >= budget;
        self.bisect.budget_seconds.is_some_and(over) || self.bisect.rounds.len() >= self.rounds_max
    }

    fn end(&mut self, state: BisectState, found: Found) {
        let Found { after, until, mass, ratio } = found;
        self.bisect.state = state;
        self.bisect.found = Some(BisectFound { after, until, mass, ratio: plain(ratio) });
        self.bisect.merged = self.merged(until);
    }

    /// The branches that a commit merged. What cannot be asked any more is left out: the step is found in any case.
    fn merged(&self, position: usize) -> Vec<BisectBranch> {
        let commit = commit_of(&self.bisect, position);
        let found = commit.and_then(|(repository, commit)| merged(&repository, &commit).ok());
        let branch = |Branch { base, tip, commits }| BisectBranch { good: base, bad: tip, commits };
        found.unwrap_or_default().into_iter().map(branch).collect()
    }

    /// Measures a round; one whose position cannot be measured is a round too, and the position is skipped.
    fn round(&mut self, kind: Kind, positions: &[usize]) -> Result<(), Fault> {
        let number = self.bisect.rounds.len() + 1;
        self.announce(number, kind, positions);
        let folder = round_folder(&self.folder, number);
        let began = Instant::now();
        let measured = self.way.measure(self.lab, &self.bisect, (kind, positions), &folder);
        let took = began.elapsed().as_secs_f64();
        self.lab.console.clear();
        match measured {
            Ok(measured) => self.keep(kind, positions, measured)?,
            Err(fault) => {
                let guilty = self.guilty(positions, &fault).ok_or_else(|| fault.clone())?;
                // The build's or the server's own words, for who wants to know why.
                let log = fault.log_tail.as_deref().unwrap_or_default();
                write_whole(&folder.join("failure.txt"), &format!("{fault}\n{log}\n"))?;
                self.skip(kind, positions, guilty, fault.to_string());
            }
        }
        if let Some(round) = self.bisect.rounds.last_mut() {
            round.beside_seconds = (took - round.seconds).max(0.0);
        }
        self.update();
        self.lab.console.update(Update::Note(&humdrum_report::bisect_progress(&self.bisect)));
        Ok(())
    }

    fn announce(&self, number: usize, kind: Kind, positions: &[usize]) {
        let names: Vec<&str> = positions.iter().map(|position| self.bisect.name(*position)).collect();
        let purpose = match kind {
            Kind::Ends => "do the ends differ?",
            Kind::Series => "series",
            Kind::Candidate => "search",
            Kind::Confirm => "confirmation",
        };
        self.lab.console.update(Update::Step(&format!("round {number}, {purpose}: {}", names.join(", "))));
    }

    /// The position between the ends that a fault names.
    fn guilty(&self, positions: &[usize], fault: &Fault) -> Option<usize> {
        if fault.kind == FaultKind::Interrupted {
            return None;
        }
        let is_end = |position: usize| position == 0 || position == self.problem.last();
        let named = |position: &usize| {
            let subject = &self.bisect.positions[*position].subject;
            fault.places.iter().any(|place| round::is_of(place, subject))
        };
        positions.iter().copied().find(|position| !is_end(*position) && named(position))
    }

    fn skip(&mut self, kind: Kind, positions: &[usize], position: usize, why: String) {
        self.broken.insert(position);
        self.bisect.rounds.push(BisectRound {
            kind,
            positions: positions.to_vec(),
            ratios: Vec::new(),
            seconds: 0.0,
            beside_seconds: 0.0,
            skipped: Some((position, why)),
        });
    }

    fn keep(&mut self, kind: Kind, positions: &[usize], measured: Measured) -> Result<(), Fault> {
        if let Some((position, why)) = measured.unmeasured.into_iter().next() {
            if position == 0 || position == self.problem.last() {
                let label = self.bisect.positions[position].subject.clone();
                return Err(Fault::crash(format!("an end could not be measured: {why}")).at(label));
            }
            self.skip(kind, positions, position, why);
            return Ok(());
        }
        let round = Round { kind, sessions: measured.sessions };
        if !round.has_spread() {
            let few = "the host disturbed this round: fewer than two of its sessions count";
            self.lab.console.update(Update::Note(few));
        }
        self.rounds.push(round);
        let ratios = match (kind, measured.ends) {
            (Kind::Ends, Some(found)) => vec![found],
            _ => self.ratios(positions),
        };
        if kind == Kind::Ends {
            self.bisect.ends = ratios.first().copied();
            self.problem.ends_differ = ratios.first().is_some_and(differs);
        }
        self.bisect.seconds += measured.seconds;
        self.bisect.rounds.push(BisectRound {
            kind,
            positions: positions.to_vec(),
            ratios,
            seconds: measured.seconds,
            beside_seconds: 0.0,
            skipped: None,
        });
        Ok(())
    }

    /// The latest round's ratios to its first position.
    fn ratios(&self, positions: &[usize]) -> Vec<BisectRatio> {
        let of = |position: &usize| level(self.rounds.last(), *position, positions[0]).map(plain);
        positions[1..].iter().filter_map(of).collect()
    }

    /// What is known after the latest round.
    fn update(&mut self) {
        let view = view(&self.problem, &self.rounds);
        self.bisect.rounds_left = rounds_left(&self.problem, &view, &self.rounds);
        self.bisect.posterior = view.segments.iter().map(segment).collect();
        self.bisect.others = view.others.iter().map(segment).collect();
        let of = |position| Some(BisectLevel { position, ratio: plain(level(&self.rounds, position, 0)?) });
        self.bisect.levels = (1..=self.problem.last()).filter_map(of).collect();
    }

    /// Writes `bisect.json`.
    ///
    /// # Errors
    /// When the disk or the folder refuses.
    pub fn save(&self) -> Result<(), Fault> {
        save(&self.bisect, &self.folder)
    }
}

/// Writes `bisect.json`.
///
/// # Errors
/// When the disk or the folder refuses.
pub fn save(bisect: &Bisect, folder: &Path) -> Result<(), Fault> {
    make(folder)?;
    // Writing plain data to memory cannot fail.
    let text = serde_json::to_string_pretty(bisect).unwrap_or_default();
    write_whole(&folder.join("bisect.json"), &text)
}

fn make(folder: &Path) -> Result<(), Fault> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Fault::usage(format!("cannot write results to {}: {error}", folder.display()))
            .hint("give a folder you may write to with --out")
    })
}

fn segment(one: &Segment) -> BisectSegment {
    BisectSegment { after: one.after, until: one.until, mass: one.mass }
}

fn plain(level: Level) -> BisectRatio {
    BisectRatio { ratio: level.ratio, ci95: level.ci95 }
}

fn differs(found: &BisectRatio) -> bool {
    found.ci95.is_some_and(|[low, high]| low > 1.0 || high < 1.0)
}
