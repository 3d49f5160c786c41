//! Options of `humdrum versions` and `humdrum fetch`.

use clap::Args;

/// `humdrum versions`.
#[derive(Args, Clone, Debug)]
pub struct VersionsOptions {
    /// Only this engine
    pub engine: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `humdrum fetch`.
#[derive(Args, Clone, Debug)]
pub struct FetchOptions {
    /// Subjects to provision
    #[arg(required = true)]
    pub subjects: Vec<String>,
}
