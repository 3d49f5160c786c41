//! `humdrum fleet status`: how far each shard is, by its record, and what Slurm says of its task.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use humdrum_model::Fault;
use humdrum_record::{Begun, Store};
use humdrum_report::printable;

use super::folder::{Fleet, merged_folder, shard_folder};
use crate::args::StatusOptions;

/// `humdrum fleet status FOLDER`.
///
/// # Errors
/// Usage: no folder of a fleet, or a shard's record is damaged.
pub fn status(options: &StatusOptions) -> Result<u8, Fault> {
    let fleet = Fleet::read(&options.folder)?;
    let tasks = fleet.jobs.first().map_or_else(BTreeMap::new, |job| tasks(job));
    let rows = (1..=fleet.shards)
        .map(|number| row(&options.folder, number, tasks.get(&number)))
        .collect::<Result<Vec<_>, Fault>>()?;
    let finished = rows.iter().filter(|row| row.begun == Begun::Finished).count();
    for row in &rows {
        anstream::println!("{}", row.line.trim_end());
    }
    anstream::println!("{finished} of {} shards are finished", fleet.shards);
    let merged = merged_folder(&options.folder);
    if merged.exists() {
        anstream::println!("merged: {}", merged.join("report.html").display());
    }
    Ok(0)
}

struct Row {
    begun: Begun,
    line: String,
}

/// `shard 3   begun      2 of 4 sessions   RUNNING on node7`.
fn row(folder: &Path, number: u32, task: Option<&String>) -> Result<Row, Fault> {
    let file = shard_folder(folder, number).join("results.sqlite");
    let begun = Store::begun(&file)?;
    let (word, sessions) = match begun {
        Begun::No => ("not begun", String::new()),
        Begun::Yes => ("begun", sessions(&file)?),
        Begun::Finished => ("finished", sessions(&file)?),
    };
    let task = task.map_or("", String::as_str);
    let line = format!("shard {number:<4} {word:<10} {sessions:<20} {}", printable(task));
    Ok(Row { begun, line })
}

fn sessions(file: &Path) -> Result<String, Fault> {
    let store = Store::open_quickly(file)?;
    let (begun, most) = (store.count_sessions()?, store.read_head()?.plan.design.sessions_max());
    Ok(format!("{begun} of {most} sessions"))
}

/// What Slurm says of the tasks of an array that it still knows, by their numbers; nothing where there is no Slurm.
fn tasks(job: &str) -> BTreeMap<u32, String> {
    let mut squeue = Command::new("squeue");
    squeue.args(["--noheader", "--array", "--format=%K|%T|%N|%r", "--jobs", job]);
    let Ok(output) = squeue.output() else { return BTreeMap::new() };
    let task = |line: &str| {
        let mut cells = line.split('|');
        let number = cells.next()?.trim().parse().ok()?;
        let (state, node) = (cells.next()?, cells.next()?);
        let reason = cells.next().filter(|reason| node.is_empty() && *reason != "None");
        let place = if node.is_empty() { String::new() } else { format!(" on {node}") };
        Some((
            number,
            format!("{state}{place}{}", reason.map_or_else(String::new, |why| format!(" ({why})"))),
        ))
    };
    String::from_utf8_lossy(&output.stdout).lines().filter_map(task).collect()
}
