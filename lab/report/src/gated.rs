//! What a check of a pull request says: a comment, and lines that a runner shows beside the change.

use std::fmt::Write as _;

use humdrum_model::{Gated, Loss, Results, Summary};

use crate::Extras;
use crate::github::github;
use crate::number::{interval, ratio};
use crate::text::{clean, markdown};
use crate::words;

/// A comment in Markdown: what fails first, then what was accepted or is a warning, then the comparison. `run` is where the runner keeps the report.
pub fn check_comment(
    gated: &Gated,
    summary: &Summary,
    results: &Results,
    extras: &Extras,
    run: Option<&str>,
) -> String {
    let mut out = format!("## {}\n\n", markdown(&sentence(gated)));
    // Writing to a String cannot fail, here and below.
    for test in &gated.broken {
        let _ = writeln!(out, "* {}: failed or was wrong", markdown(test));
    }
    for test in &gated.undecided {
        let _ = writeln!(out, "* {}: not decided", markdown(test));
    }
    for loss in &gated.failing {
        let _ = writeln!(out, "* {}", with_void(loss));
    }
    for loss in &gated.accepted {
        let reason = loss.reason.as_deref().unwrap_or_default();
        let _ = writeln!(out, "* accepted: {}: {}", markdown(&told(loss)), markdown(reason));
    }
    for test in &gated.broken_warned {
        let _ = writeln!(out, "* a warning: {}: failed or was wrong", markdown(test));
    }
    for loss in &gated.warned {
        let _ = writeln!(out, "* a warning: {}", with_void(loss));
    }
    for idle in &gated.idle {
        let _ = writeln!(out, "* nothing needed the acceptance of {}: it can be removed", markdown(idle));
    }
    out.push('\n');
    out.push_str(&github(summary, results, extras));
    for comparison in &summary.comparisons {
        if let Some(seen) = words::minimum_detectable(comparison) {
            let _ = writeln!(out, "\nOn this runner: {}", markdown(&seen));
        }
    }
    if let Some(run) = run {
        let _ = writeln!(out, "\n[The run]({run}) keeps the report with charts, and all results.");
    }
    out
}

/// `2 regressions fail this check; 1 accepted`.
pub fn sentence(gated: &Gated) -> String {
    let count = |count: usize, word: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {word}")),
        count => Some(format!("{count} {many}")),
    };
    let failing = [
        count(gated.broken.len(), "test failed or was wrong", "tests failed or were wrong"),
        count(gated.failing.len(), "regression", "regressions"),
        count(gated.undecided.len(), "test without a decision", "tests without a decision"),
    ];
    let failing: Vec<String> = failing.into_iter().flatten().collect();
    let beside = [
        count(gated.accepted.len(), "accepted regression", "accepted regressions"),
        count(gated.warned.len() + gated.broken_warned.len(), "warning", "warnings"),
    ];
    let beside: String = beside.into_iter().flatten().map(|count| format!("; {count}")).collect();
    let open = match (gated.open.len(), gated.tests) {
        (0, _) => String::new(),
        (open, tests) if open == tests => ", but no test could be decided".to_owned(),
        (open, tests) => format!("; {open} of {tests} tests could not be decided"),
    };
    match failing.is_empty() {
        true => format!("This change passes{beside}{open}"),
        false => format!("This change does not pass: {}{beside}", failing.join(", ")),
    }
}

/// A regression, and why an acceptance of it does not count.
fn with_void(loss: &Loss) -> String {
    let void = loss.void.as_ref().map_or_else(String::new, |void| format!(" ({})", markdown(void)));
    markdown(&told(loss)) + &void
}

fn told(loss: &Loss) -> String {
    let Loss { test, quantity, subject, .. } = loss;
    format!("{test}: {quantity} of {subject} {} {}", ratio(loss.ratio), interval(loss.ci95))
}

/// Workflow commands, a line each: errors for what fails, warnings and notices for what does not.
pub fn annotations(gated: &Gated) -> Vec<String> {
    let line = |kind: &str, title: &str, text: &str| {
        // Of these commands, `%` and line ends are syntax.
        let escaped = clean(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
        format!("::{kind} title={title}::{escaped}")
    };
    let broken = gated.broken.iter().map(|test| line("error", "failed", test));
    let regression = |kind: &str, loss: &Loss| {
        let void = loss.void.as_ref().map_or_else(String::new, |void| format!("; {void}"));
        line(kind, "regression", &format!("{}{void}", told(loss)))
    };
    let failing = gated.failing.iter().map(|loss| regression("error", loss));
    let undecided = gated.undecided.iter().map(|test| line("error", "undecided", test));
    let accepted = gated.accepted.iter().map(|loss| {
        let reason = loss.reason.as_deref().unwrap_or_default();
        line("notice", "accepted", &format!("{}: {reason}", told(loss)))
    });
    let broken_warned = gated.broken_warned.iter().map(|test| line("warning", "failed", test));
    let warned = gated.warned.iter().map(|loss| regression("warning", loss));
    broken.chain(failing).chain(undecided).chain(broken_warned).chain(warned).chain(accepted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn gated() -> Gated {
        let loss = |test: &str, void: Option<&str>, reason: Option<&str>| Loss {
            subject: "head".into(),
            test: test.into(),
            quantity: "throughput".into(),
            ratio: Some(0.93),
            ci95: Some([0.92, 0.94]),
            reason: reason.map(str::to_owned),
            void: void.map(str::to_owned),
        };
        Gated {
            failing: vec![loss("scan", Some("accepted until 2026-01-01, which is over: 5 %\nmore"), None)],
            accepted: vec![loss("hot-points", None, Some("checks were added"))],
            warned: vec![loss("update-index", None, None)],
            broken: vec!["point-query".into()],
            broken_warned: vec!["read-only-sum".into()],
            undecided: Vec::new(),
            idle: vec!["old until 2027-01-01".into()],
            open: Vec::new(),
            tests: 3,
        }
    }

    #[test]
    fn looks_like_this() {
        let (summary, results, extras) = fixture::run();
        let run = Some("https://forge.example/me/db/runs/7");
        insta::assert_snapshot!(check_comment(&gated(), &summary, &results, &extras, run));
    }

    #[test]
    fn annotations_are_one_line_each_and_keep_percents() {
        let lines = annotations(&gated());
        assert_eq!(lines.len(), 5);
        assert!(lines.iter().all(|line| !line.contains('\n')), "{lines:?}");
        assert!(lines[0] == "::error title=failed::point-query" && lines[1].contains("5 %25"), "{lines:?}");
        assert!(lines[2] == "::warning title=failed::read-only-sum", "{lines:?}");
        assert!(lines[3].starts_with("::warning title=regression::update-index"), "{lines:?}");
        assert!(lines[4].starts_with("::notice title=accepted::hot-points"), "{lines:?}");
    }

    #[test]
    fn a_check_without_losses_passes() {
        assert_eq!(sentence(&Gated::default()), "This change passes");
        let warned = Gated { broken_warned: vec!["scan".into()], tests: 2, ..Gated::default() };
        assert_eq!(sentence(&warned), "This change passes; 1 warning");
        let open = |open: &[&str]| {
            let open = open.iter().map(|&test| test.to_owned()).collect();
            sentence(&Gated { open, tests: 2, ..Gated::default() })
        };
        assert_eq!(open(&["scan"]), "This change passes; 1 of 2 tests could not be decided");
        assert_eq!(open(&["scan", "point-query"]), "This change passes, but no test could be decided");
    }
}
