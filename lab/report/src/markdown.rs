//! A short post: what was found, on what, how, by group, and the exceptions.

use std::fmt::Write as _;

use humdrum_model::{Comparison, Results, Summary, TestResult};

use crate::Extras;
use crate::caveats;
use crate::choice;
use crate::explanation;
use crate::facts::{self, Discarded};
use crate::headline;
use crate::judged;
use crate::kinds;
use crate::number::{interval, ratio, short_or_none};
use crate::opening::{Opening, opening};
use crate::processor;
use crate::settings;
use crate::text::{self, clean_lines};
use crate::words;

/// Lines of a server's log quoted for each failure.
const LOG_LINES_MAX: usize = 10;

/// The result as Markdown (tables as on GitHub), ending in a line feed.
pub fn markdown(summary: &Summary, results: &Results, extras: &Extras) -> String {
    let series = |row| crate::series::markdown(summary, row, results);
    let parts = [
        title(summary),
        tldr(summary, results),
        builds(summary, results, extras),
        workload(summary, results),
        crate::steps::markdown(summary),
        summary.series.as_ref().map_or_else(String::new, series),
        crate::matrix::markdown(summary),
        crate::joint::markdown(summary),
        sections(summary),
        next_steps(summary),
        match &summary.series {
            Some(series) => explanation::markdown::by_test(&extras.explanations, &series.tests),
            None => explanation::markdown::section(&extras.explanations),
        },
        exceptions(summary, results),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn title(summary: &Summary) -> String {
    let on = text::markdown(&processor::on_hosts(summary));
    if let Some(series) = &summary.series
        && let [first, .., last] = &series.releases[..]
    {
        return format!(
            "# {} to {}, {} releases{on}\n",
            text::code(first),
            text::code(last),
            series.releases.len()
        );
    }
    let subjects: Vec<String> =
        summary.comparisons.iter().map(|comparison| text::code(&comparison.subject)).collect();
    format!("# {} against {}{on}\n", subjects.join(", "), choice::marked_base(summary))
}

fn tldr(summary: &Summary, results: &Results) -> String {
    let mut out = String::from("tl;dr\n\n");
    // For a series: the comparison of the last release with the first, then what moved at each release.
    let all = summary.comparisons.len();
    let told = if summary.series.is_some() { all.saturating_sub(1) } else { 0 };
    for comparison in &summary.comparisons[told..] {
        let settings = headline::settings(results, &summary.base, &comparison.subject);
        let settings = settings.map_or_else(String::new, |given| format!(" ({})", text::markdown(&given)));
        let (subject, Opening { first, then }) = (text::code(&comparison.subject), opening(comparison));
        for (number, sentence) in first.iter().chain(&then).enumerate() {
            let settings = if number == 0 { settings.as_str() } else { "" };
            // Writing to a String cannot fail, here and below.
            let _ = writeln!(out, "* {subject}{settings}: {}", text::markdown(sentence));
        }
    }
    for line in summary.series.iter().flat_map(crate::series::moves_by_release) {
        let _ = writeln!(out, "* {}", text::markdown(&line));
    }
    for sentence in choice::sentences(summary, results) {
        let _ = writeln!(out, "* {}", text::markdown(&sentence));
    }
    if !summary.finished {
        out.push_str("* the run was interrupted; this is what was measured until then\n");
    }
    for warning in results.warnings() {
        let _ = writeln!(out, "* warning: {}", text::markdown(warning));
    }
    out
}

fn builds(summary: &Summary, results: &Results, extras: &Extras) -> String {
    let mut out = String::from("## Builds and hardware\n\n");
    for (subject, built) in results.plan.subjects.iter().zip(&results.subjects) {
        let mut told = vec![facts::build(&built.version, &built.origin)];
        told.extend(settings::after_load(&results.plan, subject));
        let _ = writeln!(out, "* {}: {}", text::code(&subject.label), text::markdown(&told.join("; ")));
    }
    let _ = writeln!(out, "* host: {}", text::markdown(&facts::host(summary)));
    if let Some(processor) = processor::described(&summary.host) {
        let _ = writeln!(out, "* processor: {}", text::markdown(&processor));
    }
    let _ = writeln!(out, "* noise: {}", text::markdown(&facts::noise(summary)));
    for line in caveats::lines(summary, results) {
        let _ = writeln!(out, "* {}", text::markdown(&line));
    }
    for (level, name, found, advice) in facts::warnings(summary) {
        let _ = writeln!(out, "* {level}: {}", text::markdown(&facts::finding(name, found, advice)));
    }
    if !extras.setting_differences.is_empty() {
        out.push_str("\nSettings that differ:\n\n");
        out.push_str(&settings(results, extras));
    }
    out
}

fn settings(results: &Results, extras: &Extras) -> String {
    let labels: Vec<String> =
        results.plan.subjects.iter().map(|subject| text::code(&subject.label)).collect();
    let (differ, known_to_some) = settings::split(&extras.setting_differences);
    let mut out = table_head(&["setting"], &labels.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, values) in differ {
        let shown: Vec<String> = values
            .iter()
            .map(|value| value.as_deref().map_or_else(|| "no such setting".into(), text::markdown))
            .collect();
        let _ = writeln!(out, "| {} | {} |", text::markdown(&name), shown.join(" | "));
    }
    if !known_to_some.is_empty() {
        let _ = writeln!(out, "\n{}; report.html lists them.", settings::known_to_some(known_to_some.len()));
    }
    out
}

fn workload(summary: &Summary, results: &Results) -> String {
    let (command, first) = (text::clean(&facts::command(summary, results)), kinds::first_of(summary));
    let first = first.map_or_else(String::new, |first| format!(" ({first})"));
    format!("## Workload\n\n{}{first}\n\n    {command}\n", text::markdown(&facts::workload(results)))
}

fn sections(summary: &Summary) -> String {
    let all = summary.comparisons.iter().map(|comparison| comparison_section(summary, comparison));
    all.collect::<Vec<_>>().join("\n")
}

/// What to do about the verdicts, once for all comparisons.
fn next_steps(summary: &Summary) -> String {
    let lines =
        headline::next_steps(summary, summary.comparisons.iter().flat_map(|comparison| &comparison.tests));
    let line = |line: String| format!("* {}\n", text::markdown(&line));
    let lines: String = lines.into_iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("## What to do next\n\n{lines}") }
}

fn comparison_section(summary: &Summary, comparison: &Comparison) -> String {
    let mut out =
        format!("## {} against {}\n", text::code(&comparison.subject), choice::marked_base(summary));
    for (group, tests) in words::grouped(&comparison.tests) {
        let _ = writeln!(out, "\n### {}\n", text::markdown(group));
        out.push_str(&table_head(
            &["test", "verdict"],
            &["rQPS", "95 % interval", "base QPS", "QPS", "server µs/o", "ratio", "cs/o"],
        ));
        tests.iter().for_each(|test| out.push_str(&row(test)));
    }
    out.push_str(&(crate::scripts::markdown(comparison) + &judged(comparison)));
    if summary.series.is_none() {
        out.push_str(&stores(comparison));
    }
    if let Some(sentence) = words::minimum_detectable(comparison) {
        let _ = writeln!(out, "\n{}", text::markdown(&sentence));
    }
    out
}

/// How far the verdicts carry, and those on other quantities.
fn judged(comparison: &Comparison) -> String {
    let columns = judged::columns(&comparison.tests);
    let Some(legend) = judged::legend(&columns, &comparison.tests) else { return String::new() };
    let headings: Vec<&str> = columns.iter().map(|column| column.heading()).collect();
    let mut out =
        format!("\n### how far it carries, and what else was judged\n\n{}", table_head(&["test"], &headings));
    for test in judged::rows(&comparison.tests) {
        let cells: Vec<String> = columns.iter().map(|column| column.cell(test)).collect();
        let _ = writeln!(out, "| {} | {} |", text::markdown(&test.test), cells.join(" | "));
    }
    let _ = writeln!(out, "\n{}.", text::markdown(&legend));
    out
}

/// What a store's flushes and compactions did. A series of releases has its own tables of it.
fn stores(comparison: &Comparison) -> String {
    let columns = crate::store::columns(&comparison.tests);
    if columns.is_empty() {
        return String::new();
    }
    let headings: Vec<&str> = columns.iter().map(|column| column.heading).collect();
    let mut out = format!("\n### flushes and compactions\n\n{}", table_head(&["test"], &headings));
    for test in comparison.tests.iter().filter(|test| !test.cost.is_empty()) {
        let cells: Vec<String> = columns.iter().map(|column| column.arrow(test)).collect();
        let _ = writeln!(out, "| {} | {} |", text::markdown(&test.test), cells.join(" | "));
    }
    out.push_str("\nThe columns:\n\n");
    for column in &columns {
        let meaning = text::markdown(&column.meaning(&comparison.tests));
        let _ = writeln!(out, "* {}: {meaning}", column.heading);
    }
    out
}

fn row(test: &TestResult) -> String {
    let cpu = test.cost.get("server_cpu_us");
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        text::markdown(&test.test),
        text::markdown(&words::marked(test)),
        ratio(test.rqps),
        interval(test.ci95),
        short_or_none(test.base_qps),
        short_or_none(test.qps),
        crate::cost::server(test),
        crate::cost::relative(cpu),
        crate::cost::arrow(test.cost.get("cs_o")),
    )
}

