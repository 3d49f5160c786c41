//! The evidence behind the numbers: settings, host, noise, failures, discarded blocks and the plan.

use humdrum_model::{Block, Design, Finding, Level, Plan, Results, Summary};
use maud::{Markup, html};

use crate::Extras;
use crate::caveats;
use crate::facts::{self, Discarded};
use crate::kinds;
use crate::number::{duration, percent};
use crate::processor;
use crate::settings;
use crate::text::{clean, clean_lines};

/// Most discarded blocks that the page lists; the results file has all of them.
const DISCARDED_MAX: usize = 1000;

pub(super) fn settings(results: &Results, extras: &Extras) -> Markup {
    let (differ, known_to_some) = settings::split(&extras.setting_differences);
    html! {
        section id="settings" {
            h2 { "Builds and settings" }
            (builds(results))
            @if differ.is_empty() {
                p { "No effective setting has different values." }
            } @else {
                (table(results, "Effective settings that differ", &differ))
            }
            @if !known_to_some.is_empty() {
                details {
                    summary { (settings::known_to_some(known_to_some.len())) }
                    (table(results, "Settings that not every subject knows", &known_to_some))
                }
            }
        }
    }
}

fn table(results: &Results, caption: &str, rows: &[settings::Row]) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table {
                caption { (caption) }
                thead { tr {
                    th scope="col" { "setting" }
                    @for subject in &results.plan.subjects { th.text scope="col" { (clean(&subject.label)) } }
                } }
                tbody {
                    @for (name, values) in rows {
                        tr {
                            th scope="row" { (clean(name)) }
                            @for value in values { td.text { (setting(value.as_deref())) } }
                        }
                    }
                }
            }
        }
    }
}

fn setting(value: Option<&str>) -> Markup {
    match value {
        Some("") => html! { span.quiet { "(empty)" } },
        Some(value) => html! { (clean(value)) },
        None => html! { span.quiet { "no such setting" } },
    }
}

fn builds(results: &Results) -> Markup {
    html! {
        ul {
            @for (subject, built) in results.plan.subjects.iter().zip(&results.subjects) {
                li {
                    strong { (clean(&subject.label)) } ": " (clean(&facts::build(&built.version, &built.origin)))
                    @for remark in &built.build { "; " (clean(remark)) }
                    @for remark in settings::after_load(&results.plan, subject) { "; " (clean(&remark)) }
                    @if !built.given.is_empty() {
                        details {
                            summary { "Settings given" }
                            ul { @for (name, value) in &built.given { li { (clean(name)) " = " (clean(value)) } } }
                        }
                    }
                }
            }
        }
    }
}

/// A warning if two equal halves of this run differ by more than δ.
pub(super) fn noisy(summary: &Summary) -> Option<String> {
    let tests = || summary.comparisons.iter().flat_map(|one| &one.tests);
    let delta = tests().map(|test| test.delta).filter(|delta| delta.is_finite()).fold(f64::NAN, f64::min);
    let floor = summary.aa_floor_within.filter(|floor| *floor > delta)?;
    Some(format!(
        "Within this run the base differs from itself by {}. That is more than δ, ±{}: small changes cannot be \
         told from noise.",
        percent(floor),
        percent(delta)
    ))
}

pub(super) fn host(summary: &Summary, results: &Results) -> Markup {
    html! {
        section id="host" {
            h2 { "Host and noise" }
            p { (clean(&facts::host(summary))) "." }
            @if let Some(processor) = processor::described(&summary.host) { p { (clean(&processor)) "." } }
            p { (clean(&facts::noise(summary))) "." }
            @if let Some(speed) = facts::speed(summary) { p { (clean(&speed)) "." } }
            @for line in caveats::lines(summary, results) { p { (clean(&line)) "." } }
            @if !summary.host.findings.is_empty() { (findings(summary)) }
            @if !summary.slice_checks.is_empty() { (slice_checks(summary)) }
        }
    }
}

fn findings(summary: &Summary) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table {
                caption { "What doctor checked" }
                thead { tr {
                    @for heading in ["what", "level", "found", "advice"] { th.text scope="col" { (heading) } }
                } }
                tbody {
                    @for finding in worst_first(summary) {
                        tr {
                            th scope="row" { (clean(&finding.name)) }
                            td.text { span class=(colour(finding.level)) { (facts::level(finding.level)) } }
                            td.long { (clean(&finding.found)) }
                            td.long { (clean(&finding.advice)) }
                        }
                    }
                }
            }
        }
    }
}

fn worst_first(summary: &Summary) -> Vec<&Finding> {
    let mut findings: Vec<&Finding> = summary.host.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    findings
}

fn colour(level: Level) -> &'static str {
    if level == Level::Fine { "quiet" } else { "worse" }
}

