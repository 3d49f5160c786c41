//! A site of many runs: a page that lists them, and one per test that follows it over releases and dates.
//!
//! Ratios are in one chart only if they share the base and the kind of host, processor generation included:
//! ratios to different bases cannot be compared, and a ratio is valid for the generation it was measured on.

mod generations;
mod trend;

use std::collections::BTreeSet;

use humdrum_model::{Comparison, HostFacts, Summary, TestResult};
use maud::{Markup, html};

use super::{frame, group};
use crate::number::ratio;
use crate::processor;
use crate::text::clean;
use crate::words::{self, Outcome};

pub use generations::Generations;

/// A run that has a page of its own, `runs/<name>/index.html`.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteRun {
    /// What its folder is called: letters, digits, `.`, `_`, `-` (`site_name`).
    pub name: String,
    /// Start of the run, RFC 3339.
    pub started: String,
    /// Its verdicts.
    pub summary: Summary,
}

/// One of a site's own pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitePage {
    /// Path relative to the site's folder.
    pub path: String,
    /// The document.
    pub text: String,
}

/// One test of one subject in one run.
struct Point<'a> {
    run: &'a SiteRun,
    comparison: &'a Comparison,
    test: &'a TestResult,
    /// Which comparison of the run it is.
    number: usize,
}

/// A test in all runs that have it, oldest first.
struct Trend<'a> {
    suite: &'a str,
    test: &'a str,
    /// The file of its page.
    page: String,
    points: Vec<Point<'a>>,
}

/// The pages of a site beside those of its runs: `index.html`, and `tests/<name>.html` for every test. Results of several
/// processor generations are pooled only where that is asked for.
pub fn site(runs: &[SiteRun], generations: Generations) -> Vec<SitePage> {
    let mut oldest_first: Vec<&SiteRun> = runs.iter().collect();
    oldest_first.sort_by(|a, b| (&a.started, &a.name).cmp(&(&b.started, &b.name)));
    let trends = trends(&oldest_first);
    let index = SitePage { path: "index.html".into(), text: index(&oldest_first, &trends) };
    let tests = trends.iter().map(|trend| SitePage {
        path: format!("tests/{}", trend.page),
        text: trend::page(trend, generations),
    });
    std::iter::once(index).chain(tests).collect()
}

/// A name for a file or folder of a site. Characters other than letters, digits, `.`, `_`, `=` and `-` become `-`, and a
/// name that is taken gets a number. The function adds the name to `taken`.
pub fn site_name(text: &str, taken: &mut BTreeSet<String>) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() || "._=-".contains(letter) { letter } else { '-' }
    };
    let stem: String = text.chars().take(NAME_MAX).map(plain).collect();
    let stem = stem.trim_matches(['.', '-']);
    let stem = if stem.is_empty() { "unnamed" } else { stem };
    let numbered = (2_u32..).map(|number| format!("{stem}-{number}"));
    let mut names = std::iter::once(stem.to_owned()).chain(numbered);
    // The names never end, and only so many are taken.
    let free = names.find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(free.clone());
    free
}

/// File systems take 255 bytes; a number and an ending must still fit.
const NAME_MAX: usize = 120;

fn trends<'a>(runs: &[&'a SiteRun]) -> Vec<Trend<'a>> {
    let mut trends: Vec<Trend> = Vec::new();
    let mut taken = BTreeSet::new();
    for run in runs {
        for (number, comparison) in run.summary.comparisons.iter().enumerate() {
            for test in &comparison.tests {
                let point = Point { run, comparison, test, number };
                let same = |one: &&mut Trend| one.suite == run.summary.suite && one.test == test.test;
                match trends.iter_mut().find(same) {
                    Some(trend) => trend.points.push(point),
                    None => trends.push(Trend {
                        suite: &run.summary.suite,
                        test: &test.test,
                        page: site_name(&format!("{}-{}", run.summary.suite, test.test), &mut taken)
                            + ".html",
                        points: vec![point],
                    }),
                }
            }
        }
    }
    trends
}

fn index(runs: &[&SiteRun], trends: &[Trend]) -> String {
    let links = html! { a href="#runs" { "Runs" } a href="#tests" { "Tests" } };
    let body = html! {
        h1 { "All runs" }
        @if let Some(latest) = runs.last() {
            p.lead { (runs.len()) " run" @if runs.len() != 1 { "s" } ", the latest of " (day(latest)) ":" }
            @for comparison in &latest.summary.comparisons {
                p { strong { (words::pair_on_host(&latest.summary, comparison)) } ": " (words::headline(comparison)) "." }
            }
        }
        section id="runs" {
            h2 { "Runs" }
            div.scroll tabindex="0" {
                table {
                    caption { "Newest first; each leads to its report" }
                    (frame::head(&[("begun", false), ("what", true), ("verdict", true), ("host", true)]))
                    tbody { @for run in runs.iter().rev() { (run_row(run)) } }
                }
            }
        }
        section id="tests" {
            h2 { "Tests over releases and dates" }
            div.scroll tabindex="0" {
                table {
                    caption { "Each leads to its page; the verdict is that of the latest run that has it" }
                    (frame::head(&[("test", false), ("workload", true), ("results", false), ("latest verdict", true), ("rQPS", false), ("of", true)]))
                    tbody { @for trend in trends { (trend_row(trend)) } }
                }
            }
        }
    };
    frame::page("All runs", ("runs", "Skip to runs"), &frame::bar("all runs", &links), &body, &html! {})
}

fn run_row(run: &SiteRun) -> Markup {
    let summary = &run.summary;
    html! {
        tr {
            th scope="row" { a href={ "runs/" (run.name) "/index.html" } { (moment(run)) } }
            td.long {
                @for comparison in &summary.comparisons { div { (words::pair(summary, comparison)) } }
                div.quiet {
                    (clean(&summary.suite)) @if !summary.finished { ", interrupted" }
                    @if summary.imported.is_some() { ", imported" }
                }
            }
            td.long { @for comparison in &summary.comparisons { div { (words::headline(comparison)) } } }
            td.long { (host(&summary.host)) }
        }
    }
}

fn trend_row(trend: &Trend) -> Markup {
    html! {
        tr {
            th scope="row" { a href={ "tests/" (trend.page) } { (clean(trend.test)) } }
            td.text { (clean(trend.suite)) }
            td { (trend.points.len()) }
            @if let Some(point) = trend.points.last() {
                @let outcome = Outcome::of(point.test);
                td.text { span class=(group::class(outcome)) { (outcome.marked()) } }
                td { (ratio(point.test.rqps)) }
                td.text { (words::pair_on_host(&point.run.summary, point.comparison)) }
            }
        }
    }
}

/// `2 × AMD EPYC (Zen 3), virtual`; results of older versions have the processor's own name.
fn host(host: &HostFacts) -> String {
    let kind = if host.r#virtual { ", virtual" } else { "" };
    let name = processor::named(host).unwrap_or_else(|| clean(&host.cpu_model));
    format!("{} × {name}{kind}", host.cpus)
}

/// `2026-11-21`.
fn day(run: &SiteRun) -> String {
    clean(run.started.split('T').next().unwrap_or_default())
}

/// `2026-11-21 20:43`.
fn moment(run: &SiteRun) -> String {
    clean(&run.started.chars().take(16).collect::<String>().replace('T', " "))
}

#[cfg(test)]
mod tests;