/// `left` columns of text, then `right` columns of numbers.
fn table_head(left: &[&str], right: &[&str]) -> String {
    let names: Vec<&str> = left.iter().chain(right).copied().collect();
    let rule = "|---".repeat(left.len()) + &"|---:".repeat(right.len());
    format!("| {} |\n{rule}|\n", names.join(" | "))
}

fn exceptions(summary: &Summary, results: &Results) -> String {
    let mut out = String::from("## Exceptions\n\n");
    let several = summary.comparisons.len() > 1;
    for comparison in &summary.comparisons {
        let whose = if several { format!("{}, ", text::code(&comparison.subject)) } else { String::new() };
        for test in &comparison.tests {
            for note in test.notes.iter().filter(|note| !note.starts_with("log: ")) {
                let _ = writeln!(out, "* {whose}{}: {}", text::markdown(&test.test), text::markdown(note));
            }
        }
    }
    for (place, event) in facts::failures(results) {
        let what = text::markdown(&event.what);
        let _ = writeln!(out, "* {} ({}): {what}", event.status.word(), text::code(&place));
        let log = clean_lines(event.log_tail.as_deref().unwrap_or_default());
        if !log.is_empty() {
            out.push('\n');
        }
        for line in &log[log.len().saturating_sub(LOG_LINES_MAX)..] {
            let _ = writeln!(out, "      {line}");
        }
    }
    if results.plan.imported.is_none() {
        let _ = writeln!(out, "* blocks discarded: {}", text::markdown(&Discarded::of(results).sentence()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn looks_like_this() {
        let (summary, results, extras) = fixture::run();
        insta::assert_snapshot!(markdown(&summary, &results, &extras));
    }

    #[test]
    fn a_series_begins_with_its_last_release_and_the_moves_of_each() {
        let (summary, results, mut extras) = fixture::releases();
        for (one, subject) in extras.explanations.iter_mut().zip(&summary.comparisons) {
            (one.test, one.subject) = ("overwrite".into(), subject.subject.clone());
        }
        let post = markdown(&summary, &results, &extras);
        let lines: Vec<&str> = post.lines().collect();
        assert_eq!(lines[0], "# `rocksdb@9.8.4+iobuf` to `rocksdb@10.10.1+iobuf`, 4 releases");
        let ended: Vec<&str> = lines[4..8].to_vec();
        assert!(ended[0].starts_with("* `rocksdb@10.10.1+iobuf`: 1 regression"), "{ended:#?}");
        assert_eq!(ended[1], "* 9.11.2, against the release before: no test moved");
        assert!(ended[2].starts_with("* 10.2.1, against the release before: ▼ overwrite 0.9"), "{ended:#?}");
        assert!(post.contains("### overwrite\n\n| release | rQPS | most likely |"), "{post}");
    }

    #[test]
    fn hostile_labels_stay_text() {
        let (mut summary, mut results, extras) = fixture::run();
        fixture::make_hostile(&mut summary);
        results.plan.subjects[1].label = fixture::HOSTILE.into();
        let post = markdown(&summary, &results, &extras);
        assert!(!post.contains(['\u{1b}', '\0']));
        let tables: Vec<&str> = post.lines().filter(|line| line.starts_with("| ")).collect();
        assert!(!tables.is_empty() && tables.iter().all(|line| !line.contains("<script")));
    }
}
