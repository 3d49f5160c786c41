//! DataFusion's own sort and this crate's, in turns in one process: medians of seconds, and their ratio. Before, the rows of both are
//! compared.

mod answer;
mod data;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use datafusion::common::exec_err;
use datafusion::error::Result;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use skipsort_datafusion::WithSkipSort;
use tokio::runtime::Runtime;

use data::{Set, sets};

const USAGE: &str = "\
usage: cargo xtask datafusion bench [--sets A,B] [--queries 1,10] [--rows N] [--scale SF] [--rounds N]
                              [--threads 1,2] [--tsv FILE]

  --sets     of: url path uuid down mixed lineitem2 lineitem4 top10 top1000 memory tpch (default: all)
  --queries  of TPC-H (default: all 22)
  --rows     of the tables that are not TPC-H's (10000000)
  --scale    factor of TPC-H's tables (1)
  --rounds   of each operator, in turns; the median counts (3)
  --threads  threads of the runtime and partitions of the table, one after the other (1,2)
  --tsv      also write the table there
";

struct Args {
    sets: Vec<String>,
    queries: Vec<usize>,
    rows: usize,
    scale: f64,
    rounds: usize,
    threads: Vec<usize>,
    tsv: Option<String>,
}

fn args() -> Option<Args> {
    let all = data::NAMES.map(String::from).to_vec();
    let mut args = Args {
        sets: all,
        queries: (1..=data::QUERIES).collect(),
        rows: 10_000_000,
        scale: 1.0,
        rounds: 3,
        threads: vec![1, 2],
        tsv: None,
    };
    let given: Vec<String> = std::env::args().skip(1).collect();
    for pair in given.chunks(2) {
        let [name, value] = pair else { return None };
        match name.as_str() {
            "--sets" => args.sets = value.split(',').map(String::from).collect(),
            "--queries" => args.queries = numbers(value)?,
            "--rows" => args.rows = value.parse().ok()?,
            "--scale" => args.scale = value.parse().ok()?,
            "--rounds" => args.rounds = value.parse().ok().filter(|&rounds| rounds > 0)?,
            "--threads" => args.threads = numbers(value)?,
            "--tsv" => args.tsv = Some(value.clone()),
            _ => return None,
        }
    }
    let known = args.sets.iter().all(|set| data::NAMES.contains(&set.as_str()));
    let known = known && args.queries.iter().all(|query| (1..=data::QUERIES).contains(query));
    (known && !args.threads.contains(&0)).then_some(args)
}

fn numbers(list: &str) -> Option<Vec<usize>> {
    list.split(',').map(|number| number.parse().ok()).collect()
}

