//! The messages between the lab and a worker, as JSON. Both ends are of one build, so there is no version.

use humdrum_contract::{SortBatch, SortDone, SortKeys, SortMade};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Request {
    Hello,
    Seed(u64),
    Make { set: String, rows: u64, draws: u64 },
    Run { first_seed: u64, seed_step: u64, count: u64, checked: bool },
    Stop,
}

/// What comes back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Answer {
    Done,
    /// The thread that serves this connection.
    Hello(u32),
    Made {
        rows: u64,
        bytes: u64,
        checksum: u64,
    },
    /// `latencies_ns` has one number for each operation.
    Ran {
        rows: u64,
        checksum: u64,
        wall_ns: u64,
        latencies_ns: Vec<u64>,
    },
    /// What this sort does not take.
    Refused(String),
    /// What is not in order.
    Wrong(String),
}

pub(crate) fn encode(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("plain data with text keys")
}

pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}

impl From<&SortKeys> for Request {
    fn from(keys: &SortKeys) -> Self {
        Self::Make { set: keys.set.clone(), rows: keys.rows, draws: keys.draws }
    }
}

impl From<&SortBatch> for Request {
    fn from(batch: &SortBatch) -> Self {
        let SortBatch { first_seed, seed_step, count, checked } = *batch;
        Self::Run { first_seed, seed_step, count, checked }
    }
}

impl From<SortMade> for Answer {
    fn from(made: SortMade) -> Self {
        Self::Made { rows: made.rows, bytes: made.bytes, checksum: made.checksum }
    }
}

impl Answer {
    pub(crate) fn ran(done: SortDone, latencies_ns: Vec<u64>) -> Self {
        Self::Ran { rows: done.rows, checksum: done.checksum, wall_ns: done.wall_ns, latencies_ns }
    }
}
