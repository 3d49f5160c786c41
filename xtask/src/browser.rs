//! `cargo xtask browser`: opens a large report, or a given one, in a real browser and uses it like a reader
//! (`xtask/browser/check.mjs`); the folder of a site likewise (`site.mjs`). It needs node, npm and chromium, and says which of them
//! is missing.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// As large as reports get: all tests on seven subjects.
const SUBJECTS: [&str; 7] = [
    "fake@1.0",
    "fake@1.1",
    "a=fake@1.0+slowdown=3%",
    "b=fake@1.0+slowdown=30%",
    "c=fake@1.0",
    "d=fake@1.1+slowdown=10%",
    "e=fake@1.1",
];

/// Checks `report`, or makes a large one first. Screenshots go to `shots`.
pub fn run(root: &Path, report: Option<&str>, shots: Option<&str>) -> ExitCode {
    let here = root.join("xtask/browser");
    let report = match report {
        Some(path) => Some(PathBuf::from(path)),
        None => large_report(root),
    };
    let Some(report) = report.and_then(|path| path.canonicalize().ok()) else {
        eprintln!("there is no report to look at");
        return ExitCode::from(2);
    };
    let mut install = Command::new("npm");
    install.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(&here);
    if !done(&mut install) {
        eprintln!("npm could not fetch what the check needs; install node and npm, and see above");
        return ExitCode::from(2);
    }
    let mut check = Command::new("node");
    let script = if report.is_dir() { "site.mjs" } else { "check.mjs" };
    check.arg(script).arg(report).current_dir(&here);
    if let Some(folder) = shots {
        check.arg(std::path::absolute(folder).unwrap_or_else(|_| PathBuf::from(folder)));
    }
    if done(&mut check) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Makes a report of all tests on seven subjects of the fake engine, in a new folder.
fn large_report(root: &Path) -> Option<PathBuf> {
    let out = root.join("target/browser-report");
    let _ = std::fs::remove_dir_all(&out);
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(["run", "--release", "--quiet", "--", "compare"]).args(SUBJECTS);
    command.args(["--tests", "all", "--budget", "60m", "--quiet", "--out"]).arg(&out);
    // The exit code is not zero, because the run has regressions.
    let _ = command.stdout(std::process::Stdio::null()).status().ok()?;
    Some(out.join("report.html"))
}

fn done(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
