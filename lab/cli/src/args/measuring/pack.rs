//! Options of `humdrum pack` and `humdrum unpack`.

use std::path::PathBuf;

use clap::Args;

/// `humdrum pack`.
#[derive(Args, Clone, Debug)]
pub struct PackOptions {
    /// The plan, TOML
    pub plan: PathBuf,
    /// The archive; it must not exist
    #[arg(short, long, default_value = "builds.tar")]
    pub out: PathBuf,
}

/// `humdrum unpack`.
#[derive(Args, Clone, Debug)]
pub struct UnpackOptions {
    /// An archive that `humdrum pack` made
    pub file: PathBuf,
}
