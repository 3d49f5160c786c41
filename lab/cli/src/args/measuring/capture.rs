//! Options of `humdrum capture`.

use std::path::PathBuf;

use clap::Args;

/// Below the options.
pub fn help() -> String {
    let formats = humdrum_capture::table();
    let formats = formats.iter().map(|one| format!("  {:<15}{}", one.name(), one.about()));
    format!("{HELP}{}", formats.collect::<Vec<_>>().join("\n"))
}

const HELP: &str = "From a log: have the server log its statements with values and times, for a while:\n\n  \
    Postgres        log_min_duration_statement = 0\n  \
    MySQL, MariaDB  slow_query_log = ON, long_query_time = 0\n\n\
    then make a folder, and give it the rows of that server:\n\n  \
    humdrum capture postgresql.log -o shop\n  \
    pg_dump -Fc -d shop -f shop.dump\n  \
    humdrum compare postgres@16 postgres@18 --suite ./shop --data shop.dump\n\n\
    A test is a statement, or a transaction where the log tells sessions apart. The log is only read, and nothing leaves this\n\
    host. docs/your-workload.md says what a folder holds.\n\n\
    From a running server: what it counts anyway, so that nothing has to be configured, and without values:\n\n  \
    humdrum capture postgres://me@host/shop --for 10m -o shop     the extension pg_stat_statements\n  \
    humdrum capture mysql://me@host/shop -o shop                  its performance schema; mariadb:// likewise\n\n\
    Values are drawn from the rows of its tables; each statement is a test of its own. The server is only read. Ways to give\n\
    the password and to ask for encryption: docs/external.md.\n\n\
    Formats of logs:\n";

/// `humdrum capture`.
#[derive(Args, Clone, Debug)]
pub struct CaptureOptions {
    /// The URL of a running server; or logs of one server, in the order of their times, of which `-` is standard input
    #[arg(required = true, value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,
    /// Folder to make; its name is the workload's
    #[arg(short, long)]
    pub out: PathBuf,
    /// Tests: those that took most time, or ran most often where the log has no times
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=500))]
    pub top: u16,
    /// Rows of values that each script gets, drawn from all that the log has, or from the server's tables
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub samples: u32,
    /// Replace texts among the values by noise of the same length; equal ones stay equal. Texts within statements that are the
    /// same every time stay
    #[arg(long)]
    pub mask: bool,
    /// A dump with the rows, for `data` in workload.toml; it is not read
    #[arg(long, value_name = "DUMP")]
    pub data: Option<PathBuf>,
    /// How long a server's counters are watched, as 10m; 0 takes all that they have counted since they were reset. Ctrl-C ends
    /// the wait and goes on with what ran until then [default: 1m]
    #[arg(long = "for", value_name = "TIME")]
    pub time: Option<String>,
    /// The format of all logs [default: each log shows it]
    #[arg(long)]
    pub format: Option<String>,
    /// Seed of what is drawn and of the noise
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Write what was found as JSON here; `-` is standard output
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// What to type next is not told: another verb goes on with the folder
    #[arg(skip)]
    pub goes_on: bool,
}
