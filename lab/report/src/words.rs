//! The words and marks of a verdict, and the sentence that every output begins with. They are in one file, so that
//! the terminal, the post and the page use the same words.

use humdrum_charts::Kind;
use humdrum_model::{ChangePoint, Comparison, PLAN_CHANGED, Summary, TestResult, TestStatus, Verdict};

use crate::choice;
use crate::number::{percent, ratio};
use crate::processor;
use crate::text::clean;

/// A test's result with its sign, and whether its query plans differ between base and subject.
pub(crate) fn marked(test: &TestResult) -> String {
    let another = test.notes.iter().any(|note| note.starts_with(PLAN_CHANGED));
    format!("{}{}", Outcome::of(test).marked(), if another { ", other plan" } else { "" })
}

/// The result of a test: a verdict, or a status without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Regression,
    Improvement,
    Boring,
    Inconclusive,
    Unstable,
    /// No verdict: the status is the word.
    Status(TestStatus),
}

impl Outcome {
    pub(crate) fn of(test: &TestResult) -> Self {
        Self::new(test.status, test.verdict)
    }

    /// The result of a test for another quantity.
    pub(crate) fn on(test: &TestResult, verdict: Verdict) -> Self {
        Self::new(test.status, Some(verdict))
    }

    pub(crate) fn new(status: TestStatus, verdict: Option<Verdict>) -> Self {
        match (status, verdict) {
            (TestStatus::Ok, Some(Verdict::Regression)) => Self::Regression,
            (TestStatus::Ok, Some(Verdict::Improvement)) => Self::Improvement,
            (TestStatus::Ok, Some(Verdict::Boring)) => Self::Boring,
            (TestStatus::Ok, Some(Verdict::Inconclusive) | None) => Self::Inconclusive,
            (TestStatus::Ok, Some(Verdict::Unstable)) => Self::Unstable,
            (status, _) => Self::Status(status),
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Regression => Verdict::Regression.word(),
            Self::Improvement => Verdict::Improvement.word(),
            Self::Boring => Verdict::Boring.word(),
            Self::Inconclusive => Verdict::Inconclusive.word(),
            Self::Unstable => Verdict::Unstable.word(),
            Self::Status(status) => status.word(),
        }
    }

    /// A sign with the same meaning as the colour, for readers who do not see the colour.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Regression => "▼",
            Self::Improvement => "▲",
            Self::Boring => "·",
            Self::Inconclusive => "?",
            Self::Unstable => "~",
            Self::Status(_) => "!",
        }
    }

    pub(crate) fn marked(self) -> String {
        format!("{} {}", self.mark(), self.word())
    }

    pub(crate) fn moved(self) -> bool {
        matches!(self, Self::Regression | Self::Improvement)
    }

    /// Its shape and colour in charts.
    pub(crate) fn kind(self) -> Kind {
        use humdrum_charts::Kind;
        match self {
            Self::Improvement => Kind::Better,
            Self::Regression => Kind::Worse,
            Self::Boring => Kind::Same,
            Self::Inconclusive | Self::Unstable | Self::Status(_) => Kind::Unclear,
        }
    }

    pub(crate) fn is_status(self) -> bool {
        matches!(self, Self::Status(_))
    }
}

/// Groups in the order of the reference; unknown ones follow in the order of their first test.
const GROUPS: [&str; 4] = ["point", "range", "aggregate", "write"];

/// The tests of a comparison by group, in the order of the reports; groups without tests are left out.
pub(crate) fn grouped(tests: &[TestResult]) -> Vec<(&str, Vec<&TestResult>)> {
    let mut names: Vec<&str> = GROUPS.to_vec();
    for test in tests {
        if !names.contains(&test.group.as_str()) {
            names.push(&test.group);
        }
    }
    let members = |name| tests.iter().filter(|test| test.group == name).collect::<Vec<_>>();
    names.into_iter().map(|name| (name, members(name))).filter(|(_, tests)| !tests.is_empty()).collect()
}

/// The verdict on a comparison in one sentence, without a full stop: the regressions first, then what did not
/// move, then the rest.
pub(crate) fn headline(comparison: &Comparison) -> String {
    let tests = &comparison.tests;
    let of =
        |outcome| -> Vec<&TestResult> { tests.iter().filter(|test| Outcome::of(test) == outcome).collect() };
    let boring = of(Outcome::Boring);
    let mut parts = Vec::new();
    parts.extend(moved("regression", &of(Outcome::Regression)));
    if !boring.is_empty() {
        let delta = deltas(&boring);
        parts.push(format!("boring: {} of {} moved by less than {delta}", boring.len(), count(tests.len())));
    }
    parts.extend(moved("improvement", &of(Outcome::Improvement)));
    parts.extend(named("inconclusive", &of(Outcome::Inconclusive)));
    parts.extend(named("unstable", &of(Outcome::Unstable)));
    for status in [TestStatus::Failed, TestStatus::WrongAnswer, TestStatus::NotSteady, TestStatus::SlaMissed]
    {
        parts.extend(named(status.word(), &of(Outcome::Status(status))));
    }
    if parts.is_empty() { "no test was measured".into() } else { parts.join("; ") }
}

