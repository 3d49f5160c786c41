//! A site of many runs: a page that lists them, one per engine with a map of releases and tests, one per test that follows it over
//! releases and dates, and a feed. From a cell of the map a click leads to the chart, then to the record, then to the command.
//!
//! Ratios are in one chart only if they share the base and the kind of host, processor generation included:
//! ratios to different bases cannot be compared, and a ratio is valid for the generation it was measured on.

mod engine;
mod feed;
mod find;
mod generations;
mod level;
mod published;
mod script;
mod trend;

use std::collections::BTreeSet;

use humdrum_model::{Beside, ChangePoint, Comparison, HostFacts, SeriesValue, Summary, TestResult};
use maud::{Markup, html};

use super::{frame, group};
use crate::kinds;
use crate::number::ratio;
use crate::opening::brief;
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
    /// Its subjects, base first.
    pub subjects: Vec<SiteSubject>,
    /// Its verdicts.
    pub summary: Summary,
}

/// A subject of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteSubject {
    /// Its label, as comparisons have it.
    pub label: String,
    /// The engine.
    pub engine: String,
    /// The release as its server says it (`17.7`), or the build as typed.
    pub release: String,
    /// Settings as typed, `+x10a+work_mem=8MB`; empty for none.
    pub settings: String,
}

/// Finds where the level of a series changed.
pub type FindChanges<'a> = &'a dyn Fn(&[SeriesValue]) -> Vec<ChangePoint>;

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

/// The pages of a site beside those of its runs: `index.html`, `engines/<name>.html`, `tests/<name>.html` for every test,
/// `published.html` where there are published figures, and `feed.xml`. Results of several processor generations are pooled only
/// where that is asked for.
pub fn site(
    runs: &[SiteRun],
    published: Option<&Beside>,
    generations: Generations,
    changes: FindChanges<'_>,
) -> Vec<SitePage> {
    let mut oldest_first: Vec<&SiteRun> = runs.iter().collect();
    oldest_first.sort_by(|a, b| (&a.started, &a.name).cmp(&(&b.started, &b.name)));
    let trends = trends(&oldest_first);
    let engines = engine::engines(&trends, generations);
    let index =
        SitePage { path: "index.html".into(), text: index(&oldest_first, published, &engines, &trends) };
    let feed = SitePage { path: "feed.xml".into(), text: feed::feed(&oldest_first) };
    let maps =
        engines.iter().map(|one| SitePage { path: format!("engines/{}", one.page), text: engine::page(one) });
    let tests = trends.iter().map(|trend| SitePage {
        path: format!("tests/{}", trend.page),
        text: trend::page(trend, generations, changes),
    });
    [index, feed].into_iter().chain(published.map(published::page)).chain(maps).chain(tests).collect()
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

fn index(
    runs: &[&SiteRun],
    published: Option<&Beside>,
    engines: &[engine::Engine],
    trends: &[Trend],
) -> String {
    let links = html! {
        a href="#find" { "Find" } a href="#engines" { "Engines" } a href="#runs" { "Runs" } a href="#tests" { "Tests" }
        @if published.is_some() { a href=(published::PAGE) { "Published" } }
        a href="feed.xml" { "Feed" }
    };
    let body = html! {
        h1 { "All runs" }
        @if let Some(latest) = runs.last() {
            p.lead { (runs.len()) " run" @if runs.len() != 1 { "s" } ", the latest of " (day(latest)) ":" }
            @for comparison in &latest.summary.comparisons {
                p { strong { (words::pair_on_host(&latest.summary, comparison)) } ": " (brief(comparison)) "." }
            }
        }
        (find::section(runs, engines, trends))
        section id="engines" {
            h2 { "Engines" }
            ul {
                @for one in engines {
                    li { a href={ "engines/" (one.page) } { (clean(&one.name)) } ": " (one.releases()) " by tests" }
                }
            }
        }
        @if let Some(found) = published { (published::section(found)) }
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
    let page = frame::Page {
        title: "All runs",
        skip: ("runs", "Skip to runs"),
        bar: &frame::bar("all runs", &links),
        script: Some(&script::SCRIPT),
        feed: Some("feed.xml"),
    };
    page.text(&body, &html! {})
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
            td.long { @for comparison in &summary.comparisons { div { (brief(comparison)) } } }
            td.long { (hosts(summary)) }
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

impl Point<'_> {
    /// The subject that was compared with the base.
    fn subject(&self) -> Option<&SiteSubject> {
        self.run.subjects.iter().find(|one| one.label == self.comparison.subject)
    }
}

/// What a run was measured on: `2 × AMD EPYC (Zen 3), virtual`, or `3 hosts: 2 with AMD Zen 3 and 1 with AMD Zen 4`.
fn hosts(summary: &Summary) -> String {
    several_hosts(summary).unwrap_or_else(|| host(&summary.host))
}

/// Of results that `merge` put together; `None` for those of one host.
fn several_hosts(summary: &Summary) -> Option<String> {
    let (count, of) = summary.comparisons.iter().find_map(kinds::hosts)?;
    Some(format!("{count} hosts: {of}"))
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
