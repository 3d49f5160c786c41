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
    /// The record without sessions, blocks and what goes with them.
    pub record: Results,
    /// The id of its last block, which grows as the run goes on; 0 without blocks.
    pub last_block: i64,
}
