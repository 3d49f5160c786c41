//! `humdrum beside`.

use std::path::PathBuf;

use clap::Args;

/// `humdrum beside`.
#[derive(Args, Clone, Debug)]
pub struct BesideOptions {
    /// Results folders, or their summary.tsv or steps.tsv; HOST=PATH names the host
    #[arg(required = true, value_name = "RESULTS")]
    pub results: Vec<String>,
    /// Tables of published figures, TSV; may be given more than once. Without one, the first results take their place
    #[arg(long, value_name = "FILE")]
    pub published: Vec<PathBuf>,
    /// The results are steps from a set-up of ours to the published one, in this order: what each does to the ratio, and what is
    /// left
    #[arg(long, requires = "published")]
    pub bridge: bool,
    /// terminal, html, markdown, tsv or json
    #[arg(long, default_value = "terminal")]
    pub format: String,
    /// Write to this file instead of standard output
    #[arg(short, long)]
    pub out: Option<PathBuf>,
}

/// What `--help` says below the options.
pub const BESIDE_HELP: &str = "Example:\n  \
    humdrum beside humdrum-results/mysql zen3=old/summary.tsv --published mysql-5.6-to-9.7.tsv\n  \
    humdrum beside xeon=old/summary.tsv zen4=humdrum-results/mysql       two hosts of ours\n  \
    humdrum beside 160k=a 10M=b tcp=c --published FILE --bridge          which part of the set-up it is\n\n\
    A published figure agrees when it lies, as far as its digits go, in the 95 % interval that was measured:\n\
    with three hosts or more the prediction for another host, else each host's own. Both are shown where both\n\
    are known. A figure that cannot be compared says why. Published shares of dead rows stand beside those of\n\
    the Insert Benchmark's steps. docs/published.md has the rule and the columns of the tables.";