fn slice_checks(summary: &Summary) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table {
                caption { "Check with slices ten times as long: the ratio should stay the same" }
                thead { tr {
                    @for heading in ["test", "ratio of ratios", "95 % interval"] { th scope="col" { (heading) } }
                } }
                tbody {
                    @for (test, ratio, ends) in &summary.slice_checks {
                        tr {
                            th scope="row" { (clean(test)) }
                            td { (crate::number::ratio(Some(*ratio))) }
                            td { (crate::number::interval(Some(*ends))) }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn failures(results: &Results) -> Markup {
    let failures = facts::failures(results);
    html! {
        @if !failures.is_empty() {
            section id="failures" {
                h2 { "Failures" }
                @for (place, event) in failures {
                    p { span.status { "! " (event.status.word()) } " (" (clean(&place)) "): " (clean(&event.what)) }
                    @if let Some(log) = &event.log_tail { pre { (clean_lines(log).join("\n")) } }
                }
            }
        }
    }
}

pub(super) fn discarded(results: &Results) -> Markup {
    if results.plan.imported.is_some() {
        return html! {};
    }
    let counts = Discarded::of(results);
    let blocks: Vec<&Block> = results.discarded_blocks().collect();
    html! {
        section id="discarded" {
            h2 { "Discarded blocks" }
            p { (clean(&counts.sentence())) "." }
            @if !blocks.is_empty() {
                details {
                    summary { "All of them" }
                    (discarded_table(&blocks))
                    @if blocks.len() > DISCARDED_MAX {
                        p { "and " (blocks.len() - DISCARDED_MAX) " more in results.sqlite" }
                    }
                }
            }
        }
    }
}

fn discarded_table(blocks: &[&Block]) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table {
                thead { tr {
                    @for heading in ["test", "session", "block", "why"] { th scope="col" { (heading) } }
                } }
                tbody {
                    @for block in blocks.iter().take(DISCARDED_MAX) {
                        tr {
                            th scope="row" { (clean(&block.test)) }
                            td { (block.session) }
                            td { (block.index) }
                            td.long { (clean(block.discarded.as_deref().unwrap_or_default())) }
                        }
                    }
                }
            }
        }
    }
}

pub(super) fn plan(summary: &Summary, results: &Results) -> Markup {
    let design = &results.plan.design;
    if let Some(imported) = &results.plan.imported {
        return super::imported::files(summary, results, imported);
    }
    html! {
        section id="plan" {
            h2 { "Plan as run" }
            p { (clean(&facts::workload(results))) "; " (results.plan.mode.word()) ", budget "
                (duration(results.plan.budget_seconds)) "." }
            @if let Some(first) = kinds::first_of(summary) { p { (first) "." } }
            p {
                "Up to " (design.screening_sessions) " screening and " (design.confirmation_sessions)
                " confirming sessions "
                @if results.plan.data_sets().len() > 1 { "on each data set " }
                "of " (design.seconds_per_test_session) " s per test; slices of "
                (slice_lengths(&results.plan)) "; ±δ " (percent(design.delta))
                " (" (percent(design.delta_writes)) " for tests that write), error rate over all tests "
                (percent(design.alpha)) ", wanted half-width " (percent(design.target_half_width)) "; servers "
                @if design.restart { "restarted" } @else { "kept" } " and data "
                @if design.reload { "loaded anew" } @else { "kept" } " between sessions."
            }
            p { "To measure the same again:" }
            pre { (clean(&facts::command(summary, results))) }
            (loads(results))
        }
    }
}

/// `3 to 10 ms, each after a guard of 10.0 %`; in milliseconds where all slices are as long.
fn slice_lengths(plan: &Plan) -> String {
    let Design { slice_ms, guard_ms, .. } = plan.design;
    let ranges = [false, true].into_iter().filter_map(|writes| plan.slice_ms_range(writes));
    let [least, most] = ranges
        .reduce(|[least, most], [low, high]| [least.min(low), most.max(high)])
        .unwrap_or([slice_ms, slice_ms]);
    match least == most {
        true => format!("{least} ms after a guard of {} ms", guard_ms * least / slice_ms),
        false => format!("{least} to {most} ms, each after a guard of {}", percent(guard_ms / slice_ms)),
    }
}

fn loads(results: &Results) -> Markup {
    let label =
        |place: usize| results.plan.subjects.get(place).map_or_else(String::new, |one| clean(&one.label));
    html! {
        @if !results.loads.is_empty() {
            div.scroll tabindex="0" {
                table {
                    caption { "Data as loaded" }
                    thead { tr {
                        @for heading in ["subject", "rows", "checksum", "size", "took"] { th scope="col" { (heading) } }
                    } }
                    tbody {
                        @for load in &results.loads {
                            tr {
                                th scope="row" { (label(load.subject)) }
                                td { (load.rows) }
                                td { (clean(&load.checksum)) }
                                td { (crate::number::bytes(load.bytes)) }
                                td { (duration(load.seconds)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
