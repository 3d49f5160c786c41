//! Options of `humdrum merge`.

use std::path::PathBuf;

use clap::Args;

/// Below the options.
pub const HELP: &str = "Measure the shards of one plan, on as many hosts as you like, and put them together:\n\n\
    humdrum run plan.toml --shard 1/4 --out shard-1\n\
    humdrum run plan.toml --shard 2/4 --out shard-2     …\n\
    humdrum merge shard-1 shard-2 shard-3 shard-4 -o merged\n\n\
    The order does not matter, a shard that is there twice counts once, and what was merged can be merged with further\n\
    shards. Shards that are missing or did not come to their end are named; the others count. No input is changed.";

/// `humdrum merge`.
#[derive(Args, Clone, Debug)]
pub struct MergeOptions {
    /// Results folders of shards, or of shards that were merged
    #[arg(required = true)]
    pub results: Vec<PathBuf>,
    /// Folder for the merged results; it must not exist
    #[arg(short, long)]
    pub out: PathBuf,
    /// Write summary.json here too; `-` is standard output
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// Exit with 4 when a test stays undecided
    #[arg(long)]
    pub strict: bool,
    /// Put the shards together without judging them; `humdrum report` on the folder does that later
    #[arg(long, conflicts_with_all = ["json", "strict"])]
    pub no_report: bool,
}
