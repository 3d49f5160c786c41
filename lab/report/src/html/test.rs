//! One test's own section: what an operation is, latencies, throughput over time, and the sessions behind the
//! interval.

mod hosts;
mod latency;
mod rate;

use humdrum_charts::sessions;
use humdrum_model::{Comparison, Cost, Results, Summary, TestResult};
use maud::{Markup, html};

use super::group::{anchor, class, p};
use crate::Extras;
use crate::number::{NONE, interval, percent, ratio, short};
use crate::text::{clean, clean_lines};
use crate::words::{self, Outcome};

pub(super) use rate::table as rate_table;

/// One test's section, open if the test moved or failed.
pub(super) fn section(
    summary: &Summary,
    results: &Results,
    extras: &Extras,
    comparison: &Comparison,
    test: &TestResult,
    number: usize,
) -> Markup {
    let outcome = Outcome::of(test);
    html! {
        details id=(anchor(comparison, test, number)) open[outcome.moved() || outcome.is_status()] {
            summary {
                strong { (clean(&test.test)) } " "
                span class=(class(outcome)) { (words::marked(test)) } " "
                @if test.rqps.is_some() { (words::times(test.rqps)) " " span.quiet { (interval(test.ci95)) } }
                @if summary.comparisons.len() > 1 { " " span.quiet { (clean(&comparison.subject)) } }
            }
            p { "One operation: " (clean(&test.operation)) "." }
            (evidence(test))
            (notes(test))
            (hosts::strip(test))
            @for one in explanations(extras, comparison, test) { (crate::explanation::html::section(one)) }
            @if let Some(both) = &test.latency_us { (latency::table(both)) }
            (latency::by_session(results, comparison, test))
            (costs("Cost", &named_costs(test)))
            (costs("Debt: what it took to finish, after the test, the work that one operation left for later", &named_debts(test)))
            (state(test))
            (rate::over_time(summary, results, extras, comparison, test, number))
            (by_session(test))
        }
    }
}

/// The explanations of this test in this comparison.
fn explanations<'a>(
    extras: &'a Extras,
    comparison: &Comparison,
    test: &TestResult,
) -> impl Iterator<Item = &'a humdrum_model::Explanation> {
    let ours =
        move |one: &&humdrum_model::Explanation| one.test == test.test && one.subject == comparison.subject;
    extras.explanations.iter().filter(ours)
}

fn evidence(test: &TestResult) -> Markup {
    html! {
        p.quiet {
            (test.blocks) " blocks judged in " (test.sessions) " sessions, " (test.blocks_discarded) " discarded, "
            (short(test.seconds)) " s of measured slices; adjusted p " (p(test.p_adjusted)) "; ±δ " (percent(test.delta))
            @if let Some(change) = test.minimum_detectable { "; smallest change visible with 80 % power " (percent(change)) }
        }
    }
}

fn notes(test: &TestResult) -> Markup {
    html! {
        @if !test.notes.is_empty() {
            ul {
                @for note in &test.notes {
                    @match note.strip_prefix("log: ") {
                        Some(log) => { li { "server log:" pre { (clean_lines(log).join("\n")) } } }
                        None => { li { (clean(note)) } }
                    }
                }
            }
        }
    }
}

fn costs(caption: &str, rows: &[(&str, String, &Cost)]) -> Markup {
    html! {
        @if !rows.is_empty() {
            div.scroll tabindex="0" {
                table {
                    caption { (caption) }
                    thead { tr {
                        th scope="col" { "cost" }
                        th.text scope="col" { "unit" }
                        @for heading in ["base", "subject", "ratio", "95 % interval"] { th scope="col" { (heading) } }
                    } }
                    tbody {
                        @for (name, heading, cost) in rows {
                            tr {
                                th scope="row" title={ (clean(name)) ": " (clean(&cost.description)) } { (clean(heading)) }
                                td.text { (clean(&cost.unit)) }
                                td { (short(cost.base)) }
                                td { (short(cost.subject)) }
                                td { (ratio(cost.ratio)) }
                                td { (interval(cost.ci95)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// In the order and under the headings of the large table.
fn named_costs(test: &TestResult) -> Vec<(&str, String, &Cost)> {
    let columns = crate::cost::columns(std::slice::from_ref(test));
    let of = |column: crate::cost::Column| {
        test.cost.get_key_value(&column.name).map(|(name, cost)| (name.as_str(), column.heading, cost))
    };
    columns.into_iter().filter_map(of).collect()
}

/// Debts of a test that writes, with their headings.
fn named_debts(test: &TestResult) -> Vec<(&str, String, &Cost)> {
    test.debt.iter().map(|(name, cost)| (name.as_str(), crate::cost::debt_heading(name), cost)).collect()
}

/// The state that a test that writes left.
fn state(test: &TestResult) -> Markup {
    html! {
        @if !test.state.is_empty() {
            div.scroll tabindex="0" {
                table {
                    caption { "State after the test, before its debt was paid; mean over sessions" }
                    thead { tr {
                        th scope="col" { "quantity" }
                        th.text scope="col" { "unit" }
                        @for heading in ["base", "subject"] { th scope="col" { (heading) } }
                    } }
                    tbody {
                        @for (name, pair) in &test.state {
                            tr {
                                th scope="row" title=(clean(&pair.description)) { (clean(&name.replace('_', " "))) }
                                td.text { (clean(&pair.unit)) }
                                @for side in [pair.base, pair.subject] {
                                    td { (side.map_or_else(|| NONE.to_owned(), short)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The position of a comparison's subject in the plan.
fn place(results: &Results, comparison: &Comparison) -> usize {
    results.plan.subjects.iter().position(|subject| subject.label == comparison.subject).unwrap_or(1)
}

fn by_session(test: &TestResult) -> Markup {
    if test.session_log_ratios.is_empty() {
        return html! {};
    }
    let title = format!("Change of {} by session", clean(&test.test));
    let ratios: Vec<String> = test.session_log_ratios.iter().map(|one| ratio(Some(one.exp()))).collect();
    html! {
        h3 { "Session by session" }
        div.scroll tabindex="0" { (sessions(&title, &test.session_log_ratios, test.delta)) }
        p.quiet { "Ratios in session order: " (ratios.join(", ")) }
    }
}
