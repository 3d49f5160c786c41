//! What an upgrade of one database brings: its statements on the old and the new release, what differs beside them, and what
//! the change itself costs. `explain` makes this plain data, and `report` renders it.

use serde::{Deserialize, Serialize};

use crate::{Carried, PlanChange, SettingChange, TestStatus, Verdict};

/// An upgrade as it was tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Upgrade {
    /// `humdrum 0.1.0`.
    pub tool: String,
    /// The running server; `None` where a release was named.
    pub source: Option<UpgradeSource>,
    /// The old release's label.
    pub from: String,
    /// The new one's.
    pub to: String,
    /// All tests but the mix, in the order of the workload.
    pub statements: Vec<UpgradeStatement>,
    /// All of them together, by how often they run.
    pub mix: Option<UpgradeStatement>,
    /// What failed, was refused or answered otherwise, with its place.
    pub trouble: Vec<String>,
    /// Settings that differ although nobody chose them: those that are most likely to matter first.
    pub settings: Vec<SettingChange>,
    /// The test whose settings were measured one by one, and what each carries of its change.
    pub proven: Option<(String, Vec<Carried>)>,
    /// Load and size on the old and the new release.
    pub costs: Option<[UpgradeCost; 2]>,
    /// What the reader should know of how it was tried.
    pub notes: Vec<String>,
}

/// The running server that is to be upgraded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpgradeSource {
    /// Its URL without a password.
    pub url: String,
    /// Its release, as it says itself.
    pub version: String,
    /// Bytes of the database there.
    pub bytes: u64,
    /// Settings that someone chose there and that both sides were given.
    pub given: Vec<(String, String)>,
    /// Chosen settings that the new release does not take, with its words.
    pub refused: Vec<(String, String)>,
    /// Names of chosen settings that neither side was given.
    pub others: Vec<String>,
}

/// One test on both releases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UpgradeStatement {
    /// The test's name.
    pub test: String,
    /// How it ended.
    pub status: TestStatus,
    /// The verdict; absent unless the status is `ok`.
    pub verdict: Option<Verdict>,
    /// Throughput on the new release relative to the old one.
    pub rqps: Option<f64>,
    /// Its interval.
    pub ci95: Option<[f64; 2]>,
    /// Its share of the mix's time on the old release.
    pub share: Option<f64>,
    /// Statements whose query plans differ.
    pub plans: Vec<PlanChange>,
    /// The likeliest cause, if it moved.
    pub cause: Option<String>,
}

/// The cost of having the data on one release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UpgradeCost {
    /// Seconds of the first load: restore, indexes and statistics. Both releases loaded at the same time.
    pub load_seconds: f64,
    /// Bytes of tables and indexes after it.
    pub bytes: u64,
}
