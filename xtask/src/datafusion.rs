//! `cargo xtask datafusion`: builds and runs `sort/skipsort-datafusion`, which is a workspace of its own: DataFusion takes
//! minutes to build, and nothing else of the repository needs it. Its other member is the worker of the lab's engine.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const PACKAGE: &str = "sort/skipsort-datafusion";

/// The worker, which the lab's engine looks for where this builds it.
const WORKER: &str = "humdrum-datafusion";

/// The crate that has DataFusion's sqllogictest files, of the version that the package's lock names.
const FILES_OF: &str = "datafusion-sqllogictest";

/// How every test is built, so that none builds DataFusion again: with the codec for plans that are sent.
const TEST: [&str; 3] = ["test", "--locked", "--all-features"];

/// Runs the tests, or the long ones and the benchmark by their names; none, for other arguments.
pub fn run(root: &Path, args: &[&str]) -> Option<ExitCode> {
    let package = root.join(PACKAGE);
    let mut command = Command::new("cargo");
    command.current_dir(&package);
    match args {
        ["test", more @ ..] => command.args(TEST).arg("--workspace").args(more),
        [] => command.args(TEST).arg("--workspace"),
        ["worker", more @ ..] => {
            command.args(["build", "--locked", "--release", "--package", WORKER]).args(more)
        }
        ["bench", more @ ..] => {
            command.args(["run", "--locked", "--release", "--quiet", "--example", "bench", "--"]).args(more)
        }
        ["fuzz", more @ ..] => {
            let (minutes, seed) = fuzz_args(more)?;
            let named = ["--release", "--test", "all", "fuzz", "--", "--ignored", "--nocapture"];
            command.env("SKIPSORT_MINUTES", minutes).env("SKIPSORT_SEED", seed).args(TEST).args(named)
        }
        ["slt"] => {
            let Some(folder) = slt_files(&package) else {
                eprintln!(
                    "the files of {FILES_OF} could not be fetched; see above. SKIPSORT_SLT names their folder if you have it"
                );
                return Some(ExitCode::from(2));
            };
            let named = ["--test", "all", "passes_with_it", "--", "--ignored", "--nocapture"];
            command.env("SKIPSORT_SLT", folder).args(TEST).args(named)
        }
        _ => return None,
    };
    let done = command.status().is_ok_and(|status| status.success());
    Some(if done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The minutes, 1 if nothing is said, and the first seed.
fn fuzz_args<'a>(args: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let (mut minutes, mut seed) = ("1", "1000");
    for pair in args.chunks(2) {
        match pair {
            ["--minutes", value] => minutes = value,
            ["--seed", value] => seed = value,
            _ => return None,
        }
    }
    [minutes, seed].iter().all(|number| number.parse::<u64>().is_ok()).then_some((minutes, seed))
}

/// The folder of DataFusion's sqllogictest files: that of `SKIPSORT_SLT`, or in cargo's copy of the crate, which is fetched
/// without the crates that it depends on.
fn slt_files(package: &Path) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("SKIPSORT_SLT") {
        return Some(folder.into());
    }
    let lock = std::fs::read_to_string(package.join("Cargo.lock")).ok()?;
    let version = version(&lock, "datafusion")?;
    let info =
        Command::new("cargo").args(["info", "--quiet", &format!("{FILES_OF}@{version}")]).output().ok()?;
    if !info.status.success() {
        eprint!("{}", String::from_utf8_lossy(&info.stderr));
        return None;
    }
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))?;
    let indexes = std::fs::read_dir(home.join("registry/src")).ok()?;
    let folder = |index: std::fs::DirEntry| index.path().join(format!("{FILES_OF}-{version}/test_files"));
    indexes.flatten().map(folder).find(|folder| folder.is_dir())
}

/// The version of a package in a lock file.
fn version(lock: &str, name: &str) -> Option<String> {
    let lock: toml::Table = lock.parse().ok()?;
    let packages = lock.get("package")?.as_array()?;
    let named =
        packages.iter().find(|package| package.get("name").and_then(|of| of.as_str()) == Some(name))?;
    Some(named.get("version")?.as_str()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_the_fuzzer_are_numbers_by_name() {
        assert_eq!(fuzz_args(&[]), Some(("1", "1000")));
        assert_eq!(fuzz_args(&["--seed", "7", "--minutes", "60"]), Some(("60", "7")));
        assert_eq!(fuzz_args(&["--minutes"]), None);
        assert_eq!(fuzz_args(&["--minutes", "long"]), None);
    }

    #[test]
    fn the_files_are_those_of_the_version_that_is_locked() {
        let lock = "[[package]]\nname = \"datafusion\"\nversion = \"1.2.3\"\n";
        assert_eq!(version(lock, "datafusion").as_deref(), Some("1.2.3"));
        assert_eq!(version(lock, "arrow"), None);
    }
}
