//! Canaries on the `fake` engine: the whole pipeline, in milliseconds. They fail when an alarm is broken: an
//! A/A run with a verdict, a slowdown that is not found, a crashed server that ends the run.

use std::collections::BTreeSet;

use crate::common::{Humdrum, field};

/// Noise of the size that a shared host has: 5 % from operation to operation, 0.3 % between sessions.
const NOISE: &str = "+noise=5%+session_noise=0.3%";

/// Compares two noisy servers; the second has `more` in it.
fn noisy(lab: &Humdrum, more: &str, options: &[&str]) -> (i32, serde_json::Value) {
    lab.compare_fake(&format!("a=fake@1.0{NOISE}"), &[&format!("other=fake@1.0{NOISE}{more}")], options)
}

#[test]
fn an_a_a_comparison_stays_quiet() {
    let lab = Humdrum::new();
    let (code, summary) = noisy(&lab, "", &[]);
    assert_eq!(code, 0);
    let verdicts = field(&summary, "verdict");
    assert_eq!(verdicts.len(), 22);
    let moved = verdicts.iter().filter(|(_, verdict)| verdict == "regression" || verdict == "improvement");
    assert_eq!(moved.count(), 0, "{verdicts:?}");
    let boring = verdicts.iter().filter(|(_, verdict)| verdict == "boring").count();
    assert!(boring >= 18, "equivalence is to be shown for most: {verdicts:?}");
}

#[test]
fn a_slowdown_of_three_percent_alarms() {
    let lab = Humdrum::new();
    let (code, summary) = noisy(&lab, "+slowdown=3%", &[]);
    assert_eq!(code, 1, "a confirmed regression exits with 1");
    let verdicts = field(&summary, "verdict");
    let regressions = verdicts.iter().filter(|(_, verdict)| verdict == "regression").count();
    assert!(regressions >= 20, "{verdicts:?}");
    for (test, rqps) in field(&summary, "rqps") {
        let rqps = rqps.as_f64().expect("a ratio");
        assert!((rqps - 1.0 / 1.03).abs() < 0.01, "{test}: {rqps}");
    }
}

/// Nineteen of twenty operations are as fast as ever; the twentieth takes twenty times as long. Of typical slices that is
/// nothing, of throughput it is half.
#[test]
fn stalls_are_a_regression() {
    let lab = Humdrum::new();
    let options = ["--tests", "hot-points", "--budget", "3m"];
    let (code, summary) = noisy(&lab, "+stall_share=5%+stall_factor=20", &options);
    assert_eq!(code, 1);
    for (test, rqps) in field(&summary, "rqps") {
        let rqps = rqps.as_f64().expect("a ratio");
        assert!((0.48..0.54).contains(&rqps), "{test}: {rqps}");
    }
    for (test, typical) in field(&summary, "typical") {
        let of = |name: &str| typical[name].as_f64().expect("a number");
        assert!(of("ratio") > 0.95 && (0.4..0.55).contains(&of("stalls")), "{test}: {typical}");
    }
    assert!(field(&summary, "verdict").iter().all(|(_, verdict)| verdict == "regression"), "{summary}");
}

/// What another server's turn leaves behind slows the first quarter of the next: caches, not the release.
#[test]
fn cold_caches_after_a_switch_are_no_regression() {
    let lab = Humdrum::new();
    let (_, summary) = noisy(&lab, "+carry_over=4%", &[]);
    let verdicts = field(&summary, "verdict");
    assert!(verdicts.iter().all(|(_, verdict)| verdict != "regression"), "{verdicts:?}");
}

#[test]
fn cold_caches_after_a_switch_are_told_of() {
    let lab = Humdrum::new();
    let (_, summary) = noisy(&lab, "+carry_over=4%", &["--tests", "hot-points,scan", "--budget", "120s"]);
    for (test, notes) in field(&summary, "notes") {
        let told = notes.as_array().is_some_and(|notes| {
            notes.iter().any(|note| note.as_str().is_some_and(|note| note.starts_with("carry-over")))
        });
        assert!(told, "{test}: {notes}");
    }
}

