//! What must survive anything: results, and the promise that an interrupted run ends as an uninterrupted one.

mod common;

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use common::processes::send;
use common::{Humdrum, SmallDisk, field, text_of};
use humdrum_model::Block;
use humdrum_record::Store;

const SUBJECTS: [&str; 3] = [
    "compare",
    "a=fake@1.0+noise=5%+session_noise=0.3%",
    "b=fake@1.0+noise=5%+session_noise=0.3%+slowdown=2%",
];

fn spawn(lab: &Humdrum, out: &str) -> Child {
    let mut args = SUBJECTS.to_vec();
    args.extend(["--out", out, "--quiet", "--seed", "11", "--budget", "30s"]);
    args.extend(["--tests", "point-query,range-covered-si,read-only-sum"]);
    lab.private(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("humdrum starts")
}

fn summary(lab: &Humdrum, out: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(lab.path(out).join("summary.json")).expect("a summary");
    serde_json::from_str(&text).expect("json")
}

fn verdicts(lab: &Humdrum, out: &str) -> Vec<(String, serde_json::Value)> {
    field(&summary(lab, out), "verdict")
}

/// Blocks on record; none while the file is still being made.
fn blocks(lab: &Humdrum, out: &str) -> Vec<Block> {
    let store = Store::open(&lab.path(out).join("results.sqlite"));
    store.and_then(|store| store.read()).map(|results| results.blocks).unwrap_or_default()
}

#[test]
fn killed_at_twenty_moments_it_resumes_to_the_same_verdicts() {
    let lab = Humdrum::new();
    let began = Instant::now();
    assert!(spawn(&lab, "whole").wait().expect("ends").code().is_some());
    let whole_run = began.elapsed();
    let verdicts = verdicts(&lab, "whole");
    // Four at a time: much of each run is spent waiting for the disk.
    let (lab, verdicts) = (&lab, &verdicts);
    let drill = move |first: u32| {
        (first..20).step_by(4).filter(|at| kill_and_resume(lab, whole_run, *at, verdicts)).count()
    };
    let resumed: usize = std::thread::scope(|scope| {
        let drills: Vec<_> = (0..4).map(|first| scope.spawn(move || drill(first))).collect();
        drills.into_iter().map(|drill| drill.join().expect("no drill fails")).sum()
    });
    assert!(resumed >= 10, "only {resumed} of 20 kills fell into the run");
}

/// Kills a run at `moment` twentieths of `whole_run` and resumes it; false when the kill fell outside the run.
fn kill_and_resume(
    lab: &Humdrum,
    whole_run: Duration,
    moment: u32,
    verdicts: &[(String, serde_json::Value)],
) -> bool {
    let out = format!("cut-{moment}");
    let mut child = spawn(lab, &out);
    std::thread::sleep(whole_run * moment / 20);
    child.kill().expect("killed");
    child.wait().expect("reaped");
    if !lab.path(&out).join("results.sqlite").exists() {
        return false;
    }
    let before = blocks(lab, &out);
    let output = lab.run(&["resume", &out, "--quiet"]);
    let complaint = text_of(&output.stderr);
    if complaint.contains("came to its end") || complaint.contains("not a results file") {
        return false;
    }
    assert_eq!(self::verdicts(lab, &out), verdicts, "killed at {moment}/20: {complaint}");
    assert!(blocks(lab, &out).starts_with(&before), "killed at {moment}/20: blocks were lost");
    true
}

#[test]
fn ctrl_c_keeps_the_results_and_says_how_to_go_on() {
    let lab = Humdrum::new();
    let mut args = SUBJECTS.to_vec();
    // Long enough to be interrupted.
    args.extend(["--out", "cut", "--budget", "60m", "--progress", "plain"]);
    let child = lab.private(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let began = Instant::now();
    // Results to keep: an interruption before the first block rightly leaves nothing.
    while blocks(&lab, "cut").is_empty() && began.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    send(child.id(), libc::SIGINT);
    let output = child.wait_with_output().expect("ends");
    let complaint = text_of(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{complaint}");
    assert!(complaint.contains("humdrum resume cut"), "{complaint}");
    assert!(lab.path("cut/results.sqlite").exists());
}

#[test]
fn two_at_once_do_not_disturb_each_other() {
    let lab = Humdrum::new();
    let (mut one, mut two) = (spawn(&lab, "one"), spawn(&lab, "two"));
    assert_eq!(one.wait().expect("ends").code(), two.wait().expect("ends").code());
    assert_eq!(verdicts(&lab, "one"), verdicts(&lab, "two"));
}

/// Needs the right to mount; where there is none, says so.
#[test]
fn a_full_disk_ends_the_run_and_resume_goes_on_once_there_is_room() {
    let lab = Humdrum::new();
    let Some(disk) = SmallDisk::mount(lab.path("disk"), "size=600k") else {
        eprintln!("not tried: a small disk cannot be mounted here (not root)");
        return;
    };
    let mut args = SUBJECTS.to_vec();
    args.extend([
        "--out",
        "disk/out",
        "--quiet",
        "--seed",
        "11",
        "--budget",
        "60s",
        "--tests",
        "point-query,scan",
    ]);
    let output = lab.run(&args);
    let complaint = text_of(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{complaint}");
    assert!(complaint.contains("no space left") && complaint.contains("help: "), "{complaint}");
    let before = blocks(&lab, "disk/out");
    assert!(!before.is_empty());
    disk.resize("size=64m");
    let output = lab.run(&["resume", "disk/out", "--quiet"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text_of(&output.stderr));
    assert!(blocks(&lab, "disk/out").starts_with(&before));
}

#[test]
fn nothing_is_left_in_the_house() {
    let lab = Humdrum::new();
    assert!(spawn(&lab, "tidy").wait().expect("ends").code().is_some());
    let runs = lab.path("cache").join("runs");
    let left = std::fs::read_dir(&runs).map(|entries| entries.count()).unwrap_or(0);
    assert_eq!(left, 0, "in {}", runs.display());
}
