//! The folder of a fleet, which all hosts share.

use std::path::{Path, PathBuf};

use humdrum_model::Fault;
use humdrum_provision::checksum::sha256_of;
use humdrum_record::write_whole;
use serde::{Deserialize, Serialize};

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
}

impl Fleet {
    /// A fleet for a plan, without jobs.
    ///
    /// # Errors
    /// Usage: the plan cannot be read.
    pub fn of(plan: &Path, shards: u32) -> Result<Self, Fault> {
        let cannot = |error: std::io::Error| Fault::usage(format!("cannot read {}: {error}", plan.display()));
        let plan_sha256 = sha256_of(plan).map_err(cannot)?;
        Ok(Self { plan: plan.canonicalize().map_err(cannot)?, plan_sha256, shards, jobs: Vec::new() })
    }

    /// That of a folder.
    ///
    /// # Errors
    /// Usage: it is no folder of a fleet.
    pub fn read(folder: &Path) -> Result<Self, Fault> {
        let file = folder.join("fleet.json");
        let text = std::fs::read_to_string(&file).map_err(|error| {
            Fault::usage(format!("{} is no folder of a fleet: {error}", folder.display()))
                .hint("give the folder that `humdrum fleet slurm` made")
        })?;
        serde_json::from_str(&text).map_err(|error| {
            Fault::usage(format!("{} is damaged: {error}", file.display()))
                .hint("submit the plan again, to another folder")
        })
    }

    /// Writes it.
    ///
    /// # Errors
    /// Environment: the disk or the folder refuses.
    pub fn write(&self, folder: &Path) -> Result<(), Fault> {
        // Writing plain data to memory cannot fail.
        write_whole(&folder.join("fleet.json"), &serde_json::to_string_pretty(self).unwrap_or_default())
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
