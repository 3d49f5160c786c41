//! Why a test moved: part of that test's section on the page.

use humdrum_charts::{FlameStack, FlameWidth, flame};
use humdrum_model::{Change, CodeChange, Explanation, StackTimes};
use maud::{Markup, html};

use super::{RUNNING, WAITED, WAITING, amount, ends, event, origin, plan_said, share, signed, size, values};
use crate::number::{NONE, interval, short, short_or_none};
use crate::text::{self, capital, clean};
use crate::words;

pub(crate) fn section(one: &Explanation) -> Markup {
    html! {
        h3 { "Why" }
        (causes(one))
        (parts(one))
        (carried(one))
        (code(one))
        (plans(one))
        (settings(one))
        (waits(one))
        (counters(one))
        @for remark in &one.remarks { p.quiet { (clean(remark)) } }
    }
}

/// Text with the names between backticks as code.
pub(crate) fn ticked(text: &str) -> Markup {
    html! {
        @for (is_name, piece) in text::ticked(text) {
            @if is_name { code { (piece) } } @else { (piece) }
        }
    }
}

fn causes(one: &Explanation) -> Markup {
    html! {
        @if !one.causes.is_empty() {
            ol {
                @for cause in &one.causes {
                    li {
                        (ticked(&clean(&cause.what)))
                        @if let Some(size) = size(cause) { " " span.quiet { (size) } }
                        @if !cause.evidence.is_empty() {
                            ul { @for line in &cause.evidence { li.quiet { (ticked(&clean(line))) } } }
                        }
                    }
                }
            }
        }
    }
}

