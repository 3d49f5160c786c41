//! Checks of a project, one after the other: what a branch of its repository keeps of each, and the series that they make.

use serde::{Deserialize, Serialize};

use crate::{ChangePoint, Verdict};

/// What is kept of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// Version of this format.
    pub schema: u32,
    /// `humdrum 0.1.0`.
    pub tool: String,
    /// When it began, UTC, RFC 3339.
    pub started: String,
    /// The engine.
    pub engine: String,
    /// The workload.
    pub suite: String,
    /// Rows, tables, clients, and the memory of each server where that was limited.
    #[serde(default)]
    pub scale: String,
    /// What the change is compared with: a commit's id, or a release.
    pub base: String,
    /// The change: likewise.
    pub head: String,
    /// The processor: ratios of another one make another series.
    pub processor: String,
    /// Its tests.
    pub tests: Vec<CheckedTest>,
}

impl Checked {
    /// The version that this program writes and reads.
    pub const SCHEMA: u32 = 1;

    /// Checks under other conditions make other series: the engine, the workload and its scale.
    pub fn conditions(&self) -> [&str; 3] {
        [&self.engine, &self.suite, &self.scale]
    }
}

/// A test of a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckedTest {
    /// Its name.
    pub test: String,
    /// The verdict; absent where there is none.
    pub verdict: Option<Verdict>,
    /// Throughput of the head relative to the base.
    pub rqps: f64,
    /// 95 % interval of `rqps`.
    pub ci95: [f64; 2],
    /// The ±δ that the verdict used.
    pub delta: f64,
}

/// A test over the checks of one engine, workload, scale and processor.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckSeries {
    /// The engine, the workload and its scale.
    pub conditions: [String; 3],
    /// The test.
    pub test: String,
    /// The processor.
    pub processor: String,
    /// What the levels are relative to.
    pub origin: String,
    /// Oldest first.
    pub points: Vec<CheckLevel>,
    /// Where the level changed; `at` counts points.
    pub changes: Vec<ChangePoint>,
}

/// One check of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckLevel {
    /// When it began.
    pub started: String,
    /// The change.
    pub head: String,
    /// Throughput relative to the series' origin.
    pub level: f64,
    /// 95 % interval of `level`: of all checks that lie between.
    pub ci95: [f64; 2],
    /// What the check itself decided, beside its own base.
    pub verdict: Option<Verdict>,
    /// The check's ±δ.
    pub delta: f64,
}
