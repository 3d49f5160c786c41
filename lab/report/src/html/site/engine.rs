//! The page of an engine: releases × tests, a map for each base and kind of host. A cell is the latest result; it leads to the chart
//! of its test.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use maud::{Markup, html};

use super::super::frame;
use super::super::group::class;
use super::generations::Generations;
use super::{Point, Trend, script, site_name, trend};
use crate::number::{interval, ratio};
use crate::text::clean;
use crate::words::{Outcome, times};

/// An engine with its maps.
pub(super) struct Engine<'a> {
    pub(super) name: String,
    /// The file of its page.
    pub(super) page: String,
    maps: Vec<Map<'a>>,
}

/// The results of one suite against one base on one kind of host.
struct Map<'a> {
    suite: &'a str,
    heading: String,
    columns: BTreeSet<Column>,
    rows: Vec<Row<'a>>,
}

struct Row<'a> {
    test: &'a str,
    /// The chart that its cells lead to.
    chart: String,
    cells: Vec<(Column, &'a Point<'a>)>,
}

/// A release with settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) release: String,
    pub(super) settings: String,
}

impl Ord for Column {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |one: &Self| (one.settings.clone(), order(&one.release), one.release.clone());
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Column {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Numbers by their size, and a release after its candidates: `9.6`, `19rc1`, `19`, `19.1`.
fn order(release: &str) -> Vec<(u8, u64, String)> {
    let mut parts: Vec<(u8, u64, String)> = Vec::new();
    let mut rest = release;
    while let Some(first) = rest.chars().next() {
        let digits = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        match part.parse() {
            Ok(number) if digits => parts.push((2, number, String::new())),
            _ if part == "." => {}
            _ => parts.push((0, 0, part.to_owned())),
        }
        rest = after;
    }
    parts.push((1, 0, String::new()));
    parts
}

impl Engine<'_> {
    /// `5 releases`.
    pub(super) fn releases(&self) -> String {
        let all: BTreeSet<&str> =
            self.maps.iter().flat_map(|map| &map.columns).map(|one| one.release.as_str()).collect();
        format!("{} release{}", all.len(), if all.len() == 1 { "" } else { "s" })
    }

    /// Releases and settings of all maps.
    pub(super) fn columns(&self) -> BTreeSet<&Column> {
        self.maps.iter().flat_map(|map| &map.columns).collect()
    }
}

/// The engines of a site, by name.
pub(super) fn engines<'a>(trends: &'a [Trend<'a>], generations: Generations) -> Vec<Engine<'a>> {
    let mut found: Vec<Engine<'a>> = Vec::new();
    let mut taken = BTreeSet::new();
    for trend in trends {
        for (number, (heading, points)) in trend::by_base(trend, generations).into_iter().enumerate() {
            for point in points {
                let Some(subject) = point.subject() else { continue };
                let place = found.iter().position(|one| one.name == subject.engine).unwrap_or_else(|| {
                    let page = site_name(&subject.engine, &mut taken) + ".html";
                    found.push(Engine { name: subject.engine.clone(), page, maps: Vec::new() });
                    found.len() - 1
                });
                let column = Column { release: subject.release.clone(), settings: subject.settings.clone() };
                let chart = format!("../tests/{}#{}", trend.page, trend::anchor(number));
                found[place].add((trend.suite, &heading), (trend.test, chart), column, point);
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

impl<'a> Engine<'a> {
    fn add(
        &mut self,
        (suite, heading): (&'a str, &str),
        (test, chart): (&'a str, String),
        column: Column,
        point: &'a Point<'a>,
    ) {
        let known = self.maps.iter().position(|map| map.suite == suite && map.heading == heading);
        let map = known.unwrap_or_else(|| {
            let (heading, columns, rows) = (heading.to_owned(), BTreeSet::new(), Vec::new());
            self.maps.push(Map { suite, heading, columns, rows });
            self.maps.len() - 1
        });
        let map = &mut self.maps[map];
        map.columns.insert(column.clone());
        let known = map.rows.iter().position(|row| row.test == test);
        let row = known.unwrap_or_else(|| {
            map.rows.push(Row { test, chart, cells: Vec::new() });
            map.rows.len() - 1
        });
        // Points are oldest first: a later one replaces an earlier one.
        let cells = &mut map.rows[row].cells;
        cells.retain(|(known, _)| *known != column);
        cells.push((column, point));
    }
}

/// The document.
pub(super) fn page(engine: &Engine<'_>) -> String {
    let title = format!("{}: releases and tests", clean(&engine.name));
    let links = html! { a href="../index.html" { "All runs" } a href="../index.html#find" { "Find" } };
    let body = html! {
        h1 { (title) }
        p.quiet {
            "Relative QPS of the latest result of each release; the stronger the colour, the further from the base: beyond δ, 5 %, \
             10 %. ▲ faster, ▼ slower, · the same, ? not decided, ! failed, – not measured. A cell leads to the chart of its test, \
             each row there to its record."
        }
        (tools())
        div id="maps" { @for map in &engine.maps { (section(map)) } }
    };
    let page = frame::Page {
        title: &title,
        skip: ("maps", "Skip to the maps"),
        bar: &frame::bar(&clean(&engine.name), &links),
        script: Some(&script::SCRIPT),
        feed: Some("../feed.xml"),
    };
    page.text(&body, &html! {})
}

/// Filters, shown by the script that makes them work.
fn tools() -> Markup {
    html! {
        div.tools hidden {
            label { "Test" input type="search" id="filter-test"; }
            label { "Release or setting" input type="search" id="filter-release"; }
            label {
                "Verdict"
                select id="filter-verdict" {
                    @for (kind, word) in [("", "any"), ("worse", "▼ slower"), ("better", "▲ faster"), ("plain", "· same or ? not decided"), ("status", "failed")] {
                        option value=(kind) { (word) }
                    }
                }
            }
            output.quiet id="filter-told" aria-live="polite" {}
        }
    }
}

fn section(map: &Map<'_>) -> Markup {
    html! {
        section {
            h2 { (clean(map.suite)) ", " (map.heading.replacen("Against", "against", 1)) }
            div.scroll tabindex="0" {
                table.map {
                    thead { tr {
                        th scope="col" { "test" }
                        @for column in &map.columns {
                            th scope="col" { (clean(&column.release)) @if !column.settings.is_empty() { " " span.quiet { (clean(&column.settings)) } } }
                        }
                    } }
                    tbody { @for row in &map.rows { (line(map, row)) } }
                }
            }
        }
    }
}

fn line(map: &Map<'_>, row: &Row<'_>) -> Markup {
    html! {
        tr {
            th scope="row" { a href=(row.chart) { (clean(row.test)) } }
            @for column in &map.columns {
                @match row.cells.iter().find(|(known, _)| known == column) {
                    Some((_, point)) => { (cell(row, point)) }
                    None => { td.quiet data-kind="none" { "–" } }
                }
            }
        }
    }
}

fn cell(row: &Row<'_>, point: &Point<'_>) -> Markup {
    let outcome = Outcome::of(point.test);
    let shade = shade(outcome, point.test.rqps);
    let title = format!("{} {} {}", outcome.marked(), times(point.test.rqps), interval(point.test.ci95));
    let kind = match class(outcome) {
        "quiet" => "status",
        other => other,
    };
    html! {
        td class=[shade] data-kind=(kind) {
            a href=(row.chart) title=(title) { (ratio(point.test.rqps)) " " (outcome.mark()) }
        }
    }
}

/// How far a result is from the base, where the difference is shown to matter.
fn shade(outcome: Outcome, rqps: Option<f64>) -> Option<&'static str> {
    let far = rqps.filter(|rqps| *rqps > 0.0)?.ln().abs();
    let step = usize::from(far >= 0.05) + usize::from(far >= 0.10);
    match outcome {
        Outcome::Improvement => Some(["b1", "b2", "b3"][step]),
        Outcome::Regression => Some(["w1", "w2", "w3"][step]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn releases_are_in_the_order_of_their_numbers() {
        let mut releases = ["19.1", "9.6.24", "19", "18.6-debian", "10.4", "19rc1", "18.6", "18.10"];
        releases.sort_by_key(|one| order(one));
        assert_eq!(releases, ["9.6.24", "10.4", "18.6-debian", "18.6", "18.10", "19rc1", "19", "19.1"]);
    }
}
