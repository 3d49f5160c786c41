//! The table of response times: which part of the inserts and queries of each step was in each of the reference's classes.

use humdrum_model::{RESPONSE_CLASSES, StepRow, StreamRow, Summary};

use super::by_subject;
use crate::number::percent;
use crate::text::{clean, markdown as escaped};

/// Each statement counts in one class only.
pub(crate) const TITLE: &str =
    "response times of inserts and queries, % of statements; a class begins where the one before it ends";

/// Headings of the classes, with their upper bounds.
pub(crate) const CLASSES: [&str; RESPONSE_CLASSES] =
    ["≤ 256 µs", "≤ 1 ms", "≤ 4 ms", "≤ 16 ms", "≤ 64 ms", "≤ 256 ms", "≤ 1 s", "≤ 4 s", "≤ 16 s", "> 16 s"];

/// Kinds of statements with a histogram, and with a chart. Deletes have none, because they follow inserts; look-ups are too rare.
pub(crate) const STATEMENTS: [&str; 2] = ["insert", "query"];

/// The statements of one kind, of one subject in one step.
pub(crate) struct Line {
    pub(crate) step: String,
    pub(crate) statement: &'static str,
    pub(crate) subject: String,
    pub(crate) cells: [String; RESPONSE_CLASSES],
}

/// All lines, with those to compare below each other; none for other suites.
pub(crate) fn lines(summary: &Summary) -> Vec<Line> {
    let subjects = by_subject(&summary.steps);
    let steps = subjects.first().map_or(0, |(_, rows)| rows.len());
    let mut lines = Vec::new();
    for place in 0..steps {
        for statement in STATEMENTS {
            let rows = subjects.iter().filter_map(|(_, rows)| rows.get(place));
            lines.extend(rows.filter_map(|row| line(row, statement)));
        }
    }
    lines
}

/// `None` without statements of that kind, and for summaries of earlier versions, which have no counts.
fn line(row: &StepRow, statement: &'static str) -> Option<Line> {
    let cells = shares(row.streams.get(statement)?)?;
    Some(Line { step: clean(&row.test), statement, subject: clean(&row.subject), cells })
}

fn shares(stream: &StreamRow) -> Option<[String; RESPONSE_CLASSES]> {
    let all: u64 = stream.response_counts.iter().sum();
    let share = |count: u64| percent(count as f64 / all as f64).trim_end_matches(" %").to_owned();
    (all > 0).then(|| stream.response_counts.map(share))
}

/// The table in Markdown; empty for other suites.
pub(super) fn markdown(summary: &Summary) -> String {
    let lines = lines(summary);
    if lines.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "### {TITLE}\n\n| step | statement | subject | {} |\n|---|---|---{}|\n",
        CLASSES.join(" | "),
        "|---:".repeat(CLASSES.len())
    );
    for line in &lines {
        let cells = line.cells.each_ref().map(|cell| escaped(cell)).join(" | ");
        let (step, subject) = (escaped(&line.step), escaped(&line.subject));
        out.push_str(&format!("| {step} | {} | {subject} | {cells} |\n", line.statement));
    }
    out + "\n"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use humdrum_model::TestStatus;

    use super::*;
    use crate::fixture;

    fn row(subject: &str, test: &str, streams: &[(&str, [u64; RESPONSE_CLASSES])]) -> StepRow {
        let stream = |response_counts| StreamRow { response_counts, ..StreamRow::default() };
        StepRow {
            subject: subject.into(),
            test: test.into(),
            status: TestStatus::Ok,
            counts: "rows".into(),
            rate: Some(1.0),
            background: None,
            columns: BTreeMap::new(),
            streams: streams.iter().map(|(name, counts)| ((*name).to_owned(), stream(*counts))).collect(),
        }
    }

    #[test]
    fn subjects_are_below_each_other_step_by_step() {
        let (mut summary, ..) = fixture::run();
        assert_eq!(markdown(&summary), "");
        let fast = [3, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        let stalled = [99_999, 0, 0, 0, 0, 0, 0, 0, 0, 1];
        summary.steps = vec![
            row("a", "l.i0", &[("insert", fast), ("delete", fast)]),
            row("a", "qr100", &[("insert", fast), ("query", stalled)]),
            row("b", "l.i0", &[("insert", stalled)]),
            row("b", "qr100", &[("insert", [0; RESPONSE_CLASSES]), ("query", fast)]),
        ];
        let told: Vec<(String, &str, String)> =
            lines(&summary).into_iter().map(|line| (line.step, line.statement, line.subject)).collect();
        let expected = [
            ("l.i0", "insert", "a"),
            ("l.i0", "insert", "b"),
            ("qr100", "insert", "a"),
            ("qr100", "query", "a"),
            ("qr100", "query", "b"),
        ];
        assert_eq!(
            told,
            expected.map(|(step, statement, subject)| (step.to_owned(), statement, subject.to_owned()))
        );
        let shown = |place: usize| lines(&summary)[place].cells.join(" ");
        assert_eq!(shown(0), "75 25 0 0 0 0 0 0 0 0");
        assert_eq!(shown(1), "100 0 0 0 0 0 0 0 0 <0.01");
        let text = markdown(&summary);
        assert!(text.contains("| l.i0 | insert | a | 75 | 25 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |\n"), "{text}");
    }

    #[test]
    fn headings_are_the_bounds() {
        let spelled = humdrum_model::RESPONSE_BOUNDS_US.map(|bound| match bound {
            0..1_000 => format!("≤ {bound} µs"),
            1_000..1_000_000 => format!("≤ {} ms", bound / 1_000),
            _ => format!("≤ {} s", bound / 1_000_000),
        });
        assert_eq!(CLASSES[..RESPONSE_CLASSES - 1], spelled);
    }
}
