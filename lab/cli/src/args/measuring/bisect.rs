//! Options of `humdrum bisect`.

use std::path::PathBuf;

use clap::Args;

use humdrum_model::BUILDS_MAX;

use super::DumpOptions;

const HELP: &str = "Finds the release or commit at which a test moved. A round measures one of them interleaved with both ends; the next \
    is where the step is before with a probability of one half. It ends when one place has 95 %, and the two beside it differ \
    in fresh sessions.\n\n\
    humdrum bisect postgres@12.22 postgres@18.1 --tests scan     over the releases of the catalogue\n\
    humdrum bisect ENGINE@src:PATH GOOD BAD --tests scan         over the commits of a git repository\n\
    humdrum bisect ../repo GOOD BAD --prepare 'make -j2' --run ./bench.sh\n\
    .                                                            by a command of yours, which prints a number\n\n\
    What cannot be had or does not start is skipped. `humdrum resume FOLDER` goes on after an interruption.\n\n\
    Exit codes: 0 found, 2 bad usage or input, 3 a run failed, 4 no difference of the ends is shown, or nothing is found within the \
    budget, 130 interrupted";

/// `humdrum bisect`.
#[derive(Args, Clone, Debug)]
#[command(after_help = HELP)]
pub struct BisectOptions {
    /// Two releases of one engine, good and bad; or ENGINE@src:PATH (with --run: PATH), then a good and a bad revision
    #[arg(required = true, num_args = 2..=3, value_name = "SUBJECT")]
    pub subjects: Vec<String>,
    /// The workload's name
    #[arg(long, help = crate::workloads::help())]
    pub suite: Option<String>,
    /// What is restored
    #[command(flatten)]
    pub dump: DumpOptions,
    /// The test that moved
    #[arg(long = "tests", value_name = "TEST", required_unless_present = "run")]
    pub test: Option<String>,
    /// Measure with this command of the shell, run in a copy of each commit's files. The last line that it prints ends in a
    /// number above 0: seconds, operations a second, bytes. Exit status 125 skips the commit
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["suite", "data", "on_restore_error", "test", "judge", "scale", "memory", "fsync_delay", "on_busy"])]
    pub run: Option<String>,
    /// Compile a commit with this command before it is measured
    #[arg(long, value_name = "COMMAND", requires = "run", conflicts_with = "test")]
    pub prepare: Option<String>,
    /// How often --run measures each commit of a round; the first round does twice as many
    #[arg(long, value_name = "N", default_value_t = 8, requires = "run", conflicts_with = "test", value_parser = clap::value_parser!(u32).range(3..))]
    pub sessions: u32,
    /// What moved: throughput, cpu (server CPU per operation) or p99
    #[arg(long, default_value = "throughput")]
    pub judge: String,
    /// tiny, small, medium, large, or rows=N,tables=N,clients=N
    #[arg(long)]
    pub scale: Option<String>,
    /// Time to spend on measuring, all rounds together [default: 30s a round, or what the test needs at least]
    #[arg(long)]
    pub budget: Option<String>,
    /// Seed of the first round; each further round has the next one
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Memory of each server, page cache included: 1G, 640M. Each engine needs some at least (docs/memory.md) [default: no limit]
    #[arg(long)]
    pub memory: Option<String>,
    /// Hold back every fsync of each server, as a device that is slower by so much would: 500us, 2ms [default: not at all]
    #[arg(long, value_name = "TIME")]
    pub fsync_delay: Option<String>,
    /// How long an operation may take before it counts as hung: 30s; with --run, how long the command may take
    #[arg(long)]
    pub timeout: Option<String>,
    /// Only commits that touch this path of the repository
    #[arg(long)]
    pub path: Option<String>,
    /// Follow the first parent of merges, as without this option: a branch counts as the commit that merges it. If a merge of one
    /// branch is found, the search goes on among the commits of the branch
    #[arg(long)]
    pub first_parent: bool,
    /// How probable a commit is at first: all alike (uniform), or by the lines that it touches (lines)
    #[arg(long, value_enum, default_value_t = Prior::Uniform)]
    pub prior: Prior,
    /// Measure so many evenly spaced positions before the search: a change and its repair, which leave both ends equal, are
    /// found then
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub series: usize,
    /// Confirm a commit with so many builds of it and of the one before it, each linked in an order of its own: what is named then
    /// holds for other builds too. Below four, the interval is wide
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "run", value_parser = clap::value_parser!(u32).range(1..=i64::from(BUILDS_MAX)))]
    pub builds: u32,
    /// At the end, sample the two beside the step with perf and a debugger, and show the functions that differ
    #[arg(long, conflicts_with = "run")]
    pub profile: bool,
    /// Folder for the results of all rounds [default: humdrum-results/DATE-bisect-GOOD-to-BAD]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Write bisect.json here too; `-` is standard output
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// On a host that other programs keep busy: wait, refuse or warn
    #[arg(long, default_value = "wait")]
    pub on_busy: String,
    /// Print what is searched and the schedule of a round; measure nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// How probable a commit is before anything was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Prior {
    /// As any other.
    Uniform,
    /// The more, the more lines it touches.
    Lines,
}
