//! The tables of the Small Datum posts, in plain text with fixed columns: throughput relative to the base by group, one
//! column per subject, and the costs of each test. Whole steps have no groups, because their order is that of the work.

use std::fmt::Write as _;

use humdrum_model::{Summary, TestResult};

use crate::choice;
use crate::cost;
use crate::number::short_or_none;
use crate::text::clean;
use crate::words;

/// All groups, ending in a line feed.
pub fn smalldatum(summary: &Summary) -> String {
    let mut out = String::from("Relative to: ");
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(out, "{}", choice::base(summary));
    for (number, comparison) in (1..).zip(&summary.comparisons) {
        let _ = writeln!(out, "col-{number} : {}", clean(&comparison.subject));
    }
    let Some(first) = summary.comparisons.first() else { return out };
    for (group, tests) in groups(summary, &first.tests) {
        let columns: Vec<String> =
            (1..=summary.comparisons.len()).map(|number| format!("col-{number}")).collect();
        let _ = writeln!(out, "\n{}\t{}", columns.join("\t"), clean(group));
        for test in tests {
            let _ = writeln!(out, "{}\t{}", relative(summary, &test.test).join("\t"), clean(&test.test));
        }
    }
    out + &costs(summary)
}

/// Tests by group; of a suite of whole steps, all in the order in which they ran.
fn groups<'a>(summary: &Summary, tests: &'a [TestResult]) -> Vec<(&'a str, Vec<&'a TestResult>)> {
    if summary.steps.is_empty() { words::grouped(tests) } else { vec![("step", tests.iter().collect())] }
}

/// rQPS of one test on every subject, two decimals as the reference has them.
fn relative(summary: &Summary, test: &str) -> Vec<String> {
    let of = |one: &humdrum_model::Comparison| {
        let found = one.tests.iter().find(|result| result.test == test).and_then(|result| result.rqps);
        found.filter(|ratio| ratio.is_finite()).map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
    };
    summary.comparisons.iter().map(of).collect()
}

/// Per test: absolute costs of base and subjects, then relative ones.
fn costs(summary: &Summary) -> String {
    let Some(first) = summary.comparisons.first() else { return String::new() };
    let names: Vec<cost::Column> = cost::reference(&first.tests);
    let headings: Vec<&str> = names.iter().map(|column| column.heading.as_str()).collect();
    let mut out = String::new();
    for test in first.tests.iter().filter(|test| !test.cost.is_empty()) {
        let _ = writeln!(out, "\n--- {}\n{}\tdbms", clean(&test.test), headings.join("\t"));
        let of = |side: &dyn Fn(&humdrum_model::Cost) -> Option<f64>, result: &TestResult| {
            let value = |column: &cost::Column| short_or_none(result.cost.get(&column.name).and_then(side));
            names.iter().map(value).collect::<Vec<_>>().join("\t")
        };
        let _ = writeln!(out, "{}\t{}", of(&|cost| Some(cost.base), test), clean(&summary.base));
        for comparison in &summary.comparisons {
            let Some(result) = comparison.tests.iter().find(|result| result.test == test.test) else {
                continue;
            };
            let label = clean(&comparison.subject);
            let _ = writeln!(out, "{}\t{label}", of(&|cost| Some(cost.subject), result));
            let _ = writeln!(out, "{}\t{label}, relative", of(&|cost| cost.ratio, result));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use humdrum_model::{StepRow, TestStatus};

    use super::*;
    use crate::fixture;

    #[test]
    fn looks_like_this() {
        let (mut summary, ..) = fixture::run();
        summary.comparisons[0].tests.truncate(4);
        insta::assert_snapshot!(smalldatum(&summary));
    }

    #[test]
    fn steps_are_in_the_order_in_which_they_ran() {
        let (mut summary, ..) = fixture::run();
        let steps = [("l.i0", "load"), ("l.x", "load"), ("qr100", "range"), ("qp100", "point")];
        let tests = &mut summary.comparisons[0].tests;
        tests.truncate(steps.len());
        for (test, (name, group)) in tests.iter_mut().zip(steps) {
            (test.test, test.group) = (name.into(), group.into());
        }
        let shown = |summary: &Summary| -> Vec<String> {
            let text = smalldatum(summary);
            let tables = text.lines().skip(3).take_while(|line| !line.starts_with("---"));
            let last = |line: &str| line.rsplit('\t').next().unwrap_or_default().to_owned();
            tables.filter(|line| !line.is_empty()).map(last).collect()
        };
        assert_eq!(shown(&summary), ["point", "qp100", "range", "qr100", "load", "l.i0", "l.x"]);
        summary.steps = steps.map(|(name, _)| step(name)).into();
        assert_eq!(shown(&summary), ["step", "l.i0", "l.x", "qr100", "qp100"]);
    }

    fn step(name: &str) -> StepRow {
        StepRow {
            subject: "postgres@16.11".into(),
            test: name.into(),
            status: TestStatus::Ok,
            counts: "rows".into(),
            rate: None,
            background: None,
            columns: BTreeMap::new(),
            streams: BTreeMap::new(),
        }
    }

    #[test]
    fn hostile_names_stay_in_their_column() {
        let (mut summary, ..) = fixture::run();
        fixture::make_hostile(&mut summary);
        let text = smalldatum(&summary);
        assert!(!text.contains(['\u{1b}', '\0', '\r']));
    }
}
