//! Three or more subjects that are no series of releases, such as configurations of one release: one table with a column
//! for each. A series has its own tables, and whole steps have theirs.

use std::fmt::Write as _;

use humdrum_model::{Summary, TestResult, TestStatus};

use crate::choice;
use crate::number::{NONE, ratio};
use crate::series::{grid, short_names};
use crate::text::{self, clean};
use crate::words::{self, Outcome};

/// What the marks in the cells mean.
pub(crate) const MARKS: &str = "▲▼ where it moved, ? where that is not decided";

/// All subjects of a summary beside each other.
pub(crate) struct Joint<'a> {
    /// The part of each label that differs, the base's first.
    pub(crate) names: Vec<String>,
    /// One per test, in the order of the reports.
    pub(crate) rows: Vec<Row<'a>>,
}

/// One test of all subjects.
pub(crate) struct Row<'a> {
    pub(crate) test: &'a str,
    /// The subjects after the base.
    pub(crate) results: Vec<Option<&'a TestResult>>,
}

impl<'a> Joint<'a> {
    /// `None` for two subjects, a series of releases, and whole steps.
    pub(crate) fn of(summary: &'a Summary) -> Option<Self> {
        let [first, _, ..] = &summary.comparisons[..] else { return None };
        if summary.series.is_some() || !summary.steps.is_empty() || first.tests.is_empty() {
            return None;
        }
        let others = summary.comparisons.iter().map(|one| one.subject.clone());
        let labels: Vec<String> = std::iter::once(summary.base.clone()).chain(others).collect();
        let row = |test: &'a TestResult| Row {
            test: &test.test,
            results: summary
                .comparisons
                .iter()
                .map(|one| one.tests.iter().find(|own| own.test == test.test))
                .collect(),
        };
        let rows = words::grouped(&first.tests).into_iter().flat_map(|(_, tests)| tests).map(row).collect();
        Some(Self { names: short_names(&labels), rows })
    }

    /// Names of tests with their cells, the base's first.
    pub(crate) fn cells(&self) -> Vec<(String, Vec<String>)> {
        let row = |row: &Row<'_>| {
            let others = row.results.iter().map(|result| result.map_or_else(|| NONE.into(), cell));
            (clean(row.test), std::iter::once("1.000 ".to_owned()).chain(others).collect())
        };
        self.rows.iter().map(row).collect()
    }
}

/// `0.953▼`: relative to the base, with a mark unless the test is boring.
pub(crate) fn cell(test: &TestResult) -> String {
    let outcome = Outcome::of(test);
    let mark = if outcome == Outcome::Boring { " " } else { outcome.mark() };
    match test.rqps.filter(|rqps| rqps.is_finite()) {
        Some(rqps) => format!("{}{mark}", ratio(Some(rqps))),
        None if test.status == TestStatus::Ok => NONE.into(),
        None => format!("! {}", test.status.word()),
    }
}

/// The table in Markdown; empty where there is none.
pub(crate) fn markdown(summary: &Summary) -> String {
    let Some(joint) = Joint::of(summary) else { return String::new() };
    let mut out = String::from("## Side by side\n\n");
    // Writing to a String cannot fail.
    let _ = writeln!(out, "QPS relative to {} ({}):\n", choice::marked_base(summary), text::markdown(MARKS));
    out + &grid(&joint.names, &joint.cells())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn looks_like_this() {
        let (summary, ..) = fixture::configurations();
        insta::assert_snapshot!(markdown(&summary));
    }

    #[test]
    fn two_subjects_a_series_and_whole_steps_have_none() {
        assert!(Joint::of(&fixture::run().0).is_none() && Joint::of(&fixture::releases().0).is_none());
        let (mut summary, ..) = fixture::configurations();
        assert!(Joint::of(&summary).is_some());
        summary.comparisons.iter_mut().for_each(|one| one.tests.clear());
        assert!(Joint::of(&summary).is_none(), "nothing was measured");
        // Runs that are judged together have no series.
        let (mut summary, ..) = fixture::releases();
        summary.series = None;
        assert_eq!(Joint::of(&summary).map(|joint| joint.names[1].clone()), Some("9.11.2".to_owned()));
    }
}
