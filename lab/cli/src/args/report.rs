//! `humdrum report`.

use std::path::PathBuf;

use clap::Args;

/// `humdrum report`.
#[derive(Args, Clone, Debug)]
pub struct ReportOptions {
    /// A results folder, or the results.sqlite in it; several stand side by side, as tests × conditions
    #[arg(required = true)]
    pub results: Vec<PathBuf>,
    /// terminal, html, markdown, github, post, post-html, smalldatum, tsv or json
    #[arg(long, default_value = "terminal")]
    pub format: String,
    /// Compare with this subject instead of the base that was measured against
    #[arg(long, value_name = "SUBJECT")]
    pub base: Option<String>,
    /// Show only these subjects beside the base, in the order of the run: A,B
    #[arg(long, value_name = "SUBJECT", value_delimiter = ',')]
    pub subjects: Vec<String>,
    /// Let results of different processor generations stand side by side
    #[arg(long)]
    pub pool_generations: bool,
    /// Write to this file instead of standard output
    #[arg(short, long)]
    pub out: Option<PathBuf>,
}

/// What `--help` says below the options.
pub const CHOICE_HELP: &str = "Subjects are named as `compare` shows or takes them (new, postgres@18.1), or by the first \
    letters of one.\n\n\
    With --base or --subjects, all ratios, intervals and verdicts are computed anew from the blocks on\n\
    record. The results, and the report.html and summary.json beside them, stay as they are: the report\n\
    goes to standard output, or to a file of another name with --out.\n\n\
    Several results (report A B) are one matrix: a row for each test, a column for each run. The columns are\n\
    named by what differs: scale, clients, memory, mode, configuration, or else the time. The runs must\n\
    have the same suite and the same releases; subjects are matched by their places.";
