//! `humdrum watch` on an engine whose releases come out while the test looks: nothing is measured twice, nothing is lost by a
//! kill, and a release that does not start keeps no other from being measured.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::processes::send;
use crate::common::{Humdrum, text_of};

const OUT: &str = "watch";

/// A plan of the tiniest size; `subjects` as in a file.
fn planned(subjects: &str) -> Humdrum {
    let lab = Humdrum::new();
    let text = format!(
        "subjects = [{subjects}]\ntests = [\"hot-points\", \"point-query\"]\nscale = \"tiny\"\nbudget = \"30s\"\nseed = 7\n"
    );
    fs::write(lab.path("plan.toml"), text).expect("written");
    lab
}

/// The command, with these releases out beside the built-in ones.
fn command(lab: &Humdrum, releases: &str, more: &[&str]) -> Command {
    let args = [&["watch", "plan.toml", "--out", OUT], more].concat();
    let mut command = lab.private(&args);
    command.env("HUMDRUM_FAKE_RELEASES", releases);
    command
}

/// Runs to the end; the exit code, what was said, and what was done.
fn watch(lab: &Humdrum, releases: &str, more: &[&str]) -> (i32, String, Value) {
    let more = [more, &["--json", "call.json"]].concat();
    let Output { status, stdout, stderr } = command(lab, releases, &more).output().expect("humdrum starts");
    let told = text_of(&stdout) + &text_of(&stderr);
    let call = fs::read_to_string(lab.path("call.json")).unwrap_or_default();
    let _ = fs::remove_file(lab.path("call.json"));
    (status.code().unwrap_or(-1), told, serde_json::from_str(&call).unwrap_or_default())
}

fn versions(call: &Value) -> Vec<String> {
    let releases = call["releases"].as_array().cloned().unwrap_or_default();
    releases.iter().map(|one| one["version"].as_str().unwrap_or("").to_owned()).collect()
}

/// Labels of the subjects that a release was measured with.
fn subjects(lab: &Humdrum, version: &str) -> Vec<String> {
    let results = lab.results(&format!("{OUT}/{version}"));
    results.plan.subjects.into_iter().map(|subject| subject.label).collect()
}

#[test]
fn without_a_newer_release_nothing_is_measured() {
    let lab = planned("\"fake@1.0\", \"fake@3.0\"");
    let (code, told, call) = watch(&lab, "", &[]);
    assert_eq!(code, 0, "{told}");
    assert!(told.contains("nothing newer than 3.0"), "{told}");
    assert!(versions(&call).is_empty() && call["offered"] == 5, "{call}");
    assert!(!lab.path("watch/site").exists());
}

#[test]
fn newer_releases_are_measured_once_each_with_the_one_before_and_the_base() {
    let lab = planned("\"fake@1.0\", \"fake@3.0+lags=3.2\"");
    let (code, told, call) = watch(&lab, "3.1", &["--dry-run"]);
    assert!(code == 0 && told.contains("newer than 3.0: 3.1") && told.contains("minutes"), "{told}");
    assert!(!lab.path(OUT).exists(), "a dry run writes nothing");
    assert!(call["due"][0] == "3.1" && versions(&call).is_empty(), "{call}");

    let (code, told, call) = watch(&lab, "3.1", &[]);
    assert_eq!((code, versions(&call)), (0, vec!["3.1".to_owned()]), "{told}");
    assert_eq!(subjects(&lab, "3.1"), ["fake@1.0", "fake@3.0+lags=3.2", "fake@3.1+lags=3.2"]);
    assert!(told.contains("3.1: ● no loss shown") && lab.path("watch/3.1/report.html").is_file(), "{told}");
    let page = fs::read_to_string(lab.path("watch/site/index.html")).expect("a site");
    assert!(page.contains("fake@3.1"), "{page}");

    // 3.2 takes a tenth longer, and 3.3 is as fast as 3.1.
    let (code, told, call) = watch(&lab, "3.1,3.2,3.3", &[]);
    assert_eq!((code, versions(&call)), (1, vec!["3.2".to_owned(), "3.3".to_owned()]), "{told}");
    assert!(told.contains("3.2: ▼ lost") && told.contains("against fake@3.1"), "{told}");
    let losses = call["releases"][0]["losses"].as_array().cloned().unwrap_or_default();
    let lost = |quantity: &str| losses.iter().filter(|loss| loss["quantity"] == quantity).count();
    assert!(lost("throughput") == 2 && losses.iter().all(|loss| loss["against"] != "fake@1.0"), "{call}");
    assert_eq!(call["releases"][1]["code"], 0, "{call}");
    assert_eq!(subjects(&lab, "3.3")[1], "fake@3.2+lags=3.2");

    let (code, told, call) = watch(&lab, "3.1,3.2,3.3", &[]);
    assert!(code == 0 && versions(&call).is_empty(), "nothing is measured twice: {told}");
    assert!(told.contains("nothing newer than 3.3"), "{told}");
}

