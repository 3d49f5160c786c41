//! Tests under several conditions, a column for each: numbers of rows or clients of one run, or several runs.

use std::fmt::Write as _;

use humdrum_charts::{ConditionLine, ConditionPoint};
use humdrum_model::{Difference, Dimension, IDLE_PCT, IDLE_PCT_MAX, Summary, TestResult, distinct};

use crate::joint;
use crate::number::{NONE, interval, short_or_none};
use crate::series::grid;
use crate::text::{self, clean};
use crate::words;

/// The conditions, and what was found under each.
pub(crate) struct Matrix<'a> {
    /// What the conditions are: `rows`, `clients`, or `condition`.
    pub(crate) what: &'static str,
    /// The conditions, in the order of the columns.
    pub(crate) columns: Vec<String>,
    pub(crate) base: String,
    /// One per subject beside the base.
    pub(crate) parts: Vec<Part<'a>>,
}

/// One subject against the base.
pub(crate) struct Part<'a> {
    pub(crate) subject: String,
    pub(crate) rows: Vec<Row<'a>>,
}

/// One test under all conditions.
pub(crate) struct Row<'a> {
    pub(crate) test: String,
    pub(crate) results: Vec<Option<&'a TestResult>>,
    /// Where the ratio on another host would lie.
    pub(crate) another_host: Option<[f64; 2]>,
    /// The ratio under the second of two conditions as a multiple of that under the first.
    pub(crate) difference: Option<Difference>,
}

/// The heading of the predictions for another host.
const ANOTHER_HOST: &str = "another host";
/// The heading of differences between two conditions.
const DIFFERENCE: &str = "difference";

/// A side's operations per second.
type Rate = fn(&TestResult) -> Option<f64>;

/// Names of rows with their cells.
pub(crate) type Cells = Vec<(String, Vec<String>)>;

impl<'a> Matrix<'a> {
    /// The tests of one run by rows, and by clients, where it has several numbers of them.
    pub(crate) fn of_run(summary: &'a Summary) -> Vec<Self> {
        Dimension::ALL.into_iter().filter_map(|dimension| Self::by(dimension, summary)).collect()
    }

