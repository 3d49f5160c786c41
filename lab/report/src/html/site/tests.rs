//! The pages of a site of made-up runs.

use super::*;
use crate::fixture;

fn runs() -> Vec<SiteRun> {
    let (summary, ..) = fixture::run();
    let (releases, ..) = fixture::releases();
    let run = |name: &str, started: &str, summary: &Summary| SiteRun {
        name: name.into(),
        started: started.into(),
        subjects: std::iter::once(&summary.base)
            .chain(summary.comparisons.iter().map(|one| &one.subject))
            .map(|label| subject(label))
            .collect(),
        summary: summary.clone(),
    };
    vec![
        run("second", "2026-11-02T10:00:00Z", &summary),
        run("first", "2026-11-01T10:00:00Z", &summary),
        run("releases", "2026-11-03T10:00:00Z", &releases),
    ]
}

/// A subject whose label is what was typed.
fn subject(label: &str) -> SiteSubject {
    let (engine, rest) = label.split_once('@').unwrap_or(("postgres", label));
    let end = rest.find('+').unwrap_or(rest.len());
    let (release, settings) = rest.split_at(end);
    SiteSubject {
        label: label.into(),
        engine: engine.into(),
        release: release.into(),
        settings: settings.into(),
    }
}

/// No level ever changes.
fn still(_: &[SeriesValue]) -> Vec<ChangePoint> {
    Vec::new()
}

fn page<'a>(pages: &'a [SitePage], path: &str) -> &'a str {
    &pages.iter().find(|page| page.path == path).unwrap_or_else(|| panic!("{path}")).text
}

#[test]
fn every_run_and_every_test_is_listed_once() {
    let runs = runs();
    let pages = site(&runs, None, Generations::Apart, &still);
    let index = page(&pages, "index.html");
    for run in &runs {
        assert_eq!(index.matches(&format!("href=\"runs/{}/index.html\"", run.name)).count(), 2);
    }
    let table = &index[index.find("id=\"runs\"").unwrap()..];
    let first = |name: &str| table.find(&format!("runs/{name}/")).unwrap();
    assert!(first("releases") < first("second") && first("second") < first("first"), "newest first");
    let paths: BTreeSet<&String> = pages.iter().map(|page| &page.path).collect();
    assert_eq!(paths.len(), pages.len());
    for page in pages.iter().filter(|page| page.path.starts_with("tests/")) {
        // In the search and in the table.
        assert_eq!(index.matches(&format!("href=\"{}\"", page.path)).count(), 2, "{}", page.path);
    }
}

#[test]
fn a_test_is_followed_over_dates_and_only_within_one_base() {
    let mut runs = runs();
    runs[0].summary.base = "another".into();
    let pages = site(&runs, None, Generations::Apart, &still);
    let trend = page(&pages, "tests/sysbench-hot-points.html");
    assert_eq!(trend.matches("<h2 id=\"against-").count(), 2, "two bases");
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
    let groups = |page: &str| page.matches(">Against ").count();
    let pages = site(&runs, None, Generations::Apart, &still);
    let apart = page(&pages, "tests/sysbench-hot-points.html");
    assert_eq!(groups(apart), 2);
    assert!(apart.contains(">Against postgres@16.11 on 2 × Example (Zen 3), virtual</h2>"), "{apart}");
    let told = "Measured on 2 processors: Example (Zen 3), Example (Zen 4). A ratio holds for the processor it was \
                measured on, so they are shown side by side and are not pooled.";
    assert!(apart.contains(told) && apart.contains("<h2>Processors side by side</h2>"));
    let pages = site(&runs, None, Generations::Pooled, &still);
    let pooled = page(&pages, "tests/sysbench-hot-points.html");
    assert_eq!(groups(pooled), 1);
    assert!(pooled.contains(">Against postgres@16.11 on 2 × any processor, virtual</h2>"));
    assert!(pooled.contains("they are pooled below because that was asked for"));
    let headings = pooled.matches("<th ").count() + pooled.matches("<th>").count();
    assert_eq!(headings, pooled.matches(" scope=\"").count());
}

#[test]
fn results_of_one_generation_have_no_word_on_others() {
    let pages = site(&runs(), None, Generations::Apart, &still);
    assert!(pages.iter().all(|page| !page.text.contains("processors") && !page.text.contains("Processors")));
}

#[test]
fn results_of_several_hosts_name_them_all_and_stand_apart_from_those_of_one() {
    let [first, mut merged, _] = <[SiteRun; 3]>::try_from(runs()).expect("three");
    fixture::on_hosts(&mut merged.summary);
    // A later merge, in which one of the hosts was away.
    let mut fewer = merged.clone();
    for test in fewer.summary.comparisons.iter_mut().flat_map(|one| &mut one.tests) {
        drop((!test.runs.is_empty()).then(|| test.runs.remove(0)));
    }
    let runs = [on(first, "one", "Zen 3"), on(fewer, "fewer", "Zen 3"), on(merged, "merged", "Zen 3")];
    let hosts = "6 hosts: 3 with AMD Zen 3, 2 with AMD Zen 4 and 1 with Intel Golden Cove";
    let pages = site(&runs, None, Generations::Apart, &still);
    let list = page(&pages, "index.html").split("id=\"runs\"").last().unwrap();
    assert!(list.contains(&format!(">{hosts}</td>")), "{list}");
    let trend = page(&pages, "tests/sysbench-hot-points.html");
    let kinds = "several hosts with AMD Zen 3, AMD Zen 4 and Intel Golden Cove";
    assert_eq!(trend.matches(&format!(">Against postgres@16.11 on {kinds}</h2>")).count(), 1, "{trend}");
    assert_eq!(trend.matches(">Against ").count(), 2, "{trend}");
    assert!(trend.contains(&format!("Measured on 2 kinds of hosts: Example (Zen 3); {kinds}. A ratio")));
    let pages = site(&runs, None, Generations::Pooled, &still);
    let pooled = page(&pages, "tests/sysbench-hot-points.html");
    assert!(pooled.contains(">Against postgres@16.11 on several hosts</h2>"));
}

