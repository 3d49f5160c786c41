//! The pages of a branch that keeps the checks of a project: a page in Markdown, and a chart for each test. A forge shows both as
//! they are.

use std::fmt::Write as _;

use humdrum_charts::{Kind, LevelChange, Room, RqpsRow, STYLE, View, rqps};
use humdrum_model::{ChangePoint, CheckLevel, CheckSeries, Checked, TestStatus};

use crate::SitePage;
use crate::number::{interval, ratio};
use crate::text::{clean, markdown, shorten};
use crate::words::{Outcome, level_change};

/// Checks of a chart; a longer one would be of no use on a page.
const SHOWN: usize = 60;
/// Digits of a commit.
const DIGITS: usize = 10;
/// Columns of a row's label.
const LABEL: usize = 24;

/// `README.md` and the charts.
pub fn check_history(checks: &[Checked], series: &[CheckSeries]) -> Vec<SitePage> {
    let mut charts = Vec::new();
    let mut text = head(checks);
    let _ =
        writeln!(text, "| test | processor | relative to | checks | level | 95 % interval | level changed |");
    let _ = writeln!(text, "|---|---|---|--:|--:|---|---|");
    for one in series {
        let Some(last) = one.points.last() else { continue };
        let cells = [
            markdown(&named(one, series)),
            markdown(&one.processor),
            markdown(&brief(&one.origin)),
            one.points.len().to_string(),
            ratio(Some(last.level)),
            interval(Some(last.ci95)),
            markdown(&one.changes.iter().map(|change| changed(one, change)).collect::<Vec<_>>().join("; ")),
        ];
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    for (number, one) in series.iter().enumerate().filter(|(_, one)| !one.points.is_empty()) {
        let path = format!("charts/{}.svg", number + 1);
        let title = title(one, series);
        let _ = writeln!(text, "\n## {}\n\n![{}]({path})", markdown(&title), markdown(&title));
        charts.push(SitePage { path, text: chart(one, &title) });
    }
    charts.insert(0, SitePage { path: "README.md".into(), text });
    charts
}

fn head(checks: &[Checked]) -> String {
    let day = |one: &Checked| one.started.get(..10).unwrap_or_default().to_owned();
    let days: Vec<String> = checks.iter().map(day).collect();
    let between = match (days.iter().min(), days.iter().max()) {
        (Some(first), Some(last)) if first != last => format!(", {first} to {last}"),
        (Some(day), _) => format!(", {day}"),
        (None, _) => String::new(),
    };
    let count = checks_counted(checks.len());
    format!(
        "# Checks over time\n\n{count}{between}. Written by `humdrum ci --history`; one file for each check is in \
         `checks`.\n\nLevels are throughput relative to the commit or release in the third column. Where a check's base is the \
         head of an earlier check, its level is the product of both, and its interval has the errors of both. Checks on another \
         processor, and of another workload or scale, are series of their own.\n\n"
    )
}

/// `1 check`, `3 checks`.
pub fn checks_counted(count: usize) -> String {
    if count == 1 { "1 check".to_owned() } else { format!("{count} checks") }
}

/// The test, with the conditions that not all series share.
fn named(one: &CheckSeries, all: &[CheckSeries]) -> String {
    let differs = |place: &usize| all.iter().any(|other| other.conditions[*place] != one.conditions[*place]);
    let told: Vec<&str> = (0..3).filter(differs).map(|place| one.conditions[place].as_str()).collect();
    match told.is_empty() {
        true => one.test.clone(),
        false => format!("{} ({})", one.test, told.join(", ")),
    }
}

fn title(one: &CheckSeries, all: &[CheckSeries]) -> String {
    let left_out = match one.points.len().saturating_sub(SHOWN) {
        0 => String::new(),
        many => format!("; the {many} oldest are left out"),
    };
    format!("{} on {}, relative to {}{left_out}", named(one, all), one.processor, brief(&one.origin))
}

fn changed(series: &CheckSeries, change: &ChangePoint) -> String {
    let point = &series.points[change.at];
    let (kind, sign) = level_change(change, point.delta);
    let matters = if kind == Kind::Same { ", less than matters" } else { "" };
    format!("{sign} {} with {}{matters}", interval(Some(change.ci95)), brief(&point.head))
}

/// The last checks of a series, as a file of its own: light, whatever the page around it is.
fn chart(series: &CheckSeries, title: &str) -> String {
    let first = series.points.len().saturating_sub(SHOWN);
    let rows: Vec<RqpsRow> =
        series.points.iter().enumerate().skip(first).map(|(at, point)| row(series, at, point)).collect();
    let drawn = rqps(&clean(title), &rows, View::CloseUp, Room::Wide).into_string();
    match drawn.split_once('>') {
        Some((open, rest)) => format!("{open}><style>{STYLE}svg.hd{{background:#fff}}</style>{rest}\n"),
        None => drawn,
    }
}

fn row(series: &CheckSeries, at: usize, point: &CheckLevel) -> RqpsRow {
    let change = series.changes.iter().find(|change| change.at == at);
    let own = Outcome::new(TestStatus::Ok, point.verdict);
    let day = point.started.get(..10).unwrap_or_default();
    RqpsRow {
        label: shorten(&format!("{day} {}", clean(&brief(&point.head))), LABEL),
        rqps: point.level,
        ci95: Some(point.ci95),
        delta: point.delta,
        kind: own.kind(),
        verdict: own.marked(),
        change: change.map(|change| {
            let (kind, label) = level_change(change, point.delta);
            LevelChange { kind, label, told: clean(&changed(series, change)) }
        }),
    }
}

/// A commit's id in few digits; other names as they are.
fn brief(name: &str) -> String {
    let (id, settings) = name.split_once('+').map_or((name, ""), |(id, rest)| (id, rest));
    let is_commit = id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    match (is_commit, settings) {
        (false, _) => name.to_owned(),
        (true, "") => id[..DIGITS].to_owned(),
        (true, settings) => format!("{}+{settings}", &id[..DIGITS]),
    }
}

#[cfg(test)]
mod tests {
    use humdrum_model::Verdict;

    use super::*;

    fn series() -> CheckSeries {
        let point = |day: usize, level: f64, verdict| CheckLevel {
            started: format!("2026-01-{day:02}T10:00:00Z"),
            head: format!("{day:040x}"),
            level,
            ci95: [level - 0.005, level + 0.005],
            verdict: Some(verdict),
            delta: 0.01,
        };
        CheckSeries {
            conditions: ["postgres", "sysbench", "rows=1"].map(str::to_owned),
            test: "hot-points".into(),
            processor: "Zen 3".into(),
            origin: "REL|17".into(),
            points: vec![
                point(1, 1.0, Verdict::Boring),
                point(2, 0.95, Verdict::Regression),
                point(3, 0.951, Verdict::Boring),
            ],
            changes: vec![ChangePoint { at: 1, ratio: 0.95, ci95: [0.94, 0.96], p: 0.01 }],
        }
    }

    fn check(day: usize) -> Checked {
        Checked {
            schema: Checked::SCHEMA,
            tool: "humdrum".into(),
            started: format!("2026-01-{day:02}T10:00:00Z"),
            engine: "fake".into(),
            suite: "sysbench".into(),
            scale: "rows=1".into(),
            base: "REL|17".into(),
            head: format!("{day:040x}"),
            processor: "Zen 3".into(),
            tests: Vec::new(),
        }
    }

    #[test]
    fn looks_like_this() {
        let pages = check_history(&[check(1), check(2), check(3)], &[series()]);
        assert_eq!(
            pages.iter().map(|page| &page.path[..]).collect::<Vec<_>>(),
            ["README.md", "charts/1.svg"]
        );
        insta::assert_snapshot!(pages[0].text);
        let chart = &pages[1].text;
        assert!(
            chart.starts_with("<svg class=\"hd\" xmlns=") && chart.contains("><style>svg.hd{display"),
            "{chart}"
        );
        assert!(chart.contains("▼ level 0.950x") && chart.contains("2026-01-02 0000000000"), "{chart}");
    }

    #[test]
    fn long_series_say_what_they_leave_out() {
        let mut long = series();
        let point = long.points[0].clone();
        long.points.splice(0..0, std::iter::repeat_n(point, SHOWN));
        long.changes.clear();
        let pages = check_history(&[check(1)], &[long]);
        assert!(
            pages[0].text.contains("1 check, 2026-01-01.")
                && pages[0].text.contains("the 3 oldest are left out")
        );
        // A row has its label as text and as a tooltip.
        assert_eq!(pages[1].text.matches("2026-01-01").count(), 2 * (SHOWN - 2));
    }
}
