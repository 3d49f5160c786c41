//! What a command line comes to.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use crate::debug::Annotation;
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
    /// `--debug`.
    pub(crate) annotation: Option<Annotation>,
    /// What to say before the work, on standard error.
    pub(crate) notices: Vec<String>,
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
