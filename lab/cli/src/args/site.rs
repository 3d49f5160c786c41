//! Options of `humdrum site`.

use std::path::PathBuf;

use clap::Args;

/// `humdrum site`.
#[derive(Args, Clone, Debug)]
pub struct SiteOptions {
    /// Folder of the site; pages that `site` wrote before are replaced, whatever else is there stays
    pub folder: PathBuf,
    /// Results folders, or folders with such below them
    #[arg(default_value = "humdrum-results")]
    pub results: Vec<PathBuf>,
    /// Add a page with published figures beside those of the runs, as `humdrum beside` shows them; several tables are allowed
    #[arg(long, value_name = "FILE")]
    pub published: Vec<PathBuf>,
    /// Put results of different processor generations into one chart; without it each generation has its own
    #[arg(long)]
    pub pool_generations: bool,
}
