//! Options of `humdrum selftest`.

use std::path::PathBuf;

use clap::Args;

const HELP: &str = "Compares the subject with itself (A/A), and with itself slowed by each share of --inject: at 2 %, two operations \
    in each hundred are done twice. How often verdicts were wrong, and how often the loss was called a regression, is \
    kept. Reports of later runs quote it, for the same engine, class of tests and clients on this host.\n\n\
    humdrum selftest postgres@17.7 --tests point --budget 5m\n\
    humdrum selftest postgres@17.7 --inject none --runs 10         A/A alone: false alarms\n\
    humdrum selftest rocksdb@10.10.1 --suite kv --inject 2%\n\n\
    Choose --tests, --scale and --budget as in the comparisons that it is to speak for.\n\n\
    Exit codes: 0 done, 1 false alarms are surely more than 5 % of verdicts, 2 bad usage or input,\n\
    3 a run or a test failed, 130 interrupted; runs that came to their end are kept";

/// `humdrum selftest`.
#[derive(Args, Clone, Debug)]
#[command(after_help = HELP)]
pub struct SelftestOptions {
    /// The release or build to measure against itself
    pub subject: String,
    /// The workload's name
    #[arg(long, help = crate::workloads::help())]
    pub suite: Option<String>,
    /// Tests or groups, comma-separated [default: the suite's]
    #[arg(long, value_delimiter = ',')]
    pub tests: Vec<String>,
    /// tiny, small, medium, large, or rows=N,tables=N,clients=N
    #[arg(long)]
    pub scale: Option<String>,
    /// How often each comparison is made, each time with another seed
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Time to spend on each run [default: 60s, or what the tests need at least]
    #[arg(long)]
    pub budget: Option<String>,
    /// Shares of operations to do twice, comma-separated, or `none` [default: 1%,2%,3%,5%; none for whole steps]
    #[arg(long, value_delimiter = ',')]
    pub inject: Vec<String>,
    /// Seed of the first run; each further run has the next one
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Folder for the results of all runs [default: humdrum-results/DATE-selftest-SUBJECT]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Write selftest.json here too; `-` is standard output
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// On a host that other programs keep busy: wait, refuse or warn
    #[arg(long, default_value = "wait")]
    pub on_busy: String,
    /// Print the schedule of a run and how many there are; measure nothing
    #[arg(long)]
    pub dry_run: bool,
}
