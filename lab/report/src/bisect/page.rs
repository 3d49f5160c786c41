//! A search as a page and as Markdown: what was found, each measured release or commit relative to the good end, where the step
//! may be, and the rounds.

use humdrum_charts::{Kind, RqpsRow};
use humdrum_model::{Bisect, BisectLevel, Explanation};
use maud::{Markup, html};

use super::{ending, kind, named, places, table};
use crate::explanation;
use crate::html::{close_up, frame};
use crate::text::{clean, markdown};

/// Probability below which a place of the step is not listed.
const LISTED: f64 = 0.005;

/// A search as one HTML document; `why` is what its confirmation says of the step.
pub fn bisect_html(bisect: &Bisect, why: Option<&Explanation>) -> String {
    let title = format!("Where {} of {} moved", clean(&bisect.quantity), clean(&bisect.test));
    frame::page(
        &title,
        ("found", "Skip to what was found"),
        &frame::bar(&bisect.test, &links(why.is_some())),
        &html! {
            h1 { (title) }
            section id="found" { ul { @for line in ending(bisect) { li { (line) } } } }
            @if let Some(why) = why { section id="why" { (explanation::html::section(why)) } }
            (levels(bisect))
            (posterior(bisect))
            (rounds(bisect))
        },
        &html! { (clean(&bisect.tool)) },
    )
}

fn links(has_why: bool) -> Markup {
    let all = [
        ("found", "Found"),
        ("why", "Why"),
        ("levels", "Levels"),
        ("posterior", "Where"),
        ("rounds", "Rounds"),
    ];
    html! {
        @for (id, name) in all.into_iter().filter(|(id, _)| has_why || *id != "why") {
            a href={ "#" (id) } { (name) } " "
        }
    }
}

/// A dot for each measured position, in the order of the search.
fn levels(bisect: &Bisect) -> Markup {
    let rows: Vec<RqpsRow> = bisect.levels.iter().map(|level| row(bisect, level)).collect();
    let title =
        format!("{} of each measured one relative to the good end; rounds have the numbers", bisect.quantity);
    html! {
        section id="levels" {
            h2 { "Levels" }
            p.quiet { "What was measured of the " (kind(bisect)) ", relative to " (named(bisect, 0)) ", over all rounds. The step is between two of them." }
            @if !rows.is_empty() { (close_up(&bisect.test, &title, &rows)) }
        }
    }
}

fn row(bisect: &Bisect, level: &BisectLevel) -> RqpsRow {
    let is_step = bisect.found.is_some_and(|found| found.until == level.position);
    let kind = match level.ratio.ci95 {
        Some([_, high]) if high < 1.0 => Kind::Worse,
        Some([low, _]) if low > 1.0 => Kind::Better,
        Some(_) => Kind::Same,
        None => Kind::Unclear,
    };
    RqpsRow {
        label: named(bisect, level.position),
        rqps: level.ratio.ratio,
        ci95: level.ratio.ci95,
        delta: 0.0,
        kind,
        verdict: if is_step { "first that differs".to_owned() } else { String::new() },
        change: None,
    }
}

fn posterior(bisect: &Bisect) -> Markup {
    let likely = bisect.posterior.iter().filter(|one| one.mass >= LISTED);
    html! {
        section id="posterior" {
            h2 { "Where the step may be" }
            table {
                (frame::head(&[("first that differs", true), ("probability", false)]))
                tbody { @for one in likely { tr { td.text { (places(bisect, one)) } td { (format!("{:.1} %", 100.0 * one.mass)) } } } }
            }
        }
    }
}

fn rounds(bisect: &Bisect) -> Markup {
    html! {
        section id="rounds" {
            h2 { "Rounds" }
            (frame::table(&table(bisect)))
            p.quiet { "The results of round N are in the folder rounds/N." }
        }
    }
}

/// A search as Markdown, ending in a line feed; `why` as on the page.
pub fn bisect_markdown(bisect: &Bisect, why: Option<&Explanation>) -> String {
    let mut lines =
        vec![format!("# Where {} of {} moved", markdown(&bisect.quantity), markdown(&bisect.test))];
    lines.push(String::new());
    lines.extend(ending(bisect).iter().map(|line| format!("- {}", markdown(line))));
    lines.push(String::new());
    if let Some(why) = why {
        lines.extend(["## Why".to_owned(), explanation::markdown::of(why)]);
    }
    lines.extend(table(bisect).markdown());
    lines.join("\n") + "\n"
}