#[test]
fn the_base_alone_is_the_release_before() {
    let lab = planned("\"fake@3.0\", \"fake@2.1\"");
    let (code, told, _) = watch(&lab, "3.1", &["--site", "pages"]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(subjects(&lab, "3.1"), ["fake@3.0", "fake@3.1"]);
    assert!(lab.path("pages/index.html").is_file() && !lab.path("watch/site").exists());

    // Who asks for published figures later gets their page without news.
    let table = "engine\tbase\tsubject\ttest\tmetric\tvalue\nfake\t3.0\t3.1\thot-points\trqps\t1.00\n";
    fs::write(lab.path("theirs.tsv"), table).expect("written");
    let (code, told, _) = watch(&lab, "3.1", &["--site", "pages", "--published", "theirs.tsv"]);
    assert!(code == 0 && lab.path("pages/published.html").is_file(), "{told}");
    let (code, told, _) = watch(&lab, "3.1", &["--site", "pages", "--published", "missing.tsv"]);
    assert!(code == 2 && told.contains("missing.tsv"), "{told}");
}

#[test]
fn killed_in_the_middle_the_next_call_goes_on() {
    let lab = planned("\"fake@1.0\", \"fake@3.0\"");
    let run = |lab: &Humdrum| {
        let mut command = command(lab, "3.1,3.2", &["--quiet", "--budget", "10m"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("humdrum starts")
    };
    let blocks = |lab: &Humdrum| lab.recorded("watch/3.1").map_or(0, |results| results.blocks.len());
    let mut call = run(&lab);
    let began = Instant::now();
    while blocks(&lab) == 0 && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    send(call.id(), 9);
    assert!(!call.wait().expect("ends").success());
    let before = lab.results("watch/3.1");
    assert!(!before.finished && !lab.path("watch/3.2").exists(), "killed too late");

    let (code, told, call) = watch(&lab, "3.1,3.2", &["--budget", "10m"]);
    assert_eq!((code, versions(&call)), (0, vec!["3.1".to_owned(), "3.2".to_owned()]), "{told}");
    let after = lab.results("watch/3.1");
    assert!(after.finished && after.started == before.started && told.contains("going on after"), "{told}");
    assert!(before.blocks.iter().all(|block| after.blocks.contains(block)), "what was measured is kept");
    assert!(lab.path("watch/site/index.html").is_file());
}

#[test]
fn a_release_that_does_not_start_is_tried_again_twice_and_holds_up_no_other() {
    let lab = planned("\"fake@1.0\", \"fake@3.0+breaks=3.1\"");
    let (code, told, call) = watch(&lab, "3.1,3.2", &[]);
    assert_eq!((code, versions(&call)), (3, vec!["3.1".to_owned(), "3.2".to_owned()]), "{told}");
    assert!(told.contains("3.1: failed, first attempt") && told.contains("3.2: ● no loss shown"), "{told}");
    assert_eq!(subjects(&lab, "3.2")[1], "fake@3.0+breaks=3.1", "3.1 cannot stand beside it");
    for attempt in ["second attempt", "third and last attempt"] {
        let (code, told, call) = watch(&lab, "3.1,3.2", &[]);
        assert_eq!((code, versions(&call)), (3, vec!["3.1".to_owned()]), "{told}");
        assert!(told.contains(attempt), "{told}");
    }
    let (code, told, call) = watch(&lab, "3.1,3.2", &[]);
    assert!(code == 0 && versions(&call).is_empty() && call["given_up"][0] == "3.1", "{told}");
    assert!(told.contains("failed 3 times and is left out"), "{told}");
    let page = fs::read_to_string(lab.path("watch/site/index.html")).expect("a site");
    assert!(page.contains("fake@3.2") && !page.contains("fake@3.1"), "failed attempts are no results");
}

#[test]
fn what_cannot_be_watched_is_refused_and_nothing_is_written() {
    let refused = |subjects: &str, more: &[&str], word: &str| {
        let lab = planned(subjects);
        let (code, told, _) = watch(&lab, "3.1", more);
        assert_eq!(code, 2, "{told}");
        assert!(told.contains(word), "{told}");
        assert!(!lab.path(OUT).exists(), "{told}");
    };
    refused("\"fake@/opt/fake\", \"postgres@src:../pg\"", &[], "names no release");
    refused("\"fake@1.0\", \"fake@9.9\"", &[], "no release 9.9");
    refused("\"fake@1.0\", \"fake-kv@3.0\"", &[], "");
    refused("\"fake@1.0\", \"fake@3.0\"", &["--on-busy", "dance"], "dance");
    let lab = planned("\"fake@1.0\", \"fake@3.0\"");
    assert_eq!(watch(&lab, "3.1", &[]).0, 0);
    fs::write(lab.path("plan.toml"), "subjects = [\"fake@1.1\", \"fake@3.0\"]\n").expect("written");
    let (code, told, _) = watch(&lab, "3.2", &[]);
    assert!(code == 2 && told.contains("with fake@1.0 as base"), "{told}");
    fs::write(lab.path("watch/watch.json"), "{").expect("written");
    let (code, told, _) = watch(&lab, "3.2", &[]);
    assert!(code == 2 && told.contains("not the state of a watch"), "{told}");
}

#[test]
fn one_call_at_a_time() {
    let lab = planned("\"fake@1.0\", \"fake@3.0\"");
    fs::create_dir(lab.path(OUT)).expect("made");
    let file = fs::File::create(lab.path("watch/watch.lock")).expect("made");
    file.lock().expect("locked");
    let (code, told, _) = watch(&lab, "3.1", &[]);
    assert!(code == 3 && told.contains("another `humdrum watch`"), "{told}");
    drop(file);
    assert_eq!(watch(&lab, "3.1", &[]).0, 0);
}
