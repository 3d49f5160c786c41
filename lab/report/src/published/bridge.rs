//! The walk from ratios of ours to published ones, as `humdrum beside --bridge` shows it: for each test a line for each set-up, and
//! one for what is left.

use humdrum_model::{Bridge, Difference, Published, Walk};
use maud::html;

use super::{heading, is_one_group, printed};
use crate::format::Format;
use crate::html::frame;
use crate::number::{interval, ratio};
use crate::style::Style;
use crate::table::{Align, Table};
use crate::text::{clean, markdown, wrap};

const HEADINGS: [(&str, Align); 7] = [
    ("test", Align::Left),
    ("set-up", Align::Left),
    ("ratio", Align::Right),
    ("95 % interval", Align::Right),
    ("change", Align::Right),
    ("95 % interval of it", Align::Right),
    ("", Align::Left),
];

/// What the columns mean.
const READING: &str = "change: the ratio as a multiple of the line before; its interval has the errors of both, each for another run where \
                       that is known. The published line is what no step explains: its interval has the error of the last step and the \
                       rounding of the published figure, whose own error is not known";

/// The walks in one of the formats; formats for pull requests and posts have the Markdown.
pub fn bridge(found: &Bridge, format: Format, style: Style) -> String {
    match format {
        Format::Terminal => terminal(found, style),
        Format::Json => serde_json::to_string_pretty(found).expect("plain data with text keys") + "\n",
        Format::Tsv => tsv(found),
        Format::Markdown | Format::Github | Format::Post | Format::Smalldatum => as_markdown(found),
        Format::Html | Format::PostHtml => page(found),
    }
}

/// The walks of one publication, base and subject.
fn groups(found: &Bridge) -> Vec<(&Published, Table)> {
    let mut groups: Vec<(&Published, Table)> = Vec::new();
    for walk in &found.walks {
        let head = &walk.published;
        let place = groups.iter().position(|(known, _)| is_one_group(known, head));
        let place = place.unwrap_or_else(|| {
            groups.push((head, Table::new(&HEADINGS)));
            groups.len() - 1
        });
        groups[place].1.rows.extend(rows(walk));
    }
    groups
}

fn rows(walk: &Walk) -> Vec<Vec<String>> {
    let (test, no_test) = (clean(&walk.published.test), String::new());
    let mut rows: Vec<Vec<String>> = Vec::new();
    for step in &walk.steps {
        let own = &step.measured;
        rows.push(vec![
            if rows.is_empty() { test.clone() } else { no_test.clone() },
            clean(&own.host),
            ratio(Some(own.ratio)),
            interval(Some(own.interval())),
            step.change.map_or_else(String::new, |change| ratio(Some(change.ratio))),
            step.change.map_or_else(String::new, |change| interval(Some(change.ci95))),
            step.change
                .map_or("", |change| if is_shown(&change) { "moves it" } else { "may be nothing" })
                .to_owned(),
        ]);
    }
    rows.push(vec![
        no_test,
        "published".into(),
        printed(&walk.published),
        String::new(),
        ratio(Some(walk.left.ratio)),
        interval(Some(walk.left.ci95)),
        if is_shown(&walk.left) { "left" } else { "may be nothing" }.to_owned(),
    ]);
    rows
}

/// Whether the interval has only ratios on one side of 1.
fn is_shown(change: &Difference) -> bool {
    !(change.ci95[0]..=change.ci95[1]).contains(&1.0)
}

/// How many walks arrive, and how many ratios each step moved.
fn totals(found: &Bridge) -> Vec<String> {
    let moved = |step: &String| {
        let changes =
            found.walks.iter().flat_map(|walk| &walk.steps).filter(|one| one.measured.host == *step);
        let changes: Vec<Difference> = changes.filter_map(|one| one.change).collect();
        let count = changes.iter().filter(|change| is_shown(change)).count();
        (!changes.is_empty()).then(|| format!("{} moves {count} of {} ratios", clean(step), changes.len()))
    };
    let mut lines: Vec<String> = found.steps.iter().filter_map(moved).collect();
    let arrive = found.walks.iter().filter(|walk| !is_shown(&walk.left)).count();
    lines.push(format!(
        "{arrive} of {} published ratios may be reached: what is left may be nothing",
        found.walks.len()
    ));
    if found.alone > 0 {
        lines.push(format!("not shown: {} published ratios that one set-up alone measured", found.alone));
    }
    lines.push(READING.to_owned());
    lines
}

