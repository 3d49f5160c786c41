//! A watch: a plan whose engine's newer releases are measured as they come out, one comparison each.

use serde::{Deserialize, Serialize};

/// What a watch has done so far; the state file in its folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    /// Version of this format.
    pub schema: u32,
    /// The plan's base, as typed.
    pub base: String,
    /// The engine that is watched.
    pub engine: String,
    /// Releases that the plan named at the first call.
    pub known: Vec<String>,
    /// Releases that came out after those, in the order in which they were found.
    pub releases: Vec<WatchedRelease>,
}

/// A release that came out after the plan was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchedRelease {
    /// The release.
    pub version: String,
    /// The release before it, which it is compared with beside the base.
    pub after: String,
    /// Its results, relative to the watch's folder.
    pub folder: String,
    /// How far it is.
    pub state: WatchState,
    /// Attempts that failed.
    pub failures: u32,
    /// Why the last attempt failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Tests in which it lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<WatchLoss>,
    /// The exit code of its comparison, once it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<u8>,
}

/// How far the measurement of a release is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WatchState {
    /// It was begun; a later call goes on.
    Begun,
    /// It has verdicts.
    Measured,
    /// The last attempt failed.
    Failed,
}

/// A quantity of a test in which a new release lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchLoss {
    /// The test.
    pub test: String,
    /// What is worse: `throughput`, `cpu`, `p99`, or `script NAME` for the throughput of a mix's script.
    pub quantity: String,
    /// The subject that it lost against.
    pub against: String,
    /// The quantity relative to that subject.
    pub ratio: Option<f64>,
    /// Its 95 % interval.
    pub ci95: Option<[f64; 2]>,
}

/// What one call of a watch found and did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchCall {
    /// Version of this format.
    pub schema: u32,
    /// The plan's base, as typed.
    pub base: String,
    /// The engine that is watched.
    pub engine: String,
    /// The newest release that was known before the call.
    pub newest: String,
    /// Releases that the origins offer.
    pub offered: usize,
    /// Releases that this call found to be measured, the oldest first.
    pub due: Vec<String>,
    /// Releases that this call measured, went on with or failed to measure.
    pub releases: Vec<WatchedRelease>,
    /// Releases that failed too often and are not tried again.
    pub given_up: Vec<String>,
    /// The exit code.
    pub code: u8,
}
