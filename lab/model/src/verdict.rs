//! What was decided, in a stable form for scripts: `summary.json` is `Summary`, serialised.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    Blame, BuildLevel, CarryOver, Certificate, Choice, HostFacts, HostSpeed, Imported, Judgement, Judging,
    Mode, Numbers, Reach, RunRatio, ScriptResult, Series, StepRow, TestStatus, Typical,
};

/// The verdict on one test of one comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Slower: "the loss is at most δ" is rejected, after correction.
    Regression,
    /// Faster: "the gain is at most δ" is rejected, after correction.
    Improvement,
    /// "It loses δ or more" and "it gains δ or more" are both rejected: equivalence shown.
    Boring,
    /// None of these; a note says what would decide it.
    Inconclusive,
    /// Given by versions up to 0.1, where an interval was wide; today such a test is inconclusive.
    Unstable,
}

impl Verdict {
    /// The word used in every output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Improvement => "improvement",
            Self::Boring => "boring",
            Self::Inconclusive => "inconclusive",
            Self::Unstable => "unstable",
        }
    }
}

/// Latency percentiles of one subject, µs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    /// Median.
    pub p50: f64,
    /// 95th.
    pub p95: f64,
    /// 99th.
    pub p99: f64,
    /// 99.9th.
    pub p99_9: f64,
    /// 99.99th.
    #[serde(default)]
    pub p99_99: f64,
    /// Longest.
    pub max: f64,
}

/// Latencies of both subjects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencyPair {
    /// The base's latencies.
    pub base: Percentiles,
    /// The subject's latencies.
    pub subject: Percentiles,
}

/// One cost per operation of both subjects. Costs explain a verdict and never decide it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Unit of `base` and `subject`.
    pub unit: String,
    /// One line: what it is.
    pub description: String,
    /// The base's cost of one operation.
    pub base: f64,
    /// The subject's cost of one operation.
    pub subject: f64,
    /// subject / base; absent if the base's cost is zero.
    pub ratio: Option<f64>,
    /// 95 % interval of the ratio.
    pub ci95: Option<[f64; 2]>,
}

/// One quantity of the state after a test, before the debt was paid, of both subjects: the mean over sessions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatePair {
    /// Unit.
    pub unit: String,
    /// One line: what it is.
    pub description: String,
    /// The base's value; absent if its engine has no such quantity.
    pub base: Option<f64>,
    /// The subject's value, or absent.
    pub subject: Option<f64>,
}

/// One test of one comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestResult {
    /// The test's name.
    pub test: String,
    /// Its group.
    pub group: String,
    /// What one operation is.
    pub operation: String,
    /// Rows of a table, in a run at several numbers of rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Its clients, in a run at several numbers of clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<u32>,
    /// How the test ended.
    pub status: TestStatus,
    /// The verdict; absent unless the status is `ok`.
    pub verdict: Option<Verdict>,
    /// Throughput relative to the base: operations over time of all counted work, stalls included.
    pub rqps: Option<f64>,
    /// 95 % interval of `rqps` for this run, valid under the stopping rule.
    pub ci95: Option<[f64; 2]>,
    /// p of "the change is at most δ", adjusted for the family.
    pub p_adjusted: Option<f64>,
    /// Smallest change that this test could detect with 80 % power, as a fraction.
    pub minimum_detectable: Option<f64>,
    /// The ±δ that the verdict used.
    pub delta: f64,
    /// Blocks the verdict used.
    pub blocks: u64,
    /// Blocks that rules discarded.
    pub blocks_discarded: u64,
    /// Sessions the verdict used.
    pub sessions: u32,
    /// Seconds of measured slices, both sides.
    pub seconds: f64,
    /// Operations per second of the base.
    pub base_qps: Option<f64>,
    /// Operations per second of the subject.
    pub qps: Option<f64>,
    /// Latencies.
    pub latency_us: Option<LatencyPair>,
    /// Costs by name (`server_cpu_us`, `cs_o`, …).
    pub cost: BTreeMap<String, Cost>,
    /// Debts per operation by name (`debt_us`, …); empty for tests that read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub debt: BTreeMap<String, Cost>,
    /// The state after the test by name (`table_bytes`, `dead_rows`, …); empty for tests that read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub state: BTreeMap<String, StatePair>,
    /// One ln ratio per session, in session order. The interval is computed from them; their mean is the ln
    /// of `rqps`.
    pub session_log_ratios: Vec<f64>,
    /// The speed of a typical slice, if it differs from the throughput by more than δ/2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<Typical>,
    /// Discarded blocks by the subject that caused them, if any have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blame: Option<Blame>,
    /// How the ratio differs within slices, if they have time stamps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carry_over: Option<CarryOver>,
    /// The interval for another run on this host, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<Reach>,
    /// How much builds of one source differ, if each run has builds of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_level: Option<BuildLevel>,
    /// The runs that were judged together, if there are several; `ci95` then covers the differences between
    /// hours on this host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RunRatio>,
    /// Verdicts on the other quantities that the run is judged by, by name (`cpu`, `p99`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub judged: BTreeMap<String, Judgement>,
    /// The scripts of a mix, each with a verdict of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<ScriptResult>,
    /// Facts beside the verdict.
    pub notes: Vec<String>,
}

impl TestResult {
    /// The numbers that it has of its own.
    pub fn numbers(&self) -> Numbers {
        Numbers { rows: self.rows, clients: self.clients }
    }

    /// The workload's name for the test.
    pub fn own_name(&self) -> &str {
        self.numbers().own_name(&self.test)
    }
}

/// One subject against the base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The subject's label.
    pub subject: String,
    /// One row per test, in the plan's order.
    pub tests: Vec<TestResult>,
}

/// Everything decided in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Version of this format.
    pub schema: u32,
    /// `humdrum 0.1.0`.
    pub tool: String,
    /// The workload.
    pub suite: String,
    /// The seed.
    pub seed: u64,
    /// How subjects took turns.
    pub mode: Mode,
    /// Which verdicts count, and how strictly.
    #[serde(default)]
    pub judging: Judging,
    /// The host.
    pub host: HostFacts,
    /// How fast and how steady the host was during the run; absent where the calibration kernel did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_speed: Option<HostSpeed>,
    /// A/A floor of the host from an earlier A/A run: 95th percentile of |ln ratio| between equal subjects.
    pub aa_floor: Option<f64>,
    /// The error that the intervals of that run did not cover (ln units, 95th percentile over tests); δ is at
    /// least as large.
    pub aa_excess: Option<f64>,
    /// Floor within this run: 95th percentile over tests of |ln ratio| of the base against itself in alternate
    /// blocks. A lower bound of `aa_floor`.
    pub aa_floor_within: Option<f64>,
    /// What selftests on this host found for the engines and classes of tests that the run has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub certificates: Vec<Certificate>,
    /// Tests measured with slices ten times longer: (test, ratio of ratios, 95 % interval).
    pub slice_checks: Vec<(String, f64, [f64; 2])>,
    /// Where the results come from, if others measured them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
    /// The base's label.
    pub base: String,
    /// The run as it was measured; absent where the report has its base and all its subjects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// What is doubtful or incomplete about the whole run: a busy host at its start, shards that are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// False when the run was interrupted.
    pub finished: bool,
    /// Seconds the run took.
    pub seconds: f64,
    /// One per subject other than the base.
    pub comparisons: Vec<Comparison>,
    /// Every step of every subject, in suites of whole steps; subjects in the plan's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepRow>,
    /// The subjects as a series, if they are three or more releases of one engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
}