#[test]
fn hostile_names_are_text_and_lead_nowhere_else() {
    let mut runs = runs();
    fixture::make_hostile(&mut runs[0].summary);
    runs[0].started = fixture::HOSTILE.into();
    for page in site(&runs, None, Generations::Apart, &still) {
        // The only script is the program's own.
        let scripts = page.text.matches("<script").count();
        let own = page.text.matches(script::SCRIPT.text).count();
        assert!(scripts == own && own <= 1 && !page.text.contains(['\u{1b}', '\0', '\u{202e}']));
        assert_eq!(page.text.contains("script-src"), own == 1);
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

/// Nine results; from the fifth on the level is another.
fn history() -> Vec<SiteRun> {
    let first = runs().swap_remove(0);
    let run = |day: usize| {
        let mut run = SiteRun {
            name: format!("run-{day}"),
            started: format!("2026-11-0{day}T10:00:00Z"),
            ..first.clone()
        };
        let fall = if day > 4 { 0.9 } else { 1.0 };
        for test in run.summary.comparisons.iter_mut().flat_map(|one| &mut one.tests) {
            test.rqps = test.rqps.map(|rqps| rqps * fall);
            test.ci95 = test.ci95.map(|ends| ends.map(|end| end * fall));
        }
        run
    };
    (1..10).map(run).collect()
}

#[test]
fn a_change_of_level_is_told_with_its_release() {
    let change = |values: &[SeriesValue]| match values {
        [_, _, _, before, at, ..] if before.value.is_finite() => {
            vec![ChangePoint { at: 4, ratio: (at.value - before.value).exp(), ci95: [0.89, 0.91], p: 0.005 }]
        }
        _ => Vec::new(),
    };
    let pages = site(&history(), None, Generations::Apart, &change);
    let trend = page(&pages, "tests/sysbench-hot-points.html");
    let told = trend.find("▼ level 0.900x").expect("in words");
    assert!(
        trend[told..].starts_with("▼ level 0.900x</span> [0.890, 0.910] with ")
            && trend.contains("of 2026-11-05"),
        "{trend}"
    );
    let marks = trend.matches("class=\"level worse\"").count();
    let charts = trend.matches("<svg").count();
    assert_eq!((marks, charts), (4, 4), "one line in each form of the chart");
    let pages = site(&history(), None, Generations::Apart, &still);
    assert!(page(&pages, "tests/sysbench-hot-points.html").contains("No change of level shown"));
}

#[test]
fn a_cell_of_a_map_leads_to_its_chart_and_holds_the_latest_result() {
    let pages = site(&history(), None, Generations::Apart, &still);
    let map = page(&pages, "engines/postgres.html");
    let link = "href=\"../tests/sysbench-hot-points.html#against-0\"";
    assert_eq!(map.matches(link).count(), 2, "its row and its cell");
    assert!(page(&pages, "tests/sysbench-hot-points.html").contains("id=\"against-0\""));
    assert!(map.contains("data-kind=\"better\"") && map.contains("<th scope=\"col\">17.7</th>"), "{map}");
    let headings = map.matches("<th ").count() + map.matches("<th>").count();
    assert_eq!(headings, map.matches(" scope=\"").count());
}

#[test]
fn the_feed_is_well_formed_and_has_every_run_once_newest_first() {
    let mut runs = runs();
    fixture::make_hostile(&mut runs[0].summary);
    let pages = site(&runs, None, Generations::Apart, &still);
    let document = roxmltree::Document::parse(page(&pages, "feed.xml")).expect("XML");
    let text = |name: &str| -> Vec<String> {
        let named = document.descendants().filter(|node| node.tag_name().name() == name);
        named.filter_map(|node| node.text().map(str::to_owned)).collect()
    };
    assert_eq!(text("updated")[..2], ["2026-11-03T10:00:00Z", "2026-11-03T10:00:00Z"]);
    let ids = text("id");
    assert_eq!((ids.len(), ids.iter().collect::<BTreeSet<_>>().len()), (4, 4));
    let uuid = |id: &String| id.len() == 45 && id.starts_with("urn:uuid:") && &id[23..24] == "8";
    assert!(ids.iter().all(uuid), "{ids:?}");
    let feeds = |node: &roxmltree::Node<'_, '_>| node.attribute("href").map(str::to_owned);
    let links: Vec<String> = document.descendants().filter_map(|node| feeds(&node)).collect();
    assert_eq!(links[..2], ["index.html", "runs/releases/index.html"]);
}

#[test]
fn tests_releases_and_settings_can_be_found() {
    let mut runs = runs();
    runs[0].subjects[1].settings = "+work_mem=8MB".into();
    let pages = site(&runs, None, Generations::Apart, &still);
    let index = page(&pages, "index.html");
    let finds = &index[index.find("id=\"find\"").unwrap()..index.find("id=\"engines\"").unwrap()];
    for found in ["hot-points (sysbench)", "postgres 17.7", "postgres +work_mem=8MB", "2026-11-01 10:00"] {
        assert!(finds.contains(found), "{found}: {finds}");
    }
}
