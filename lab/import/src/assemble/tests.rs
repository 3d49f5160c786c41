//! Files of two subjects become runs: what is paired, what is refused, and what is told.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use humdrum_model::{Place, Subject};
use tempfile::TempDir;

use super::*;

fn subject(label: &str) -> Subject {
    Subject {
        label: label.into(),
        engine: "x".into(),
        place: Place::Version(label.into()),
        settings: Vec::new(),
    }
}

/// Writes files and imports them, each group for a subject.
fn import(groups: &[(&str, &[(&str, String)])]) -> Result<Read, Fault> {
    let root = tempfile::tempdir().expect("a folder");
    let group = |(label, files): &(&str, &[(&str, String)])| {
        let paths = files.iter().map(|(name, text)| written(&root, label, name, text)).collect();
        Group { subject: Some(subject(label)), paths }
    };
    let import = Import { groups: groups.iter().map(group).collect(), ..Import::default() };
    read(&import, &mut |_, _| Ok(()))
}

fn written(root: &TempDir, label: &str, name: &str, text: &str) -> PathBuf {
    let folder = root.path().join(label);
    std::fs::create_dir_all(&folder).expect("made");
    std::fs::write(folder.join(name), text).expect("written");
    folder.join(name)
}

/// The end of an output of sysbench.
fn sysbench(threads: u32, queries: u32, seconds: f64) -> String {
    format!(
        "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\nNumber of threads: {threads}\n\
         queries:  {queries} (1.00 per sec.)\ntotal time:  {seconds}s\ntotal number of events:  {queries}\n"
    )
}

/// Transactions of a log of pgbench, from a second on.
fn log(from: u32, count: u32) -> String {
    let mut text = String::new();
    for number in 0..count {
        let _ = writeln!(text, "0 {number} 500 0 {} {}", 1_700_000_000 + from, number * 1000);
    }
    text
}

#[test]
fn repetitions_stand_beside_each_other_in_their_order() {
    let base: Vec<(&str, String)> = ["t.1.log", "t.2.log", "t.3.log"]
        .into_iter()
        .zip(1..)
        .map(|(name, n)| (name, sysbench(1, 100 * n, 1.0)))
        .collect();
    let other = [("t.run1.log", sysbench(1, 50, 1.0)), ("t.run2.log", sysbench(1, 60, 2.0))];
    let Read { results, lines } = import(&[("old", &base), ("new", &other)]).expect("imported");
    assert_eq!(lines, ["old: 1 test, 3 repetitions each", "new: 1 test, 2 repetitions each"]);
    let slices: Vec<Vec<(usize, u64, u64)>> = results
        .blocks
        .iter()
        .map(|block| block.slices.iter().map(|one| (one.subject, one.operations, one.start_ns)).collect())
        .collect();
    let s = 1_000_000_000;
    assert_eq!(slices, [vec![(0, 100, 0), (1, 50, 0)], vec![(0, 200, s), (1, 60, s)], vec![(0, 300, 2 * s)]]);
    let warnings: Vec<&str> = results.warnings().collect();
    assert!(warnings[0].starts_with("imported: others measured this"), "{warnings:?}");
    assert!(
        warnings.iter().any(|what| what.starts_with("in 1 of 1 comparisons one subject has more")),
        "{warnings:?}"
    );
    assert!(results.finished && !results.plan.design.is_planned());
}

#[test]
fn numbers_of_clients_are_tests_of_their_own() {
    let both = [("t-1.log", sysbench(1, 100, 1.0)), ("t-8.log", sysbench(8, 700, 1.0))];
    let other = [("t-1.log", sysbench(1, 101, 1.0)), ("t-8.log", sysbench(8, 701, 1.0))];
    let results = import(&[("old", &both), ("new", &other)]).expect("imported").results;
    let names: Vec<&str> = results.plan.tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(names, ["t-1:c1", "t-8:c8"]);
    assert_eq!(results.plan.tests[1].own_name(), "t-8");
}

#[test]
fn parts_of_one_run_are_no_repetitions() {
    let base = [("t.1", log(0, 90)), ("t.2", log(10, 90))];
    let apart = [("t.1", log(0, 80)), ("t.2", log(10, 80))];
    assert!(import(&[("old", &base), ("new", &apart)]).is_ok());
    let together = [("t.1", log(0, 80)), ("t.2", log(0, 70))];
    let fault = import(&[("old", &base), ("new", &together)]).expect_err("refused");
    assert!(fault.what.contains("ran at the same time"), "{}", fault.what);
}

#[test]
fn quantities_that_some_runs_lack_are_left_out() {
    let with = |us: u32| sysbench(1, 100 + us, 1.0) + "Latency (ms):\n  avg:  0.50\n  max:  9.00\n";
    let without = sysbench(1, 99, 1.0) + "Latency (ms):\n  avg:  0.40\n";
    let results =
        import(&[("old", &[("t.log", with(1))]), ("new", &[("t.log", without)])]).expect("imported").results;
    let names: Vec<&str> = results.metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(names, ["latency_us_avg"]);
    let readings: Vec<&[i64]> =
        results.blocks[0].slices.iter().map(|slice| slice.readings.as_slice()).collect();
    assert_eq!(readings, [&[500], &[400]]);
}

#[test]
fn a_file_of_a_folder_that_is_none_of_ours_is_told_of() {
    let root = tempfile::tempdir().expect("a folder");
    for (label, queries) in [("old", 100), ("new", 90)] {
        written(&root, label, "t.log", &sysbench(1, queries, 1.0));
        written(&root, label, "notes.txt", "what I did");
    }
    let group = |label: &str| Group { subject: Some(subject(label)), paths: vec![root.path().join(label)] };
    let import = Import { groups: vec![group("old"), group("new")], ..Import::default() };
    let mut seen = Vec::new();
    let results = read(&import, &mut |path: &Path, _| {
        seen.push(path.to_path_buf());
        Ok(())
    });
    let results = results.expect("imported").results;
    assert!(results.warnings().any(|what| what.starts_with("2 files in the folders are of no known format")));
    assert!(seen.is_empty(), "small files are read without a word");
}
