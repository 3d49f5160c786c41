//! Tables beside the verdicts on throughput: the interval for another run, and the verdicts on other
//! quantities.

use humdrum_model::{Comparison, Judgement, RunRatio, TestResult, TestStatus};

use crate::kinds;
use crate::number::{NONE, interval, percent, ratio};
use crate::scripts;
use crate::text::clean;
use crate::words::{self, Outcome};

/// Other quantities with their headings, in the order of the table.
pub(crate) const QUANTITIES: [(&str, &str); 2] = [("cpu", "server CPU"), ("p99", "p99")];

/// One column of the table.
pub(crate) enum Column {
    /// What one of several runs showed, from 0, and its heading.
    Run(usize, String),
    /// What another run on this host would show.
    AnotherRun,
    /// What another host of one kind would show: its generation, and the heading.
    AnotherOfKind(String, String),
    /// What another host would show, with any of the processors measured.
    AnotherHost,
    /// The verdict on another quantity: its name and its heading.
    Quantity(&'static str, &'static str),
}

/// The columns that any of the tests has something for.
pub(crate) fn columns(tests: &[TestResult]) -> Vec<Column> {
    let runs = tests.iter().map(|test| &test.runs).max_by_key(|runs| runs.len());
    let heading = |(number, run): (usize, &RunRatio)| match &run.host {
        Some(generation) => format!("host {}, {}", number + 1, clean(generation)),
        None => format!("run {}", number + 1),
    };
    let runs = runs.into_iter().flatten().enumerate().map(|one| Column::Run(one.0, heading(one)));
    let reach = tests.iter().find_map(|test| test.reach.as_ref());
    let carries = reach.map(|reach| if reach.over_hosts { Column::AnotherHost } else { Column::AnotherRun });
    let of_kind = |kind: &str| {
        Column::AnotherOfKind(kind.to_owned(), format!("another host, {}", clean(kinds::named(kind))))
    };
    let carries = kinds::with_another(tests).into_iter().map(of_kind).chain(carries);
    let judged = |name: &str| tests.iter().any(|test| test.judged.contains_key(name));
    let quantities = QUANTITIES.into_iter().filter(|(name, _)| judged(name));
    runs.chain(carries).chain(quantities.map(|(name, heading)| Column::Quantity(name, heading))).collect()
}

/// The tests that have something to show in any column.
pub(crate) fn rows(tests: &[TestResult]) -> impl Iterator<Item = &TestResult> {
    tests.iter().filter(|test| test.reach.is_some() || !test.judged.is_empty())
}

impl Column {
    pub(crate) fn heading(&self) -> &str {
        match self {
            Self::Run(_, heading) | Self::AnotherOfKind(_, heading) => heading,
            Self::AnotherRun => "another run here",
            Self::AnotherHost => "another host",
            Self::Quantity(_, heading) => heading,
        }
    }

    /// `[0.991, 1.012]`, or `1.031 [1.026, 1.036] ▼`.
    pub(crate) fn cell(&self, test: &TestResult) -> String {
        match self {
            Self::Run(number, _) => match test.runs.get(*number) {
                Some(run) => {
                    let mark = run.verdict.map_or("", |verdict| Outcome::on(test, verdict).mark());
                    format!("{} {mark}", ratio(run.rqps))
                }
                None => NONE.to_owned(),
            },
            Self::AnotherOfKind(generation, _) => interval(kinds::another(test, generation)),
            Self::AnotherRun | Self::AnotherHost => {
                interval(test.reach.as_ref().map(|reach| reach.another_run))
            }
            Self::Quantity(name, _) => match test.judged.get(*name) {
                Some(found) => {
                    let mark = Outcome::on(test, found.verdict).mark();
                    format!("{} {} {mark}", ratio(Some(found.ratio)), interval(Some(found.ci95)))
                }
                None => NONE.to_owned(),
            },
        }
    }
}

