//! `--memory` and `--fsync-delay` on real servers. Hosts that let nobody limit memory are none to test on: there, only the refusal is
//! tested.

mod common;

use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::cgroups::{limit, of_run};
use common::processes::is_alive;
use common::{Humdrum, alone, field, text_of, words};
use humdrum_contract::Sizing;
use humdrum_model::memory_text;

const OLD: &str = "postgres@16.11";
const NEW: &str = "postgres@17.7";

#[test]
fn a_limit_that_cannot_be_given_is_refused_before_anything_is_made() {
    let lab = Humdrum::new();
    for (memory, what) in [("1", "no amount of memory"), ("1M", "too little"), ("1000000G", "do not fit")] {
        let complaint = refused(&lab, "--memory", memory);
        assert!(complaint.contains(what) && complaint.contains("help:"), "{complaint}");
        assert!(!lab.path("out").exists());
    }
    let complaint = refused(&lab, "--memory", "64M");
    assert!(complaint.contains("--memory"), "{complaint}");
}

#[test]
fn a_run_with_less_memory_than_its_engine_needs_is_refused_with_what_to_type() {
    let lab = Humdrum::new();
    let typed = refused(&lab, "--memory", "63M");
    let plan = "subjects = [\"fake@1.0\", \"fake@1.1\"]\ntests = \"scan\"\nmemory = \"63M\"\n";
    std::fs::write(lab.path("plan.toml"), plan).expect("written");
    let planned = text_of(&lab.exits(2, &["run", "plan.toml", "--out", "out"]).stderr);
    for complaint in [typed, planned] {
        let what = "--memory 63M is too little: a server of fake with 9 connections needs at least 64M";
        assert!(complaint.contains(what) && complaint.contains("give at least --memory 64M"), "{complaint}");
    }
    assert!(!lab.path("out").exists());
}

/// The last column of the table in docs/memory.md, which is for a workload with one client.
#[test]
fn the_document_says_what_each_engine_needs() {
    let document = include_str!("../../../docs/memory.md");
    let mut found = 0;
    for engine in humdrum_engines::table() {
        let row = format!("| `{}` |", engine.name());
        let Some(row) = document.lines().find(|line| line.starts_with(&row)) else { continue };
        let least = memory_text(engine.least_memory(1 + Sizing::OWN_CONNECTIONS));
        assert!(row.ends_with(&format!("| {least} |")), "{row}: it is {least}");
        found += 1;
    }
    assert_eq!(found, 4, "engines have a row");
}

/// What is said of an option for servers of the fake engine, which cannot have it.
fn refused(lab: &Humdrum, option: &str, value: &str) -> String {
    let args = ["compare", "fake@1.0", "fake@1.1", "--tests", "scan", option, value, "--out", "out"];
    text_of(&lab.exits(2, &args).stderr)
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn data_larger_than_the_limit_are_read_from_the_device() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    // A row takes some 250 bytes with its indexes.
    let args = words(
        "--memory 256M --scale rows=1500000 --tests point-query --sessions 4 --budget 100s --on-busy warn",
    );
    let child = started(&lab, &args);
    let Some(cgroups) = cgroups_of_servers(child, 2) else { return };
    let Running { child, folders } = cgroups;
    for folder in &folders {
        assert_eq!(limit(folder), Some(256 << 20), "{}", folder.display());
    }
    let output = child.wait_with_output().expect("ends");
    let said = text_of(&output.stdout);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{said}{}", text_of(&output.stderr));
    assert!(said.contains("memory 256M per server"), "{said}");
    let cost = &field(&lab.summary("out"), "cost")[0].1;
    for side in ["base", "subject"] {
        let reads = &cost["r_o"][side];
        assert!(cost["r_o"].is_null() || reads.as_f64().is_some_and(|reads| reads > 0.05), "{cost:#}");
    }
    assert_eq!(lab.results("out").plan.memory_bytes, Some(256 << 20));
    assert!(folders.iter().all(|folder| !folder.exists()), "left: {folders:?}");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_server_that_needs_more_is_a_row_that_says_so() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let large = format!("large={NEW}+shared_buffers=1GB");
    let more = "--memory 128M --scale rows=700000 --tests scan --sessions 4 --budget 60s --on-busy warn";
    let (code, summary, complaint) = lab.compare("out", &[&[OLD, NEW, &large], &words(more)[..]].concat());
    if complaint.contains("needs a control group") {
        return;
    }
    assert_eq!(code, 3, "{complaint}");
    let events = lab.results("out").events;
    let killed: Vec<_> =
        events.iter().filter(|event| event.what.contains("out of its memory limit of 128M")).collect();
    assert!(!killed.is_empty() && killed.iter().all(|event| event.subject == Some(2)), "{events:#?}");
    let went_on = field(&summary, "status").iter().any(|(_, status)| status == "ok");
    assert!(went_on, "{summary:#}");
}

