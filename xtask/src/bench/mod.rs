//! `cargo xtask bench NAME`: benchmarks of the project's own code, as ratios measured side by side in one run.

mod between_calls;
mod bisect;
mod builds;
mod capture;
mod case;
mod client;
mod cross;
mod db_bench;
mod device;
mod history;
mod import;
mod insert;
mod io_bound;
mod kv;
mod ledger;
mod luck;
mod merge;
mod null_library;
mod parity;
mod peers;
mod rig;
mod round_trip;
mod runs;
mod server;
mod worker;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Runs a benchmark.
pub fn run(args: &[&str]) -> ExitCode {
    let outcome =
        match args {
            ["client" | "cross" | "parity", ..] if cfg!(debug_assertions) => in_release(args),
            ["bisect", ..] if cfg!(debug_assertions) => in_release(args),
            ["bisect", rest @ ..] => bisect::main(rest),
            ["builds", rest @ ..] => builds::main(rest),
            ["client", rest @ ..] => client::main(rest),
            ["cross", rest @ ..] => cross::main(rest),
            ["parity", rest @ ..] => parity::main(rest),
            ["history", rest @ ..] => history::main(rest),
            ["import", rest @ ..] => import::main(rest),
            ["insert", rest @ ..] => insert::main(rest),
            ["io-bound", rest @ ..] => io_bound::main(rest),
            ["kv", ..] if cfg!(debug_assertions) => in_release(args),
            ["kv", rest @ ..] => kv::main(rest),
            ["kv-device", rest @ ..] => kv::device(rest),
            ["ledger", folders @ ..] if !folders.is_empty() => ledger::main(folders),
            ["luck", results] => luck::main(results),
            ["capture", rest @ ..] => capture::main(rest),
            ["merge", rest @ ..] => merge::main(rest),
            ["runs", results] => runs::main(results),
            ["runs", of_many, of_one] => runs::builds(of_many, of_one),
            ["echo", rest @ ..] => round_trip::echo(rest),
            ["client-worker", rest @ ..] => worker::main(rest),
            _ => Err("benchmarks: bisect, builds, capture, client, cross BASE SUBJECT, history, import, parity, insert, io-bound, kv, kv-device, ledger SELFTEST…, luck RESULTS, merge, runs RESULTS [RESULTS-OF-ONE-BUILD]"
                .to_owned()),
        };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("error: {what}");
            ExitCode::from(2)
        }
    }
}

/// A subject and two numbers, all optional. `names` names them in errors, `default` has the numbers' defaults.
fn arguments<'a>(args: &[&'a str], names: &str, default: [u32; 2]) -> Result<(&'a str, u32, u32), String> {
    let subject = args.first().copied().unwrap_or("postgres@17.7");
    let number = |index: usize, default: u32| args.get(index).map_or(Ok(default), |text| text.parse());
    let [first, second] = [number(1, default[0]), number(2, default[1])];
    let wrong = |error: std::num::ParseIntError| format!("{names}: {error}");
    Ok((subject, first.map_err(wrong)?, second.map_err(wrong)?))
}

/// What a JSON file holds.
fn read_json<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
}

/// The least and the most.
fn extremes(values: &[f64]) -> [f64; 2] {
    [f64::min, f64::max].map(|of| values.iter().copied().reduce(of).unwrap_or(f64::NAN))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let upper = values.len() / 2;
    values[upper].midpoint(values[(values.len() - 1) / 2])
}

/// Runs the benchmark again in a release build.
fn in_release(args: &[&str]) -> Result<(), String> {
    let mut cargo = Command::new(cargo());
    cargo.args(["run", "--release", "--quiet", "--package", "xtask", "--", "bench"]).args(args);
    let status = cargo.status().map_err(|error| format!("cargo cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("the benchmark ended with {status}")) }
}

/// Compiles a C library for a benchmark. The error says why it cannot be compiled.
fn shared_library(folder: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    let library = folder.join(name);
    let source = library.with_extension("c");
    std::fs::write(&source, text).map_err(|error| format!("{}: {error}", source.display()))?;
    let mut command = Command::new("cc");
    command.args(["-O2", "-w", "-fno-builtin", "-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
    let output = command.output().map_err(|error| format!("there is no C compiler: {error}"))?;
    if output.status.success() {
        return Ok(library);
    }
    Err(format!("cc says {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// The cargo that runs us.
fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".into())
}
