//! Options of `humdrum suite`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::DumpOptions;

/// `humdrum suite`.
#[derive(Args, Clone, Debug)]
pub struct SuiteOptions {
    /// What to do.
    #[command(subcommand)]
    pub verb: SuiteVerb,
}

/// What to do with a workload of your own.
#[derive(Clone, Debug, Subcommand)]
pub enum SuiteVerb {
    /// Write a commented example that runs at once
    New(NewOptions),
    /// Read a folder; on each subject named, load it twice, run each test twice, compare the answers, and check its conditions
    #[command(after_help = "humdrum suite check ./shop\n\
        humdrum suite check ./shop postgres@17.7 mysql@8.0.33 mariadb@10.11")]
    Check(CheckOptions),
}

/// `humdrum suite new`.
#[derive(Args, Clone, Debug)]
pub struct NewOptions {
    /// The folder to make; its last part is the workload's name
    pub folder: PathBuf,
}

/// `humdrum suite check`.
#[derive(Args, Clone, Debug)]
pub struct CheckOptions {
    /// The folder
    pub folder: PathBuf,
    /// Releases or builds to try it on
    pub subjects: Vec<String>,
    /// What is restored
    #[command(flatten)]
    pub dump: DumpOptions,
    /// A scale of the workload, or scale=N [default: its smallest]
    #[arg(long)]
    pub scale: Option<String>,
}
