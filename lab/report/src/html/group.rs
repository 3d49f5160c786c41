//! A comparison's charts and tables, group by group, and its costs.

use humdrum_charts::{Room, RqpsRow, View, rqps};
use humdrum_model::{Comparison, Cost, Summary, TestResult};
use maud::{Markup, html};

use crate::number::{self, interval, percent, ratio, short, short_or_none};
use crate::text::clean;
use crate::words::{self, Outcome};

/// Charts with their tables. Links contain `number`, so that those of different comparisons differ.
pub(super) fn results(summary: &Summary, comparison: &Comparison, number: usize) -> Markup {
    html! {
        @if summary.comparisons.len() > 1 { h3 { (words::pair(summary, comparison)) } }
        @for (group, tests) in words::grouped(&comparison.tests) {
            h3 { (clean(group)) }
            (chart(group, &tests))
            (table(group, comparison, &tests, number))
        }
    }
}

fn chart(group: &str, tests: &[&TestResult]) -> Markup {
    let rows: Vec<RqpsRow> = tests.iter().map(|test| chart_row(clean(&test.test), test)).collect();
    let title = format!(
        "Relative QPS of {} tests with 95 % intervals; the table below has the numbers",
        clean(group)
    );
    views(&title, &rows)
}

/// Both views of a chart, each for a wide page and for a narrow one. The style sheet shows one of the four.
pub(super) fn views(title: &str, rows: &[RqpsRow]) -> Markup {
    html! {
        @for (shown, view) in [("close-up", View::CloseUp), ("from-zero", View::FromZero)] {
            div class={ "chart " (shown) } {
                div.roomy { (rqps(title, rows, view, Room::Wide)) }
                div.tight { (rqps(title, rows, view, Room::Narrow)) }
            }
        }
    }
}

/// A test's row in a chart.
pub(super) fn chart_row(label: String, test: &TestResult) -> RqpsRow {
    let outcome = Outcome::of(test);
    RqpsRow {
        label,
        rqps: test.rqps.unwrap_or(f64::NAN),
        ci95: test.ci95,
        delta: test.delta,
        kind: outcome.kind(),
        verdict: outcome.marked(),
        change: None,
    }
}

/// The key to the charts.
pub(super) fn key() -> Markup {
    let marks = [
        ("▲", "better", "faster"),
        ("▼", "worse", "slower"),
        ("●", "plain", "the same"),
        ("○", "plain", "not decided"),
    ];
    html! {
        p.quiet.key {
            @for (mark, class, word) in marks { span.item { span class=(class) { (mark) } " " (word) } " " }
            span.item { "― 95 % interval" } " "
            span.item { span.swatch { "" } " ±δ, within which a change does not matter" } " "
            span.item { "an arrow at the edge: the interval goes on beyond it" }
        }
    }
}

/// The colour of an outcome's words.
pub(super) fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Improvement => "better",
        Outcome::Regression => "worse",
        // A test that missed its rate is grey: it is not compared, and it is no failure.
        Outcome::Status(humdrum_model::TestStatus::SlaMissed) => "quiet",
        Outcome::Status(_) => "status",
        Outcome::Boring | Outcome::Inconclusive | Outcome::Unstable => "plain",
    }
}

/// The link target of a test's section: by position, as names may hold anything.
pub(super) fn anchor(comparison: &Comparison, test: &TestResult, number: usize) -> String {
    let place = comparison.tests.iter().position(|other| std::ptr::eq(other, test)).unwrap_or(0);
    format!("test-{number}-{place}")
}

fn table(group: &str, comparison: &Comparison, tests: &[&TestResult], number: usize) -> Markup {
    let headings = [
        "rQPS",
        "95 % interval",
        "±δ",
        "base QPS",
        "QPS",
        "p adjusted",
        "smallest visible change",
        "blocks",
        "sessions",
    ];
    html! {
        div.scroll tabindex="0" {
            table {
                caption { (clean(group)) " tests: throughput relative to the base" }
                thead { tr {
                    th scope="col" { "test" }
                    th.text scope="col" { "verdict" }
                    @for heading in headings { th scope="col" { (heading) } }
                } }
                tbody { @for test in tests { (row(test, &anchor(comparison, test, number))) } }
            }
        }
    }
}

