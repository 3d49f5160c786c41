//! Why tests moved, as a section of a post.

use std::fmt::Write as _;

use humdrum_model::{Change, Explanation};

use super::{amount, ends, share, signed, size};
use crate::number::{NONE, short};
use crate::text;
use crate::words;

/// Causes and counters told of each test: a post is read from the top.
const CAUSES_MAX: usize = 3;
const COUNTERS_MAX: usize = 5;
const FUNCTIONS_MAX: usize = 5;

/// The section; empty where nothing moved.
pub(crate) fn section(all: &[Explanation]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut out = String::from("## What moved, and why\n");
    all.iter().for_each(|one| out.push_str(&of(one)));
    out
}

/// Of one test: the causes, the table of times, the counters that differ most.
pub(crate) fn of(one: &Explanation) -> String {
    let mut out = format!("\n### {}\n\n", text::markdown(&one.test));
    let speed = words::times(one.rqps);
    // Writing to a String cannot fail, here and below.
    let _ =
        writeln!(out, "{} at {speed} of {}'s throughput.\n", text::code(&one.subject), text::code(&one.base));
    for cause in one.causes.iter().take(CAUSES_MAX) {
        let size = size(cause).map_or_else(String::new, |size| format!(" ({size})"));
        let _ = writeln!(out, "* {}{}", text::markdown(&cause.what), text::markdown(&size));
        for line in &cause.evidence {
            let _ = writeln!(out, "  * {}", text::markdown(line));
        }
    }
    if let Some(time) = &one.time_us {
        out.push_str("\n| µs per operation | base | subject | change | 95 % interval | share |\n|---|---:|---:|---:|---:|---:|\n");
        let rows = one.parts.iter().map(|part| (part.name.words(), &part.time, share(part)));
        for (name, time, share) in std::iter::once(("all of it", time, String::new())).chain(rows) {
            let ends = ends(time.ci95).unwrap_or_else(|| NONE.into());
            let (base, subject, change) = (amount(time.base), amount(time.subject), signed(time.change));
            let _ = writeln!(out, "| {name} | {base} | {subject} | {change} | {ends} | {share} |");
        }
    }
    let code = one.code.iter().take(FUNCTIONS_MAX);
    let code = code.map(|code| format!("{} {} µs", text::code(&code.symbol), signed(code.time.change)));
    list(&mut out, "Functions whose own time per operation differs most", code.collect());
    let from_to = |name: &str, change: &Change| {
        format!("{} {} → {}", text::code(name), short(change.base), short(change.subject))
    };
    let waits = one.waiting.iter().take(FUNCTIONS_MAX);
    let waits = waits.map(|wait| from_to(&wait.symbol, &wait.time) + " µs");
    list(&mut out, "Where sessions wait longest per operation", waits.collect());
    let counters = one.counters.iter().take(COUNTERS_MAX);
    let counters = counters.map(|counter| from_to(&counter.name, &counter.per_operation));
    list(&mut out, "Counters per operation that differ most", counters.collect());
    out
}

/// A paragraph of its own, where there is something to tell.
fn list(out: &mut String, what: &str, told: Vec<String>) {
    if !told.is_empty() {
        let _ = writeln!(out, "\n{what}: {}.", told.join(", "));
    }
}
