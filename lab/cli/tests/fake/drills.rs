//! Results survive kills and failures, and a resumed run gives the same results as an uninterrupted one.

use std::collections::BTreeSet;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::processes::send;
use crate::common::{Humdrum, SmallDisk, field, text_of, words};
use humdrum_model::{Block, Mode, Results};
use serde_json::Value;

const SUBJECTS: [&str; 3] = [
    "compare",
    "a=fake@1.0+noise=5%+session_noise=0.3%",
    "b=fake@1.0+noise=5%+session_noise=0.3%+slowdown=2%",
];

/// Slices that read.
const READS: &str = "--scale tiny --tests point-query,range-covered-si,read-only-sum --budget 30s";
/// Slices that read what slices that write have left.
const WRITES: &str = "--scale tiny --tests update-index,point-query,delete --budget 90s";
/// The same with sessions that have three of the five subjects.
const WRITES_OF_MANY: &str = "c=fake@1.0+noise=5%+session_noise=0.3% d=fake@1.0+noise=5%+session_noise=0.3%+slowdown=4% \
     e=fake@1.0+noise=5%+session_noise=0.3% --scale tiny --tests update-index,point-query,delete --budget 3m";
/// Sessions on two data sets in turns.
const ROWS: &str = "--scale tiny,rows=500,1k --tests update-index,point-query --budget 3m";
/// Whole steps. The time that an interruption costs is not to cost a session as well.
const STEPS: &str = "--suite insert --scale tiny --sessions 2 --budget 60m";

fn spawn(lab: &Humdrum, out: &str, how: &str) -> Child {
    let more = ["--out", out, "--quiet", "--seed", "11"];
    let args = [&SUBJECTS[..], &more, &words(how)].concat();
    lab.private(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("humdrum starts")
}

fn verdicts(lab: &Humdrum, out: &str) -> Vec<(String, Value)> {
    let summary = lab.summary(out);
    ["verdict", "status"].into_iter().flat_map(|name| field(&summary, name)).collect()
}

fn blocks(lab: &Humdrum, out: &str) -> Vec<Block> {
    lab.recorded(out).map(|results| results.blocks).unwrap_or_default()
}

#[test]
fn killed_at_twenty_moments_it_resumes_to_the_same_verdicts() {
    killed_and_resumed(READS, 20);
}

#[test]
fn killed_between_writes_it_resumes_to_the_same_verdicts() {
    killed_and_resumed(WRITES, 8);
}

#[test]
fn killed_between_data_sets_it_resumes_to_the_same_verdicts() {
    killed_and_resumed(ROWS, 6);
}

#[test]
fn killed_between_writes_of_many_subjects_it_resumes_to_the_same_verdicts() {
    killed_and_resumed(WRITES_OF_MANY, 4);
}

#[test]
fn killed_between_subjects_that_have_the_host_in_turn_it_resumes_to_the_same_verdicts() {
    killed_and_resumed(&format!("{WRITES} --mode sequential"), 8);
}

#[test]
fn killed_between_steps_of_subjects_that_take_turns_it_resumes_to_the_same_verdicts() {
    killed_and_resumed(&format!("{STEPS} --mode interleaved"), 12);
}

#[test]
fn killed_between_steps_of_one_subject_after_the_other_it_resumes_to_the_same_verdicts() {
    killed_and_resumed(&format!("{STEPS} --mode sequential"), 8);
}

/// Runs to the end, then again once for each of so many moments, to be killed there. At least half of the kills are to
/// fall into the run.
fn killed_and_resumed(how: &str, moments: u32) {
    let lab = Humdrum::new();
    assert!(spawn(&lab, "whole", how).wait().expect("ends").code().is_some());
    let (lab, whole) = (&lab, &lab.results("whole"));
    // Four at a time: much of each run is spent waiting for the disk.
    let drill = move |first: u32| {
        let own = (first..moments).step_by(4).map(|number| Moment { number, of: moments });
        own.filter(|moment| kill_and_resume(lab, how, *moment, whole)).count()
    };
    let resumed: usize = std::thread::scope(|scope| {
        let drills: Vec<_> = (0..4).map(|first| scope.spawn(move || drill(first))).collect();
        drills.into_iter().map(|drill| drill.join().expect("no drill fails")).sum()
    });
    assert!(resumed >= moments as usize / 2, "only {resumed} of {moments} kills fell into the run");
}

/// When a run is killed: once it has recorded that share of what a whole run records, and a little later each time, so
/// that kills fall between records as well. A share of the whole run's time would fall elsewhere on a busy host, where
/// four runs at once take longer than the one before them, or less long.
#[derive(Clone, Copy, Debug)]
struct Moment {
    number: u32,
    of: u32,
}

impl Moment {
    fn await_in(self, lab: &Humdrum, out: &str, child: &mut Child, whole: &Results) {
        let wanted = records(whole) * self.number as usize / self.of as usize;
        let recorded = || lab.recorded(out).as_ref().map_or(0, records);
        while recorded() < wanted && child.try_wait().expect("a child").is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(u64::from(self.number * 7 % 20)));
    }
}

