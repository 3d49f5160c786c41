//! Options of `humdrum clean`.

use clap::Args;

/// `humdrum clean`.
#[derive(Args, Clone, Debug)]
pub struct CleanOptions {
    /// Remove builds and downloads too, not only what dead runs left
    #[arg(long)]
    pub all: bool,
    /// Remove builds, made here or unpacked, and keep downloads
    #[arg(long)]
    pub builds: bool,
    /// Remove this host's history of earlier runs, which `--all` keeps
    #[arg(long)]
    pub history: bool,
    /// List, remove nothing
    #[arg(long)]
    pub dry_run: bool,
}
