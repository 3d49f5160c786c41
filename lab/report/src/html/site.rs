//! A site of many runs: a page that lists them, and one per test that follows it over releases and dates.
//!
//! Ratios stand in one chart only if they share the base and the kind of host, processor generation included: ratios to
//! different bases cannot be compared, and a ratio holds for the generation it was measured on.

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
                div.quiet { (clean(&summary.suite)) @if !summary.finished { ", interrupted" } }
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
mod tests {
    use super::*;
    use crate::fixture;

    fn runs() -> Vec<SiteRun> {
        let (summary, ..) = fixture::run();
        let (releases, ..) = fixture::releases();
        let run = |name: &str, started: &str, summary: &Summary| SiteRun {
            name: name.into(),
            started: started.into(),
            summary: summary.clone(),
        };
        vec![
            run("second", "2026-11-02T10:00:00Z", &summary),
            run("first", "2026-11-01T10:00:00Z", &summary),
            run("releases", "2026-11-03T10:00:00Z", &releases),
        ]
    }

    fn page<'a>(pages: &'a [SitePage], path: &str) -> &'a str {
        &pages.iter().find(|page| page.path == path).unwrap_or_else(|| panic!("{path}")).text
    }

    #[test]
    fn every_run_and_every_test_is_listed_once() {
        let runs = runs();
        let pages = site(&runs, Generations::Apart);
        let index = page(&pages, "index.html");
        for run in &runs {
            assert_eq!(index.matches(&format!("href=\"runs/{}/index.html\"", run.name)).count(), 1);
        }
        let first = |name: &str| index.find(&format!("runs/{name}/")).unwrap();
        assert!(first("releases") < first("second") && first("second") < first("first"), "newest first");
        let paths: BTreeSet<&String> = pages.iter().map(|page| &page.path).collect();
        assert_eq!(paths.len(), pages.len());
        for page in &pages[1..] {
            assert_eq!(index.matches(&format!("href=\"{}\"", page.path)).count(), 1, "{}", page.path);
        }
    }

    #[test]
    fn a_test_is_followed_over_dates_and_only_within_one_base() {
        let mut runs = runs();
        runs[0].summary.base = "another".into();
        let pages = site(&runs, Generations::Apart);
        let trend = page(&pages, "tests/sysbench-hot-points.html");
        assert_eq!(trend.matches("<h2>").count(), 2, "two bases");
        assert!(trend.find("runs/first/").unwrap() < trend.find("runs/second/").unwrap(), "oldest first");
        assert_eq!(trend.matches("<svg").count(), trend.matches("role=\"img\" aria-label=\"").count());
        let headings = trend.matches("<th ").count() + trend.matches("<th>").count();
        assert_eq!(headings, trend.matches(" scope=\"").count());
    }

    /// A run on a processor of another generation, of the same name.
    fn on(mut run: SiteRun, name: &str, generation: &str) -> SiteRun {
        run.name = name.into();
        run.summary.host.processor.vendor = "Example".into();
        run.summary.host.processor.generation = generation.into();
        run
    }

    #[test]
    fn generations_are_pooled_only_when_asked_for() {
        let [first, second, _] = <[SiteRun; 3]>::try_from(runs()).expect("three");
        let runs = [on(first, "third", "Zen 3"), on(second, "fourth", "Zen 4")];
        let groups = |page: &str| page.matches("<h2>Against ").count();
        let pages = site(&runs, Generations::Apart);
        let apart = page(&pages, "tests/sysbench-hot-points.html");
        assert_eq!(groups(apart), 2);
        assert!(apart.contains("<h2>Against postgres@16.11 on 2 × Example (Zen 3), virtual</h2>"), "{apart}");
        let told = "Measured on 2 processors: Example (Zen 3), Example (Zen 4). A ratio holds for the processor it was \
                    measured on, so they are shown side by side and are not pooled.";
        assert!(apart.contains(told) && apart.contains("<h2>Processors side by side</h2>"));
        let pages = site(&runs, Generations::Pooled);
        let pooled = page(&pages, "tests/sysbench-hot-points.html");
        assert_eq!(groups(pooled), 1);
        assert!(pooled.contains("<h2>Against postgres@16.11 on 2 × any processor, virtual</h2>"));
        assert!(pooled.contains("they are pooled below because that was asked for"));
        let headings = pooled.matches("<th ").count() + pooled.matches("<th>").count();
        assert_eq!(headings, pooled.matches(" scope=\"").count());
    }

    #[test]
    fn results_of_one_generation_have_no_word_on_others() {
        let pages = site(&runs(), Generations::Apart);
        assert!(
            pages.iter().all(|page| !page.text.contains("processors") && !page.text.contains("Processors"))
        );
    }

    #[test]
    fn hostile_names_are_text_and_lead_nowhere_else() {
        let mut runs = runs();
        fixture::make_hostile(&mut runs[0].summary);
        runs[0].started = fixture::HOSTILE.into();
        for page in site(&runs, Generations::Apart) {
            assert!(!page.text.contains("<script") && !page.text.contains(['\u{1b}', '\0', '\u{202e}']));
            assert!(!page.path.contains("..") && page.path.matches('/').count() <= 1, "{}", page.path);
        }
    }

    #[test]
    fn names_of_files_are_plain_and_unlike_each_other() {
        let mut taken = BTreeSet::new();
        let mut name = |text: &str| site_name(text, &mut taken);
        assert_eq!(name("a b/../c"), "a-b-..-c");
        assert_eq!(name("a b/../c"), "a-b-..-c-2");
        assert_eq!(
            (name(""), name(".."), name("-")),
            ("unnamed".into(), "unnamed-2".into(), "unnamed-3".into())
        );
        assert!(name(&"x".repeat(1000)).len() <= NAME_MAX);
    }
}
