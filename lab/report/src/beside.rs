//! Several runs in one report: tests × conditions.

use std::fmt::Write as _;

use humdrum_model::{Difference, Differences, OverHosts, Summary, distinct};
use serde_json::json;

use crate::html;
use crate::matrix::{Matrix, Part, Row, tables};
use crate::processor;
use crate::style::Style;
use crate::terminal;
use crate::text::{self, clean};
use crate::{json as summary_json, tsv};

/// One of several runs.
#[derive(Clone, Debug, PartialEq)]
pub struct BesideRun {
    /// What it has of its own (`clients 16`).
    pub condition: String,
    /// Its results, as the user named them.
    pub results: String,
    /// When it began.
    pub started: String,
    /// Its verdicts.
    pub summary: Summary,
}

/// Several runs, and what they say together.
#[derive(Clone, Debug, PartialEq)]
pub struct SideBySide {
    /// The runs, in the order of the columns.
    pub runs: Vec<BesideRun>,
    /// Where ratios on another host would lie; empty unless the runs are of three hosts or more.
    pub over_hosts: OverHosts,
    /// How much the ratios of two runs differ; empty for more.
    pub differences: Differences,
}

/// What verdicts side by side mean.
pub(crate) const FAMILIES: &str =
    "Each run was judged on its own: its verdicts are corrected for its tests, not for the number of runs";

/// Tests × conditions; subjects are matched by their places in the runs.
pub(crate) fn matrix(all: &SideBySide) -> Matrix<'_> {
    let runs = &all.runs;
    let first = runs.first().map(|run| &run.summary);
    let subjects = first.map_or(0, |summary| summary.comparisons.len());
    let tests = |place: usize| {
        let all = runs.iter().filter_map(move |run| run.summary.comparisons.get(place));
        let all = all.flat_map(|one| &one.tests);
        distinct(all.map(|test| test.test.as_str()))
    };
    let row = |place: usize, test: &str| Row {
        test: clean(test),
        results: runs
            .iter()
            .map(|run| run.summary.comparisons.get(place)?.tests.iter().find(|one| one.test == test))
            .collect(),
        another_host: all.over_hosts.get(&(place, test.to_owned())).copied(),
        difference: all.differences.get(&(place, test.to_owned())).copied(),
    };
    let label = |of: &dyn Fn(&Summary) -> Option<String>| {
        let labels: Vec<String> = runs.iter().filter_map(|run| of(&run.summary)).collect();
        shared(&labels)
    };
    let part = |place: usize| Part {
        subject: label(&|summary| summary.comparisons.get(place).map(|one| one.subject.clone())),
        rows: tests(place).into_iter().map(|test| row(place, test)).collect(),
    };
    Matrix {
        what: "condition",
        columns: runs.iter().map(|run| clean(&run.condition)).collect(),
        base: label(&|summary| Some(summary.base.clone())),
        parts: (0..subjects).map(part).collect(),
    }
}

/// A label that holds for all runs: without the settings where they differ.
fn shared(labels: &[String]) -> String {
    let Some(first) = labels.first() else { return String::new() };
    let alike = labels.iter().all(|label| label == first);
    clean(if alike { first } else { first.split('+').next().unwrap_or(first) })
}

/// `clients 16: humdrum-results/b, begun 2026-…, AMD Zen 5`, a line for each run.
pub(crate) fn lines(runs: &[BesideRun]) -> Vec<String> {
    let line = |run: &BesideRun| {
        let interrupted = if run.summary.finished { "" } else { ", interrupted" };
        let on = processor::on_hosts(&run.summary);
        format!("{}: {}, begun {}{on}{interrupted}", run.condition, run.results, run.started)
    };
    runs.iter().map(|run| clean(&line(run))).collect()
}

/// For a terminal, ending in a line feed.
pub fn beside_terminal(all: &SideBySide, style: Style) -> String {
    terminal::several(all, style)
}

/// In Markdown.
pub fn beside_markdown(all: &SideBySide) -> String {
    let (runs, matrix) = (&all.runs, matrix(all));
    let mut out = String::from("# ");
    let subjects: Vec<String> = matrix.parts.iter().map(|part| text::code(&part.subject)).collect();
    // Writing to a String cannot fail, here and below.
    let _ =
        writeln!(out, "{} against {}, {} runs\n", subjects.join(", "), text::code(&matrix.base), runs.len());
    for line in lines(runs) {
        let _ = writeln!(out, "* {}", text::markdown(&line));
    }
    let _ = writeln!(out, "\n{FAMILIES}.\n");
    out + &tables(&matrix)
}

/// One HTML document.
pub fn beside_html(all: &SideBySide) -> String {
    html::beside(all)
}

