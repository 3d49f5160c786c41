//! Client CPU and operations per second of our client, sysbench and pgbench, in turns, with the same server and Unix socket.
//!
//! Each turn is a short and a long run of a client. Their difference is the loop alone, without starting, connecting and
//! preparing. CPU is the process's time from the kernel, which is exact in sum. The kernel divides it into user and
//! system time by its ticks, so that user mode is also measured by another clock (`between_calls.rs`).

use super::between_calls;
use super::case::Case;
use super::peers::{CONNECTIONS, Peer, Usage, in_path, run, table};
use super::server::Server;

const SHORT_SECONDS: u32 = 1;

/// `bench client [SUBJECT [SECONDS [ROUNDS [TEST]]]]`. The test is `point-select` or pgbench's `select-only`.
pub fn main(args: &[&str]) -> Result<(), String> {
    let (subject, seconds, rounds) = super::arguments(args, "SUBJECT SECONDS ROUNDS TEST", [4, 5])?;
    let name = args.get(3).copied().unwrap_or("point-select");
    let case = match name {
        "point-select" => Case::POINT_QUERY,
        "select-only" => Case::SELECT_ONLY,
        other => return Err(format!("{other}: not point-select or select-only")),
    };
    let server = Server::up(subject, &case)?;
    let mut peers = table(&server.engine);
    let runs_it = |name: &str| in_path(name) && (name != "sysbench" || !case.script.is_empty());
    peers.retain(|peer| peer.name == "humdrum" || runs_it(peer.program()));
    let engine = &server.engine;
    println!("{engine}: client CPU per {name}, µs, median of {rounds} turns of {seconds} s");
    let measured = measure(&server, &peers, &case, seconds, rounds);
    let measured = measured.and_then(|()| match name {
        "point-select" => between_calls::measure(&server, &peers),
        _ => Ok(()),
    });
    Server::down()?;
    measured
}

fn measure(server: &Server, peers: &[Peer], case: &Case, seconds: u32, rounds: u32) -> Result<(), String> {
    println!(
        "{:<12} {:<18} {:>8} {:>8} {:>8} {:>10}",
        "connections", "client", "user", "system", "total", "QPS"
    );
    for connections in CONNECTIONS {
        let mut turns: Vec<Vec<Usage>> = peers.iter().map(|_| Vec::new()).collect();
        for _ in 0..rounds {
            for (peer, turns) in peers.iter().zip(&mut turns) {
                let short = run(peer, server, case, connections, SHORT_SECONDS)?;
                let long = run(peer, server, case, connections, SHORT_SECONDS + seconds)?;
                turns.push(long.beyond(short));
            }
        }
        let medians: Vec<[f64; 3]> = turns.iter().map(|turns| medians(turns, seconds)).collect();
        print(connections, peers, &medians);
    }
    Ok(())
}

/// User µs, system µs and QPS.
fn medians(turns: &[Usage], seconds: u32) -> [f64; 3] {
    let median = |of: fn(&Usage) -> f64| super::median(turns.iter().map(of).collect());
    [
        median(|turn| turn.user_seconds * 1e6 / turn.operations),
        median(|turn| turn.system_seconds * 1e6 / turn.operations),
        median(|turn| turn.operations) / f64::from(seconds),
    ]
}

fn print(connections: u32, peers: &[Peer], medians: &[[f64; 3]]) {
    for (peer, [user, system, qps]) in peers.iter().zip(medians) {
        let total = user + system;
        println!("{connections:<12} {:<18} {user:>8.2} {system:>8.2} {total:>8.2} {qps:>10.0}", peer.name);
    }
    let [our_user, our_system, our_qps] = medians[0];
    for (peer, [user, system, qps]) in peers.iter().zip(medians).skip(1) {
        let (user_ratio, total_ratio) = (our_user / user, (our_user + our_system) / (user + system));
        let (name, qps_ratio) = (peer.name, our_qps / qps);
        println!(
            "{connections:<12} humdrum / {name}: user {user_ratio:.2}, total {total_ratio:.2}, QPS {qps_ratio:.2}"
        );
    }
}
