//! `humdrum site` from results of the fake engine: every page exists, every link has a target, and files that
//! it did not write stay.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Humdrum, text_of};
use humdrum_record::Store;

/// Two runs: one in which nothing moved, one with a regression.
fn measured() -> Humdrum {
    let humdrum = Humdrum::new();
    for (out, subject) in
        [("humdrum-results/same", "fake@1.1"), ("humdrum-results/slow", "fake@1.1+slowdown=30%")]
    {
        let tests = ["--tests", "hot-points,read-only-count", "--scale", "tiny", "--quiet", "--out", out];
        let output = humdrum.run(&[["compare", "fake@1.0", subject].as_slice(), &tests].concat());
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text_of(&output.stderr));
    }
    humdrum
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn after<'a>(page: &'a str, mark: &str) -> Vec<&'a str> {
    page.split(mark).skip(1).map(|rest| &rest[..rest.find('"').expect("an end")]).collect()
}

#[test]
fn every_link_of_every_page_leads_somewhere() {
    let humdrum = measured();
    let output = humdrum.exits(0, &["site", "site"]);
    assert!(text_of(&output.stdout).contains("2 of 2 runs"), "{}", text_of(&output.stdout));
    let site = humdrum.path("site");
    let pages: Vec<PathBuf> =
        files(&site).into_iter().filter(|path| path.extension().is_some_and(|end| end == "html")).collect();
    assert_eq!(pages.len(), 1 + 1 + 2 + 2, "{pages:?}");
    for path in &pages {
        let page = fs::read_to_string(path).expect("a page");
        for link in after(&page, "href=\"") {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let other = if file.is_empty() { path.clone() } else { path.with_file_name(file) };
            let text = fs::read_to_string(&other).unwrap_or_else(|_| panic!("{link} of {}", path.display()));
            assert!(place.is_empty() || text.contains(&format!("id=\"{place}\"")), "{link}");
        }
        assert!(
            !page.contains("http://") || !page.replace("http://www.w3.org/2000/svg", "").contains("http://")
        );
    }
    let index = fs::read_to_string(site.join("index.html")).expect("an index");
    assert!(index.contains("▼ regression") && index.contains("runs/same/index.html"));
}

/// Figures of an engine that was not measured are named as left out, and a table that is not there stops the site before its work.
#[test]
fn published_figures_have_a_page_beside_those_of_the_runs() {
    let humdrum = measured();
    let head = "engine\tbase\tsubject\ttest\tmetric\tvalue\n";
    let put =
        |name: &str, rows: &str| fs::write(humdrum.path(name), format!("{head}{rows}")).expect("written");
    put("ours.tsv", "fake\t1.0\t1.1\thot-points\trqps\t1.00\nfake\t1.0\t1.1\tscan\trqps\t1.00\n");
    put("other.tsv", "mysql\t5.6.51\t8.0.45\tscan\trqps\t0.80\n");

    humdrum.exits(0, &["site", "site", "--published", "ours.tsv"]);
    let page = fs::read_to_string(humdrum.path("site/published.html")).expect("a page");
    assert!(page.contains("href=\"index.html\"") && page.contains("hot-points"), "{page}");
    let index = fs::read_to_string(humdrum.path("site/index.html")).expect("an index");
    assert!(index.contains("href=\"published.html\"") && index.contains("2 published ratios"), "{index}");

    let output = humdrum.exits(0, &["site", "site", "--published", "other.tsv"]);
    let told = text_of(&output.stderr);
    assert!(told.contains("left out: none of the 1 published figures"), "{told}");
    let index = fs::read_to_string(humdrum.path("site/index.html")).expect("an index");
    assert!(!humdrum.path("site/published.html").exists() && !index.contains("published.html"));

    let told = text_of(&humdrum.exits(2, &["site", "new", "--published", "missing.tsv"]).stderr);
    assert!(told.contains("missing.tsv") && !humdrum.path("new").exists(), "{told}");
}

#[test]
fn a_later_site_replaces_its_own_pages_and_nothing_else() {
    let humdrum = measured();
    let site = humdrum.path("site");
    fs::create_dir(&site).expect("made");
    fs::write(site.join("CNAME"), "perf.example").expect("written");
    humdrum.exits(0, &["site", "site"]);
    fs::remove_dir_all(humdrum.path("humdrum-results/same")).expect("removed");
    fs::create_dir(humdrum.path("humdrum-results/broken")).expect("made");
    fs::write(humdrum.path("humdrum-results/broken/results.sqlite"), "no database").expect("written");

    let output = humdrum.exits(0, &["site", "site"]);
    assert!(text_of(&output.stdout).contains("1 of 2 runs"));
    assert!(text_of(&output.stderr).contains("left out: ") && text_of(&output.stderr).contains("broken"));
    assert!(site.join("runs/slow/index.html").is_file() && !site.join("runs/same").exists());
    assert_eq!(fs::read_to_string(site.join("CNAME")).expect("kept"), "perf.example");
    let hidden = fs::read_dir(&site).expect("read").flatten().map(|entry| entry.file_name());
    let hidden: Vec<_> = hidden.filter(|name| name.to_string_lossy().starts_with('.')).collect();
    assert_eq!(hidden, [".humdrum-site"], "nothing half-written is left");
}

