//! Why tests moved, as a section of a post.

use std::fmt::Write as _;

use humdrum_model::Explanation;

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
    let told = one
        .code
        .iter()
        .take(FUNCTIONS_MAX)
        .map(|code| format!("{} {} µs", text::code(&code.symbol), signed(code.time.change)));
    let told: Vec<String> = told.collect();
    if !told.is_empty() {
        let _ = writeln!(out, "\nFunctions whose own time per operation differs most: {}.", told.join(", "));
    }
    let told = one.waiting.iter().take(FUNCTIONS_MAX).map(|wait| {
        format!("{} {} → {} µs", text::code(&wait.symbol), short(wait.time.base), short(wait.time.subject))
    });
    let told: Vec<String> = told.collect();
    if !told.is_empty() {
        let _ = writeln!(out, "\nWhere sessions wait longest per operation: {}.", told.join(", "));
    }
    let told = one.counters.iter().take(COUNTERS_MAX).map(|counter| {
        let change = &counter.per_operation;
        format!("{} {} → {}", text::code(&counter.name), short(change.base), short(change.subject))
    });
    let told: Vec<String> = told.collect();
    if !told.is_empty() {
        let _ = writeln!(out, "\nCounters per operation that differ most: {}.", told.join(", "));
    }
    out
}