/// Tab-separated values: those of each run, with its condition and its results in front. What runs say together is not among them.
pub fn beside_tsv(all: &SideBySide) -> String {
    let mut out = String::new();
    for (number, run) in all.runs.iter().enumerate() {
        let text = tsv(&run.summary);
        let mut lines = text.lines();
        let header = lines.next().unwrap_or_default();
        if number == 0 {
            let _ = writeln!(out, "condition\tresults\t{header}");
        }
        for line in lines {
            let _ = writeln!(out, "{}\t{}\t{line}", clean(&run.condition), clean(&run.results));
        }
    }
    out
}

/// An object in JSON: of each run its condition, its results and its `summary.json`; the differences between two; and the
/// ratios on another host.
pub fn beside_json(all: &SideBySide) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let one = |run: &BesideRun| {
        format!(
            "{{\"condition\": {}, \"results\": {}, \"summary\": {}}}",
            quoted(&run.condition),
            quoted(&run.results),
            summary_json(&run.summary).trim_end()
        )
    };
    let runs: Vec<String> = all.runs.iter().map(one).collect();
    let matrix = matrix(all);
    let rows = || matrix.parts.iter().flat_map(|part| part.rows.iter().map(|row| (&part.subject, row)));
    let differing = rows().filter_map(|(subject, row)| {
        let Difference { ratio, ci95 } = row.difference?;
        Some(json!({ "subject": subject, "test": row.test, "ratio": ratio, "ci95": ci95 }).to_string())
    });
    let predicted = rows().filter_map(|(subject, row)| {
        let interval = row.another_host?;
        Some(json!({ "subject": subject, "test": row.test, "interval": interval }).to_string())
    });
    let [differing, predicted]: [Vec<String>; 2] = [differing.collect(), predicted.collect()];
    format!(
        "{{\"runs\": [{}],\n\"differences\": [{}],\n\"another_host\": [{}]}}\n",
        runs.join(",\n"),
        differing.join(",\n"),
        predicted.join(",\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn two() -> SideBySide {
        let run = |condition: &str, results: &str| {
            let (mut summary, ..) = fixture::run();
            summary.comparisons[0].tests.truncate(3);
            let (condition, results) = (condition.to_owned(), results.to_owned());
            BesideRun { condition, results, started: "2026-01-02T03:04:05Z".into(), summary }
        };
        let mut runs = vec![run("clients 1", "a"), run("clients 16", "b")];
        runs[1].summary.base = "postgres@16.11+x10b".into();
        runs[1].summary.comparisons[0].tests.remove(1);
        SideBySide { runs, over_hosts: OverHosts::new(), differences: Differences::new() }
    }

    #[test]
    fn looks_like_this() {
        insta::assert_snapshot!(beside_markdown(&two()));
    }

    #[test]
    fn every_format_has_every_condition_and_what_is_missing_is_a_dash() {
        let runs = two();
        let style = Style { color: false, width: 100, verbose: false };
        let texts =
            [beside_terminal(&runs, style), beside_html(&runs), beside_tsv(&runs), beside_json(&runs)];
        for text in &texts {
            assert!(text.contains("clients 1") && text.contains("clients 16"), "{text}");
        }
        assert!(texts[0].contains('–') && texts[1].contains("<svg"));
        assert_eq!(texts[2].lines().count(), 1 + 3 + 2);
        let read: serde_json::Value = serde_json::from_str(&texts[3]).unwrap();
        assert_eq!(read["runs"][1]["summary"]["base"], "postgres@16.11+x10b");
        assert!(!texts.iter().any(|text| text.contains("another host")));
    }

    #[test]
    fn the_difference_of_two_runs_is_a_column_with_its_interval() {
        let mut all = two();
        let one = Difference { ratio: 1.01, ci95: [0.99, 1.03] };
        all.differences.insert((0, "point-query".into()), one);
        all.differences.insert((0, "hot-points".into()), Difference { ci95: [1.005, 1.03], ..one });
        let style = Style { color: false, width: 100, verbose: false };
        for text in [beside_terminal(&all, style), beside_markdown(&all), beside_html(&all)] {
            assert!(text.contains("difference") && text.contains("0.990, 1.030"), "{text}");
        }
        let told = matrix(&all).columns_told();
        assert!(told[0].ends_with("that under clients 1, with its 95 % interval; 1 of 2 intervals hold 1"));
        let read: serde_json::Value = serde_json::from_str(&beside_json(&all)).unwrap();
        assert_eq!(read["differences"][1]["ci95"], json!([0.99, 1.03]));
    }

    #[test]
    fn the_prediction_for_another_host_is_a_column_where_there_is_one() {
        let mut all = two();
        all.over_hosts.insert((0, "point-query".into()), [0.91, 1.09]);
        let style = Style { color: false, width: 100, verbose: false };
        for text in [beside_terminal(&all, style), beside_markdown(&all), beside_html(&all)] {
            assert!(text.contains("another host") && text.contains("0.910, 1.090"), "{text}");
        }
        let read: serde_json::Value = serde_json::from_str(&beside_json(&all)).unwrap();
        assert_eq!(read["another_host"][0]["interval"], json!([0.91, 1.09]));
    }
}
