//! The ratio of two releases as sysbench itself measures it, one server at a time for seconds, beside ours, of turns of
//! milliseconds. Both run the same statements on the same rows, over one connection that shares a processor with what serves it.
//! What works in the background is on the other processors: a WAL writer that shares the processor of the session costs far more.
//!
//! A round starts each release anew with data of its own; the order alternates. What differs between rounds is the range of
//! sysbench's ratios: chance of the host and of the memory layout of a process.

use std::process::{Command, Stdio};

use humdrum_model::Summary;

use super::case::Case;
use super::parity::{bind, cases, with_children};
use super::peers::{Peer, finish, in_path, table};
use super::server::{ROWS, Server, command};

/// Reads and writes whose statements both have.
const TESTS: &str =
    "point-query,read-only_range=100,read-only-simple,read-only-order,update-index,update-nonindex";

/// Seconds that `compare` has at least: a smaller budget is refused for a single test.
const BUDGET_LEAST: u32 = 60;

/// `bench cross BASE SUBJECT [SECONDS [ROUNDS [TESTS]]]`. A turn of sysbench takes so many seconds for each test.
pub fn main(args: &[&str]) -> Result<(), String> {
    let [base, subject, rest @ ..] = args else { return Err(super::verbs::wanted("cross")) };
    let number = |place: usize, default: u32| {
        let given = rest.get(place).map_or(Ok(default), |text| text.parse());
        given.ok().filter(|number| *number > 0).ok_or("SECONDS and ROUNDS are numbers of 1 or more")
    };
    let (seconds, rounds) = (number(0, 10)?, number(1, 4)?);
    let cases = cases(rest.get(2).unwrap_or(&TESTS))?;
    let peers = table("");
    let sysbench = peers.iter().find(|peer| peer.name == "sysbench" && in_path(peer.name));
    let sysbench = sysbench.ok_or("sysbench is not in PATH")?;
    let last = std::thread::available_parallelism().map_or(1, usize::from) - 1;
    let mut ratios = vec![Vec::new(); cases.len()];
    for round in 0..rounds {
        let mut rates = [Vec::new(), Vec::new()];
        for turn in [round % 2, 1 - round % 2] {
            let turn = turn as usize;
            let one = [base, subject][turn];
            eprintln!("round {} of {rounds}: sysbench on {one}", round + 1);
            rates[turn] = alone(one, sysbench, &cases, seconds, last)?;
        }
        let [base, subject] = rates;
        let pairs = base.into_iter().zip(subject);
        ratios.iter_mut().zip(pairs).for_each(|(all, (base, subject))| all.push(subject / base));
    }
    let budget = (2 * seconds * rounds * cases.len() as u32).max(BUDGET_LEAST);
    eprintln!("humdrum on both, {budget} s");
    let ours = compared(base, subject, &cases, budget);
    println!("{subject} against {base}");
    cases.iter().zip(ratios).for_each(|(case, ratios)| tell(case, ratios, ours.as_ref().ok()));
    ours.map(drop)
}

/// Operations per second of every case, on a server that has the host to itself.
fn alone(
    subject: &str,
    sysbench: &Peer,
    cases: &[Case],
    seconds: u32,
    processor: usize,
) -> Result<Vec<f64>, String> {
    let server = Server::up(subject, &Case::POINT_QUERY)?;
    let rates = placed(server.pid, processor).and_then(|()| {
        let command = |case: &Case| on(processor, &(sysbench.command)(&server, case, 1, seconds));
        cases.iter().map(|case| finish(sysbench, command(case)).map(|usage| usage.rate)).collect()
    });
    Server::down()?;
    rates
}

/// Puts a server as `compare` does: sessions on one processor, what works in the background on another. A session begins where the
/// thread is that accepts it, which is the first one of both engines.
fn placed(pid: u32, processor: usize) -> Result<(), String> {
    bind(&with_children(pid), processor.saturating_sub(1))?;
    let mut first = Command::new("taskset");
    first.args(["-p", "-c", &processor.to_string(), &pid.to_string()]).stdout(Stdio::null());
    let status = first.status().map_err(|error| format!("taskset cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err("taskset cannot move the server's first thread".into()) }
}

/// The command on one processor. This program is not bound, because the servers of `compare` are placed by `compare` itself.
fn on(processor: usize, command: &Command) -> Command {
    let mut bound = Command::new("taskset");
    bound.args(["-c", &processor.to_string()]).arg(command.get_program()).args(command.get_args());
    bound.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    bound
}

/// What `humdrum compare` finds in the same time.
fn compared(base: &str, subject: &str, cases: &[Case], budget: u32) -> Result<Summary, String> {
    let folder = std::env::temp_dir().join(format!("humdrum-cross-{}", std::process::id()));
    let tests: Vec<&str> = cases.iter().map(|case| case.test).collect();
    let mut command = command();
    command.args(["compare", base, subject]);
    command.args(["--tests", &tests.join(","), "--scale", &format!("rows={ROWS},tables=1")]);
    command.args(["--budget", &format!("{budget}s"), "--out"]).arg(&folder);
    let output = command.output().map_err(|error| format!("cargo cannot be started: {error}"))?;
    // A regression has the code 1, and is a result.
    match output.status.code() {
        Some(0 | 1) => {
            let found = super::read_json(&folder.join("summary.json"));
            // What is left lies in the folder for temporary files.
            let _ = std::fs::remove_dir_all(&folder);
            found
        }
        _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn tell(case: &Case, ratios: Vec<f64>, ours: Option<&Summary>) {
    let [least, most] = super::extremes(&ratios);
    let theirs = super::median(ratios);
    let tests = ours.iter().flat_map(|ours| &ours.comparisons).flat_map(|one| &one.tests);
    let found = tests.into_iter().find(|test| test.test == case.test);
    let told = found.and_then(|test| Some((test.rqps?, test.ci95?)));
    let told = told.map_or_else(
        || "not measured".to_owned(),
        |(ratio, [low, high])| format!("{ratio:.3} [{low:.3}, {high:.3}]"),
    );
    println!("{:<24} sysbench {theirs:.3} ({least:.3} to {most:.3})   humdrum {told}", case.test);
}
