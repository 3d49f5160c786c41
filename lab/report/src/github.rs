//! A comment for a pull request: the verdict, and what moved or failed and why. What could not be decided and what did not move is folded.

use std::fmt::Write as _;

use humdrum_model::{Comparison, Explanation, Judgement, Results, Summary, TestResult};

use crate::Extras;
use crate::caveats;
use crate::choice;
use crate::explanation::first_cause;
use crate::facts;
use crate::headline;
use crate::number::{interval, ratio};
use crate::opening::{Opening, opening};
use crate::processor;
use crate::text;
use crate::words::{self, Outcome};

const WITH_WHY: &str = "| test | verdict | rQPS | 95 % interval | why |\n|---|---|---:|---:|---|\n";
const WITHOUT_WHY: &str = "| test | verdict | rQPS | 95 % interval |\n|---|---|---:|---:|\n";

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
    for line in caveats::lines(summary, results) {
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
    let (folded, loud): (Vec<&TestResult>, Vec<&TestResult>) =
        comparison.tests.iter().partition(|test| Fold::of(test).is_some());
    let with_why = |test: &TestResult| {
        let ours = |one: &&Explanation| one.test == test.test && one.subject == comparison.subject;
        let why = explanations.iter().find(ours).and_then(first_cause).unwrap_or_default();
        row(test, Some(&why))
    };
    if !loud.is_empty() {
        out.push_str(WITH_WHY);
        loud.iter().for_each(|test| out.push_str(&format!("{}\n", with_why(test))));
    }
    let of = |kind: Fold| folded.iter().filter(move |test| Fold::of(test) == Some(kind));
    let undecided = of(Fold::Undecided).map(|test| with_why(test)).collect();
    out.push_str(&fold("whose throughput could not be decided", WITH_WHY, undecided));
    let boring = of(Fold::Boring).map(|test| row(test, None)).collect();
    out.push_str(&fold("that did not move", WITHOUT_WHY, boring));
    out.push('\n');
    out
}

/// Tests that a reader has to open to see: nothing of them moved or failed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fold {
    Undecided,
    Boring,
}

impl Fold {
    fn of(test: &TestResult) -> Option<Self> {
        let moved = |judged: &Judgement| Outcome::on(test, judged.verdict).moved();
        match Outcome::of(test) {
            _ if test.judged.values().any(moved) => None,
            Outcome::Boring => Some(Self::Boring),
            Outcome::Inconclusive | Outcome::Unstable => Some(Self::Undecided),
            Outcome::Regression | Outcome::Improvement | Outcome::Status(_) => None,
        }
    }
}

/// A folded table; nothing where there are no rows.
fn fold(what: &str, head: &str, rows: Vec<String>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let (count, rows) = (words::count(rows.len()), rows.join("\n"));
    format!("\n<details><summary>{count} {what}</summary>\n\n{head}{rows}\n\n</details>\n")
}

fn row(test: &TestResult, why: Option<&str>) -> String {
    let name = text::markdown(&test.test);
    let verdict = text::markdown(&words::marked(test));
    let why = why.map_or_else(String::new, |why| format!(" {} |", text::markdown(why)));
    format!("| {name} | {verdict} | {} | {} |{why}", ratio(test.rqps), interval(test.ci95))
}

#[cfg(test)]
mod tests {
    use humdrum_model::Verdict;

    use super::*;
    use crate::fixture;

    #[test]
    fn looks_like_this() {
        let (summary, results, extras) = fixture::run();
        insta::assert_snapshot!(github(&summary, &results, &extras));
    }

    /// Runners are noisy: throughput often decides nothing where CPU does.
    #[test]
    fn what_moved_by_another_quantity_is_not_folded() {
        let is_folded = |verdict: Verdict| {
            let (mut summary, results, extras) = fixture::run();
            let tests = &mut summary.comparisons[0].tests;
            let scan = tests.iter_mut().find(|test| test.test == "scan").expect("an undecided test");
            assert_eq!(Outcome::of(scan), Outcome::Inconclusive);
            let cpu = Judgement { ratio: 1.03, ci95: [1.02, 1.04], p_adjusted: None, delta: 0.01, verdict };
            scan.judged.insert("cpu".into(), cpu);
            let text = github(&summary, &results, &extras);
            text.find("| scan |") > text.find("<details>")
        };
        assert!(is_folded(Verdict::Boring) && !is_folded(Verdict::Regression));
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
