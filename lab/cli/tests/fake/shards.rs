//! Shards of one plan on the fake engine, and `humdrum merge`: any order, with shards that are missing, cut off or there twice.

use std::fs;

use humdrum_model::{SessionInfo, Stage};

use crate::common::{Humdrum, field, text_of};

const NOISE: &str = "+noise=5%+session_noise=0.3%";

/// Three shards of a comparison with a loss of 3 %, in `s1`, `s2` and `s3`.
pub(crate) fn measured() -> Humdrum {
    let humdrum = Humdrum::new();
    for number in 1..=3 {
        shard(&humdrum, &format!("s{number}"), number, &[]);
    }
    humdrum
}

pub(crate) fn shard(humdrum: &Humdrum, out: &str, number: u32, more: &[&str]) {
    let subjects = [format!("a=fake@1.0{NOISE}"), format!("b=fake@1.0{NOISE}+slowdown=3%")];
    let part = format!("{number}/3");
    let fixed = [
        "--tests",
        "scan,point-query",
        "--scale",
        "tiny",
        "--sessions",
        "9",
        "--budget",
        "60s",
        "--shard",
        &part,
    ];
    let args: Vec<&str> =
        subjects.iter().map(String::as_str).chain(fixed).chain(more.iter().copied()).collect();
    let (code, summary, complaint) = humdrum.compare(out, &args);
    assert!(matches!(code, 0 | 1) && !summary.is_null(), "{complaint}");
}

fn merged(humdrum: &Humdrum, code: i32, shards: &[&str], out: &str) -> String {
    let output = humdrum.exits(code, &[&["merge"], shards, &["--out", out, "--quiet"]].concat());
    text_of(&output.stdout)
}

fn bytes(humdrum: &Humdrum, out: &str) -> Vec<u8> {
    fs::read(humdrum.path(out).join("summary.json")).expect("a summary")
}

#[test]
fn shards_of_one_host_give_the_verdicts_of_the_whole_plan_in_any_order() {
    let humdrum = measured();
    let confirming = |session: &&SessionInfo| session.stage == Stage::Confirmation;
    assert_eq!(humdrum.results("s2").sessions.iter().filter(confirming).count(), 3);
    merged(&humdrum, 1, &["s1", "s2", "s3"], "all");
    merged(&humdrum, 1, &["s3", "s1", "s2"], "turned");
    merged(&humdrum, 1, &["s2", "s3", "s2"], "two");
    merged(&humdrum, 1, &["two", "s1"], "further");
    let all = bytes(&humdrum, "all");
    assert!(all == bytes(&humdrum, "turned") && all == bytes(&humdrum, "further"));
    let summary = humdrum.summary("all");
    assert!(field(&summary, "verdict").iter().all(|(_, verdict)| verdict == "regression"), "{summary:#}");
    assert!(field(&summary, "sessions").iter().all(|(_, sessions)| sessions == 9), "{summary:#}");
    let told = text_of(&humdrum.exits(0, &["report", "all"]).stdout);
    assert!(!told.contains("missing"), "{told}");
    let told = text_of(&humdrum.exits(0, &["report", "two"]).stdout);
    assert!(told.contains("2 of 3 shards are here; missing: 1"), "{told}");
    let told = merged(&humdrum, 0, &["s1", "s2", "s3", "--no-report"], "unjudged");
    assert!(told.contains("results: unjudged") && !humdrum.path("unjudged/summary.json").exists(), "{told}");
    let reported = text_of(&humdrum.exits(0, &["report", "unjudged", "--format", "json"]).stdout);
    assert_eq!(reported.trim_end(), text_of(&all).trim_end());
    // A merged result has nothing left to measure.
    humdrum.exits(0, &["report", "all", "--format", "html", "--out", "page.html"]);
}

