//! `humdrum experiments`.

use std::path::PathBuf;

use clap::Args;

/// `humdrum experiments`.
#[derive(Args, Clone, Debug)]
pub struct ExperimentsOptions {
    /// Plans, or folders of plans
    #[arg(value_name = "PLAN", default_value = "experiments")]
    pub plans: Vec<PathBuf>,
    /// Claims of publications, one a line [default: published/claims.tsv beside the plans' folder, or above it]
    #[arg(long, value_name = "FILE")]
    pub claims: Option<PathBuf>,
    /// terminal, markdown or json
    #[arg(long, default_value = "terminal")]
    pub format: String,
    /// Write to this file instead of standard output
    #[arg(short, long)]
    pub out: Option<PathBuf>,
}

/// What `--help` says below the options.
pub const HELP: &str = "A plan with a table [experiment] asks something:\n\n  \
    [experiment]\n  \
    question = \"Did 17 make hot-points faster?\"\n  \
    claims = [\"postgres-12-to-18-sysbench-small-and-big 1-3,7\"]   which sentences of a publication, by their numbers\n  \
    published = [\"../published/figures.tsv\"]\n  \
    differs = [\"160,000 rows, not 50 million\"]\n  \
    records = [\"zen4=../records/2026-11-22/postgres.tsv\"]     summary.tsv of a run of this plan\n  \
    cannot = \"40 clients\"                                     in place of records: why it cannot be run here\n\n\
    It agrees if nine in ten published changes beyond 5 % have a verdict of the same sign here and none has one of the\n\
    other, or, where no change is that large, nine in ten have the same direction. `humdrum beside` shows each figure.";
