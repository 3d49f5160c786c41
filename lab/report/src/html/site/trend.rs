//! The page of one test: its ratios over releases and dates, base by base.

use maud::{Markup, html};

use super::super::{frame, group};
use super::generations::{self, Generations};
use super::level::Levels;
use super::{FindChanges, Point, Trend, day, moment};
use crate::number::{interval, ratio, short_or_none};
use crate::series::short_names;
use crate::text::{clean, shorten};
use crate::words::Outcome;

/// The document.
pub(super) fn page(trend: &Trend, generations: Generations, changes: FindChanges<'_>) -> String {
    let title = format!("{} over releases and dates", clean(trend.test));
    let links = html! { a href="../index.html" { "All runs" } a href="#trend" { "Trend" } };
    let body = html! {
        h1 { (title) }
        @if let Some(point) = trend.points.last() {
            p.quiet { "One operation: " (clean(&point.test.operation)) }
        }
        @if let Some(remark) = generations::remark(trend, generations) { p.lead { (remark) } }
        section id="trend" {
            (generations::side_by_side(trend))
            (frame::view_switch())
            (group::key())
            @for (number, (base, points)) in by_base(trend, generations).into_iter().enumerate() {
                (against(number, &base, &points, changes))
            }
        }
    };
    frame::page(&title, ("trend", "Skip to the trend"), &frame::bar(trend.suite, &links), &body, &html! {})
}

/// The link target of a group's chart.
pub(super) fn anchor(number: usize) -> String {
    format!("against-{number}")
}

/// Points grouped by base and host, each group under its heading.
pub(super) fn by_base<'a>(trend: &'a Trend, generations: Generations) -> Vec<(String, Vec<&'a Point<'a>>)> {
    let mut found: Vec<(String, Vec<&Point>)> = Vec::new();
    for point in &trend.points {
        let summary = &point.run.summary;
        let on = match generations {
            Generations::Apart => generations::kind(point),
            Generations::Pooled => generations::kind_without_name(point),
        };
        let base = format!("Against {} on {on}", clean(&summary.base));
        match found.iter_mut().find(|(known, _)| *known == base) {
            Some((_, points)) => points.push(point),
            None => found.push((base, vec![point])),
        }
    }
    found
}

/// Letters that a row's name may take in a chart.
const LABEL_WIDTH: usize = 22;

fn against(number: usize, base: &str, points: &[&Point], changes: FindChanges<'_>) -> Markup {
    let subjects: Vec<String> = points.iter().map(|point| point.comparison.subject.clone()).collect();
    let names = short_names(&subjects);
    let label = |place: usize| shorten(&format!("{} {}", day(points[place].run), names[place]), LABEL_WIDTH);
    let levels = Levels::of(points, changes);
    let row = |(place, point): (usize, &&Point)| humdrum_charts::RqpsRow {
        change: levels.mark(place),
        ..group::chart_row(label(place), point.test)
    };
    let rows: Vec<_> = points.iter().enumerate().map(row).collect();
    html! {
        h2 id=(anchor(number)) { (base) }
        (levels.told())
        (group::views(&format!("{base}: relative QPS by date with 95 % intervals; the table below has the numbers"), &rows))
        div.scroll tabindex="0" {
            table {
                caption { "Oldest first; each leads to that run's report" }
                (frame::head(&[("begun", false), ("subject", true), ("verdict", true), ("rQPS", false), ("95 % interval", false), ("base QPS", false), ("QPS", false), ("again", true)]))
                tbody { @for point in points { (point_row(point)) } }
            }
        }
    }
}

fn point_row(point: &Point) -> Markup {
    let outcome = Outcome::of(point.test);
    let anchor = group::anchor(point.comparison, point.test, point.number);
    html! {
        tr {
            th scope="row" { a href={ "../runs/" (point.run.name) "/index.html#" (anchor) } { (moment(point.run)) } }
            td.text { (clean(&point.comparison.subject)) }
            td.text { span class=(group::class(outcome)) { (outcome.marked()) } }
            td { (ratio(point.test.rqps)) }
            td { (interval(point.test.ci95)) }
            td { (short_or_none(point.test.base_qps)) }
            td { (short_or_none(point.test.qps)) }
            td.text { a href={ "../runs/" (point.run.name) "/index.html#plan" } { "command" } }
        }
    }
}
