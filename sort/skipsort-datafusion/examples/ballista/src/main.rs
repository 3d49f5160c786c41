//! A Ballista cluster whose executors sort with skipsort: its scheduler, its executors, a query, its data, and the same query in one
//! process. `cluster.sh` beside it starts them all.

mod args;
mod codec;
mod data;
mod digest;
mod engine;
mod executor;
mod query;
mod scheduler;
mod single;

use std::process::ExitCode;

use args::Args;

/// Nothing here listens on, or connects to, another address.
const LOOPBACK: &str = "127.0.0.1";

/// The table is called `t` everywhere. The order is total, so that there is one result.
const SQL: &str = "SELECT * FROM t ORDER BY url, id";

const USAGE: &str = "\
usage: skipsort-ballista COMMAND [--NAME VALUE]...

  data       --out FOLDER [--rows 1000000] [--files 32] [--seed 1]
             writes a table as Parquet files
  scheduler  --port-file FILE [--port PORT] [--planner static|adaptive]
             serves until it is killed, and writes its port to the file once it listens
  executor   --scheduler PORT --work-dir FOLDER [--memory 512M] [--vcores 2] [--port PORT] [--rule scheduler|executor]
             serves until it is killed; with `--rule executor` it replaces the sorts of the plans that it is sent
  plan       --scheduler PORT --data FOLDER
             shows the query's plan and its stages, as the scheduler's rules make them
  query      --scheduler PORT --data FOLDER
             runs the query, checks the order, and shows rows, checksum and the plan that ran with its metrics
  single     --data FOLDER [--memory 4G] [--temp FOLDER]
             the same rows and checksum by DataFusion's own sort in this process

Without a port a free one is taken. Logs go to standard error, as RUST_LOG says (info).
";

/// What may fail for a reason that the user reads.
type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[tokio::main]
async fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("info")).init();
    let given: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, rest)) = given.split_first() else {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(command, rest).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{command}: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: &str, rest: &[String]) -> Result {
    let named = |names: &[&str]| Args::parse(rest, names);
    match command {
        "data" => data::run(&named(&["out", "rows", "files", "seed"])?),
        "scheduler" => scheduler::run(&named(&["port", "port-file", "planner"])?).await,
        "executor" => {
            let args = named(&["scheduler", "work-dir", "memory", "port", "vcores", "rule"])?;
            executor::run(&args).await
        }
        "plan" => query::plan(&named(&["scheduler", "data"])?).await,
        "query" => query::run(&named(&["scheduler", "data"])?).await,
        "single" => single::run(&named(&["data", "memory", "temp"])?).await,
        _ => Err(format!("no such command\n{USAGE}").into()),
    }
}