#[test]
fn a_dead_server_becomes_a_row_and_the_others_go_on() {
    let lab = Humdrum::new();
    let (code, summary) = lab.compare_fake(
        "base=fake@1.0",
        &["dead=fake@1.0+crash_after=5000", "well=fake@1.0"],
        &["--tests", "point-query,scan,hot-points"],
    );
    assert_eq!(code, 3, "a failed run exits with 3");
    let statuses = |number: usize| {
        let tests = summary["comparisons"][number]["tests"].as_array().expect("tests");
        tests.iter().map(|test| test["status"].as_str().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    assert!(statuses(0).iter().any(|status| status == "failed"), "{:?}", statuses(0));
    assert!(statuses(1).iter().all(|status| status == "ok"), "{:?}", statuses(1));
}

#[test]
fn a_wrong_answer_voids_the_speed() {
    let lab = Humdrum::new();
    let (code, summary) =
        lab.compare_fake("fake@1.0", &["lies=fake@1.0+wrong_at=1"], &["--tests", "point-query"]);
    assert_eq!(code, 3);
    assert_eq!(field(&summary, "status")[0].1, "wrong-answer");
    assert!(field(&summary, "verdict")[0].1.is_null());
    assert!(field(&summary, "rqps")[0].1.is_null());
}

#[test]
fn a_server_that_hangs_is_timed_out() {
    let lab = Humdrum::new();
    let (code, summary) =
        lab.compare_fake("fake@1.0", &["hangs=fake@1.0+hang_at=2000"], &["--tests", "point-query"]);
    assert_eq!(code, 3);
    assert_eq!(field(&summary, "status")[0].1, "failed");
}

#[test]
fn improvements_are_seen_and_are_no_failure() {
    let lab = Humdrum::new();
    let (code, summary) = lab.compare_fake("fake@1.0", &["fake@2.0"], &["--tests", "hot-points"]);
    assert_eq!(code, 0);
    assert_eq!(field(&summary, "verdict")[0].1, "improvement");
}

#[test]
fn the_same_seed_gives_the_same_summary() {
    let lab = Humdrum::new();
    let args = ["--tests", "hot-points,scan", "--seed", "7", "--budget", "60s"];
    let first = lab.compare_fake(&format!("a=fake@1.0{NOISE}"), &[&format!("bb=fake@1.1{NOISE}")], &args);
    let other = Humdrum::new();
    let second = other.compare_fake(&format!("a=fake@1.0{NOISE}"), &[&format!("bb=fake@1.1{NOISE}")], &args);
    assert_eq!(first.1["comparisons"], second.1["comparisons"]);
}

#[test]
fn several_clients_measure_too() {
    let lab = Humdrum::new();
    let scale = ["--scale", "rows=20k,clients=4", "--tests", "point-query,scan"];
    let (code, _, complaint) = lab.compare("many", &[&["a=fake@1.0", "b=fake@1.0"], &scale[..]].concat());
    assert_eq!(code, 0, "{complaint}");
}

#[test]
fn all_files_are_written() {
    let lab = Humdrum::new();
    let out = lab.path("files").display().to_string();
    let json = lab.path("here.json").display().to_string();
    let args =
        ["compare", "fake@1.0", "fake@1.1", "--tests", "scan", "--quiet", "--out", &out, "--json", &json];
    lab.exits(0, &args);
    for name in ["results.sqlite", "report.html", "summary.json", "summary.tsv", "summary.md"] {
        let size = std::fs::metadata(lab.path("files").join(name)).map(|meta| meta.len());
        assert!(size.is_ok_and(|bytes| bytes > 100), "{name}");
    }
    let summary = std::fs::read(lab.path("files/summary.json")).expect("summary");
    assert_eq!(summary, std::fs::read(&json).expect("the copy"));
    // Read again, the results give the same summary.
    let again = lab.run(&["report", &out, "--format", "json"]);
    assert_eq!(summary.trim_ascii(), again.stdout.trim_ascii());
}

#[test]
fn what_is_injected_is_found() {
    let lab = Humdrum::new();
    for (subject, low, high) in
        [("slow=fake@1.0+inject=5%", 0.94, 0.965), ("stalls=fake@1.0+inject_stall=5%x20", 0.48, 0.54)]
    {
        let (code, summary) =
            lab.compare_fake("fake@1.0", &[subject], &["--tests", "hot-points", "--budget", "2m"]);
        let rqps = field(&summary, "rqps")[0].1.as_f64().expect("a ratio");
        assert_eq!(
            (code, field(&summary, "verdict")[0].1.as_str()),
            (1, Some("regression")),
            "{subject}: {rqps}"
        );
        assert!((low..high).contains(&rqps), "{subject}: {rqps}");
    }
}

#[test]
fn what_is_injected_into_whole_steps_is_found() {
    let lab = Humdrum::new();
    for (subject, low, high) in
        [("slow=fake@1.0+inject=5%", 0.95, 0.953), ("stalls=fake@1.0+inject_stall=20%x5", 0.4, 0.7)]
    {
        let options = ["--suite", "insert", "--tests", "l.i1", "--mode", "interleaved", "--sessions", "6"];
        let (_, summary) = lab.compare_fake("fake@1.0", &[subject], &options);
        let rqps = field(&summary, "rqps").last().expect("a step").1.as_f64().expect("a ratio");
        assert!((low..high).contains(&rqps), "{subject}: {rqps}");
    }
}

/// Timers of a server that is stopped in place see time jump, and what they put off is done in its own turn: with eleven
/// servers side by side, each would be stopped five times as long as with three, and lose 15 %.
#[test]
fn many_subjects_that_write_are_measured_as_a_pair_is() {
    let lab = Humdrum::new();
    let base = format!("a=fake@1.0{NOISE}");
    let jumps: Vec<String> =
        (1..11).map(|number| format!("jumps{number}=fake@1.0{NOISE}+time_jump=2%")).collect();
    let jumps: Vec<&str> = jumps.iter().map(String::as_str).collect();
    let options = ["--tests", "update-index", "--budget", "6m"];
    for subjects in [&jumps[..1], &jumps] {
        let (_, summary) = lab.compare_fake(&base, subjects, &options);
        let comparisons = summary["comparisons"].as_array().expect("comparisons");
        assert_eq!(comparisons.len(), subjects.len());
        for comparison in comparisons {
            let ci95 = &comparison["tests"][0]["ci95"];
            let edge = |side: usize| ci95[side].as_f64().expect("an edge");
            assert!(edge(0) > 0.98 && edge(1) < 1.02, "one of {} subjects: {ci95}", subjects.len());
        }
    }
}

#[test]
fn sessions_have_three_subjects_where_servers_have_work_of_their_own() {
    let lab = Humdrum::new();
    let sql = ["fake@1.0", "fake@1.1", "fake@2.0", "fake@2.1", "fake@3.0"];
    let kv = ["fake-kv@1.0", "fake-kv@1.1", "fake-kv@2.0", "fake-kv@2.1"];
    let cases: [(&str, &[&str], &[&str], usize); 4] = [
        ("reads", &sql, &["--tests", "point-query,scan", "--budget", "60s"], 5),
        ("mixed", &sql, &["--tests", "point-query,update-index", "--budget", "4m"], 3),
        ("steps", &sql, &["--suite", "insert", "--mode", "interleaved", "--sessions", "2"], 3),
        ("kv", &kv, &["--suite", "kv", "--tests", "readrandom", "--budget", "5m"], 3),
    ];
    for (out, subjects, options, at_once) in cases {
        let (code, summary, complaint) =
            lab.compare(out, &[subjects, &["--scale", "tiny"], options].concat());
        assert!(matches!(code, 0 | 1), "{out}: {complaint}");
        let comparisons = summary["comparisons"].as_array().into_iter().flatten();
        let mut tests = comparisons.flat_map(|one| one["tests"].as_array().into_iter().flatten());
        assert!(tests.all(|test| test["status"] == "ok"), "{out}: {summary}");
        let results = lab.results(out);
        assert!(results.blocks.iter().all(|block| block.slices.len() == at_once), "{out}");
        let all: BTreeSet<usize> =
            results.blocks.iter().flat_map(|block| &block.slices).map(|slice| slice.subject).collect();
        assert_eq!(all.len(), subjects.len(), "{out}: each subject has its sessions");
        assert!(results.sessions.iter().all(|session| session.has(0)), "{out}");
    }
}
