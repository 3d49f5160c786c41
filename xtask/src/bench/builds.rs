//! Which releases the compilers of this host build: a table of subjects and compilers, with the seconds that each took, and whether its
//! server starts.

use std::path::Path;
use std::process::{Command, Output};

use super::merge::humdrum;
use super::verbs;

/// The compilers, unless some are named.
const COMPILERS: &str = "gcc,clang";
/// The server's label.
const LABEL: &str = "bench-builds";

/// `bench builds [--cc COMPILER,…] SUBJECT…`.
///
/// # Errors
/// If no subject is named, or humdrum cannot be run.
pub fn main(args: &[&str]) -> Result<(), String> {
    let (compilers, subjects) = asked(args).ok_or_else(|| verbs::wanted("builds"))?;
    let humdrum = humdrum()?;
    println!("subject\tcompiler\tbuilt\tseconds\tserver\terror");
    for subject in subjects {
        for cc in compilers.split(',') {
            println!("{subject}\t{}", row(&humdrum, &format!("{subject}+cc={cc}"))?);
        }
    }
    Ok(())
}

/// Compilers and subjects, of which there must be some. `--cc` may stand before or behind the subjects.
fn asked<'a>(args: &[&'a str]) -> Option<(&'a str, Vec<&'a str>)> {
    let (compilers, subjects) = match args.iter().position(|arg| *arg == "--cc") {
        Some(at) => (*args.get(at + 1)?, [&args[..at], &args[at + 2..]].concat()),
        None => (COMPILERS, args.to_vec()),
    };
    let are_names = std::iter::once(&compilers).chain(&subjects).all(|name| !name.starts_with('-'));
    (are_names && !subjects.is_empty()).then_some((compilers, subjects))
}

/// The columns behind the subject.
fn row(humdrum: &Path, subject: &str) -> Result<String, String> {
    let plan = run(humdrum, &["build", subject, "--dry-run", "--quiet"])?;
    if !plan.status.success() {
        return Ok(format!("-\tno\t-\t-\t{}", complaint(&plan)));
    }
    let said = String::from_utf8_lossy(&plan.stdout).into_owned();
    let value =
        |name: &str| said.lines().find_map(|line| line.trim_start().strip_prefix(name)).unwrap_or("-").trim();
    let (compiler, folder) = (value("compiler "), value("folder "));
    let built = run(humdrum, &["build", subject, "--quiet"])?;
    if !built.status.success() {
        return Ok(format!("{compiler}\tno\t-\t-\t{}", complaint(&built)));
    }
    let (seconds, reached) = (seconds(Path::new(folder)), starts(humdrum, subject)?);
    Ok(format!("{compiler}\tyes\t{seconds}\t{reached}"))
}

/// What the build took, as its own folder tells.
fn seconds(folder: &Path) -> String {
    let text = std::fs::read_to_string(folder.join("humdrum-build.txt")).unwrap_or_default();
    let line = text.lines().rev().find_map(|line| line.strip_prefix("built in "));
    line.and_then(|rest| rest.split(' ').next()).unwrap_or("-").to_owned()
}

/// Starts a server of it, and ends it.
fn starts(humdrum: &Path, subject: &str) -> Result<String, String> {
    let engine = subject.split('@').next().unwrap_or_default();
    let release = subject.split_once('@').map_or("", |(_, rest)| rest);
    let (release, settings) = release.split_once('+').unwrap_or((release, ""));
    let place =
        if release.starts_with("src:") { release.to_owned() } else { format!("src:package#{release}") };
    let up = run(humdrum, &["up", &format!("{LABEL}={engine}@{place}+{settings}"), "--quiet"])?;
    let ended = run(humdrum, &["down", LABEL, "--quiet"])?;
    match (up.status.success(), ended.status.success()) {
        (true, true) => Ok("starts\t-".to_owned()),
        (true, false) => Err(complaint(&ended)),
        (false, _) => Ok(format!("does not start\t{}", complaint(&up))),
    }
}

fn run(humdrum: &Path, args: &[&str]) -> Result<Output, String> {
    Command::new(humdrum).args(args).output().map_err(|error| format!("{}: {error}", humdrum.display()))
}

/// The first line of what went wrong.
fn complaint(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    said.lines().next().unwrap_or("-").replace('\t', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_may_be_named_before_or_behind_the_subjects() {
        for args in [["--cc", "gcc", "a", "b"], ["a", "--cc", "gcc", "b"], ["a", "b", "--cc", "gcc"]] {
            assert_eq!(asked(&args), Some(("gcc", vec!["a", "b"])), "{args:?}");
        }
        assert_eq!(asked(&["a"]), Some((COMPILERS, vec!["a"])));
        for args in [&["--cc"][..], &[], &["--cc", "gcc"], &["a", "--cc"], &["a", "--cc", "--cc", "b"]] {
            assert_eq!(asked(args), None, "{args:?}");
        }
    }
}
