//! Options of `humdrum watch`.

use std::path::PathBuf;

use clap::Args;

/// Below the options.
pub const HELP: &str = "Asks the origins of the catalogue for releases that are newer than those of the plan, and measures each \
    with the release before it and with the plan's base. What was measured is remembered in the results folder: a second \
    call measures nothing twice, and after a kill it goes on. Nothing is sent.\n\n\
    humdrum watch plan.toml                                  results in humdrum-results/watch-plan, pages in site/ there\n\
    humdrum watch plan.toml --dry-run                        what is new, and how long it would take\n\
    15 2 * * *  cd /srv/perf && humdrum watch plan.toml --quiet --site /var/www/perf        a line for cron\n\n\
    Exit codes: 0 nothing new, or nothing was lost, 1 a new release lost against the one before it or against the base,\n\
    2 bad usage or input, 3 a release or a test failed (tried again at two later calls), 4 undecided under --strict,\n\
    130 interrupted (the next call goes on)";

/// `humdrum watch`.
#[derive(Args, Clone, Debug)]
pub struct WatchOptions {
    /// The plan, TOML; its first subject is the base, and its newest release is where the watch begins
    pub plan: PathBuf,
    /// Folder for the results of all calls [default: humdrum-results/watch-PLAN]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Folder of the site [default: `site` in the results folder]
    #[arg(long)]
    pub site: Option<PathBuf>,
    /// Add a page to the site with published figures beside those that were measured; several tables are allowed
    #[arg(long, value_name = "FILE")]
    pub published: Vec<PathBuf>,
    /// Also newer releases of older series that the plan names: 16.12 where the plan has 16.11 and 18.1
    #[arg(long)]
    pub maintenance: bool,
    /// Time to spend on each new release, instead of the plan's
    #[arg(long)]
    pub budget: Option<String>,
    /// On a host that other programs keep busy: wait (a tenth of the budget at most, then warn), refuse or warn
    #[arg(long, default_value = "wait")]
    pub on_busy: String,
    /// Exit with 4 when a test stays undecided
    #[arg(long)]
    pub strict: bool,
    /// Say what is new and how long it would take; measure nothing, and write nothing but --json
    #[arg(long)]
    pub dry_run: bool,
    /// Write what was found and measured as JSON; `-` is standard output
    #[arg(long)]
    pub json: Option<PathBuf>,
}