    /// Tests that have a number of another dimension too have a row for each of these.
    fn by(dimension: Dimension, summary: &'a Summary) -> Option<Self> {
        let first = summary.comparisons.first()?;
        let numbers = first.tests.iter().filter_map(|test| test.numbers().get(dimension));
        let mut numbers: Vec<u64> = numbers.collect();
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() < 2 {
            return None;
        }
        let name_of = |test: &TestResult| test.numbers().name_without(&test.test, dimension);
        let part = |comparison: &'a humdrum_model::Comparison| {
            let found = |name: &str, number: u64| {
                let mut own = comparison.tests.iter().filter(|test| name_of(test) == name);
                own.find(|test| test.numbers().get(dimension) == Some(number))
            };
            let row = |name: String| Row {
                test: clean(&name),
                results: numbers.iter().map(|number| found(&name, *number)).collect(),
                another_host: None,
                difference: None,
            };
            let tests = words::grouped(&comparison.tests).into_iter().flat_map(|(_, tests)| tests);
            let names = tests.map(name_of);
            Part { subject: clean(&comparison.subject), rows: distinct(names).into_iter().map(row).collect() }
        };
        Some(Self {
            what: dimension.word(),
            columns: numbers.iter().map(|number| dimension.text(*number)).collect(),
            base: clean(&summary.base),
            parts: summary.comparisons.iter().map(part).collect(),
        })
    }

    /// The headings of ratios: the conditions, the difference of two, and another host if anything is predicted for it.
    pub(crate) fn ratio_columns(&self) -> Vec<String> {
        let mut columns = self.columns.clone();
        columns.extend(self.differs().then(|| DIFFERENCE.to_owned()));
        columns.extend(self.predicts().then(|| ANOTHER_HOST.to_owned()));
        columns
    }

    /// The ratios of one subject, with marks.
    pub(crate) fn ratios(&self, part: &Part<'_>) -> Cells {
        let of = |one: &Option<&TestResult>| one.map_or_else(|| NONE.into(), joint::cell);
        let row = |row: &Row<'_>| {
            let mut cells: Vec<String> = row.results.iter().map(of).collect();
            cells.extend(self.differs().then(|| difference(row.difference)));
            cells.extend(self.predicts().then(|| interval(row.another_host)));
            (row.test.clone(), cells)
        };
        part.rows.iter().map(row).collect()
    }

    /// What the columns beside the conditions mean, a sentence for each.
    pub(crate) fn columns_told(&self) -> Vec<String> {
        let another_host =
            "another host: where the ratio would lie on a further host, of 95 in 100 such hosts";
        let another_host = self.predicts().then(|| another_host.to_owned());
        self.difference_told().into_iter().chain(another_host).collect()
    }

    fn difference_told(&self) -> Option<String> {
        let found: Vec<Difference> = self.rows().filter_map(|row| row.difference).collect();
        let [first, second] = &self.columns[..] else { return None };
        let equal = found.iter().filter(|one| one.ci95[0] <= 1.0 && one.ci95[1] >= 1.0).count();
        (!found.is_empty()).then(|| {
            format!(
                "difference: the ratio under {second} as a multiple of that under {first}, with its 95 % interval; {equal} of {} \
                 intervals hold 1",
                found.len()
            )
        })
    }

    fn differs(&self) -> bool {
        self.rows().any(|row| row.difference.is_some())
    }

    fn predicts(&self) -> bool {
        self.rows().any(|row| row.another_host.is_some())
    }

    fn rows(&self) -> impl Iterator<Item = &Row<'a>> {
        self.parts.iter().flat_map(|part| &part.rows)
    }

    /// Operations per second of the base and one subject, a row for each side.
    pub(crate) fn rates(&self, part: &Part<'_>) -> Cells {
        let sides = self.sides(part);
        let row = |row: &Row<'_>| {
            let cells = |of: Rate| row.results.iter().map(|one| short_or_none(one.and_then(of))).collect();
            sides.map(|(label, of)| (format!("{}, {label}", row.test), cells(of)))
        };
        part.rows.iter().flat_map(row).collect()
    }

    /// Both sides' labels, with their rates.
    fn sides<'m>(&'m self, part: &'m Part<'_>) -> [(&'m str, Rate); 2] {
        [(&self.base, |test| test.base_qps), (&part.subject, |test| test.qps)]
    }

    /// What the ends of slices take under each condition, in one sentence; `None` if no test has several clients.
    pub(crate) fn idle(&self) -> Option<String> {
        let of = |column: usize| {
            let rows = self.parts.iter().flat_map(|part| &part.rows);
            let costs = rows.filter_map(|row| row.results[column]?.cost.get(IDLE_PCT));
            let largest = costs
                .map(|cost| cost.base.max(cost.subject))
                .fold(None, |most: Option<f64>, one| Some(most.map_or(one, |most| most.max(one))))?;
            Some((column, largest))
        };
        let found: Vec<(usize, f64)> = (0..self.columns.len()).filter_map(of).collect();
        if found.is_empty() {
            return None;
        }
        let told: Vec<String> =
            found.iter().map(|(column, pct)| format!("{pct:.1} % at {}", self.columns[*column])).collect();
        let much = found.iter().any(|(_, pct)| *pct > IDLE_PCT_MAX);
        let advice = if much { "; where it is above 5 %, a note of the test says what to do" } else { "" };
        Some(format!(
            "Start and end of slices, in which not all clients work, take at most {} {}{advice}",
            told.join(", "),
            self.what
        ))
    }

    /// A test's ratios as a chart has them.
    pub(crate) fn ratio_line(&self, part: &Part<'_>, row: &Row<'_>) -> ConditionLine {
        let point = |one: &Option<&TestResult>| {
            let test = (*one)?;
            let kind = words::Outcome::of(test).kind();
            Some(ConditionPoint { value: test.rqps?, ci95: test.ci95, kind })
        };
        ConditionLine { label: part.subject.clone(), points: row.results.iter().map(point).collect() }
    }

    /// Its rates: those of the base, and those of the subject.
    pub(crate) fn rate_lines(&self, part: &Part<'_>, row: &Row<'_>) -> [ConditionLine; 2] {
        let sides = self.sides(part);
        sides.map(|(label, of)| {
            let point = |one: &Option<&TestResult>| {
                let value = of((*one)?)?;
                Some(ConditionPoint { value, ci95: None, kind: humdrum_charts::Kind::Same })
            };
            ConditionLine { label: label.to_owned(), points: row.results.iter().map(point).collect() }
        })
    }
}

fn difference(found: Option<Difference>) -> String {
    found.map_or_else(|| NONE.into(), |found| format!("{:.3} {}", found.ratio, interval(Some(found.ci95))))
}

/// The tables of a run at several numbers of rows or clients in Markdown; empty for other runs.
pub(crate) fn markdown(summary: &Summary) -> String {
    let section = |matrix: &Matrix<'_>| format!("## By {}\n\n{}", matrix.what, tables(matrix));
    Matrix::of_run(summary).iter().map(section).collect::<Vec<_>>().join("\n")
}

/// The tables of each subject in Markdown.
pub(crate) fn tables(matrix: &Matrix<'_>) -> String {
    let mut out = String::new();
    let (base, what) = (text::code(&matrix.base), matrix.what);
    for part in &matrix.parts {
        let subject = text::code(&part.subject);
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(
            out,
            "QPS of {subject} relative to {base} by {what} ({}):\n",
            text::markdown(joint::MARKS)
        );
        out.push_str(&grid(&matrix.ratio_columns(), &matrix.ratios(part)));
        let _ = writeln!(out, "\nQPS by {what}:\n");
        out.push_str(&grid(&matrix.columns, &matrix.rates(part)));
        out.push('\n');
    }
    for told in matrix.columns_told() {
        let _ = writeln!(out, "{}.", text::markdown(&told));
    }
    if let Some(idle) = matrix.idle() {
        let _ = writeln!(out, "{}.", text::markdown(&idle));
    }
    out
}

#[cfg(test)]
mod tests;
