//! A client's user-mode time by the processor's clock: the time between one system call and the next.
//!
//! The kernel divides user and system time by its ticks. At the end of a system call interrupts are off. A tick that comes
//! then is delayed to the first instruction after the call, and counts as user time. So each system call is charged user
//! time that the program did not spend, and the error is relatively larger for a lean client. Here a small library is
//! loaded into each client before the C library, and reads the clock around the calls. Our client calls the kernel
//! directly, so that it is built again to call the C library like the others.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::case::Case;
use super::peers::{CONNECTIONS, Peer, finish};
use super::server::Server;

const SECONDS: u32 = 3;
const ROUNDS: u32 = 5;
const SOURCE: &str = include_str!("between_calls.c");

/// User-mode time and system calls of one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spent {
    user_us: f64,
    calls: f64,
}

/// The files with which clients are measured.
struct Instrument {
    /// The library that is loaded before the C library.
    preload: PathBuf,
    /// The file that it writes when its client ends.
    report: PathBuf,
    /// Our client, built to call the C library.
    ours: PathBuf,
}

/// Prints each client's time between calls for one point-select.
pub(super) fn measure(server: &Server, peers: &[Peer]) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("humdrum-bench-calls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let measured = match Instrument::built(&folder) {
        Ok(instrument) => table(&instrument, server, peers),
        Err(why) => {
            println!("\nuser mode between system calls: not measured, {why}");
            Ok(())
        }
    };
    // If this fails, the system removes it later with other temporary files.
    let _ = std::fs::remove_dir_all(&folder);
    measured
}

fn table(instrument: &Instrument, server: &Server, peers: &[Peer]) -> Result<(), String> {
    println!(
        "\n{}: user mode between system calls, µs per point-select, median of {ROUNDS} turns of {SECONDS} s",
        server.engine
    );
    println!("{:<12} {:<10} {:>8} {:>8}", "connections", "client", "user", "calls");
    for connections in CONNECTIONS {
        let mut turns: Vec<Vec<Spent>> = peers.iter().map(|_| Vec::new()).collect();
        for _ in 0..ROUNDS {
            for (peer, turns) in peers.iter().zip(&mut turns) {
                turns.push(instrument.turn(peer, server, connections)?);
            }
        }
        let medians: Vec<f64> = turns.iter().map(|turns| median(turns, |spent| spent.user_us)).collect();
        for ((peer, turns), user) in peers.iter().zip(&turns).zip(&medians) {
            let calls = median(turns, |spent| spent.calls);
            println!("{connections:<12} {:<10} {user:>8.3} {calls:>8.2}", peer.name);
        }
        for (peer, user) in peers.iter().zip(&medians).skip(1) {
            println!("{connections:<12} humdrum / {}: {:.2}", peer.name, medians[0] / user);
        }
    }
    Ok(())
}

fn median(turns: &[Spent], of: fn(&Spent) -> f64) -> f64 {
    super::median(turns.iter().map(of).collect())
}

impl Instrument {
    fn built(folder: &Path) -> Result<Self, String> {
        let preload = super::shared_library(folder, "libbetween_calls.so", SOURCE)?;
        Ok(Self { preload, report: folder.join("report"), ours: ours()? })
    }

    fn turn(&self, peer: &Peer, server: &Server, connections: u32) -> Result<Spent, String> {
        let mut command = (peer.command)(server, &Case::POINT_QUERY, connections, SECONDS);
        if peer.name == "humdrum" {
            let mut other = Command::new(&self.ours);
            other.args(command.get_args());
            command = other;
        }
        // The file may be left from the turn before.
        let _ = std::fs::remove_file(&self.report);
        command.env("LD_PRELOAD", &self.preload).env("HUMDRUM_BETWEEN_CALLS", &self.report);
        let usage = finish(peer, command)?;
        let text = std::fs::read_to_string(&self.report).unwrap_or_default();
        spent(&text, usage.operations).ok_or_else(|| format!("{}: no calls were counted: {text}", peer.name))
    }
}

/// Parses the library's file. An interval that was too long counts as one of mean length.
fn spent(text: &str, operations: f64) -> Option<Spent> {
    let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let [ns, intervals, long] = numbers[..] else { return None };
    let calls = (intervals + long) / operations;
    (intervals > 0.0).then(|| Spent { user_us: ns / intervals * calls / 1e3, calls })
}

/// Builds our client beside the one that runs.
fn ours() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| format!("our own program: {error}"))?;
    let targets = program.ancestors().nth(2).ok_or("our own program is in no build folder")?;
    let target = targets.join("between-calls");
    let status = Command::new(super::cargo())
        .args(["build", "--release", "--package", "xtask", "--target-dir"])
        .arg(&target)
        .args(["--config", "build.rustflags=[\"--cfg\", \"rustix_use_libc\"]"])
        .status();
    match status {
        Ok(status) if status.success() => Ok(target.join("release/xtask")),
        Ok(status) => Err(format!("the client that calls the C library was not built: {status}")),
        Err(error) => Err(format!("cargo cannot be started: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_library_writes() {
        let read = spent("600000 2900 100\n", 1000.0).expect("three numbers");
        assert_eq!(read.calls, 3.0);
        assert!((read.user_us - 0.6207).abs() < 1e-4);
        assert_eq!(spent("", 1000.0), None);
        assert_eq!(spent("0 0 5", 1000.0), None);
    }
}
