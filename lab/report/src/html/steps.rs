//! The tables of whole steps on the page, and the numbers behind them.

use humdrum_charts::{RateSeries, rate};
use humdrum_model::{Results, StepFacts, StepRow, Summary};
use maud::{Markup, html};

use crate::number::{short, short_or_none};
use crate::steps::{grids, histogram};
use crate::text::clean;

/// Columns of the table of costs: name, unit.
const COLUMNS: [(&str, &str); 29] = [
    ("cpupq", "µs"),
    ("cspq", ""),
    ("rps", "/s"),
    ("rmbps", "MiB/s"),
    ("wps", "/s"),
    ("wmbps", "MiB/s"),
    ("rpq", ""),
    ("rkbpq", "KiB"),
    ("wpi", ""),
    ("wkbpi", "KiB"),
    ("csps", "/s"),
    ("cpups", "%"),
    ("dbgb1", "GB"),
    ("dbgb2", "GB"),
    ("table_gb", "GB"),
    ("index_gb", "GB"),
    ("log_gb", "GB"),
    ("rss", "GB"),
    ("maxop", "s"),
    ("p50", "/s"),
    ("p99", "/s"),
    ("dead_share", ""),
    ("history_length", ""),
    ("wait_seconds", "s"),
    ("r_await_ms", "ms"),
    ("w_await_ms", "ms"),
    ("util_pct", "%"),
    ("queue_depth", ""),
    ("flushes_o", ""),
];

/// The section; nothing for other suites.
pub(super) fn section(summary: &Summary, results: &Results) -> Markup {
    let grids = grids(summary);
    html! {
        @if !grids.is_empty() {
            section id="steps" {
                h2 { "Steps" }
                @for grid in &grids {
                    div.scroll tabindex="0" { table.dense {
                        caption { (grid.title) }
                        thead { tr { th scope="col" { "subject" } @for step in &grid.steps { th scope="col" { (step) } } } }
                        tbody { @for (name, cells) in &grid.rows {
                            tr { th scope="row" { (name) } @for cell in cells { td class=(cell.tone.class()) { (cell.marked()) } } }
                        } }
                    } }
                }
                (costs(summary))
                (responses(summary))
                (distribution(summary))
                (by_second(results))
            }
        }
    }
}

fn costs(summary: &Summary) -> Markup {
    html! {
        div.scroll tabindex="0" { table.dense {
            caption { "Cost of each step on the whole host, per row or query (…pi: per inserted row), and sizes and work left after it" }
            thead { tr { th scope="col" { "step" } th scope="col" { "subject" } @for (name, unit) in COLUMNS { th scope="col" { (name) " " (unit) } } } }
            tbody { @for row in &summary.steps { tr {
                th scope="row" { (clean(&row.test)) } td.text { (clean(&row.subject)) }
                @for (name, _) in COLUMNS { td { (short_or_none(row.columns.get(name).copied())) } }
            } } }
        } }
    }
}

fn responses(summary: &Summary) -> Markup {
    let streams = |row: &StepRow| row.streams.clone().into_iter().collect::<Vec<_>>();
    html! {
        div.scroll tabindex="0" { table.dense {
            caption { "Response times from the intended start, µs; the longest is the longest stall" }
            thead { tr { @for name in ["step", "subject", "statement"] { th scope="col" { (name) } }
                @for name in ["statements", "rows", "seconds in all", "p50", "p99", "p99.9", "longest"] { th scope="col" { (name) } } } }
            tbody { @for row in &summary.steps { @for (name, own) in streams(row) { tr {
                th scope="row" { (clean(&row.test)) } td.text { (clean(&row.subject)) } td.text { (clean(&name)) }
                td { (own.statements) } td { (own.rows) }
                @for value in [own.seconds, own.response_us.p50, own.response_us.p99, own.response_us.p99_9, own.response_us.max] {
                    td { (short(value)) }
                }
            } } } }
        } }
    }
}

fn distribution(summary: &Summary) -> Markup {
    let lines = histogram::lines(summary);
    html! {
        @if !lines.is_empty() {
            div.scroll tabindex="0" { table.dense {
                caption { (histogram::TITLE) }
                thead { tr { @for name in ["step", "statement", "subject"].iter().chain(&histogram::CLASSES) { th scope="col" { (name) } } } }
                tbody { @for line in &lines { tr {
                    th scope="row" { (line.step) } td.text { (line.statement) } td.text { (line.subject) }
                    @for cell in &line.cells { td { (cell) } }
                } } }
            } }
        }
    }
}