/// The scripts of mixes.
pub(super) fn scripts(comparison: &Comparison) -> Markup {
    let rows = crate::scripts::rows(comparison);
    if rows.is_empty() {
        return html! {};
    }
    html! {
        div.scroll tabindex="0" {
            table {
                caption { (crate::scripts::TITLE) }
                thead { tr {
                    th scope="col" { "script" }
                    @for heading in crate::scripts::HEADINGS { th scope="col" { (heading) } }
                } }
                tbody {
                    @for (name, cells) in rows {
                        tr { th scope="row" { (name) } @for cell in cells { td { (cell) } } }
                    }
                }
            }
        }
        p.quiet { (crate::scripts::LEGEND) "." }
    }
}

/// How far the verdicts carry, and those on other quantities.
pub(super) fn judged(comparison: &Comparison) -> Markup {
    let columns = crate::judged::columns(&comparison.tests);
    let Some(legend) = crate::judged::legend(&columns, &comparison.tests) else { return html! {} };
    html! {
        div.scroll tabindex="0" {
            table {
                caption { "How far it carries, and what else was judged" }
                thead { tr {
                    th scope="col" { "test" }
                    @for column in &columns { th scope="col" { (column.heading()) } }
                } }
                tbody {
                    @for test in crate::judged::rows(&comparison.tests) {
                        tr {
                            th scope="row" { (clean(&test.test)) }
                            @for column in &columns { td { (column.cell(test)) } }
                        }
                    }
                }
            }
        }
        p.quiet { (legend) "." }
    }
}

fn row(test: &TestResult, anchor: &str) -> Markup {
    let outcome = Outcome::of(test);
    html! {
        tr {
            th scope="row" { a href={ "#" (anchor) } { (clean(&test.test)) } }
            td.text { span class=(class(outcome)) { (words::marked(test)) } }
            td { (ratio(test.rqps)) }
            td { (interval(test.ci95)) }
            td { (percent(test.delta)) }
            td { (short_or_none(test.base_qps)) }
            td { (short_or_none(test.qps)) }
            td { (p(test.p_adjusted)) }
            td { (test.minimum_detectable.map_or_else(|| number::NONE.into(), percent)) }
            td { (test.blocks) }
            td { (test.sessions) }
        }
    }
}

/// p with four decimals.
pub(super) fn p(value: Option<f64>) -> String {
    match value.filter(|value| value.is_finite()) {
        Some(value) if value < 0.0001 => "<0.0001".into(),
        Some(value) => format!("{value:.4}"),
        None => number::NONE.into(),
    }
}

/// Absolute and relative costs of every test.
pub(super) fn costs(summary: &Summary, comparison: &Comparison) -> Markup {
    let columns = crate::cost::reference(&comparison.tests);
    let tests: Vec<&TestResult> = comparison.tests.iter().filter(|test| !test.cost.is_empty()).collect();
    html! {
        div.scroll tabindex="0" {
            table.dense {
                caption { (words::pair(summary, comparison)) ": base → subject, and their ratio; more costs under each test" }
                thead { tr {
                    th scope="col" { "test" }
                    @for column in &columns {
                        th scope="col" { (clean(&column.heading)) }
                        th scope="col" { "ratio" }
                    }
                } }
                tbody {
                    @for test in tests {
                        tr {
                            th scope="row" { (clean(&test.test)) }
                            @for column in &columns {
                                @let cost = test.cost.get(&column.name);
                                td { (both(cost)) }
                                td title=(cost_interval(cost)) { (crate::cost::relative(cost)) }
                            }
                        }
                    }
                }
            }
        }
        (cost_words(&comparison.tests, &crate::cost::columns(&comparison.tests)))
    }
}

fn both(cost: Option<&Cost>) -> String {
    cost.map_or_else(|| number::NONE.into(), |cost| format!("{} → {}", short(cost.base), short(cost.subject)))
}

/// The ratio's interval, in words.
pub(super) fn cost_interval(cost: Option<&Cost>) -> String {
    match cost.and_then(|cost| cost.ci95) {
        ends @ Some(_) => format!("95 % interval {}", interval(ends)),
        None => "no interval".into(),
    }
}

/// What each column means. The record carries the descriptions.
fn cost_words(tests: &[TestResult], columns: &[crate::cost::Column]) -> Markup {
    let of = |name: &str| tests.iter().find_map(|test| test.cost.get(name));
    html! {
        details {
            summary { "What the columns mean" }
            ul {
                @for column in columns {
                    @if let Some(cost) = of(&column.name) {
                        li { strong { (clean(&column.heading)) } ": " (clean(&cost.description)) " (" (clean(&cost.unit)) ")" }
                    }
                }
            }
        }
    }
}