fn records(results: &Results) -> usize {
    let Results { blocks, latencies, states, debts, steps, sessions, .. } = results;
    blocks.len() + latencies.len() + states.len() + debts.len() + steps.len() + sessions.len()
}

/// Kills a run at `moment` and resumes it; false when the kill fell outside the run.
fn kill_and_resume(lab: &Humdrum, how: &str, moment: Moment, whole: &Results) -> bool {
    let out = format!("cut-{}", moment.number);
    let mut child = spawn(lab, &out, how);
    moment.await_in(lab, &out, &mut child, whole);
    child.kill().expect("killed");
    child.wait().expect("reaped");
    if !lab.path(&out).join("results.sqlite").exists() {
        return false;
    }
    let before = lab.recorded(&out);
    let output = lab.run(&["resume", &out, "--quiet"]);
    let complaint = text_of(&output.stderr);
    let outside = ["came to its end", "not a results file", "ended before it began"];
    if outside.iter().any(|outside| complaint.contains(outside)) {
        return false;
    }
    assert!(lab.path(&out).join("summary.json").exists(), "killed after {moment:?}: {complaint}");
    assert_eq!(verdicts(lab, &out), verdicts(lab, "whole"), "killed after {moment:?}: {complaint}");
    let resumed = lab.results(&out);
    let kept = before.map(|before| whole_sessions(&before)).unwrap_or_default();
    assert!(resumed.blocks.starts_with(&kept), "killed after {moment:?}: blocks were lost");
    let sessions = resumed.sessions.len().min(whole.sessions.len()).min(2);
    let (found, wanted) = (once(&resumed, sessions), once(whole, sessions));
    assert_eq!(found, wanted, "killed after {moment:?}: lost, or recorded twice");
    for block in &resumed.blocks {
        let before = |one: &Block| {
            (one.session, &one.test) == (block.session, &block.test) && one.index + 1 == block.index
        };
        assert!(block.index == 0 || resumed.blocks.iter().any(before), "a gap before {block:?}");
    }
    true
}

/// The blocks that a kill must not lose: all or, where each subject has a session to itself, those of sessions before the
/// last.
fn whole_sessions(results: &Results) -> Vec<Block> {
    let last = results.sessions.last().map(|session| session.number);
    let counts = |block: &&Block| results.plan.mode == Mode::Interleaved || Some(block.session) != last;
    results.blocks.iter().filter(counts).cloned().collect()
}

/// What is on record once of the first sessions, however often the run was interrupted. How many blocks a cell has follows from
/// its calibration, which a run that was killed before it makes anew: only of steps does each chunk count.
fn once(results: &Results, sessions: usize) -> Vec<(&'static str, &str, u32, usize)> {
    let cells = results.steps.is_empty();
    let number = |block: &Block| if cells { 0 } else { block.index as usize };
    let blocks: BTreeSet<_> =
        results.blocks.iter().map(|one| ("block", &*one.test, one.session, number(one))).collect();
    let latencies = results.latencies.iter().filter(|_| !cells);
    let latencies = latencies.map(|one| ("latency", &*one.test, one.session, one.subject));
    let states = results.states.iter().map(|one| ("state", &*one.test, one.session, one.subject));
    let debts = results.debts.iter().map(|one| ("debt", &*one.test, one.session, one.subject));
    let steps = results.steps.iter().map(|one| ("step", &*one.test, one.session, one.subject));
    let all = blocks.into_iter().chain(states).chain(debts).chain(steps).chain(latencies);
    let mut all: Vec<_> = all.filter(|(_, _, session, _)| (*session as usize) < sessions).collect();
    all.sort_unstable();
    all
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
    let (mut one, mut two) = (spawn(&lab, "one", READS), spawn(&lab, "two", READS));
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
    let more = "--out disk/out --quiet --seed 11 --budget 60s --tests point-query,scan";
    let args = [&SUBJECTS[..], &words(more)].concat();
    let complaint = text_of(&lab.exits(3, &args).stderr);
    assert!(complaint.contains("no space left") && complaint.contains("help: "), "{complaint}");
    let before = blocks(&lab, "disk/out");
    assert!(!before.is_empty());
    disk.resize("size=64m");
    let output = lab.run(&["resume", "disk/out", "--quiet"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", text_of(&output.stderr));
    assert!(blocks(&lab, "disk/out").starts_with(&before));
}

#[test]
fn nothing_is_left_in_the_cache() {
    let lab = Humdrum::new();
    assert!(spawn(&lab, "tidy", READS).wait().expect("ends").code().is_some());
    let runs = lab.path("cache").join("runs");
    let left = std::fs::read_dir(&runs).map(|entries| entries.count()).unwrap_or(0);
    assert_eq!(left, 0, "in {}", runs.display());
}