fn terminal(found: &Bridge, style: Style) -> String {
    let columns = usize::from(style.width).max(60);
    let mut lines: Vec<String> = Vec::new();
    for (head, table) in groups(found) {
        lines.push(wrap(&heading(head), columns, 2));
        lines.extend(table.lines(columns, |_, _, cell| cell.to_owned()));
        lines.push(String::new());
    }
    lines.extend(totals(found).iter().map(|line| wrap(line, columns, 2)));
    lines.join("\n") + "\n"
}

fn as_markdown(found: &Bridge) -> String {
    let mut out = String::new();
    for (head, table) in groups(found) {
        out += &format!("## {}\n\n{}\n\n", markdown(&heading(head)), table.markdown().join("\n"));
    }
    totals(found).iter().for_each(|line| out += &format!("- {}\n", markdown(line)));
    out
}

fn page(found: &Bridge) -> String {
    let title = "A bridge to published figures";
    let body = html! {
        section #totals {
            h1 { (title) }
            ul { @for line in totals(found) { li { (line) } } }
        }
        @for (head, table) in groups(found) {
            section { h2 { (heading(head)) } div.scroll tabindex="0" { (frame::table(&table)) } }
        }
    };
    let bar = frame::bar(title, &html! { a href="#totals" { "Totals" } });
    frame::page(title, ("totals", "To the totals"), &bar, &body, &html! {})
}

/// A line for each step, and one for what is left (step `published`).
fn tsv(found: &Bridge) -> String {
    let mut out = String::from(
        "post\tengine\tbase\tsubject\ttest\tset_up\tratio\tlow\thigh\tchange\tchange_low\tchange_high\n",
    );
    for walk in &found.walks {
        let one = &walk.published;
        let names =
            [&one.post, &one.engine, &one.base, &one.subject, &one.test].map(|name| clean(name)).join("\t");
        let mut line = |set_up: &str, ratio: String, ends: Option<[f64; 2]>, change: Option<Difference>| {
            let [low, high] = numbers(ends);
            let [change_low, change_high] = numbers(change.map(|change| change.ci95));
            let change = change.map_or_else(String::new, |change| format!("{:.6}", change.ratio));
            out += &format!(
                "{names}\t{set_up}\t{ratio}\t{low}\t{high}\t{change}\t{change_low}\t{change_high}\n"
            );
        };
        for step in &walk.steps {
            let own = &step.measured;
            line(&clean(&own.host), format!("{:.6}", own.ratio), Some(own.interval()), step.change);
        }
        line("published", printed(one), None, Some(walk.left));
    }
    out
}

fn numbers(ends: Option<[f64; 2]>) -> [String; 2] {
    ends.map_or_else(Default::default, |ends| ends.map(|end| format!("{end:.6}")))
}

#[cfg(test)]
mod tests {
    use humdrum_model::{BridgeStep, Measured};

    use super::super::tests::{found as beside, plain};
    use super::*;

    fn found() -> Bridge {
        let row = beside().rows.swap_remove(0);
        let own = row.measured.first().cloned().expect("measured");
        let step = |name: &str, ratio: f64, change: Option<Difference>| BridgeStep {
            measured: Measured {
                host: name.into(),
                ratio,
                ci95: [ratio - 0.003, ratio + 0.003],
                ..own.clone()
            },
            change,
        };
        let steps = vec![
            step("160k rows", 0.712, None),
            step("10M rows", 0.661, Some(Difference { ratio: 0.928, ci95: [0.92, 0.936] })),
            step("TCP|<b>", 0.653, Some(Difference { ratio: 0.988, ci95: [0.97, 1.006] })),
        ];
        let left = Difference { ratio: 0.995, ci95: [0.98, 1.01] };
        let steps_named = steps.iter().map(|step| step.measured.host.clone()).collect();
        Bridge { steps: steps_named, walks: vec![Walk { published: row.published, steps, left }], alone: 2 }
    }

    #[test]
    fn looks_like_this() {
        insta::assert_snapshot!(bridge(&found(), Format::Markdown, plain()));
    }

    #[test]
    fn every_format_has_every_step_and_what_is_left() {
        let formats = [Format::Terminal, Format::Markdown, Format::Tsv, Format::Json, Format::Html];
        for text in formats.map(|format| bridge(&found(), format, plain())) {
            assert!(
                text.contains("160k rows") && text.contains("10M rows") && text.contains("0.928"),
                "{text}"
            );
            assert!(text.contains("0.995") && !text.contains("\u{1b}"), "{text}");
        }
        let page = bridge(&found(), Format::Html, plain());
        assert!(page.contains("TCP|&lt;b&gt;") && page.contains("10M rows moves 1 of 1 ratios"), "{page}");
        assert!(page.contains("2 published ratios that one set-up alone measured"), "{page}");
        let read: Bridge = serde_json::from_str(&bridge(&found(), Format::Json, plain())).expect("JSON");
        assert_eq!(read, found());
    }
}