/// "22 tests".
pub(crate) fn count(tests: usize) -> String {
    format!("{tests} test{}", if tests == 1 { "" } else { "s" })
}

/// Names shown in a sentence before "and N more".
const NAMED_MAX: usize = 4;

fn moved(word: &str, tests: &[&TestResult]) -> Option<String> {
    let told = |test: &&TestResult| format!("{} {}", clean(&test.test), times(test.rqps));
    list(word, &tests.iter().map(told).collect::<Vec<_>>())
}

fn named(word: &str, tests: &[&TestResult]) -> Option<String> {
    list(word, &tests.iter().map(|test| clean(&test.test)).collect::<Vec<_>>())
}

/// "2 regressions: scan 0.87x, …"; `None` where there are none.
pub(crate) fn list(word: &str, names: &[String]) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    // Only the nouns have a plural: "2 regressions", but "2 failed".
    let noun = word.ends_with("ion") || word.ends_with("ment");
    let plural = if noun && names.len() > 1 { "s" } else { "" };
    Some(format!("{} {word}{plural}: {}", names.len(), first(names)))
}

/// The first names, and how many more there are.
pub(crate) fn first(names: &[String]) -> String {
    let mut told = names[..names.len().min(NAMED_MAX)].join(", ");
    if names.len() > NAMED_MAX {
        told.push_str(&format!(", and {} more", names.len() - NAMED_MAX));
    }
    told
}

/// `2.02x`, with a third decimal where two would round to no change.
pub(crate) fn times(value: Option<f64>) -> String {
    match value {
        Some(value) if (value - 1.0).abs() >= 0.1 => format!("{value:.2}x"),
        value => format!("{}x", ratio(value)),
    }
}

/// A change of level: how it is drawn, and `▼ level 0.900x`.
pub(crate) fn level_change(found: &ChangePoint, delta: f64) -> (Kind, String) {
    let (kind, mark) = match found.ratio {
        _ if found.ci95[0] > 1.0 - delta && found.ci95[1] < 1.0 + delta => (Kind::Same, "●"),
        ratio if ratio < 1.0 => (Kind::Worse, "▼"),
        _ => (Kind::Better, "▲"),
    };
    (kind, format!("{mark} level {}", times(Some(found.ratio))))
}

fn deltas(tests: &[&TestResult]) -> String {
    let low = tests.iter().map(|test| test.delta).fold(f64::INFINITY, f64::min);
    let high = tests.iter().map(|test| test.delta).fold(0.0, f64::max);
    if percent(low) == percent(high) {
        percent(low)
    } else {
        format!("{} to {}", percent(low), percent(high))
    }
}

/// The smallest change that the run could detect: the median over tests and the worst test.
pub(crate) fn minimum_detectable(comparison: &Comparison) -> Option<String> {
    let mut seen: Vec<(f64, &str)> = comparison
        .tests
        .iter()
        .filter_map(|test| {
            Some((test.minimum_detectable.filter(|value| value.is_finite())?, test.test.as_str()))
        })
        .collect();
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (median, worst) = (seen.get(seen.len() / 2)?, seen.last()?);
    Some(format!(
        "Smallest change that {} could detect with 80 % power: {} in the median test, {} in the worst ({}).",
        if seen.len() == 1 { "1 test" } else { "these tests" },
        percent(median.0),
        percent(worst.0),
        clean(worst.1)
    ))
}

/// "postgres@17.7 against postgres@16.11 on AMD EPYC (Zen 3)".
pub(crate) fn pair_on_host(summary: &Summary, comparison: &Comparison) -> String {
    pair(summary, comparison) + &processor::on_hosts(summary)
}

/// "postgres@17.7 against postgres@16.11".
pub(crate) fn pair(summary: &Summary, comparison: &Comparison) -> String {
    format!("{} against {}", clean(&comparison.subject), choice::base(summary))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn the_sentence_names_what_moved() {
        let (summary, ..) = fixture::run();
        insta::assert_snapshot!(headline(&summary.comparisons[0]), @"boring: 5 of 9 tests moved by less than 1 % to 2 %; 1 improvement: hot-points 2.02x; 1 inconclusive: scan; 1 failed: random-points-1000; 1 wrong-answer: read-only-sum");
    }

    #[test]
    fn groups_keep_the_order_of_the_reference() {
        let (summary, ..) = fixture::run();
        let groups = grouped(&summary.comparisons[0].tests);
        assert_eq!(
            groups.iter().map(|group| group.0).collect::<Vec<_>>(),
            ["point", "range", "aggregate", "write"]
        );
    }

    #[test]
    fn every_outcome_has_its_own_word() {
        let all = [Outcome::Regression, Outcome::Improvement, Outcome::Boring, Outcome::Inconclusive];
        let words: std::collections::BTreeSet<_> = all.iter().map(|outcome| outcome.marked()).collect();
        assert_eq!(words.len(), all.len());
        assert_eq!(Outcome::Status(TestStatus::WrongAnswer).marked(), "! wrong-answer");
    }
}
