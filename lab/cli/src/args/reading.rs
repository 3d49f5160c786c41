//! The verbs of the program without the feature `measure`: those that read results. Each is as in the whole program; `cargo xtask ci`
//! compares the two lists.

use clap::Subcommand;

use super::{
    BesideOptions, CompletionsOptions, ExperimentsOptions, ExplainOptions, ImportOptions, ManOptions,
    MergeOptions, ReportOptions, SiteOptions, experiments, import, manual, merge, published, report,
};

/// What `--help` says of the program.
pub const LONG_ABOUT: &str = "Finds performance regressions in databases.\n\n\
    This program reads and judges results, those of `humdrum compare` on a Linux host and those of other tools. \
    It was built without what measures.";

/// The verbs of the whole program that are not here.
pub const MEASURING: [&str; 21] = [
    "compare", "run", "ci", "resume", "extend", "fleet", "capture", "bisect", "selftest", "watch", "suite",
    "upgrade", "versions", "fetch", "pack", "unpack", "build", "up", "down", "doctor", "clean",
];

/// Options of `explain` with which it measures: refused here, and not in its help.
const EXPLAIN_MEASURES: [&str; 6] = ["examine", "prove", "profile", "settings", "budget", "allow_external"];

/// Where the whole program comes from.
pub const WHOLE_PROGRAM: &str =
    "install the whole program on a Linux host: docs/install.md; its results can be read here";

/// What `--help` says below the verbs.
pub fn after_help() -> String {
    let measuring = MEASURING.chunks(9).map(|names| names.join(", ")).collect::<Vec<_>>().join(",\n  ");
    format!(
        "Start here:\n  \
         humdrum report RESULTS\n\n\
         These need the whole program, on Linux (docs/install.md):\n  \
         {measuring},\n  \
         and `explain` where it measures\n\n\
         Exit codes: 0 no confirmed regression, 1 confirmed regression, 2 bad usage or input,\n\
         3 a run failed or a wrong answer, 4 inconclusive under --strict, 130 interrupted"
    )
}

/// The verb whose page of the manual is named as an example.
pub const EXAMPLE_VERB: &str = "report";

/// What to do; one file each under `verbs/`.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Put the shards of one plan together, from any number of hosts
    #[command(after_help = merge::HELP)]
    Merge(MergeOptions),
    /// Render a results file again: terminal, HTML, Markdown, GitHub, TSV, JSON; also with another base
    #[command(after_help = report::CHOICE_HELP)]
    Report(ReportOptions),
    /// Results of other tools (sysbench, pgbench, db_bench, hyperfine, tables) as a record and a report
    #[command(after_help = import::help())]
    Import(ImportOptions),
    /// Published ratios beside measured ones, and how many agree
    #[command(after_help = published::BESIDE_HELP)]
    Beside(BesideOptions),
    /// Plans that ask something, and how far each is answered: beside what was published
    #[command(after_help = experiments::HELP)]
    Experiments(ExperimentsOptions),
    /// Why a test moved: times, counters, settings, plans; most likely cause first
    #[command(mut_args(|option| { let measures = EXPLAIN_MEASURES.contains(&option.get_id().as_str()); option.hide(measures) }))]
    Explain(ExplainOptions),
    /// A static site of many results: all runs, and every test over releases and dates
    Site(SiteOptions),
    /// A script with which a shell completes what is typed
    #[command(after_help = manual::COMPLETIONS_HELP)]
    Completions(CompletionsOptions),
    /// The manual's pages, for `man`
    Man(ManOptions),
}
