//! Published ratios beside measured ones as one page that works offline.

use humdrum_charts::{PublishedPoint, published};
use humdrum_model::{Beside, BesideRow};
use maud::{Markup, html};

use super::{Group, HEADINGS, cells, groups, heading, headings, totals, words};
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
            ul { @for line in totals(found) { li { (line) } } }
        }
        @for group in &groups { (section(found, group)) }
    };
    let bar = frame::bar(&title, &links);
    frame::page(&title, ("totals", "To the totals"), &bar, &body, &html! {})
}

fn section(found: &Beside, group: &Group) -> Markup {
    let title = heading(group.head);
    if let Some(nothing) = group.nothing_measured() {
        return html! { section { h2 { (title) } p { (nothing) } } };
    }
    let points: Vec<PublishedPoint> = group.rows.iter().map(|row| point(row)).collect();
    let columns = headings(found).map(|(name, align)| (name, align == Align::Left));
    html! {
        section {
            h2 { (title) }
            figure { (published(&title, found.reference.as_deref().unwrap_or("published"), &points)) }
            div.scroll tabindex="0" { table {
                (frame::head(&columns))
                tbody { @for row in &group.rows { tr { (line(row)) } } }
            } }
        }
    }
}

fn line(row: &BesideRow) -> Markup {
    html! {
        @for (number, (cell, (_, align))) in cells(row).into_iter().zip(HEADINGS).enumerate() {
            @if number == 0 { th scope="row" { (cell) } }
            @else if align == Align::Left { td.text { (cell) } }
            @else { td { (cell) } }
        }
    }
}

fn point(row: &BesideRow) -> PublishedPoint {
    PublishedPoint {
        label: clean(&row.published.test),
        published: row.published.ratio,
        measured: row.ratio,
        intervals: row.intervals.clone(),
        words: words(row.agreement).to_owned(),
    }
}
