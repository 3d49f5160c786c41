//! `cargo xtask bench NAME`: benchmarks of the project's own code, as ratios measured side by side in one run. `verbs` is their
//! table.

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
mod verbs;
mod worker;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use verbs::Asked;

/// Runs a benchmark, or prints what it takes.
pub fn run(args: &[&str]) -> ExitCode {
    let outcome = verbs::asked(args).and_then(|asked| match asked {
        Asked::Help(text) => {
            print!("{text}");
            Ok(())
        }
        Asked::Run(verb, _) if verb.release && cfg!(debug_assertions) => in_release(args),
        Asked::Run(verb, rest) => (verb.run)(rest),
    });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_succeeds_and_a_refusal_has_the_code_of_usage() {
        let code = |args: &[&str]| format!("{:?}", run(args));
        let (fine, refused) = (format!("{:?}", ExitCode::SUCCESS), format!("{:?}", ExitCode::from(2)));
        for args in [&["--help"][..], &["builds", "--help"], &["kv", "-h"]] {
            assert_eq!(code(args), fine, "{args:?}");
        }
        for args in
            [&["--jobs"][..], &[], &["builds", "--jobs"], &["kv", "-5"], &["builds"], &["luck", "a", "b"]]
        {
            assert_eq!(code(args), refused, "{args:?}");
        }
    }
}
