//! A part of a plan, for one of several hosts.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Design, Plan, Results};

/// One of several parts of a plan. Each has all subjects and whole sessions, so that it is valid alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// Its number, from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
    /// The seed of the whole plan. Each shard has a seed of its own, so that no two of them do the same work.
    pub seed: u64,
    /// Screening sessions of the whole plan.
    pub screening_sessions: u32,
    /// Most confirmation sessions of the whole plan.
    pub confirmation_sessions: u32,
}

/// `3/16`, as `--shard` takes it.
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl Plan {
    /// The plan that this one is a shard of; itself if it is none.
    #[must_use]
    pub fn whole(&self) -> Self {
        let Some(Shard { seed, screening_sessions, confirmation_sessions, .. }) = self.shard else {
            return self.clone();
        };
        let design = Design { screening_sessions, confirmation_sessions, ..self.design.clone() };
        Self { seed, design, shard: None, ..self.clone() }
    }
}

/// A shard's record without its measurements: enough to decide how shards are put together.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardRecord {
    /// The results file.
    pub file: PathBuf,
    /// The folder or file as the user knows it, for messages.
    pub named: String,
    /// The record without sessions, blocks and what goes with them.
    pub record: Results,
    /// The id of its last block, which grows as the run goes on; 0 without blocks.
    pub last_block: i64,
    /// Whether the session that began last has no block: the run ended right there, or what came after is in a log that was not copied.
    pub ends_with_a_beginning: bool,
    /// A checksum of its first and last blocks, by which two measurements differ and copies of one agree.
    pub digest: String,
}

/// What tells a measurement of a shard from others, and which of several counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Measurement {
    /// The number of the shard.
    pub shard: u32,
    /// When it began, UTC, RFC 3339.
    pub started: String,
    /// The host that measured it.
    pub host: String,
    /// Whether it came to its end.
    pub finished: bool,
    /// The id of its last block.
    pub last_block: i64,
    /// A checksum of its first and last blocks.
    pub digest: String,
}

/// What a folder of merged shards should hold, so that a part of it that is missing is noticed, and what was left out of it, so that
/// merging in steps tells the same as merging at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeFacts {
    /// Records in the folder, one for each host.
    pub hosts: usize,
    /// The numbers of the shards in the folder.
    pub shards: Vec<u32>,
    /// Measurements of these shards that do not count, because another one does.
    pub passed_over: Vec<Measurement>,
}