#[test]
fn what_cannot_be_merged_is_told_and_nothing_is_left() {
    let humdrum = measured();
    shard(&humdrum, "other", 3, &["--seed", "9"]);
    let whole = ["fake@1.0", "fake@1.1", "--tests", "scan", "--scale", "tiny", "--sessions", "4"];
    humdrum.compare("whole", &whole);
    fs::create_dir(humdrum.path("taken")).expect("made");
    fs::create_dir(humdrum.path("cut")).expect("made");
    let store = fs::read(humdrum.path("s1/results.sqlite")).expect("read");
    fs::write(humdrum.path("cut/results.sqlite"), &store[..store.len() / 2]).expect("written");
    for (shards, out, expected) in [
        (&["s1", "other"][..], "m", "the seeds differ"),
        (&["s1", "whole"], "m", "no shard"),
        (&["s1", "nothing"], "m", "no results at nothing"),
        (&["s1", "cut"], "m", "cut"),
        (&["s1", "s2"], "taken", "exists already"),
    ] {
        let output = humdrum.exits(2, &[&["merge"], shards, &["--out", out]].concat());
        let complaint = text_of(&output.stderr);
        assert!(complaint.contains(expected), "{complaint}");
        assert!(!humdrum.path("m").exists(), "{shards:?}");
    }
    let left: Vec<String> = fs::read_dir(humdrum.folder())
        .expect("listed")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(".part"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Makes a shard one of another host.
fn measured_on(humdrum: &Humdrum, shard: &str, generation: &str) {
    let store = rusqlite::Connection::open(humdrum.path(shard).join("results.sqlite")).expect("opened");
    let host = "UPDATE meta SET value = json_set(value, '$.id', ?1, '$.processor.generation', ?2) WHERE key = 'host'";
    store.execute(host, [shard, generation]).expect("changed");
}

fn changed(humdrum: &Humdrum, shard: &str, change: &str) -> usize {
    let store = rusqlite::Connection::open(humdrum.path(shard).join("results.sqlite")).expect("opened");
    store.execute(change, []).expect("changed")
}

#[test]
fn a_shard_that_is_alone_on_its_host_is_judged_by_what_it_keeps() {
    let humdrum = measured();
    for shard in ["s1", "s2", "s3"] {
        measured_on(&humdrum, shard, "AMD Zen 3");
    }
    merged(&humdrum, 1, &["s1", "s2", "s3"], "kept");
    // Blocks that say something else are not read; those of the first host are, for its charts.
    assert!(changed(&humdrum, "s2", "UPDATE slice SET wall_ns = wall_ns * 3 WHERE subject = 1") > 100);
    merged(&humdrum, 1, &["s1", "s2", "s3"], "unread");
    assert!(bytes(&humdrum, "kept") == bytes(&humdrum, "unread"));
    assert!(changed(&humdrum, "s2", "UPDATE slice SET wall_ns = wall_ns / 3 WHERE subject = 1") > 100);
    // Rules of another version may judge otherwise.
    let others = "UPDATE meta SET value = json_set(value, '$.rules', 'others') WHERE key = 'judgement'";
    assert_eq!(changed(&humdrum, "s2", others), 1);
    assert_eq!(changed(&humdrum, "s3", "DELETE FROM meta WHERE key = 'judgement'"), 1);
    merged(&humdrum, 1, &["s1", "s2", "s3"], "read");
    assert!(bytes(&humdrum, "kept") == bytes(&humdrum, "read"));
}

#[test]
fn three_hosts_of_one_kind_predict_another_one_and_of_two_kinds_they_do_not() {
    let humdrum = measured();
    for shard in ["s1", "s2", "s3"] {
        measured_on(&humdrum, shard, "AMD Zen 3");
    }
    let told = merged(&humdrum, 1, &["s1", "s2", "s3"], "one");
    let place = |what: &str| told.find(what).unwrap_or_else(|| panic!("{what}: {told}"));
    let [another, mean] =
        ["another host with AMD Zen 3 (3 measured)", "mean of these hosts: 2 regressions"].map(place);
    assert!(another < mean, "{told}");
    measured_on(&humdrum, "s2", "AMD Zen 4");
    let told = merged(&humdrum, 1, &["s1", "s2", "s3"], "two");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("3 hosts (2 with AMD Zen 3 and 1 with AMD Zen 4) do not show how much"), "{told}");
    assert!(!told.contains("another host"), "{told}");
    let summary = humdrum.summary("two");
    assert!(field(&summary, "verdict").iter().all(|(_, verdict)| verdict == "regression"), "{summary:#}");
    assert!(field(&summary, "reach").iter().all(|(_, reach)| reach.is_null()), "{summary:#}");
}

#[test]
fn parts_of_merged_results_are_told_in_reports_too() {
    let humdrum = measured();
    let store = rusqlite::Connection::open(humdrum.path("s2/results.sqlite")).expect("opened");
    let host = "UPDATE meta SET value = json_set(value, '$.id', 'another') WHERE key = 'host'";
    store.execute_batch(host).expect("changed");
    drop(store);
    let told = merged(&humdrum, 1, &["s1", "s2", "s3"], "all");
    assert!(told.contains("sessions and blocks are those of the first of 2 hosts"), "{told}");
    let complaint = text_of(&humdrum.exits(2, &["resume", "all"]).stderr);
    assert!(
        complaint.contains("all has merged shards") && complaint.contains("in its own folder"),
        "{complaint}"
    );
    fs::remove_dir_all(humdrum.path("all/runs")).expect("removed");
    let complaint = text_of(&humdrum.exits(2, &["report", "all"]).stderr);
    assert!(
        complaint.contains("all/runs/2 is missing") && complaint.contains("copy the whole folder"),
        "{complaint}"
    );
}

#[test]
fn what_is_missing_is_in_every_form_of_a_report() {
    let humdrum = measured();
    let missing = "2 of 3 shards are here; missing: 3";
    let told = merged(&humdrum, 0, &["s1", "s2", "--no-report"], "unjudged");
    assert!(told.contains(missing) && told.contains("no block was read yet"), "{told}");
    for format in ["terminal", "json", "tsv", "markdown", "github", "html"] {
        let told = text_of(&humdrum.exits(0, &["report", "unjudged", "--format", format]).stdout);
        assert!(told.contains(missing), "{format}: {told}");
    }
}

#[test]
fn what_a_killed_merge_left_is_removed_by_the_next_one() {
    let humdrum = measured();
    let stale = humdrum.path("m.part-1");
    fs::create_dir(&stale).expect("made");
    fs::write(stale.join(".lock"), "").expect("written");
    // That of a merge that runs, and a folder of the user.
    let (runs, own) = (humdrum.path("m.part-2"), humdrum.path("m.part-own"));
    [&runs, &own].iter().for_each(|folder| fs::create_dir(folder).expect("made"));
    let lock = fs::File::create(runs.join(".lock")).expect("made");
    lock.lock().expect("locked");
    merged(&humdrum, 0, &["s1", "s2", "s3", "--no-report"], "m");
    assert!((stale.exists(), runs.exists(), own.exists()) == (false, true, true));
    assert!(!humdrum.path("m/.lock").exists());
}

#[test]
fn bad_shards_are_refused() {
    let humdrum = Humdrum::new();
    for (shard, expected) in [("4/3", "is no shard"), ("x", "is no shard"), ("1/40", "has no 40 shards")] {
        let args = ["compare", "fake@1.0", "fake@1.1", "--sessions", "9", "--shard", shard];
        let complaint = text_of(&humdrum.exits(2, &args).stderr);
        assert!(complaint.contains(expected), "{complaint}");
    }
}
