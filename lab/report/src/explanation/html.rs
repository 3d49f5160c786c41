//! Why a test moved, within its section of the page.

use humdrum_charts::{FlameStack, FlameWidth, flame};
use humdrum_model::{Change, Explanation};
use maud::{Markup, html};

use super::{ends, origin, share, signed, size, value};
use crate::number::{NONE, interval, short, short_or_none};
use crate::text::clean;
use crate::words;

pub(crate) fn section(one: &Explanation) -> Markup {
    html! {
        h4 { "Why" }
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

fn causes(one: &Explanation) -> Markup {
    html! {
        @if !one.causes.is_empty() {
            ol {
                @for cause in &one.causes {
                    li {
                        (clean(&cause.what))
                        @if let Some(size) = size(cause) { " " span.quiet { (size) } }
                        @if !cause.evidence.is_empty() {
                            ul { @for line in &cause.evidence { li.quiet { (clean(line)) } } }
                        }
                    }
                }
            }
        }
    }
}

/// A table whose first column is a name and the rest a change, then `last`.
fn changes(caption: &str, first: &str, last: &str, rows: &[(String, &Change, String)]) -> Markup {
    html! {
        @if !rows.is_empty() {
            div.scroll tabindex="0" {
                table {
                    caption { (caption) }
                    thead { tr {
                        @for heading in [first, "base", "subject", "change", "95 % interval", last] {
                            th scope="col" { (heading) }
                        }
                    } }
                    tbody {
                        @for (name, change, last) in rows {
                            tr {
                                th scope="row" { (name) }
                                td { (short(change.base)) }
                                td { (short(change.subject)) }
                                td { (signed(change.change)) }
                                td { (ends(change.ci95).unwrap_or_else(|| NONE.into())) }
                                td { (last) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn parts(one: &Explanation) -> Markup {
    let all = one.time_us.iter().map(|time| ("all of it".to_owned(), time, String::new()));
    let parts = one.parts.iter().map(|part| (part.name.words().to_owned(), &part.time, share(part)));
    let rows: Vec<_> = all.chain(parts).collect();
    changes("Where the time of an operation goes, µs", "part", "share of the change", &rows)
}

fn waits(one: &Explanation) -> Markup {
    let name = |kind: &str, event: &str| format!("{kind}: {}", clean(event));
    let rows: Vec<_> = one
        .waits
        .iter()
        .map(|wait| (name(wait.kind.word(), &wait.event), &wait.share, String::new()))
        .collect();
    changes("What sessions were seen waiting for, share of samples", "wait", "", &rows)
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
                (changes("Counters per operation, most changed first", "counter", "ratio", &rows))
            }
        }
    }
}

fn carried(one: &Explanation) -> Markup {
    html! {
        @if !one.carried.is_empty() {
            div.scroll tabindex="0" {
                table {
                    caption { "What each setting carries of the change, measured in fresh blocks" }
                    thead { tr {
                        th scope="col" { "setting" }
                        th.text scope="col" { "base" }
                        th.text scope="col" { "subject" }
                        @for heading in ["share", "95 % interval", "put back in the new one", "given to the old one"] {
                            th scope="col" { (heading) }
                        }
                    } }
                    tbody {
                        @for carried in &one.carried {
                            tr {
                                th scope="row" { (clean(&carried.name)) }
                                td.text { (value(carried.base.as_deref())) }
                                td.text { (value(carried.subject.as_deref())) }
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

/// Functions, then both flame graphs: each shows what the other cannot.
fn code(one: &Explanation) -> Markup {
    let rows: Vec<_> = one.code.iter().map(|code| (clean(&code.symbol), &code.time, String::new())).collect();
    let frames = |stack: &str| stack.split(';').map(clean).collect();
    let stacks: Vec<FlameStack> = one
        .stacks
        .iter()
        .map(|one| FlameStack { frames: frames(&one.stack), base: one.base, subject: one.subject })
        .collect();
    let sides = [(&one.subject, FlameWidth::Subject), (&one.base, FlameWidth::Base)];
    html! {
        (changes("The server's own time in each function, µs per operation, most changed first", "function", "", &rows))
        @if !stacks.is_empty() {
            @for (label, width) in sides {
                @let title = format!("Flame graph of {}, as wide as {}'s time per operation", clean(&one.test), clean(label));
                details {
                    summary { (title) }
                    p.quiet {
                        "Callers on top. " span.worse { "Orange" } ": the subject takes longer there; " span.better { "blue" }
                        ": shorter. Point at a frame for its times; the table above has those of the functions themselves."
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
                @for (who, lines) in [(&one.base, &plan.base), (&one.subject, &plan.subject)] {
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
                            (clean(&setting.name)) ": " (value(setting.base.as_deref())) " → "
                            (value(setting.subject.as_deref())) " " span.quiet { "(" (origin(setting.origin)) ")" }
                        }
                    }
                }
            }
        }
    }
}
