//! Client CPU per point-select: ours beside sysbench's and pgbench's, against the same server over the same Unix
//! socket, taking turns.
//!
//! Each turn is two runs of a client, a short and a long one; their difference is the loop alone, without
//! starting, connecting and preparing. CPU is what the kernel charged to the process.

use std::path::PathBuf;
use std::process::Command;

use super::peers::{Peer, Usage, in_path, run, table};

/// The server that all clients use.
pub struct Server {
    /// For our worker.
    pub url: String,
    /// Socket folder.
    pub host: String,
    /// Part of the socket's name.
    pub port: u16,
    /// Role.
    pub user: String,
    /// Its password.
    pub password: String,
    /// Database.
    pub database: String,
    /// Rows of the table.
    pub rows: u32,
    /// What pgbench runs.
    pub script: PathBuf,
}

const ROWS: u32 = 100_000;
const CONNECTIONS: [u32; 2] = [1, 4];
const SHORT_SECONDS: u32 = 1;
const SUBJECT: &str = "bench=postgres@17.7";

/// `bench client [SECONDS [ROUNDS]]`.
pub fn main(args: &[&str]) -> Result<(), String> {
    let number = |index: usize, default: u32| args.get(index).map_or(Ok(default), |text| text.parse());
    let seconds = number(0, 4).map_err(|error| error.to_string())?;
    let rounds = number(1, 5).map_err(|error| error.to_string())?;
    let peers: Vec<Peer> =
        table().into_iter().filter(|peer| peer.name == "humdrum" || in_path(peer.name)).collect();
    let server = Server::up()?;
    let measured = measure(&server, &peers, seconds, rounds);
    Server::down()?;
    measured
}

fn measure(server: &Server, peers: &[Peer], seconds: u32, rounds: u32) -> Result<(), String> {
    println!("client CPU per point-select, µs, median of {rounds} turns of {seconds} s");
    println!(
        "{:<12} {:<10} {:>8} {:>8} {:>8} {:>10}",
        "connections", "client", "user", "system", "total", "QPS"
    );
    for connections in CONNECTIONS {
        let mut turns: Vec<Vec<Usage>> = peers.iter().map(|_| Vec::new()).collect();
        for _ in 0..rounds {
            for (peer, turns) in peers.iter().zip(&mut turns) {
                let short = run(peer, server, connections, SHORT_SECONDS)?;
                let long = run(peer, server, connections, SHORT_SECONDS + seconds)?;
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
    let median = |of: fn(&Usage) -> f64| {
        let mut values: Vec<f64> = turns.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    [
        median(|turn| turn.user_seconds * 1e6 / turn.operations),
        median(|turn| turn.system_seconds * 1e6 / turn.operations),
        median(|turn| turn.operations) / f64::from(seconds),
    ]
}

fn print(connections: u32, peers: &[Peer], medians: &[[f64; 3]]) {
    for (peer, [user, system, qps]) in peers.iter().zip(medians) {
        let total = user + system;
        println!("{connections:<12} {:<10} {user:>8.2} {system:>8.2} {total:>8.2} {qps:>10.0}", peer.name);
    }
    let [our_user, our_system, _] = medians[0];
    for (peer, [user, system, _]) in peers.iter().zip(medians).skip(1) {
        let (user_ratio, total_ratio) = (our_user / user, (our_user + our_system) / (user + system));
        println!("{connections:<12} humdrum / {}: user {user_ratio:.2}, total {total_ratio:.2}", peer.name);
    }
}

impl Server {
    /// Starts one through the program itself, and loads the table.
    fn up() -> Result<Self, String> {
        let output = humdrum(&["up", SUBJECT])?;
        let url = output.split_whitespace().find(|word| word.starts_with("postgres://"));
        let url = url.ok_or_else(|| format!("`humdrum up` printed no address:\n{output}"))?.to_owned();
        let script = std::env::temp_dir().join(format!("humdrum-bench-{}.sql", std::process::id()));
        let text = format!("\\set id random(1, {ROWS})\nSELECT c FROM sbtest1 WHERE id = :id;\n");
        std::fs::write(&script, text).map_err(|error| error.to_string())?;
        let server = Self::parse(url, script)?;
        super::worker::main(&[&server.url, &ROWS.to_string(), "0", "0"])?;
        Ok(server)
    }

    fn down() -> Result<(), String> {
        humdrum(&["down", "bench"]).map(|_| ())
    }

    /// `postgres://USER:PASSWORD@/DATABASE?host=FOLDER&port=PORT`.
    fn parse(url: String, script: PathBuf) -> Result<Self, String> {
        let parse = || {
            let rest = url.strip_prefix("postgres://")?;
            let (credentials, rest) = rest.split_once('@')?;
            let (user, password) = credentials.split_once(':')?;
            let (path, query) = rest.split_once('?')?;
            let parameter =
                |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
            Some(Self {
                url: url.clone(),
                host: parameter("host")?.replace("%2F", "/"),
                port: parameter("port").map_or(Some(5432), |port| port.parse().ok())?,
                user: user.to_owned(),
                password: password.to_owned(),
                database: path.trim_start_matches('/').to_owned(),
                rows: ROWS,
                script: script.clone(),
            })
        };
        parse().ok_or_else(|| format!("cannot read the address {url}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.script);
    }
}

fn humdrum(args: &[&str]) -> Result<String, String> {
    let output = Command::new(super::cargo())
        .args(["run", "--release", "--quiet", "-p", "humdrum", "--"])
        .args(args)
        .output();
    let output = output.map_err(|error| format!("cargo cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("humdrum {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_an_address_with_a_socket() {
        let url = "postgres://me:secret@/db?host=/run/s&port=5433".to_owned();
        let server = Server::parse(url, PathBuf::new()).expect("parsed");
        assert_eq!((server.host.as_str(), server.port, server.database.as_str()), ("/run/s", 5433, "db"));
        assert_eq!((server.user.as_str(), server.password.as_str()), ("me", "secret"));
    }
}
