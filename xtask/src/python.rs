//! `cargo xtask python`: builds the wheel of `sort/skipsort-python`, installs it into a new environment with what its tests
//! need, and runs them, or its benchmark. It needs Python 3.11 or later (PYTHON names the interpreter) and the package index.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const PACKAGE: &str = "sort/skipsort-python";

/// Runs the tests with these arguments of pytest, or with `bench` first the benchmark with those behind it.
pub fn run(root: &Path, args: &[&str]) -> ExitCode {
    let (extra, start, args) = match args {
        ["bench", args @ ..] => ("bench", "bench/bench.py", args),
        args => ("test", "-mpytest", args),
    };
    let Some(python) = installed(root, extra) else {
        eprintln!(
            "the package could not be installed; see above. PYTHON names an interpreter of 3.11 or later"
        );
        return ExitCode::from(2);
    };
    let mut command = Command::new(python);
    command.arg(start).args(args).current_dir(root.join(PACKAGE));
    if done(&mut command) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The interpreter of a new environment with the wheel and what the extra lists.
fn installed(root: &Path, extra: &str) -> Option<PathBuf> {
    let folder = root.join("target/python");
    let (environment, wheels) = (folder.join(extra), folder.join(format!("wheels-{extra}")));
    let _ = std::fs::remove_dir_all(&wheels);
    let interpreter = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let python = environment.join("bin/python");
    let pip = |args: &[&str]| {
        let mut command = Command::new(&python);
        command.args(["-m", "pip", "--disable-pip-version-check", "--quiet"]).args(args);
        command.current_dir(&folder).env("CARGO_TARGET_DIR", folder.join("target"));
        command
    };
    let package = root.join(PACKAGE).display().to_string();
    let wheels = wheels.display().to_string();
    let ready = done(Command::new(interpreter).args(["-m", "venv", "--clear"]).arg(&environment))
        && done(&mut pip(&["wheel", "--no-deps", "--wheel-dir", &wheels, &package]));
    let wheel = ready.then(|| std::fs::read_dir(wheels).ok()?.next()?.ok())??.path();
    done(&mut pip(&["install", &format!("{}[{extra}]", wheel.display())])).then_some(python)
}

fn done(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}