fn main() -> ExitCode {
    let Some(args) = args() else {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    };
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    println!("{}, {} rounds", cpu.map_or("unknown processor", |(_, name)| name), args.rounds);
    let head = [
        "set",
        "threads",
        "rows",
        "datafusion_s",
        "skipsort_s",
        "ratio",
        "first_datafusion_s",
        "first_skipsort_s",
    ];
    println!("{}", line(&head.map(String::from)));
    let (mut tsv, mut failed) = (head.join("\t") + "\n", false);
    for name in &args.sets {
        for &threads in &args.threads {
            for set in sets(name, (args.rows, args.scale, &args.queries), threads) {
                let cells = match measured(&set, threads, args.rounds) {
                    Ok(cells) => cells,
                    Err(error) => {
                        eprintln!("{error}");
                        return ExitCode::FAILURE;
                    }
                };
                failed |= cells.iter().any(|cell| cell == FAILED);
                println!("{}", line(&cells));
                tsv += &(cells.join("\t") + "\n");
            }
        }
    }
    if let Some(Err(error)) = args.tsv.as_ref().map(|file| std::fs::write(file, tsv)) {
        eprintln!("{}: {error}", args.tsv.unwrap_or_default());
        return ExitCode::FAILURE;
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn line(cells: &[String]) -> String {
    let wide: Vec<String> = cells.iter().map(|cell| format!("{cell:>18}")).collect();
    wide.join(" ")
}

/// Seconds of one query: until the first batch, and until the last.
struct Times {
    first: f64,
    all: f64,
}

/// Which operator is meant.
const WHOSE: [&str; 2] = ["DataFusion's own sort", "skipsort"];

/// What a query that failed has instead of seconds.
const FAILED: &str = "failed";

/// An operator that fails, for want of memory perhaps, has no figures; the other one has.
fn measured(set: &Set, threads: usize, rounds: usize) -> Result<[String; 8]> {
    let mut rows = 0;
    let mut times: [Option<Vec<Times>>; 2] = [const { Some(Vec::new()) }; 2];
    let failed = |of: usize, error| {
        eprintln!("{}, {threads} threads, {}: {error}", set.name, WHOSE[of]);
        None
    };
    let answers = [false, true].map(|with_rule| answer::of(set, threads, with_rule));
    if let [Ok(theirs), Ok(ours)] = &answers
        && !theirs.is_as(ours, set.is_limited())
    {
        return exec_err!(
            "{}, {threads} threads: {theirs:?} by {}, {ours:?} by {}",
            set.name,
            WHOSE[0],
            WHOSE[1]
        );
    }
    for (of, answer) in answers.into_iter().enumerate() {
        match answer {
            Ok(answer) => rows = answer.rows,
            Err(error) => times[of] = failed(of, error),
        }
    }
    for round in 0..rounds {
        // Each is the first in turns: what one leaves behind, in memory perhaps, would else always meet the other.
        for turn in 0..2 {
            let of = (round + turn) % 2;
            let Some(some) = &mut times[of] else { continue };
            match once(set, threads, of == 1) {
                Ok(one) => some.push(one),
                Err(error) => times[of] = failed(of, error),
            }
        }
    }
    let medians = |of: fn(&Times) -> f64| {
        times.each_ref().map(|all| all.as_ref().map(|all| median(all.iter().map(of))))
    };
    let (all, first) = (medians(|one| one.all), medians(|one| one.first));
    let seconds = |of: Option<f64>| of.map_or(FAILED.to_string(), |of| format!("{of:.3}"));
    let ratio = all[0].zip(all[1]).map(|(theirs, ours)| format!("{:.2}", theirs / ours));
    Ok([
        set.name.clone(),
        threads.to_string(),
        rows.to_string(),
        seconds(all[0]),
        seconds(all[1]),
        ratio.unwrap_or(FAILED.to_string()),
        seconds(first[0]),
        seconds(first[1]),
    ])
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Runs the query, whose batches are dropped as they come.
fn once(set: &Set, threads: usize, with_rule: bool) -> Result<Times> {
    runtime(threads)?.block_on(async {
        let session = session(set, threads, with_rule)?;
        let (start, mut first) = (Instant::now(), None);
        let mut stream = session.sql(&set.sql).await?.execute_stream().await?;
        while let Some(batch) = stream.next().await {
            first.get_or_insert(start.elapsed().as_secs_f64());
            batch?;
        }
        let all = start.elapsed().as_secs_f64();
        Ok(Times { first: first.unwrap_or(all), all })
    })
}

fn runtime(threads: usize) -> Result<Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?)
}

/// A session over the set's tables, with the set's memory.
fn session(set: &Set, threads: usize, with_rule: bool) -> Result<SessionContext> {
    let mut config = SessionConfig::new().with_target_partitions(threads);
    let mut runtime = RuntimeEnvBuilder::new();
    if let Some(bytes) = set.memory {
        runtime = runtime.with_memory_pool(Arc::new(FairSpillPool::new(bytes)));
        // DataFusion's own sort keeps 10 MB of each partition's memory back for its merges by default, and fails with so little.
        config = config.with_sort_spill_reservation_bytes(bytes / (2 * threads));
    }
    let session = SessionContext::new_with_config_rt(config, runtime.build_arc()?);
    let session = if with_rule { session.with_skipsort(Default::default()) } else { session };
    for (name, table) in set.tables.iter() {
        session.register_table(*name, table.clone())?;
    }
    Ok(session)
}
