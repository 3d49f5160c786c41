//! Options of `humdrum ci`.

use std::path::PathBuf;

use clap::Args;

use super::MeasureOptions;

/// Below the options.
pub const HELP: &str = "Compares two revisions of a database, for a check of a pull request:\n\n\
    humdrum ci --engine postgres --base origin/main --head HEAD --tests point --budget 20m\n\
    humdrum ci --policy humdrum.toml --base origin/main\n\
    humdrum ci --base postgres@/opt/pg-main --head postgres@/opt/pg-branch      builds that are there\n    \
    humdrum ci --base v17.0 --head HEAD --history origin/humdrum-history        a point of a series\n\n\
    A revision is built from --repo. A policy has an engine, a plan, and regressions that were accepted for a time:\n\n\
    engine = \"postgres\"\n\
    [plan]\n\
    tests = [\"point\", \"scan\"]\n\
    budget = \"20m\"\n\
    [gate]\n\
    fail = [\"regression\", \"failed\"]    also \"undecided\"\n\
    warn = [\"scan\"]                    tests that fail no check\n\
    [[gate.allow]]\n\
    test = \"scan\"\n\
    until = \"2027-01-31\"\n\
    reason = \"rows are checked now\"\n\n\
    The results folder gets comment.md and check.json. On a runner of GitHub, regressions become annotations, and the\n\
    comment is the summary of the job.\n\n\
    Exit codes: 0 passes, 1 a regression that was not accepted, 2 bad usage or input, 3 a run or a test failed,\n\
    4 undecided, where that fails, 130 interrupted";

/// `humdrum ci`.
#[derive(Args, Clone, Debug)]
pub struct CiOptions {
    /// The revision that the change is compared with, or a subject: postgres@17.7, postgres@/opt/pg
    #[arg(long)]
    pub base: String,
    /// The revision of the change, or a subject
    #[arg(long, default_value = "HEAD")]
    pub head: String,
    /// The git repository of both
    #[arg(long, default_value = ".")]
    pub repo: PathBuf,
    /// The engine that it builds [default: the policy's]
    #[arg(long)]
    pub engine: Option<String>,
    /// What is measured and what fails [default: humdrum.toml, if there is one]
    #[arg(long)]
    pub policy: Option<PathBuf>,
    /// Keep the result on this branch, which holds nothing else, and draw what is there; REMOTE/NAME is pushed
    #[arg(long, value_name = "BRANCH")]
    pub history: Option<String>,
    /// Print by what the build of the base is cached: what goes into it, not its commit; nothing is measured
    #[arg(long)]
    pub build_key: bool,
    #[command(flatten)]
    pub measure: MeasureOptions,
}
