//! A search for the release or commit at which a test moved: `bisect.json` is `Bisect`, serialised. It is written after
//! every round, and a search that was interrupted goes on from it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bisect {
    /// Version of this format.
    pub schema: u32,
    /// `humdrum 0.1.0`.
    pub tool: String,
    /// The workload; empty where a command measures.
    pub suite: String,
    /// The test, or the command.
    pub test: String,
    /// What is compared: `throughput`, `cpu` or `p99`; `value` where a command measures.
    pub quantity: String,
    /// The command that measures, in place of the lab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<BisectScript>,
    /// What else was asked of the lab; `None` where a command measures, and of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<BisectRequest>,
    /// Seed of the first round; each further round has the next one.
    pub seed: u64,
    /// So many evenly spaced positions are measured before the search.
    #[serde(default)]
    pub series: usize,
    /// The two beside the step are to be sampled when it is found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub profile: bool,
    /// The confirmation measures builds that are linked anew.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fresh_links: bool,
    /// A step is named after so many confirmations, each with links of its own.
    #[serde(default = "one")]
    pub builds: u32,
    /// Only commits that touch this path of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Seconds of measuring for the whole search, if the user fixed them.
    pub budget_seconds: Option<f64>,
    /// Most seconds of measuring of one round.
    pub round_seconds: f64,
    /// Seconds of measuring that all rounds took.
    pub seconds: f64,
    /// What is searched, the good end first.
    pub positions: Vec<BisectPosition>,
    /// What was measured, in order.
    pub rounds: Vec<BisectRound>,
    /// Bad end / good end.
    pub ends: Option<BisectRatio>,
    /// Measured positions in order, each relative to the good end over all rounds.
    #[serde(default)]
    pub levels: Vec<BisectLevel>,
    /// Where the step may be, in order.
    pub posterior: Vec<BisectSegment>,
    /// Places of further changes.
    pub others: Vec<BisectSegment>,
    /// Rounds that are probably left.
    pub rounds_left: u32,
    /// How far it got.
    pub state: BisectState,
    /// The step, if it is found.
    pub found: Option<BisectFound>,
    /// Branches that the step merged, if it is a merge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<BisectBranch>,
    /// The search went on among the commits of that branch, in the folder `inside`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_inside: bool,
}

fn one() -> u32 {
    1
}

/// What was asked of the lab for every round, as typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BisectRequest {
    /// The test.
    pub test: String,
    /// A named scale, or its numbers.
    pub scale: Option<String>,
    /// Memory of each server.
    pub memory: Option<String>,
    /// How long each fsync is held back.
    pub fsync_delay: Option<String>,
    /// How long an operation may take.
    pub timeout: Option<String>,
    /// What to do on a host that other programs keep busy.
    pub on_busy: String,
    /// Hash of the files of a user's own workload, which are kept in the folder `suite`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite_sha256: Option<String>,
}

/// A branch that was merged; another search goes over its commits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BisectBranch {
    /// The commit that it began at.
    pub good: String,
    /// Its last commit.
    pub bad: String,
    /// Commits after the first.
    pub commits: usize,
}

/// A command that measures a commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectScript {
    /// The repository's folder.
    pub repository: PathBuf,
    /// The command; the last line that it prints ends in a number.
    pub run: String,
    /// The command that compiles a commit, once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare: Option<String>,
    /// Sessions of a round; the round of the ends has twice as many.
    pub sessions: u32,
    /// Seconds that one run may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<f64>,
}

/// How far a search got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BisectState {
    /// Rounds are left.
    Unfinished,
    /// The ends do not differ.
    Same,
    /// The step is found and confirmed.
    Found,
    /// A step seemed found, but its neighbours do not differ in fresh sessions.
    Unconfirmed,
    /// The budget was spent first.
    BudgetSpent,
}

/// One release or commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectPosition {
    /// Its short name: a version, a commit's id.
    pub name: String,
    /// The subject that is measured, as typed.
    pub subject: String,
    /// A commit's author date and subject line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Its weight as the first that is bad, before anything was measured.
    pub weight: f64,
}

/// The purpose of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BisectKind {
    /// Whether the ends differ.
    Ends,
    /// One of evenly spaced positions, before the search.
    Series,
    /// One position between the ends.
    Candidate,
    /// The neighbours of the step that was found, in fresh sessions.
    Confirm,
}

/// One round. Its results are in the folder `rounds/NUMBER`, counted from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectRound {
    /// Its purpose.
    pub kind: BisectKind,
    /// The numbers of its positions; the first was the base.
    pub positions: Vec<usize>,
    /// Each position / the first, for those after it.
    pub ratios: Vec<BisectRatio>,
    /// Seconds that it took.
    pub seconds: f64,
    /// Seconds that building or fetching and the first starts took beside them.
    #[serde(default)]
    pub beside_seconds: f64,
    /// The position that could not be measured, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<(usize, String)>,
}

/// A ratio of the quantity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectRatio {
    /// The ratio.
    pub ratio: f64,
    /// Its 95 % interval.
    pub ci95: Option<[f64; 2]>,
}

/// A measured position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectLevel {
    /// Its number.
    pub position: usize,
    /// The position / the good end.
    pub ratio: BisectRatio,
}

/// A place of the step: after a position, and at the latest at another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectSegment {
    /// The number of the position before.
    pub after: usize,
    /// The number of the last position that may be the first bad one.
    pub until: usize,
    /// Probability.
    pub mass: f64,
}

/// The step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectFound {
    /// The number of the last good position that could be measured.
    pub after: usize,
    /// The number of the first bad position that could be measured.
    pub until: usize,
    /// Probability.
    pub mass: f64,
    /// `until` / `after`, from the confirmation.
    pub ratio: BisectRatio,
}

impl Bisect {
    /// The short name of a position.
    pub fn name(&self, position: usize) -> &str {
        self.positions.get(position).map_or("", |one| one.name.as_str())
    }
}
