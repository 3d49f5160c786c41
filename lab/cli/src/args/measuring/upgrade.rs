//! Options of `humdrum upgrade`.

use std::path::PathBuf;

use clap::Args;

use super::measure::DumpOptions;

/// Below the options.
pub const HELP: &str = "The source is a running server or a release:\n  \
    humdrum upgrade postgres://me@host/shop --to 18 --capture 10m\n  \
    humdrum upgrade postgres://me@host/shop --to 18 --log postgresql.log\n  \
    humdrum upgrade postgres@15.18 --to 18 --suite ./shop --data shop.dump\n\n\
    A running server is only read: the statements that it counts (pg_stat_statements, performance_schema), its release, the settings that someone chose, and its rows by pg_dump, mysqldump or\n\
    mariadb-dump of this host, unless --data has them. Nothing is measured on it: both releases run on this host, side by\n\
    side, with the same rows and settings. Afterwards: humdrum report FOLDER. docs/upgrade.md has an example.\n\n\
    Exit codes: as `compare`.";

/// `humdrum upgrade`.
#[derive(Args, Clone, Debug)]
pub struct UpgradeOptions {
    /// What is upgraded: the URL of a running server (postgres://, mysql://, mariadb://), or a release (postgres@15.18)
    pub source: String,
    /// The new release: 18, 18.1, or a whole subject (mariadb@11.8)
    #[arg(long, value_name = "RELEASE")]
    pub to: String,
    /// What runs on it: the folder of a workload
    #[arg(long, value_name = "FOLDER", conflicts_with = "log")]
    pub suite: Option<String>,
    /// What runs on it: logs of the server, as `humdrum capture` reads them
    #[arg(long, value_name = "LOG")]
    pub log: Vec<PathBuf>,
    /// How long a running server's counters of statements are watched, where neither --suite nor --log is given: 10m; 0 takes all
    /// since they were reset [default: 1m]
    #[arg(long, value_name = "TIME", conflicts_with_all = ["suite", "log"])]
    pub capture: Option<String>,
    /// The rows: a dump
    #[command(flatten)]
    pub dump: DumpOptions,
    /// Tests or groups of the workload, comma-separated [default: all]
    #[arg(long, value_delimiter = ',')]
    pub tests: Vec<String>,
    /// Tests that are made of a log: those that took most time
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=500))]
    pub top: u16,
    /// The workload's scale, as for `compare`
    #[arg(long)]
    pub scale: Option<String>,
    /// Time to spend on measuring: 90s, 5m, 1h
    #[arg(long)]
    pub budget: Option<String>,
    /// Give both sides the settings of this host's defaults, not those that someone chose on the running server
    #[arg(long)]
    pub without_settings: bool,
    /// Measure which changed defaults carry the worst loss, in fresh blocks with each put back
    #[arg(long)]
    pub prove: bool,
    /// Exit with 4 when a test stays undecided
    #[arg(long)]
    pub strict: bool,
    /// Seed of all random choices
    #[arg(long)]
    pub seed: Option<u64>,
    /// Folder to make [default: humdrum-results/upgrade-FROM-to-TO]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Write upgrade.json here too; `-` is standard output
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// On a host that other programs keep busy: wait (a tenth of the budget at most, then warn), refuse or warn
    #[arg(long, default_value = "wait")]
    pub on_busy: String,
}
