//! Why tests moved, as a section of a post.

use std::fmt::Write as _;

use humdrum_model::{Cause, Change, Explanation, PlanChange, SeriesTest};

use super::{amount, ends, share, signed, size};
use crate::number::{NONE, ratio, short};
use crate::text;
use crate::words;

/// Causes and counters listed for each test. Readers of a post read only its start.
const CAUSES_MAX: usize = 3;
const COUNTERS_MAX: usize = 5;
const FUNCTIONS_MAX: usize = 5;
/// Statements of a test whose plans are shown.
const PLANS_MAX: usize = 2;

/// The section. Empty if nothing moved.
pub(crate) fn section(all: &[Explanation]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut out = String::from("## What moved, and why\n");
    all.iter().for_each(|one| out.push_str(&of(one)));
    out
}

/// The section for a series of releases: a line for each release at which a test differs from the first, with the
/// likeliest cause. Empty if nothing moved.
pub(crate) fn by_test(all: &[Explanation], tests: &[SeriesTest]) -> String {
    let Some(first) = all.first() else { return String::new() };
    let mut out = format!("## What moved against {}, and why\n", text::code(&first.base));
    for test in tests {
        let mut of_test = all.iter().filter(|one| one.test == test.test).peekable();
        if of_test.peek().is_none() {
            continue;
        }
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(out, "\n### {}\n", text::markdown(&test.test));
        out.push_str("| release | rQPS | most likely |\n|---|---:|---|\n");
        for one in of_test {
            let cause = one.causes.first().map_or_else(|| NONE.into(), told);
            let _ = writeln!(out, "| {} | {} | {cause} |", text::code(&one.subject), ratio(one.rqps));
        }
    }
    out.push_str("\nreport.html has times, functions, counters, settings and plans of each.\n");
    out
}

/// A cause with its size.
fn told(cause: &Cause) -> String {
    let size = size(cause).map_or_else(String::new, |size| format!(" ({size})"));
    text::ticked_markdown(&cause.what, text::markdown) + &text::markdown(&size)
}

/// One test: the causes, the table of times, the counters that differ most.
pub(crate) fn of(one: &Explanation) -> String {
    let mut out = format!("\n### {}\n\n", text::markdown(&one.test));
    let speed = words::times(one.rqps);
    // Writing to a String cannot fail, here and below.
    let _ =
        writeln!(out, "{} at {speed} of {}'s throughput.\n", text::code(&one.subject), text::code(&one.base));
    for cause in one.causes.iter().take(CAUSES_MAX) {
        let _ = writeln!(out, "* {}", told(cause));
        for line in &cause.evidence {
            let _ = writeln!(out, "  * {}", text::ticked_markdown(line, text::markdown));
        }
    }
    if let Some(time) = &one.time_us {
        out.push_str("\n| µs per operation | base | subject | change | 95 % interval | share |\n|---|---:|---:|---:|---:|---:|\n");
        let rows = one.parts.iter().map(|part| (part.name.words(), &part.time, share(part)));
        for (name, time, share) in std::iter::once(("all", time, String::new())).chain(rows) {
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
    let waited = one.waited.iter().take(FUNCTIONS_MAX);
    let waited = waited.map(|wait| from_to(&wait.event, &wait.time) + " µs");
    list(&mut out, "What all threads wait for per operation, as the server counts", waited.collect());
    let counters = one.counters.iter().take(COUNTERS_MAX);
    let counters = counters.map(|counter| from_to(&counter.name, &counter.per_operation));
    list(&mut out, "Counters per operation that differ most", counters.collect());
    one.plans.iter().take(PLANS_MAX).for_each(|plan| plans(&mut out, one, plan));
    out
}

/// Adds both plans of a statement, with estimated and actual rows.
fn plans(out: &mut String, one: &Explanation, plan: &PlanChange) {
    let _ = writeln!(out, "\nQuery plan changed: {}", text::code(&plan.statement));
    // A fence that no line of a plan can close.
    out.push_str("\n~~~~~~\n");
    for (who, lines) in [&one.base, &one.subject].into_iter().zip(plan.shown()) {
        let _ = writeln!(out, "{}:", text::clean(who));
        for line in lines {
            let _ = writeln!(out, "  {}", text::clean(&line));
        }
    }
    out.push_str("~~~~~~\n");
}

/// Adds a paragraph, unless the list is empty.
fn list(out: &mut String, what: &str, told: Vec<String>) {
    if !told.is_empty() {
        let _ = writeln!(out, "\n{what}: {}.", told.join(", "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn waits_that_servers_count_are_told() {
        let text = of(&fixture::with_counted_waits("hot-points"));
        let line =
            "What all threads wait for per operation, as the server counts: `log file` 3.00 → 12.0 µs.";
        assert!(text.contains(line), "{text}");
        assert!(!of(&fixture::why("hot-points")).contains("as the server counts"));
    }
}
