//! `cargo xtask reading`: humdrum without what measures. It must compile for this host and, where rustup has their libraries, for
//! Windows and macOS, and on this host it must print and write the same bytes as the whole program.

mod compared;
mod results;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Where the program is built: in the usual folder it would take the place of the whole one.
const FOLDER: &str = "target/reading";

/// A target that reads only.
struct Target {
    /// Its name.
    name: &'static str,
    /// The compiler of its C sources. Checks do with `true` in its place, because nothing is linked.
    cc: Option<&'static str>,
}

const TARGETS: [Target; 2] = [
    Target { name: "x86_64-pc-windows-gnu", cc: Some("x86_64-w64-mingw32-gcc") },
    Target { name: "aarch64-apple-darwin", cc: None },
];

/// Checks all targets, then compares the two programs; one run shows all failures.
pub fn run(root: &Path) -> ExitCode {
    let mut failed = Vec::new();
    for target in &TARGETS {
        if !is_installed(target.name) {
            eprintln!("{0}: left out; `rustup target add {0}` makes it part of this check", target.name);
        } else if let Err(what) = check(root, target) {
            failed.push(what);
        }
    }
    match programs(root).and_then(|[whole, reading]| compared::differences(root, &whole, &reading)) {
        Ok(differences) => failed.extend(differences),
        Err(what) => failed.push(what),
    }
    failed.iter().for_each(|what| eprintln!("{what}"));
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether the standard library of a target is there.
fn is_installed(target: &str) -> bool {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output();
    sysroot.is_ok_and(|output| {
        let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        PathBuf::from(sysroot).join("lib/rustlib").join(target).join("lib").is_dir()
    })
}

fn check(root: &Path, target: &Target) -> Result<(), String> {
    let mut cargo = cargo(root, "check");
    cargo.args(["--no-default-features", "--target-dir", FOLDER, "--target", target.name]);
    let cc = target.cc.filter(|cc| humdrum_provision::tools::find(cc).is_some());
    if cc.is_none() {
        let suffix = target.name.replace('-', "_");
        cargo.env(format!("CC_{suffix}"), "true").env(format!("AR_{suffix}"), "true");
    }
    passes(cargo, &format!("humdrum without what measures does not compile for {}", target.name))
}

/// The whole program and the one that only reads.
fn programs(root: &Path) -> Result<[PathBuf; 2], String> {
    passes(cargo(root, "build"), "humdrum does not compile")?;
    let mut reading = cargo(root, "rustc");
    reading.args(["--no-default-features", "--target-dir", FOLDER, "--", "-D", "warnings"]);
    passes(reading, "humdrum without what measures does not compile, or has warnings")?;
    let usual = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok([usual, root.join(FOLDER)].map(|folder| folder.join("debug/humdrum")))
}

fn cargo(root: &Path, verb: &str) -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([verb, "--package", "humdrum"]).current_dir(root);
    cargo
}

fn passes(mut command: Command, otherwise: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(otherwise.to_owned()),
        Err(error) => Err(format!("cannot run cargo: {error}")),
    }
}
