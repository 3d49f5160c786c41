//! The page: one file that works offline, in light and dark, on paper and on a phone.
//!
//! It runs no script, and its policy forbids every request. Switches are radio buttons that the style sheet
//! reads. Every chart has a table with the same numbers below it, or a short table and the data to copy.
//! `clean` removes characters that a browser would not show; `maud` escapes all text.

mod beside;
mod facts;
pub(crate) mod frame;
mod group;
mod imported;
mod joint;
mod matrix;
mod series;
mod site;
mod steps;
mod style;
mod test;

use humdrum_model::{Comparison, Results, Summary};
use maud::{Markup, html};

use crate::Extras;
use crate::choice;
use crate::headline;
use crate::joint::Joint;
use crate::matrix::Matrix;
use crate::opening::opening;
use crate::processor;
use crate::text::clean;
use crate::words::{self, Outcome};

pub(crate) use beside::beside;
pub(crate) use series::close_up;
pub use site::{FindChanges, Generations, SitePage, SiteRun, SiteSubject, site, site_name};

/// The whole result as one HTML document.
pub fn html(summary: &Summary, results: &Results, extras: &Extras) -> String {
    let title = title(summary);
    frame::page(
        &title,
        ("results", "Skip to results"),
        &bar(summary, extras.home.as_deref()),
        &body(&title, summary, results, extras),
        &html! { (clean(&summary.tool)) ", begun " (clean(&results.started)) },
    )
}

fn title(summary: &Summary) -> String {
    let subjects: Vec<String> = summary.comparisons.iter().map(|one| clean(&one.subject)).collect();
    format!("{} against {}{}", subjects.join(", "), choice::base(summary), processor::on_hosts(summary))
}

fn body(title: &str, summary: &Summary, results: &Results, extras: &Extras) -> Markup {
    html! {
        h1 { (title) }
        @for warning in results.warnings() { p.alert { strong { "! Warning. " } (clean(warning)) "." } }
        @for sentence in choice::sentences(summary, results) { p.alert { (sentence) "." } }
        @if !summary.finished {
            p.alert { strong { "! Interrupted. " } "This is what was measured until then." }
        }
        @for comparison in &summary.comparisons { (verdict(summary, results, comparison)) }
        @if let Some(sentence) = facts::noisy(summary) { p.alert { strong { "! Noisy host. " } (sentence) } }
        (steps::section(summary, results))
        @if let Some(row) = &summary.series { (series::section(summary, row, results)) }
        (matrix::sections(summary))
        (joint::section(summary))
        section id="results" {
            h2 { "Results" }
            (frame::view_switch())
            (group::key())
            (next_steps(summary))
            @for (number, comparison) in summary.comparisons.iter().enumerate() {
                (group::results(summary, comparison, number))
                (group::scripts(comparison))
                (group::judged(comparison))
            }
        }
        section id="cost" {
            h2 { "Cost per operation" }
            p.quiet { "Costs explain a verdict; server CPU is the only one that is judged, above. Each interval is a 95 % interval on its own, not corrected for the number of costs." }
            @for comparison in &summary.comparisons {
                (group::costs(summary, comparison))
                @if summary.series.is_none() { (series::pair(comparison)) }
            }
        }
        (facts::settings(results, extras))
        (facts::host(summary, results))
        (facts::failures(results))
        section id="tests" {
            h2 { "Test by test" }
            @for (number, comparison) in summary.comparisons.iter().enumerate() {
                @for test in &comparison.tests {
                    (test::section(summary, results, extras, comparison, test, number))
                }
            }
        }
        (facts::discarded(results))
        (facts::plan(summary, results))
    }
}

/// What to do about the verdicts, once for all comparisons.
fn next_steps(summary: &Summary) -> Markup {
    let lines =
        headline::next_steps(summary, summary.comparisons.iter().flat_map(|comparison| &comparison.tests));
    html! { @if !lines.is_empty() { ul.quiet { @for line in lines { li { (line) } } } } }
}

