//! Options of `humdrum extend`.

use std::path::PathBuf;

use clap::Args;

/// `humdrum extend`.
#[derive(Args, Clone, Debug)]
pub struct ExtendOptions {
    /// A results folder, or the results.sqlite in it
    pub results: PathBuf,
    /// Times of day at which to measure, UTC, comma-separated: 03:00,15:30 [default: once, now]
    #[arg(long, value_delimiter = ',')]
    pub at: Vec<String>,
    /// Time to spend on each run: 90s, 5m, 1h [default: that of the first run]
    #[arg(long)]
    pub budget: Option<String>,
    /// Write summary.json here too; `-` is standard output
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// On a host that other programs keep busy: wait, refuse or warn
    #[arg(long, default_value = "wait")]
    pub on_busy: String,
    /// Allow subjects that are servers already running
    #[arg(long)]
    pub allow_external: bool,
}
