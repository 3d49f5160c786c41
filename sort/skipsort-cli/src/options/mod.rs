//! From the command line to a plan of the sort.

mod args;
mod names;
mod resolve;
mod size;
mod spelling;
mod words;

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Parser;

use crate::fault::{Fault, Result};
use crate::shape::Shape;

/// What is asked for, complete and without contradictions.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) action: Action,
    pub(crate) shape: Shape,
    /// Names of the input; `-` is standard input.
    pub(crate) inputs: Vec<PathBuf>,
    /// `None`: standard output.
    pub(crate) output: Option<PathBuf>,
    pub(crate) limit: Option<u64>,
    /// Bytes of memory.
    pub(crate) memory: usize,
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) threads: NonZeroUsize,
    pub(crate) compress: Option<PathBuf>,
    pub(crate) batch: Option<usize>,
    pub(crate) progress: Progress,
    pub(crate) stats: Option<Stats>,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Sort,
    Merge,
    Check { aloud: bool },
}

/// When to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Auto,
    Always,
    Never,
}

/// How to say what was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stats {
    Text,
    Json,
}

/// Reads this process's command line. `--help`, `--version` and what clap refuses end the process here.
pub(crate) fn read() -> Result<Options> {
    let words = spelling::plain(std::env::args_os())?;
    match args::Args::try_parse_from(words) {
        Ok(args) => resolve::options(args),
        Err(error) => {
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            printed.map_err(|error| Fault::writing("standard output", &error))?;
            std::process::exit(error.exit_code())
        }
    }
}

#[cfg(test)]
pub(crate) fn parse(line: &str) -> Result<Options> {
    let words = std::iter::once("skipsort").chain(line.split_whitespace());
    let words = spelling::plain(words.map(Into::into))?;
    let args = args::Args::try_parse_from(words).map_err(|error| Fault::new(error.to_string()))?;
    resolve::options(args)
}