fn bar(summary: &Summary, home: Option<&str>) -> Markup {
    let places = [
        ("results", "Results"),
        ("cost", "Cost"),
        ("settings", "Settings"),
        ("host", "Host"),
        ("tests", "Tests"),
        ("plan", "Plan"),
    ];
    frame::bar(
        &summary.suite,
        &html! {
            @if let Some(home) = home { a href=(home) { "All runs" } }
            @if summary.series.is_some() { a href="#series" { "Releases" } }
            @for matrix in &Matrix::of_run(summary) {
                a href={ "#" (matrix.what) } { "By " (matrix.what) }
            }
            @if Joint::of(summary).is_some() { a href="#joint" { "Side by side" } }
            @for (place, name) in places { a href={ "#" (place) } { (name) } }
        },
    )
}

fn verdict(summary: &Summary, results: &Results, comparison: &Comparison) -> Markup {
    let moved: Vec<_> = comparison.tests.iter().filter(|test| Outcome::of(test).moved()).collect();
    let opening = opening(comparison);
    html! {
        div.verdict {
            @if summary.comparisons.len() > 1 { h2 { (clean(&comparison.subject)) } }
            @if let Some(settings) = headline::settings(results, &summary.base, &comparison.subject) {
                p.quiet { (settings) }
            }
            @for sentence in &opening.first { p.lead { (sentence) "." } }
            @for sentence in &opening.then { p { (sentence) "." } }
            @if !moved.is_empty() {
                ul.moved {
                    @for test in moved {
                        li {
                            span class=(group::class(Outcome::of(test))) { (words::marked(test)) } " "
                            strong { (clean(&test.test)) } " " (words::times(test.rqps)) " "
                            span.quiet { (crate::number::interval(test.ci95)) }
                        }
                    }
                }
            }
            @if let Some(sentence) = words::minimum_detectable(comparison) { p.quiet { (sentence) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn asks_nobody_for_anything() {
        let (summary, results, extras) = fixture::run();
        let page = html(&summary, &results, &extras);
        let page = page.replace("http://www.w3.org/2000/svg", "");
        for forbidden in
            ["<script", "src=", "http://", "https://", "url(", "@import", "<link", "<iframe", " style=\""]
        {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        assert!(page.contains("Content-Security-Policy") && page.contains("default-src 'none'"));
        assert!(page.contains("prefers-color-scheme:dark") && page.contains("@media print"));
    }

    #[test]
    fn hostile_text_is_text() {
        let (mut summary, mut results, mut extras) = fixture::run();
        fixture::make_hostile(&mut summary);
        fixture::make_why_hostile(&mut extras.explanations[0]);
        results.plan.subjects[1].label = fixture::HOSTILE.into();
        results.plan.tests[0].name = fixture::HOSTILE.into();
        results.events[0].what = fixture::HOSTILE.into();
        results.events[0].log_tail = Some(fixture::HOSTILE.into());
        let page = html(&summary, &results, &extras);
        assert!(!page.contains("<script") && page.contains("&lt;script&gt;"));
        assert!(!page.contains(['\u{1b}', '\0', '\u{202e}', '\u{9b}']));
    }

    #[test]
    fn ids_are_unique_and_links_lead_somewhere() {
        let (mut summary, results, extras) = fixture::run();
        let other = summary.comparisons[0].clone();
        summary.comparisons.push(other);
        let page = html(&summary, &results, &extras);
        let after = |mark: &str| -> Vec<String> {
            page.split(mark).skip(1).map(|rest| rest[..rest.find('"').unwrap()].to_owned()).collect()
        };
        let ids = after(" id=\"");
        let unique: std::collections::BTreeSet<&String> = ids.iter().collect();
        assert_eq!(ids.len(), unique.len());
        let links = after("href=\"#");
        assert!(links.len() > 6 && links.iter().all(|link| ids.contains(link)), "{links:?} {ids:?}");
    }

    #[test]
    fn every_table_has_headings_with_scope_and_every_chart_a_name() {
        let (summary, results, extras) = fixture::run();
        let page = html(&summary, &results, &extras);
        let headings = page.matches("<th ").count() + page.matches("<th>").count();
        assert!(headings > 20);
        assert_eq!(headings, page.matches(" scope=\"").count());
        assert_eq!(page.matches("<svg").count(), page.matches("role=\"img\" aria-label=\"").count());
        assert!(
            page.matches("<svg").count() > 6 + 6 + 1,
            "two views of three groups, six session strips, one rate, one heat map"
        );
        assert!(!page.contains("NaN"));
    }
}
