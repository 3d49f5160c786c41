//! Everything that must pass beside the tests, the fastest checks first.

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::{licences, reading, tidy};

/// One call of cargo.
struct Step {
    name: &'static str,
    args: &'static [&'static str],
    /// Flags for rustdoc, which takes them only from its environment.
    rustdoc_flags: &'static str,
}

const STEPS: [Step; 5] = [
    Step { name: "formatting", args: &["fmt", "--all", "--check"], rustdoc_flags: "" },
    Step {
        name: "clippy",
        args: &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        rustdoc_flags: "",
    },
    Step {
        name: "clippy of skipsort with all features",
        args: &["clippy", "-p", "skipsort", "--all-features", "--all-targets", "--", "-D", "warnings"],
        rustdoc_flags: "",
    },
    Step {
        name: "skipsort without the standard library",
        args: &["check", "-p", "skipsort", "--no-default-features"],
        rustdoc_flags: "",
    },
    Step {
        name: "documentation",
        args: &["doc", "--workspace", "--no-deps", "--document-private-items"],
        rustdoc_flags: "-D warnings",
    },
];

/// Runs all steps, even after one has failed, so that one run shows all failures.
pub fn run(root: &Path) -> ExitCode {
    let mut failed: Vec<&str> =
        STEPS.iter().filter(|step| !passes(root, step)).map(|step| step.name).collect();
    eprintln!("== licences");
    if licences::run(root) != ExitCode::SUCCESS {
        failed.push("licences");
    }
    eprintln!("== tidy");
    if tidy::run(root, false) != ExitCode::SUCCESS {
        failed.push("tidy");
    }
    eprintln!("== humdrum without what measures");
    if reading::run(root) != ExitCode::SUCCESS {
        failed.push("humdrum without what measures");
    }
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("failed: {}", failed.join(", "));
    ExitCode::FAILURE
}

fn passes(root: &Path, step: &Step) -> bool {
    eprintln!("== {}", step.name);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(step.args).env("RUSTDOCFLAGS", step.rustdoc_flags).current_dir(root);
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("cannot run cargo: {error}");
            false
        }
    }
}
