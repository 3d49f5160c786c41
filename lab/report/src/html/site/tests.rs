//! The pages of a site of made-up runs.

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
    assert!(pages.iter().all(|page| !page.text.contains("processors") && !page.text.contains("Processors")));
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
    assert_eq!((name(""), name(".."), name("-")), ("unnamed".into(), "unnamed-2".into(), "unnamed-3".into()));
    assert!(name(&"x".repeat(1000)).len() <= NAME_MAX);
}