/// The rate of each subject second by second, for each step, with the base in each chart.
fn by_second(results: &Results) -> Markup {
    let steps: Vec<&str> = results.plan.tests.iter().map(|test| test.name.as_str()).collect();
    html! {
        @for step in steps {
            @for stream in histogram::STATEMENTS {
                @let all: Vec<RateSeries> = (0..results.plan.subjects.len()).map(|subject| series(results, step, stream, subject)).collect();
                @if all.iter().any(|one| !one.points.is_empty()) { (step_by_second(step, stream, &all)) }
            }
        }
    }
}

fn step_by_second(step: &str, stream: &str, all: &[RateSeries]) -> Markup {
    let what = if stream == "insert" { "rows inserted" } else { "queries" };
    let title = format!("{}: {what} by second", clean(step));
    html! {
        details {
            summary { (title) }
            @for other in all.get(1..).unwrap_or_default() {
                @let pair = [all[0].clone(), other.clone()];
                div.scroll tabindex="0" { (rate(&format!("{title}, {} and {}", pair[0].label, pair[1].label), &pair)) }
            }
            (super::test::rate_table(&format!("{what} per second in whole seconds of the subject's own turns"), all))
        }
    }
}

/// Whole seconds of all sessions, one after the other. Of a step shorter than a second, that part of a second.
fn series(results: &Results, step: &str, stream: &str, subject: usize) -> RateSeries {
    let ours = |one: &&StepFacts| one.test == step && one.subject == subject;
    let mut points = Vec::new();
    for facts in results.steps.iter().filter(ours) {
        let Some(found) = facts.stream(stream) else { continue };
        let whole = usize::try_from(facts.wall_ns / 1_000_000_000).unwrap_or(usize::MAX);
        for second in found.seconds.iter().take(whole.max(1)) {
            let count = if stream == "insert" { second.rows } else { second.statements };
            points.push((points.len() as f64, count as f64, false));
        }
    }
    let label = results.plan.subjects.get(subject).map_or_else(String::new, |one| clean(&one.label));
    RateSeries { label, points }
}

#[cfg(test)]
mod tests {
    use humdrum_model::{Second, Stream};

    use super::*;
    use crate::fixture;

    fn facts(session: u32, subject: usize, rows: &[u64]) -> StepFacts {
        let seconds = rows.iter().map(|rows| Second { statements: rows / 10, rows: *rows, longest_ns: 5 });
        let insert = Stream { name: "insert".into(), seconds: seconds.collect(), ..Stream::default() };
        let wall_ns = 1_000_000_000 * rows.len() as u64 - 1;
        StepFacts {
            test: "scan".into(),
            session,
            subject,
            wall_ns,
            streams: vec![insert],
            ..StepFacts::default()
        }
    }

    #[test]
    fn what_a_step_left_is_on_the_page() {
        let (mut summary, ..) = fixture::run();
        let left = ["table_gb", "index_gb", "log_gb", "dead_share", "history_length", "wait_seconds"];
        let columns =
            left.iter().zip(1..).map(|(name, value)| ((*name).to_owned(), 0.123 * f64::from(value)));
        summary.steps = vec![StepRow {
            subject: "a".into(),
            test: "l.i2".into(),
            status: humdrum_model::TestStatus::Ok,
            counts: "rows".into(),
            rate: Some(1.0),
            background: None,
            columns: columns.collect(),
            streams: std::collections::BTreeMap::new(),
        }];
        let page = costs(&summary).into_string();
        for (name, value) in left.iter().zip(1..) {
            let shown = short(0.123 * f64::from(value));
            assert!(
                page.contains(&format!(">{name} ")) && page.contains(&format!("<td>{shown}</td>")),
                "{name}"
            );
        }
        assert_eq!(page.matches("<th scope=\"col\">").count(), 2 + COLUMNS.len());
    }

    #[test]
    fn seconds_of_all_sessions_follow_each_other_and_the_last_that_is_not_whole_is_left_out() {
        let (_, mut results, _) = fixture::run();
        results.steps = vec![facts(0, 0, &[100, 110, 3]), facts(0, 1, &[90, 2]), facts(1, 0, &[120, 1])];
        let of = |subject| -> Vec<f64> {
            series(&results, "scan", "insert", subject).points.iter().map(|point| point.1).collect()
        };
        assert_eq!(of(0), [100.0, 110.0, 120.0]);
        assert_eq!(of(1), [90.0]);
        let page = by_second(&results).into_string();
        assert!(page.contains("scan: rows inserted by second") && !page.contains("queries by second"));
        assert_eq!(page.matches("<svg").count(), 1);
    }
}
