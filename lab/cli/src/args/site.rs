//! Options of `humdrum site`.

use std::path::PathBuf;

use clap::Args;

/// `humdrum site`.
#[derive(Args, Clone, Debug)]
pub struct SiteOptions {
    /// Folder of the site; one that `site` wrote before is replaced whole
    pub folder: PathBuf,
    /// Results folders, or folders with such below them
    #[arg(default_value = "humdrum-results")]
    pub results: Vec<PathBuf>,
}
