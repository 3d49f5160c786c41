//! `humdrum fleet status`: how far each shard is, by its record, and what Slurm says of its task or its host over ssh.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use humdrum_model::Fault;
use humdrum_report::printable;

use super::far::{ShardState, Work, each, look};
use super::folder::{Fleet, Host, Ssh, merged_folder};
use crate::args::StatusOptions;

/// `humdrum fleet status FOLDER`.
///
/// # Errors
/// Usage: no folder of a fleet.
pub fn status(options: &StatusOptions) -> Result<u8, Fault> {
    let fleet = Fleet::read(&options.folder)?;
    let states = match &fleet.ssh {
        Some(ssh) => over_ssh(ssh, &options.folder),
        None => shared(&fleet, &options.folder),
    };
    if let Some(told) = fleet.jobs.get(1).and_then(|job| merge_job(job, &options.folder)) {
        anstream::println!("merge      {}", printable(&told));
    }
    let finished = states.iter().filter(|state| state.finished).count();
    anstream::println!("{finished} of {} shards are finished", fleet.shards);
    for (shard, damage) in states.iter().filter_map(|state| Some((state.shard, state.damage.as_ref()?))) {
        anstream::println!("shard {shard}: {}", printable(damage));
        anstream::println!("  {}", fleet.again(&options.folder, shard));
    }
    let merged = merged_folder(&options.folder);
    if merged.exists() {
        anstream::println!("merged: {}", merged.join("report.html").display());
    }
    Ok(0)
}

/// A row for each shard of a folder that all hosts share.
fn shared(fleet: &Fleet, folder: &Path) -> Vec<ShardState> {
    let tasks = fleet.jobs.first().map_or_else(BTreeMap::new, |job| tasks(job));
    let states: Vec<ShardState> = (1..=fleet.shards).map(|number| ShardState::of(folder, number)).collect();
    for state in &states {
        // A shard may have been finished after its task failed.
        let task = tasks.get(&state.shard).filter(|_| !state.finished);
        print(state, task.map_or("", String::as_str));
    }
    states
}

/// A row for each shard, by what its host says; where it says nothing, by what was fetched before.
fn over_ssh(ssh: &Ssh, folder: &Path) -> Vec<ShardState> {
    let mut all = Vec::new();
    for (host, answer) in ssh.hosts.iter().zip(each(ssh, |host| look(ssh, host))) {
        let (work, states) = match answer {
            Ok((work, states)) => (told(work, host, folder), states),
            Err(fault) => {
                let kept = host.shards.iter().map(|number| ShardState::of(folder, *number));
                (fault.to_string(), kept.collect())
            }
        };
        for number in &host.shards {
            let state = states.iter().find(|state| state.shard == *number).cloned();
            let state = state.unwrap_or_else(|| ShardState::not_begun(*number));
            print(&state, &work);
            all.push(state);
        }
    }
    all
}

fn told(work: Work, host: &Host, folder: &Path) -> String {
    let (at, shown) = (&host.address, folder.display());
    match work {
        Work::Running => format!("running on {at}"),
        Work::Ended(0) => format!("on {at}"),
        Work::Absent => format!("{at} has not got the program: humdrum fleet resume {shown}"),
        Work::Stopped => format!("stopped on {at}: humdrum fleet resume {shown}"),
        Work::Ended(code) => {
            format!("failed on {at} with {code}: humdrum fleet fetch {shown}, then see {shown}/logs")
        }
    }
}

/// `shard 3   begun      2 of 4 sessions   RUNNING on node7`.
fn print(state: &ShardState, place: &str) {
    let line = format!("shard {:<4} {} {}", state.shard, state.told(), printable(place));
    anstream::println!("{}", line.trim_end());
}

/// What Slurm says of the tasks of an array that it still knows, by their numbers; nothing where there is no Slurm.
fn tasks(job: &str) -> BTreeMap<u32, String> {
    let mut squeue = Command::new("squeue");
    // A task that failed is forgotten minutes later, and shown until then only if all states are asked for.
    squeue.args(["--noheader", "--array", "--states=all", "--format=%K|%T|%N|%r", "--jobs", job]);
    let Ok(output) = squeue.output() else { return BTreeMap::new() };
    let task = |line: &str| {
        let (number, cells) = line.split_once('|')?;
        Some((number.trim().parse().ok()?, of_slurm(cells)?))
    };
    String::from_utf8_lossy(&output.stdout).lines().filter_map(task).collect()
}

/// What Slurm says of the job after the array; nothing where it has forgotten it.
fn merge_job(job: &str, folder: &Path) -> Option<String> {
    let mut squeue = Command::new("squeue");
    squeue.args(["--noheader", "--states=all", "--format=%T|%N|%r", "--jobs", job]);
    let output = squeue.output().ok()?;
    let told = of_slurm(String::from_utf8_lossy(&output.stdout).lines().next()?)?;
    let shown = folder.display();
    Some(match ENDED_BADLY.iter().any(|state| told.starts_with(state)) {
        true => format!("{told}: see {shown}/logs/merge.log; `humdrum fleet fetch {shown}` does the same"),
        false => told,
    })
}

/// States of a job that will not run again by itself.
const ENDED_BADLY: [&str; 5] = ["CANCELLED", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT"];

/// `RUNNING on node7` of `RUNNING|node7|None`.
fn of_slurm(cells: &str) -> Option<String> {
    let mut cells = cells.split('|');
    let (state, node) = (cells.next()?, cells.next()?);
    let reason = cells.next().filter(|reason| node.is_empty() && *reason != "None");
    let place = if node.is_empty() { String::new() } else { format!(" on {node}") };
    Some(format!("{state}{place}{}", reason.map_or_else(String::new, |why| format!(" ({why})"))))
}
