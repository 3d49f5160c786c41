//! Options of a measurement, for `compare` and `run`.

use std::path::PathBuf;

use clap::Args;
use humdrum_plan::Request;
use humdrum_workload_script::Given;

/// What to measure, for how long, and what is to be said of it.
#[derive(Args, Clone, Debug, Default)]
pub struct MeasureOptions {
    /// The workload's name.
    #[arg(long, help = crate::workloads::help())]
    pub suite: Option<String>,
    /// What `--suite` restores
    #[command(flatten)]
    pub dump: DumpOptions,
    /// Tests or groups, comma-separated: hot-points, point, range, aggregate, write, today, pre, all [default: read]
    #[arg(long, value_delimiter = ',')]
    pub tests: Vec<String>,
    /// `source`: build releases here, all by one compiler with equal flags [default: as their makers built them]
    #[arg(long)]
    pub from: Option<String>,
    /// Change the sources of every subject that is built here, in order; `+patch=FILE` behind a subject is for it alone
    #[arg(long, value_name = "FILE")]
    pub patch: Vec<String>,
    /// Build each subject from its sources in N layouts, and measure a run with each: intervals then cover what the link order
    /// alone does (about a percent). --budget is for all of them
    #[arg(long, value_name = "N", conflicts_with = "shard")]
    pub builds: Option<u32>,
    /// tiny, small, medium, large, io-small and io-medium (4 and 8 times --memory), or rows=N,tables=N,clients=N (insert: also
    /// y=N,z=N,seconds=N; kv: value=BYTES); clients=1,4,16 measures every test at each number; so does rows=40k,160k, where each
    /// number has sessions of its own, before which its data are loaded or copied anew (--dry-run says what that takes)
    #[arg(long)]
    pub scale: Option<String>,
    /// Time to spend on measuring: 90s, 5m, 1h
    #[arg(long)]
    pub budget: Option<String>,
    /// How subjects take turns: interleaved, or sequential: one has the host at a time [default: interleaved; of insert what
    /// fits this host]
    #[arg(long)]
    pub mode: Option<String>,
    /// Seed of all random choices
    #[arg(long)]
    pub seed: Option<u64>,
    /// Smallest change that matters: 1% or 0.01
    #[arg(long)]
    pub delta: Option<String>,
    /// Memory of each server, page cache included: 1G, 640M. Each engine needs some at least (docs/memory.md) [default: no limit]
    #[arg(long)]
    pub memory: Option<String>,
    /// Hold back every fsync of each server, as a device that is slower by so much would: 500us, 2ms [default: not at all]
    #[arg(long, value_name = "TIME")]
    pub fsync_delay: Option<String>,
    /// Length of a slice in milliseconds [default: 3, where tests write 10, with several clients 10 to 40; sequential: 30 to 40]
    #[arg(long)]
    pub slice_ms: Option<f64>,
    /// Sessions at most, instead of what the budget suggests
    #[arg(long)]
    pub sessions: Option<u32>,
    /// How long an operation may take before it counts as hung: 30s
    #[arg(long)]
    pub timeout: Option<String>,
    /// Measure one of several parts of the plan: 3/16 is the third of sixteen; `merge` puts them together
    #[arg(long)]
    pub shard: Option<String>,
    /// Folder for results [default: humdrum-results/DATE-BASE-vs-SUBJECT]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Write summary.json here too; `-` is standard output
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// Quantities whose verdicts count: throughput, cpu (server CPU per operation), p99 [default: throughput,cpu]
    #[arg(long, value_delimiter = ',')]
    pub judge: Vec<String>,
    /// Correct for the number of tests by Holm, so that a gate hardly ever has a false alarm
    #[arg(long)]
    pub gate: bool,
    /// Exit with 4 when a test stays undecided
    #[arg(long)]
    pub strict: bool,
    /// On a host that other programs keep busy: wait (a tenth of the budget at most, then warn), refuse or warn
    #[arg(long, default_value = "wait")]
    pub on_busy: String,
    /// Do as the reference does even where that is known to mislead: `delete` counts statements that find nothing, the debt of
    /// writes is paid once (kv: after the steps that put), and a test is compared whatever kv's writer kept of its rate
    #[arg(long)]
    pub compat: bool,
    /// Print the schedule, its needs, and the smallest change it will see; measure nothing
    #[arg(long)]
    pub dry_run: bool,
    /// The table of the result is not printed: another verb shows it in its own way
    #[arg(skip)]
    pub unseen: bool,
    /// Allow subjects that are servers already running; touches only their schema `humdrum`
    #[arg(long)]
    pub allow_external: bool,
}

/// A dump as the data of a workload of your own.
#[derive(Args, Clone, Debug, Default)]
pub struct DumpOptions {
    /// A dump in place of the data of your own workload: what pg_dump (plain or -Fc), mysqldump or mariadb-dump wrote, .gz and
    /// .zst alike
    #[arg(long, value_name = "DUMP")]
    pub data: Option<PathBuf>,
    /// When a release refuses a statement of the dump: stop, or skip the statement [default: stop]
    #[arg(long, value_name = "stop|skip")]
    pub on_restore_error: Option<String>,
}

impl DumpOptions {
    /// As workloads take it.
    pub fn given(&self) -> Given {
        Given { data: self.data.clone(), on_restore_error: self.on_restore_error.clone(), ..Given::default() }
    }
}

impl MeasureOptions {
    /// As a request, with `subjects` base first.
    pub fn request(&self, subjects: Vec<String>) -> Request {
        Request {
            suite: self.suite.clone(),
            tests: self.tests.clone(),
            subjects,
            from: self.from.clone(),
            patch: self.patch.clone(),
            scale: self.scale.clone(),
            budget: self.budget.clone(),
            mode: self.mode.clone(),
            seed: self.seed,
            delta: self.delta.clone(),
            memory: self.memory.clone(),
            fsync_delay: self.fsync_delay.clone(),
            slice_ms: self.slice_ms,
            sessions: self.sessions,
            timeout: self.timeout.clone(),
            builds: self.builds,
            out: self.out.clone(),
            judge: self.judge.clone(),
            gate: self.gate,
            strict: self.strict,
            compat: self.compat,
            ..Request::default()
        }
    }
}
