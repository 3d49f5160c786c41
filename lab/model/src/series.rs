//! Three or more releases in the order in which they were named. Each is compared with the first and with the one
//! before it, and each test shows at which release it moved.

use serde::{Deserialize, Serialize};

use crate::{TestStatus, Verdict};

/// Releases in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Labels, in the plan's order; the first is the base.
    pub releases: Vec<String>,
    /// One per test, in the plan's order.
    pub tests: Vec<SeriesTest>,
}

/// One test of all releases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesTest {
    /// The test's name.
    pub test: String,
    /// Its group.
    pub group: String,
    /// The ±δ of its verdicts.
    pub delta: f64,
    /// One per release.
    pub points: Vec<SeriesPoint>,
    /// Where it moved, in the order of the releases.
    pub moves: Vec<Move>,
}

/// One test of one release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesPoint {
    /// The release's label.
    pub release: String,
    /// How the test ended.
    pub status: TestStatus,
    /// Throughput relative to the first release; 1 for itself.
    pub rqps: Option<f64>,
    /// 95 % interval of `rqps`.
    pub ci95: Option<[f64; 2]>,
    /// The verdict against the first release.
    pub verdict: Option<Verdict>,
    /// The comparison with the nearest earlier release that was measured; absent for the first.
    pub step: Option<Step>,
}

/// One release against an earlier one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The earlier release's label.
    pub against: String,
    /// Throughput relative to it.
    pub ratio: f64,
    /// 95 % interval of `ratio`.
    pub ci95: [f64; 2],
    /// p of "no change", adjusted for all steps of all tests.
    pub p_adjusted: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
}

/// A change of a test's level: the releases from here to the next change, compared with those from the last change to
/// here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Move {
    /// The first release of the new level.
    pub at: String,
    /// The last release of the old level.
    pub after: String,
    /// New level relative to the old one.
    pub ratio: f64,
    /// 95 % interval of `ratio`.
    pub ci95: [f64; 2],
    /// p of "no change", adjusted for all releases at which it could have been, and for all tests.
    pub p_adjusted: f64,
    /// The verdict: whether it lies beyond ±δ.
    pub verdict: Verdict,
}
