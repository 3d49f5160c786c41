//! Published ratios beside measured ones as one page that works offline.

use humdrum_charts::{PublishedPoint, published};
use humdrum_model::Beside;
use maud::{Markup, html};

use super::rows::{Group, Line, groups, heading};
use super::{below, shares};
use crate::html::frame;
use crate::table::Align;
use crate::text::clean;

/// The page; `home` is the link to the site that it is part of.
pub(crate) fn page(found: &Beside, home: Option<&str>) -> String {
    let groups = groups(found);
    let title = match &found.reference {
        Some(host) => format!("Beside {}", clean(host)),
        None => "Beside published figures".to_owned(),
    };
    let links = html! {
        @if let Some(home) = home { a href=(home) { "All runs" } }
        a href="#totals" { "Totals" }
    };
    let body = html! {
        section #totals {
            h1 { (title) }
            ul { @for line in below(found) { li { (line) } } }
        }
        @for group in &groups { (section(found, group)) }
        @for (title, table) in shares::tables(found) {
            section { h2 { (title) } div.scroll tabindex="0" { (frame::table(&table)) } }
        }
    };
    let bar = frame::bar(&title, &links);
    frame::page(&title, ("totals", "To the totals"), &bar, &body, &html! {})
}

fn section(found: &Beside, group: &Group) -> Markup {
    let title = heading(&group.head);
    if let Some(nothing) = group.nothing_comparable() {
        return html! { section { h2 { (title) } p { (nothing) } } };
    }
    let points: Vec<PublishedPoint> = group.lines.iter().filter_map(point).collect();
    let columns: Vec<(&str, bool)> =
        group.headings(found).into_iter().map(|(name, align)| (name, align == Align::Left)).collect();
    html! {
        section {
            h2 { (title) }
            figure { (published(&title, found.reference.as_deref().unwrap_or("published"), &points)) }
            div.scroll tabindex="0" { table {
                (frame::head(&columns))
                tbody { @for cells in group.cells(Line::told) { tr { (line(&cells, &columns)) } } }
            } }
        }
    }
}

fn line(cells: &[String], columns: &[(&str, bool)]) -> Markup {
    html! {
        @for (number, (cell, (_, is_text))) in cells.iter().zip(columns).enumerate() {
            @if number == 0 { th scope="row" { (cell) } }
            @else if *is_text { td.text { (cell) } }
            @else { td { (cell) } }
        }
    }
}

/// A ratio's place in the chart; other figures have none.
fn point(line: &Line) -> Option<PublishedPoint> {
    let row = line.ratio()?;
    Some(PublishedPoint {
        label: clean(&row.published.test),
        published: row.published.ratio,
        measured: row.ratio,
        intervals: row.this_host.clone(),
        another_host: row.another_host,
        words: line.brief(),
    })
}
