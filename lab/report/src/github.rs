//! A comment for a pull request: the verdict, and what moved and why. The rest is folded.

use std::fmt::Write as _;

use humdrum_model::{Comparison, Explanation, Results, Summary, TestResult};

use crate::Extras;
use crate::choice;
use crate::explanation::first_cause;
use crate::facts;
use crate::headline;
use crate::number::{interval, ratio};
use crate::opening::{Opening, opening};
use crate::processor;
use crate::selftest;
use crate::text;
use crate::words::{self, Outcome};

/// As GitHub renders it, ending in a line feed.
pub fn github(summary: &Summary, results: &Results, extras: &Extras) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail, here and below.
    for sentence in choice::sentences(summary, results) {
        let _ = writeln!(out, "{}.\n", text::markdown(&sentence));
    }
    for warning in &summary.warnings {
        let _ = writeln!(out, "Warning: {}.\n", text::markdown(warning));
    }
    for comparison in &summary.comparisons {
        out.push_str(&one(summary, results, comparison, &extras.explanations));
    }
    let _ = writeln!(
        out,
        "<sub>{}; {}</sub>",
        text::markdown(&facts::host(summary)),
        text::markdown(&facts::noise(summary))
    );
    for line in selftest::lines(summary, results) {
        let _ = writeln!(out, "\n<sub>{}</sub>", text::markdown(&line));
    }
    let _ = writeln!(out, "\n    {}", text::clean(&facts::command(summary, results)));
    out
}

fn one(
    summary: &Summary,
    results: &Results,
    comparison: &Comparison,
    explanations: &[Explanation],
) -> String {
    let (subject, base) = (text::code(&comparison.subject), choice::marked_base(summary));
    let settings = headline::settings(results, &summary.base, &comparison.subject);
    let settings = settings.map_or_else(String::new, |settings| format!(" ({})", text::markdown(&settings)));
    let host = text::markdown(&processor::on_hosts(summary));
    let mut out = format!("### {subject} against {base}{settings}{host}\n\n");
    let Opening { first, then } = opening(comparison);
    for sentence in first.iter().chain(&then) {
        let _ = writeln!(out, "{}.\n", text::markdown(sentence));
    }
    let told = |test: &&TestResult| Outcome::of(test) != Outcome::Boring;
    let loud: Vec<&TestResult> = comparison.tests.iter().filter(told).collect();
    if !loud.is_empty() {
        out.push_str("| test | verdict | rQPS | 95 % interval | why |\n|---|---|---:|---:|---|\n");
        for test in loud {
            let ours = |one: &&Explanation| one.test == test.test && one.subject == comparison.subject;
            let why = explanations.iter().find(ours).and_then(first_cause).unwrap_or_default();
            let _ = writeln!(out, "{}", row(test, Some(&why)));
        }
    }
    let quiet: Vec<&TestResult> =
        comparison.tests.iter().filter(|test| Outcome::of(test) == Outcome::Boring).collect();
    if !quiet.is_empty() {
        let count = words::count(quiet.len());
        let _ = writeln!(out, "\n<details><summary>{count} that did not move</summary>\n");
        out.push_str("| test | verdict | rQPS | 95 % interval |\n|---|---|---:|---:|\n");
        quiet.iter().for_each(|test| out.push_str(&format!("{}\n", row(test, None))));
        out.push_str("\n</details>\n");
    }
    out.push('\n');
    out
}

fn row(test: &TestResult, why: Option<&str>) -> String {
    let name = text::markdown(&test.test);
    let verdict = text::markdown(&words::marked(test));
    let why = why.map_or_else(String::new, |why| format!(" {} |", text::markdown(why)));
    format!("| {name} | {verdict} | {} | {} |{why}", ratio(test.rqps), interval(test.ci95))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn looks_like_this() {
        let (summary, results, extras) = fixture::run();
        insta::assert_snapshot!(github(&summary, &results, &extras));
    }

    #[test]
    fn hostile_labels_stay_text() {
        let (mut summary, results, mut extras) = fixture::run();
        fixture::make_hostile(&mut summary);
        extras.explanations.iter_mut().for_each(fixture::make_why_hostile);
        let comment = github(&summary, &results, &extras);
        assert!(!comment.contains(['\u{1b}', '\0']) && !comment.contains("<script"));
    }
}