/// What the columns mean, in one line; `None` where there are none.
pub(crate) fn legend(columns: &[Column], tests: &[TestResult]) -> Option<String> {
    let told: Vec<String> = columns.iter().filter_map(|column| meaning(column, tests)).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

fn meaning(column: &Column, tests: &[TestResult]) -> Option<String> {
    match column {
        Column::Run(..) => None,
        Column::AnotherOfKind(_, heading) => {
            Some(format!("{heading}: where the ratio of throughputs would lie on a further host with that processor"))
        }
        Column::AnotherHost => {
            Some(
                "another host: where the ratio of throughputs would lie on a further host with any of these processors"
                    .to_owned(),
            )
        }
        Column::AnotherRun => Some(
            "another run here: where the ratio of throughputs would lie if all were repeated at another hour"
                .to_owned(),
        ),
        Column::Quantity(name, heading) => {
            let delta = tests.iter().find_map(|test| test.judged.get(*name)).map_or(0.0, |found| found.delta);
            let what = if *name == "cpu" {
                "server CPU of an operation"
            } else {
                "99th percentile of response times"
            };
            let own = if what.starts_with(heading) { what.to_owned() } else { format!("{heading}: {what}") };
            Some(format!("{own}, more is worse, ±δ {}", percent(delta)))
        }
    }
}

/// The lines below the sentences on throughput: the runs that were judged together, a sentence for each other
/// quantity and for the scripts of each mix, and which verdicts another run may not bear out.
pub(crate) fn sentences(comparison: &Comparison) -> Vec<String> {
    let together = kinds::together(comparison).into_iter().chain(kinds::builds(comparison));
    let hosts = together.chain(kinds::alone(comparison));
    let judged = quantities(comparison).into_iter().chain(scripts::sentences(comparison));
    hosts.chain(judged).chain(not_borne_out(comparison)).collect()
}

/// Whether each run has builds of its own.
pub(crate) fn has_builds(comparison: &Comparison) -> bool {
    comparison.tests.iter().flat_map(|test| &test.runs).any(|run| run.layout.is_some())
}

/// What moved in each other quantity that was judged.
fn quantities(comparison: &Comparison) -> Vec<String> {
    let sentence = |(name, heading): (&str, &str)| {
        let judged: Vec<(&TestResult, &Judgement)> =
            comparison.tests.iter().filter_map(|test| Some((test, test.judged.get(name)?))).collect();
        (!judged.is_empty()).then(|| format!("{heading}: {}", told(&judged)))
    };
    QUANTITIES.into_iter().filter_map(sentence).collect()
}

fn told(judged: &[(&TestResult, &Judgement)]) -> String {
    let all = judged.len();
    let of = |outcome: Outcome| {
        let is =
            move |(test, found): &&(&TestResult, &Judgement)| Outcome::on(test, found.verdict) == outcome;
        judged.iter().filter(is).collect::<Vec<_>>()
    };
    let moved = |word: &str, outcome: Outcome| {
        let tests = of(outcome);
        let name = |(test, found): &(&TestResult, &Judgement)| {
            format!("{} {}", clean(&test.test), words::times(Some(found.ratio)))
        };
        words::list(word, &tests.iter().copied().map(name).collect::<Vec<_>>())
    };
    let quiet = |word: &str, outcome: Outcome| {
        let count = of(outcome).len();
        (count > 0).then(|| format!("{word}: {count} of {}", words::count(all)))
    };
    let parts = [
        moved("regression", Outcome::Regression),
        quiet("boring", Outcome::Boring),
        moved("improvement", Outcome::Improvement),
        quiet("inconclusive", Outcome::Inconclusive),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Which verdicts hold for this run and may not hold for another; `None` where all are borne out or nothing is known.
fn not_borne_out(comparison: &Comparison) -> Option<String> {
    let decided = |test: &&TestResult| {
        test.status == TestStatus::Ok
            && matches!(Outcome::of(test), Outcome::Regression | Outcome::Improvement | Outcome::Boring)
    };
    let verdicts: Vec<&TestResult> =
        comparison.tests.iter().filter(decided).filter(|test| test.reach.is_some()).collect();
    let open = |test: &&&TestResult| test.reach.as_ref().is_some_and(|reach| !reach.bears_out);
    let names: Vec<String> = verdicts.iter().filter(open).map(|test| clean(&test.test)).collect();
    if names.is_empty() {
        return None;
    }
    let (open, all) = (names.len(), words::count(verdicts.len()));
    let over_hosts = verdicts.iter().any(|test| test.reach.as_ref().is_some_and(|reach| reach.over_hosts));
    let several = comparison.tests.iter().any(|test| test.runs.len() > 1);
    let (about, further) = match (over_hosts, several) {
        (true, _) => ("these hosts", "another host"),
        (false, true) if has_builds(comparison) => ("these builds", "another build on this host"),
        (false, true) => ("these runs", "another run on this host"),
        (false, false) => ("this run", "another run on this host"),
    };
    Some(format!(
        "Verdicts are about {about}. In {open} of {all} {further} could end in another verdict: {}",
        words::first(&names)
    ))
}

#[cfg(test)]
mod tests;
