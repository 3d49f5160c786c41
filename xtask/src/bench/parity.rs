//! Operations per second of our client, as a comparison counts them, and of sysbench, in turns: the same statements over
//! one connection to the same server. Server and clients share one processor, as in a comparison. On two, the kernel's
//! choice of processors would have a larger effect than the client.
//!
//! The memory layout of a Postgres server process makes it some percent faster or slower until it ends. Every turn has a
//! new process, so that many short turns show a ratio near 1 better than a few long ones.

use std::process::{Command, Stdio};

use super::case::Case;
use super::peers::{Peer, in_path, run, table};
use super::server::Server;

/// Tests whose statements sysbench's own scripts repeat.
const CASES: [Case; 10] = [
    Case::POINT_QUERY,
    read_only("read-only_range=10", &["--range_size=10"]),
    read_only("read-only_range=100", &["--range_size=100"]),
    read_only(
        "read-only-simple",
        &["--range_size=1000", "--sum_ranges=0", "--order_ranges=0", "--distinct_ranges=0"],
    ),
    read_only(
        "read-only-sum",
        &["--range_size=1000", "--simple_ranges=0", "--order_ranges=0", "--distinct_ranges=0"],
    ),
    read_only(
        "read-only-order",
        &["--range_size=1000", "--simple_ranges=0", "--sum_ranges=0", "--distinct_ranges=0"],
    ),
    read_only(
        "read-only-distinct",
        &["--range_size=1000", "--simple_ranges=0", "--sum_ranges=0", "--order_ranges=0"],
    ),
    Case { test: "update-index", script: "oltp_update_index", options: &[] },
    Case { test: "update-nonindex", script: "oltp_update_non_index", options: &[] },
    Case { test: "read-write_range=100", script: "oltp_read_write", options: &["--range_size=100"] },
];

const fn read_only(test: &'static str, options: &'static [&'static str]) -> Case {
    Case { test, script: "oltp_read_only", options }
}

/// `bench parity [SUBJECT [SECONDS [ROUNDS [TESTS]]]]`. Tests are separated by commas; the default is all.
pub fn main(args: &[&str]) -> Result<(), String> {
    let (subject, seconds, rounds) = super::arguments(args, "SUBJECT SECONDS ROUNDS", [2, 5])?;
    let cases = args.get(3).map_or_else(|| Ok(CASES.to_vec()), |tests| cases(tests))?;
    let mut peers = table("");
    peers.retain(|peer| peer.name == "humdrum" || in_path(peer.name));
    let [ours, sysbench] = &peers[..] else { return Err("sysbench is not in PATH".into()) };
    let server = Server::up(subject, &Case::POINT_QUERY)?;
    let measured = share_a_processor(server.pid).and_then(|()| {
        cases.iter().try_for_each(|case| compare(case, [ours, sysbench], &server, seconds, rounds))
    });
    Server::down()?;
    measured
}

/// Cases by the names of their tests, separated by commas.
pub(super) fn cases(names: &str) -> Result<Vec<Case>, String> {
    let case = |name: &str| {
        let known = CASES.into_iter().find(|case| case.test == name);
        known.ok_or_else(|| format!("{name}: not one of {}", CASES.map(|case| case.test).join(", ")))
    };
    names.split(',').map(case).collect()
}

fn compare(case: &Case, pair: [&Peer; 2], server: &Server, seconds: u32, rounds: u32) -> Result<(), String> {
    let mut rates: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    let mut ratios = Vec::new();
    for round in 0..rounds {
        let mut both = [0.0; 2];
        // The order alternates between rounds.
        for turn in [round % 2, 1 - round % 2] {
            let number = turn as usize;
            both[number] = run(pair[number], server, case, 1, seconds)?.rate;
        }
        rates.iter_mut().zip(both).for_each(|(rates, rate)| rates.push(rate));
        ratios.push(both[0] / both[1]);
    }
    let [ours, theirs] = rates.map(super::median);
    let [least, most] = super::extremes(&ratios);
    let ratio = super::median(ratios);
    println!(
        "{:<24} humdrum {ours:>9.0}/s   sysbench {theirs:>9.0}/s   {ratio:.2} ({least:.2} to {most:.2})",
        case.test
    );
    Ok(())
}

/// Binds a server with its threads and children, and this program with its children, to the last processor.
fn share_a_processor(pid: u32) -> Result<(), String> {
    let last = std::thread::available_parallelism().map_or(1, usize::from) - 1;
    bind(&[with_children(pid), vec![std::process::id()]].concat(), last)
}

/// A process and its children.
pub(super) fn with_children(pid: u32) -> Vec<u32> {
    let output = Command::new("pgrep").args(["-P", &pid.to_string()]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    std::iter::once(pid).chain(text.split_whitespace().filter_map(|pid| pid.parse().ok())).collect()
}

/// Binds processes with their threads to a processor.
pub(super) fn bind(pids: &[u32], processor: usize) -> Result<(), String> {
    let bound = |pid: &u32| {
        let mut command = Command::new("taskset");
        command.args(["-a", "-p", "-c", &processor.to_string(), &pid.to_string()]).stdout(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    match pids.iter().all(bound) {
        true => Ok(()),
        false => Err("taskset cannot put the server on one processor (util-linux has it)".into()),
    }
}