#[test]
#[ignore = "slow: .ci/run runs it"]
fn a_killed_program_leaves_no_cgroup() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let child = started(&lab, &words("--memory 256M --scale tiny --tests scan --budget 30s --on-busy warn"));
    let Some(Running { mut child, folders }) = cgroups_of_servers(child, 2) else { return };
    child.kill().expect("SIGKILL");
    child.wait().expect("ends");
    let end = Instant::now() + Duration::from_secs(60);
    while folders.iter().any(|folder| folder.exists()) {
        assert!(Instant::now() < end, "left: {folders:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_delay_that_cannot_be_is_refused_before_anything_is_made() {
    let lab = Humdrum::new();
    let bad =
        [("soon", "not a length of time"), ("5us", "no delay of a device"), ("1m", "no delay of a device")];
    for (delay, what) in bad {
        let complaint = refused(&lab, "--fsync-delay", delay);
        assert!(complaint.contains(what) && complaint.contains("help:"), "{complaint}");
        assert!(!lab.path("out").exists());
    }
    let complaint = refused(&lab, "--fsync-delay", "1ms");
    assert!(complaint.contains("this subject syncs none"), "{complaint}");
}

/// A commit waits for one sync of the log, which is held back; a commit that does not wait for it is as fast as ever.
#[test]
#[ignore = "slow: .ci/run runs it"]
fn commits_that_sync_take_longer_by_the_delay() {
    let _alone = alone();
    let lab = Humdrum::with_shared_builds();
    let subjects =
        [format!("waits={OLD}+synchronous_commit=on"), format!("goes-on={OLD}+synchronous_commit=off")];
    let more = "--fsync-delay 5ms --scale tiny --tests insert --sessions 4 --budget 60s --on-busy warn";
    let args = [&[subjects[0].as_str(), subjects[1].as_str()], &words(more)[..]].concat();
    let (code, summary, complaint) = lab.compare("out", &args);
    if complaint.contains("needs a filter of system calls") {
        return;
    }
    assert!(matches!(code, 0 | 1), "{complaint}");
    let qps = |side| field(&summary, side)[0].1.as_f64().expect("operations a second");
    let [waits, goes_on] = ["base_qps", "qps"].map(qps);
    assert!((100.0..200.0).contains(&waits) && goes_on > 1_000.0, "{waits} and {goes_on} a second");
    assert_eq!(lab.results("out").plan.fsync_delay_us, Some(5_000));
    let said = text_of(&lab.exits(0, &["report", "out"]).stdout);
    assert!(said.contains("fsync held back by 5ms"), "{said}");
}

fn started(lab: &Humdrum, more: &[&str]) -> Child {
    let args = [&["compare", OLD, NEW, "--out", "out"], more].concat();
    lab.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("humdrum starts")
}

struct Running {
    child: Child,
    folders: Vec<PathBuf>,
}

/// Waits until so many servers are in cgroups of their own. `None` where this host has none to give.
fn cgroups_of_servers(child: Child, servers: usize) -> Option<Running> {
    let end = Instant::now() + Duration::from_secs(120);
    while is_alive(child.id()) {
        let folders: Vec<PathBuf> = of_run(child.id()).into_keys().collect();
        if folders.len() == servers {
            return Some(Running { child, folders });
        }
        assert!(Instant::now() < end, "no server has a cgroup");
        std::thread::sleep(Duration::from_millis(20));
    }
    let complaint = text_of(&child.wait_with_output().expect("ends").stderr);
    assert!(complaint.contains("needs a control group"), "{complaint}");
    None
}
