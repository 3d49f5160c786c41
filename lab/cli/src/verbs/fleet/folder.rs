//! The folder of a fleet: of all its hosts where they share one, else the one from which they were started.

use std::path::{Path, PathBuf};

use humdrum_model::Fault;
use humdrum_provision::checksum::sha256_of;
use humdrum_record::write_whole;
use serde::{Deserialize, Serialize};

use super::hosts::Address;

/// What a fleet is, in `fleet.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fleet {
    /// The plan's file, an absolute path.
    pub plan: PathBuf,
    /// Its SHA-256: every shard must be of the same plan.
    pub plan_sha256: String,
    /// Shards in all.
    pub shards: u32,
    /// Slurm's ids of the array job and of the merge after it; none before they are submitted.
    pub jobs: Vec<String>,
    /// Who measures them, if the fleet is reached over ssh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ssh: Option<Ssh>,
}

/// A fleet that is reached over ssh.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ssh {
    /// The command that connects, in words.
    pub command: Vec<String>,
    /// The folder on every host: from the account's home, or absolute.
    pub far: String,
    /// Where the relative paths of `with` begin.
    pub directory: PathBuf,
    /// What is copied along with the program and the plan.
    pub with: Vec<PathBuf>,
    /// The hosts.
    pub hosts: Vec<Host>,
}

/// A host and what it measures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Its address, as the user wrote it.
    pub address: Address,
    /// Numbers of its shards.
    pub shards: Vec<u32>,
}

impl Fleet {
    /// A fleet for a plan, without jobs.
    ///
    /// # Errors
    /// Usage: the plan cannot be read.
    pub fn of(plan: &Path, shards: u32) -> Result<Self, Fault> {
        let cannot = |error: std::io::Error| Fault::usage(format!("cannot read {}: {error}", plan.display()));
        let plan_sha256 = sha256_of(plan).map_err(cannot)?;
        Ok(Self {
            plan: plan.canonicalize().map_err(cannot)?,
            plan_sha256,
            shards,
            jobs: Vec::new(),
            ssh: None,
        })
    }

    /// That of a folder.
    ///
    /// # Errors
    /// Usage: it is no folder of a fleet.
    pub fn read(folder: &Path) -> Result<Self, Fault> {
        let file = folder.join("fleet.json");
        let text = std::fs::read_to_string(&file).map_err(|error| {
            Fault::usage(format!("{} is no folder of a fleet: {error}", folder.display()))
                .hint("give the folder that `humdrum fleet slurm` or `humdrum fleet ssh` made")
        })?;
        serde_json::from_str(&text).map_err(|error| {
            Fault::usage(format!("{} is damaged: {error}", file.display()))
                .hint("submit the plan again, to another folder")
        })
    }

    /// Whether this is the folder of one host of a fleet over ssh, whose plan lies in it.
    pub fn is_of_ssh_host(&self) -> bool {
        self.plan.is_relative()
    }

    /// How to measure a shard again whose record cannot be read. That is kept, because a part of it may be saved.
    pub fn again(&self, folder: &Path, shard: u32) -> String {
        let shown = folder.display();
        let host = self.ssh.iter().find_map(|ssh| {
            let host = ssh.hosts.iter().find(|host| host.shards.contains(&shard))?;
            Some((ssh, host))
        });
        match host {
            Some((Ssh { far, .. }, host)) => format!(
                "fetch it again; if it is damaged on {}, measure it again: there `mv {far}/shards/{shard} {far}/damaged-{shard}`, \
                 here `humdrum fleet resume {shown}`",
                host.address
            ),
            None => format!(
                "measure it again: mv {shown}/shards/{shard} {shown}/damaged-{shard} && humdrum fleet shard {shown} {shard}"
            ),
        }
    }

    /// Writes it.
    ///
    /// # Errors
    /// Environment: the disk or the folder refuses.
    pub fn write(&self, folder: &Path) -> Result<(), Fault> {
        // Writing plain data to memory cannot fail.
        write_whole(&folder.join("fleet.json"), &serde_json::to_string_pretty(self).unwrap_or_default())
    }

    /// How it is reached over ssh.
    ///
    /// # Errors
    /// Usage: it is Slurm's.
    pub fn over_ssh(&self) -> Result<&Ssh, Fault> {
        self.ssh.as_ref().ok_or_else(|| {
            let hint = match &self.jobs[..] {
                [] => "run `humdrum fleet shard` by hand".to_owned(),
                jobs => format!("`scontrol requeue` and `scancel` take its jobs: {}", jobs.join(" ")),
            };
            Fault::usage("this fleet was not started over ssh").hint(hint)
        })
    }

    /// Refuses a plan that was edited since the fleet was made: its shards would not fit together.
    ///
    /// # Errors
    /// Usage: the plan is missing or another.
    pub fn check_plan(&self) -> Result<(), Fault> {
        if Self::of(&self.plan, self.shards)?.plan_sha256 == self.plan_sha256 {
            return Ok(());
        }
        Err(Fault::usage(format!("{} is not the plan that was submitted", self.plan.display()))
            .hint("undo the change, or submit the plan again, to another folder"))
    }
}

/// Where the results of a shard are.
pub fn shard_folder(folder: &Path, number: u32) -> PathBuf {
    folder.join("shards").join(number.to_string())
}

/// Where the merged results are, unless the user names another folder.
pub fn merged_folder(folder: &Path) -> PathBuf {
    folder.join("merged")
}