/// A table of changes: a name, the change, and the column `last` if it has a heading.
fn changes(caption: &str, first: &str, last: &str, rows: &[(String, &Change, String)]) -> Markup {
    let more = Some(last).filter(|heading| !heading.is_empty());
    html! {
        @if !rows.is_empty() {
            div.scroll tabindex="0" {
                table {
                    caption { (caption) }
                    thead { tr {
                        @for heading in [first, "base", "subject", "change", "95 % interval"].into_iter().chain(more) {
                            th scope="col" { (heading) }
                        }
                    } }
                    tbody {
                        @for (name, change, last) in rows {
                            tr {
                                th scope="row" { (name) }
                                td { (amount(change.base)) }
                                td { (amount(change.subject)) }
                                td { (signed(change.change)) }
                                td { (ends(change.ci95).unwrap_or_else(|| NONE.into())) }
                                @if more.is_some() { td { (last) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn parts(one: &Explanation) -> Markup {
    let all = one.time_us.iter().map(|time| ("all".to_owned(), time, String::new()));
    let parts = one.parts.iter().map(|part| (part.name.words().to_owned(), &part.time, share(part)));
    let rows: Vec<_> = all.chain(parts).collect();
    changes("Where the time of an operation goes, µs", "part", "share of the change", &rows)
}

fn waits(one: &Explanation) -> Markup {
    let seen = one.waits.iter().map(|wait| (event(wait.kind, &wait.event), &wait.share, String::new()));
    let counted = one.waited.iter().map(|wait| {
        let [base, subject] = [wait.times.base, wait.times.subject].map(short);
        (event(wait.kind, &wait.event), &wait.time, format!("{base} → {subject}"))
    });
    html! {
        (changes("What sessions wait for, share of samples", "wait", "", &seen.collect::<Vec<_>>()))
        (changes(&(capital(WAITED) + ", µs per operation"), "wait", "times", &counted.collect::<Vec<_>>()))
    }
}

fn counters(one: &Explanation) -> Markup {
    let row = |counter: &humdrum_model::CounterChange| short_or_none(counter.ratio);
    let rows: Vec<_> = one
        .counters
        .iter()
        .map(|counter| (clean(&counter.name), &counter.per_operation, row(counter)))
        .collect();
    html! {
        @if !rows.is_empty() {
            details {
                summary { "Counters of the engine per operation: " (rows.len()) " that differ" }
                (changes("Counters per operation, largest change first", "counter", "ratio", &rows))
            }
        }
    }
}

fn carried(one: &Explanation) -> Markup {
    html! {
        @if !one.carried.is_empty() {
            div.scroll tabindex="0" {
                table {
                    caption { "What each setting carries of the change, measured in extra blocks" }
                    thead { tr {
                        th scope="col" { "setting" }
                        th.text scope="col" { "base" }
                        th.text scope="col" { "subject" }
                        @for heading in ["share", "95 % interval", "subject with the base's value", "base with the subject's value"] {
                            th scope="col" { (heading) }
                        }
                    } }
                    tbody {
                        @for carried in &one.carried {
                            tr {
                                th scope="row" { (clean(&carried.name)) span.quiet { (plan_said(carried.restores_plan)) } }
                                @for value in values(carried.base.as_deref(), carried.subject.as_deref()) {
                                    td.text { (value) }
                                }
                                td { (crate::number::ratio(carried.share)) }
                                td { (interval(carried.share_ci95)) }
                                @for change in [&carried.back, &carried.forth] {
                                    td {
                                        @if let Some(change) = change { (words::times(Some(change.change.exp()))) }
                                        @else { (NONE) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            @for carried in &one.carried {
                @if let Some(note) = &carried.note { p.quiet { (clean(&carried.name)) ": " (clean(note)) } }
            }
        }
    }
}

/// Functions that ran and stacks that waited, each with two flame graphs: a frame that one side lacks is visible only in
/// the other side's graph.
fn code(one: &Explanation) -> Markup {
    html! {
        (profiled(RUNNING, "function", &one.code))
        (flames(one, "Flame graph", &one.stacks))
        (profiled(WAITING, "wait", &one.waiting))
        (flames(one, "Graph of waits", &one.waiting_stacks))
    }
}

fn profiled(heading: &str, what: &str, found: &[CodeChange]) -> Markup {
    let rows: Vec<_> = found.iter().map(|code| (clean(&code.symbol), &code.time, String::new())).collect();
    changes(&capital(heading), what, "", &rows)
}

fn flames(one: &Explanation, what: &str, stacks: &[StackTimes]) -> Markup {
    let frames = |stack: &str| stack.split(';').map(clean).collect();
    let of =
        |one: &StackTimes| FlameStack { frames: frames(&one.stack), base: one.base, subject: one.subject };
    let stacks: Vec<FlameStack> = stacks.iter().map(of).collect();
    let sides = [(&one.subject, FlameWidth::Subject), (&one.base, FlameWidth::Base)];
    html! {
        @if !stacks.is_empty() {
            @for (label, width) in sides {
                @let title = format!("{what} of {}, as wide as {}'s time per operation", clean(&one.test), clean(label));
                details {
                    summary { (title) }
                    p.quiet {
                        "Callers on top. " span.worse { "Orange" } ": the subject takes longer there; " span.better { "blue" }
                        ": shorter. Point at a frame for its times; the table above has the longest."
                    }
                    div.scroll tabindex="0" { (flame(&title, &stacks, width)) }
                }
            }
        }
    }
}

fn plans(one: &Explanation) -> Markup {
    html! {
        @for plan in &one.plans {
            details {
                summary { "Query plan changed: " (clean(&plan.statement)) }
                @for (who, lines) in [&one.base, &one.subject].into_iter().zip(plan.shown()) {
                    p { (clean(who)) }
                    pre { (lines.iter().map(|line| clean(line)).collect::<Vec<_>>().join("\n")) }
                }
            }
        }
    }
}

fn settings(one: &Explanation) -> Markup {
    html! {
        @if !one.settings.is_empty() {
            details {
                summary { "Settings that differ: " (one.settings.len()) }
                ul {
                    @for setting in &one.settings {
                        li {
                            (clean(&setting.name)) ": "
                            (values(setting.base.as_deref(), setting.subject.as_deref()).join(" → ")) " " span.quiet { "(" (origin(setting.origin)) ")" }
                        }
                    }
                }
            }
        }
    }
}
