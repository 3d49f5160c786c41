//! `cargo xtask bench NAME`: benchmarks of the project's own code, as ratios measured side by side in one run.

mod client;
mod device;
mod kv;
mod peers;
mod worker;

use std::process::ExitCode;

/// Runs a benchmark.
pub fn run(args: &[&str]) -> ExitCode {
    let outcome = match args {
        ["client", rest @ ..] if cfg!(debug_assertions) => in_release(&[&["client"], rest].concat()),
        ["client", rest @ ..] => client::main(rest),
        ["kv", rest @ ..] if cfg!(debug_assertions) => in_release(&[&["kv"], rest].concat()),
        ["kv", rest @ ..] => kv::main(rest),
        ["kv-device", rest @ ..] => kv::device(rest),
        ["client-worker", rest @ ..] => worker::main(rest),
        _ => Err("benchmarks: client, kv, kv-device".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("error: {what}");
            ExitCode::from(2)
        }
    }
}

/// What is measured must be built as it is shipped.
fn in_release(args: &[&str]) -> Result<(), String> {
    let mut cargo = std::process::Command::new(cargo());
    cargo.args(["run", "--release", "--quiet", "--package", "xtask", "--", "bench"]).args(args);
    let status = cargo.status().map_err(|error| format!("cargo cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("the benchmark ended with {status}")) }
}

/// The cargo that runs us.
fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".into())
}
