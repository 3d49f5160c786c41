//! What has to be right before a fleet is made, whoever distributes its shards.

use std::path::{Path, PathBuf};

use humdrum_model::{Fault, Plan};
use humdrum_plan::{log_need, shard};

use crate::lab::Lab;

/// How many shards so many hosts measure.
///
/// # Errors
/// Usage: none, or more than can be counted.
pub fn shards(hosts: u32, per_host: u32) -> Result<u32, Fault> {
    match hosts.checked_mul(per_host) {
        Some(shards) if shards > 0 => Ok(shards),
        None => Err(Fault::usage(format!(
            "{hosts} hosts with {per_host} shards each are more than can be counted"
        ))
        .hint("for instance --hosts 8 --per-host 2")),
        Some(_) => Err(Fault::usage("hosts and shards per host are at least one each")
            .hint("for instance --hosts 8 --per-host 2")),
    }
}

/// The plan of one shard. Refuses now what every task would refuse later.
///
/// # Errors
/// Usage: a plan that cannot be measured in so many shards.
pub fn check_plan(lab: &mut Lab, path: &Path, shards: u32) -> Result<Plan, Fault> {
    let (request, mut plan) = lab.planned(path)?;
    humdrum_run::choose_mode(&request, &mut plan, &lab.catalogue, &lab.dirs)?;
    shard(&plan, shards, shards)
}

/// A line of a dry run, where a shard needs much disk for its results.
pub fn disk_told(plan: &Plan) -> String {
    log_need(plan).map_or_else(String::new, |need| format!("# disk of the results: {need}\n"))
}

/// `humdrum-results/fleet-PLAN`, with a number where that is taken.
pub fn default_folder(plan: &Path) -> PathBuf {
    let stem = plan.file_stem().map_or_else(|| "plan".into(), |stem| stem.to_string_lossy().into_owned());
    let name = |number: u32| match number {
        1 => format!("fleet-{stem}"),
        _ => format!("fleet-{stem}-{number}"),
    };
    let mut folders = (1..).map(|number| Path::new("humdrum-results").join(name(number)));
    folders.find(|folder| !folder.exists()).unwrap_or_else(|| PathBuf::from("humdrum-results/fleet"))
}

/// Makes the fleet's folder, without any file. `which` tells what kind of folder it has to be.
///
/// # Errors
/// Usage: it exists, or cannot be made.
pub fn make(folder: &Path, which: &str) -> Result<(), Fault> {
    if folder.exists() {
        return Err(Fault::usage(format!("{} exists already", folder.display()))
            .hint("give another folder with --out"));
    }
    ["logs", "shards"].iter().try_for_each(|inner| {
        std::fs::create_dir_all(folder.join(inner)).map_err(|error| {
            Fault::usage(format!("cannot make {}: {error}", folder.display()))
                .hint(format!("give a folder {which} with --out"))
        })
    })
}

/// A fleet that was not submitted leaves nothing.
pub fn remove(folder: &Path) {
    let _ = std::fs::remove_dir_all(folder);
}