#[test]
fn what_is_not_a_site_is_left_alone_and_what_is_no_result_is_named() {
    let humdrum = Humdrum::new();
    let refused = |args: &[&str], word: &str| {
        let told = text_of(&humdrum.exits(2, args).stderr);
        assert!(told.contains(word), "{told}");
    };
    refused(&["site", "site"], "humdrum-results");
    refused(&["site", "site", "nowhere"], "nowhere");
    assert!(!humdrum.path("site").exists());
    fs::create_dir_all(humdrum.path("mine")).expect("made");
    fs::write(humdrum.path("mine/index.html"), "my page").expect("written");
    refused(&["site", "mine"], "something other than a site");
    fs::write(humdrum.path("file"), "text").expect("written");
    refused(&["site", "file"], "something other than a site");
    assert_eq!(fs::read_to_string(humdrum.path("mine/index.html")).expect("kept"), "my page");
}

/// What a foreign folder or file is called must neither act on the terminal nor become markup on a page.
#[test]
fn hostile_names_are_harmless_on_console_and_pages() {
    let humdrum = Humdrum::new();
    let hostile = format!("\u{202e}\u{9b}2J\x1b[31m<script>alert(1)<{}", "x".repeat(150));
    let folder = humdrum.path("humdrum-results").join(&hostile);
    let out = folder.display().to_string();
    let args = ["compare", "fake@1.0", "fake@1.1", "--tests", "scan", "--quiet", "--out", &out];
    humdrum.exits(0, &args);
    fs::create_dir_all(folder.join("broken")).expect("made");
    let broken = humdrum.path("humdrum-results").join(format!("{hostile}-broken"));
    fs::create_dir(&broken).expect("made");
    fs::write(broken.join("results.sqlite"), "no database").expect("written");

    let output = humdrum.run(&["site", "site", "--progress", "plain"]);
    let told = text_of(&output.stderr) + &text_of(&output.stdout);
    assert!(told.contains("1 of 2 runs") && told.contains("left out: "), "{told}");
    assert!(!told.contains(['\u{202e}', '\u{9b}', '\x1b']), "{told:?}");
    for path in
        files(&humdrum.path("site")).iter().filter(|path| path.extension().is_some_and(|end| end == "html"))
    {
        let page = fs::read_to_string(path).expect("a page");
        assert!(
            !page.contains("<script>alert") && !page.contains(['\u{202e}', '\u{9b}', '\x1b']),
            "{}",
            path.display()
        );
    }
    let missing = humdrum.run(&["report", &hostile]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(
        !text_of(&missing.stderr).contains(['\u{202e}', '\u{9b}', '\x1b']),
        "{:?}",
        text_of(&missing.stderr)
    );
}

/// Two runs whose records say that they come from processors of different generations.
#[test]
fn generations_are_pooled_only_when_asked_for() {
    let humdrum = measured();
    for (run, generation) in [("same", "Zen 3"), ("slow", "Zen 4")] {
        let path = humdrum.path("humdrum-results").join(run).join("results.sqlite");
        let mut results = Store::open(&path).and_then(|store| store.read()).expect("a record");
        results.host.processor.generation = generation.into();
        fs::remove_file(&path).expect("removed");
        Store::create(&path, &results).and_then(|mut store| store.finish()).expect("written again");
    }
    let page = |options: &[&str]| {
        humdrum.exits(0, &[&["site", "site"], options].concat());
        let pages = files(&humdrum.path("site").join("tests"));
        let page = pages.iter().find(|page| page.to_string_lossy().contains("hot-points")).expect("a page");
        fs::read_to_string(page).expect("a page")
    };
    let apart = page(&[]);
    assert!(
        apart.matches(">Against ").count() == 2 && apart.contains("(Zen 3)") && apart.contains("(Zen 4)")
    );
    assert!(apart.contains("they are shown side by side and are not pooled"));
    assert_eq!(page(&["--pool-generations"]).matches(">Against ").count(), 1);
}
