//! The verbs of the whole program, and the options of those that measure.

mod bisect;
mod build;
mod capture;
mod ci;
mod clean;
mod extend;
mod fleet;
mod measure;
mod pack;
mod selftest;
mod suite;
mod up;
mod upgrade;
mod versions;
mod watch;

use std::path::PathBuf;

use clap::{Args, Subcommand};

pub use bisect::{BisectOptions, Prior};
pub use build::BuildOptions;
pub use capture::CaptureOptions;
pub use ci::CiOptions;
pub use clean::CleanOptions;
pub use extend::ExtendOptions;
pub use fleet::{
    CancelOptions, FetchFleetOptions, FleetOptions, FleetVerb, FolderOptions, ShardOptions, SlurmOptions,
    SshOptions, StatusOptions,
};
pub use measure::{DumpOptions, MeasureOptions};
pub use pack::{PackOptions, UnpackOptions};
pub use selftest::SelftestOptions;
pub use suite::{CheckOptions, NewOptions, SuiteOptions, SuiteVerb};
pub use up::{DownOptions, UpOptions};
pub use upgrade::UpgradeOptions;
pub use versions::{FetchOptions, VersionsOptions};
pub use watch::WatchOptions;

use super::{
    BesideOptions, CompletionsOptions, ExperimentsOptions, ExplainOptions, ImportOptions, ManOptions,
    MergeOptions, ReportOptions, SiteOptions, experiments, import, manual, merge, published, report,
};

/// What `--help` says of the program.
pub const LONG_ABOUT: &str = "Finds performance regressions in databases.\n\n\
    Give it releases, builds or configurations; it gets them, runs small benchmarks on all of them side by \
    side, alternating every few milliseconds, and says with intervals what moved. A good release is \
    boring, and humdrum says so with proof.";

const AFTER_HELP: &str = "Start here:\n  \
    humdrum compare postgres@16.11 postgres@17.7\n\n\
    Exit codes: 0 no confirmed regression, 1 confirmed regression, 2 bad usage or input,\n\
    3 a run failed or a wrong answer, 4 inconclusive under --strict, 130 interrupted (`resume` goes on)";

/// What `--help` says below the verbs.
pub fn after_help() -> &'static str {
    AFTER_HELP
}

/// The verb whose page of the manual is named as an example.
pub const EXAMPLE_VERB: &str = "compare";

/// What to do; one file each under `verbs/`.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Measure side by side, judge, report: the main job
    #[command(after_help = SUBJECTS_HELP)]
    Compare(CompareOptions),
    /// The same from a plan file
    Run(RunOptions),
    /// A check of a pull request: two revisions, and what its project accepts
    #[command(after_help = ci::HELP)]
    Ci(CiOptions),
    /// Go on after an interruption
    Resume(ResumeOptions),
    /// Measure the same again at other times; reports combine all runs
    Extend(ExtendOptions),
    /// Put the shards of one plan together, from any number of hosts
    #[command(after_help = merge::HELP)]
    Merge(MergeOptions),
    /// Measure the shards of a plan on many hosts: submit, look, fetch
    Fleet(FleetOptions),
    /// Render a results file again: terminal, HTML, Markdown, GitHub, TSV, JSON; also with another base
    #[command(after_help = report::CHOICE_HELP)]
    Report(ReportOptions),
    /// Results of other tools (sysbench, pgbench, db_bench, hyperfine, tables) as a record and a report
    #[command(after_help = import::help())]
    Import(ImportOptions),
    /// A workload folder from the statements that a server logged
    #[command(after_help = capture::help())]
    Capture(CaptureOptions),
    /// Published ratios beside measured ones, and how many agree
    #[command(after_help = published::BESIDE_HELP)]
    Beside(BesideOptions),
    /// Plans that ask something, and how far each is answered: beside what was published
    #[command(after_help = experiments::HELP)]
    Experiments(ExperimentsOptions),
    /// Why a test moved: times, counters, settings, plans; most likely cause first
    Explain(ExplainOptions),
    /// At which release or commit a test moved
    Bisect(BisectOptions),
    /// How often verdicts are wrong on this host: equal subjects, and known slowdowns
    Selftest(SelftestOptions),
    /// A static site of many results: all runs, and every test over releases and dates
    Site(SiteOptions),
    /// Measure releases as they come out, for cron or a timer: each with the one before it and the plan's base
    #[command(after_help = watch::HELP)]
    Watch(WatchOptions),
    /// A workload of your own: make a folder for it, or check one
    Suite(SuiteOptions),
    /// What the change to another release brings to your database: statements, plans, settings, costs
    #[command(after_help = upgrade::HELP)]
    Upgrade(UpgradeOptions),
    /// What can be provisioned here
    Versions(VersionsOptions),
    /// Provision without running
    Fetch(FetchOptions),
    /// All builds that a plan needs as one archive, for hosts without network
    Pack(PackOptions),
    /// Put the builds of such an archive into the cache
    Unpack(UnpackOptions),
    /// Build from sources and keep it, without measuring; `--dry-run` shows commands and what is missing
    #[command(after_help = build::HELP)]
    Build(BuildOptions),
    /// Start a provisioned server by hand and print how to connect
    Up(UpOptions),
    /// Stop what `up` started
    Down(DownOptions),
    /// Is this host fit to measure on, and what to change
    Doctor(DoctorOptions),
    /// What is cached, and removing it
    Clean(CleanOptions),
    /// A script with which a shell completes what is typed
    #[command(after_help = manual::COMPLETIONS_HELP)]
    Completions(CompletionsOptions),
    /// The manual's pages, for `man`
    Man(ManOptions),
}

const SUBJECTS_HELP: &str = "Subjects: [LABEL=]ENGINE@WHERE[+SETTING]...\n  \
    postgres@17.7                        a release; postgres@17 is the newest known 17.x\n  \
    postgres@/opt/pgsql-17               an installed build\n  \
    postgres@src:../postgres#master      sources: a repository's revision, or the files of a folder\n  \
    postgres@postgres://me@host/db       a running server (needs --allow-external; docs/external.md)\n  \
    postgres@18.1+io_method=worker       with a setting, in the engine's own terms\n  \
    new=postgres@18.1+x10b               with a named configuration, called `new` in the report\n\n\
    `humdrum versions` lists engines, releases and named configurations.";

/// `humdrum compare`.
#[derive(Args, Clone, Debug)]
pub struct CompareOptions {
    /// What the others are compared with
    pub base: String,
    /// One or more to compare with it
    #[arg(required = true)]
    pub subjects: Vec<String>,
    #[command(flatten)]
    pub measure: MeasureOptions,
}

/// `humdrum run`.
#[derive(Args, Clone, Debug)]
pub struct RunOptions {
    /// The plan, TOML
    pub plan: PathBuf,
    #[command(flatten)]
    pub measure: MeasureOptions,
}

/// `humdrum resume`.
#[derive(Args, Clone, Debug)]
pub struct ResumeOptions {
    /// A results folder, or the results.sqlite in it
    pub results: PathBuf,
    /// Write summary.json here too; `-` is standard output
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// Allow subjects that are servers already running
    #[arg(long)]
    pub allow_external: bool,
}

/// `humdrum doctor`.
#[derive(Args, Clone, Debug)]
pub struct DoctorOptions {
    /// As JSON
    #[arg(long)]
    pub json: bool,
}
