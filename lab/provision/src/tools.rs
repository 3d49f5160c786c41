//! Programs, headers and libraries that a build needs. What is missing is told at once, with packages to install; nothing
//! is installed here.

use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use humdrum_contract::Outcome;
use humdrum_model::Fault;

pub use humdrum_contract::Tool;

use crate::program;

fn is_there(tool: &Tool) -> bool {
    if let Some(header) = tool.name.strip_prefix('<').and_then(|name| name.strip_suffix('>')) {
        return header_places().iter().any(|folder| folder.join(header).is_file());
    }
    if let Some(library) = tool.name.strip_prefix("-l") {
        let files = [format!("lib{library}.so"), format!("lib{library}.a")];
        return library_places().iter().any(|folder| files.iter().any(|file| folder.join(file).is_file()));
    }
    find(&tool.name).is_some()
}

/// What is not on this host.
pub fn missing(tools: &[Tool]) -> Vec<Tool> {
    tools.iter().filter(|tool| !is_there(tool)).cloned().collect()
}

/// Refuses a build that lacks something.
///
/// # Errors
/// Usage, with everything that is missing.
pub fn require(what: &str, tools: &[Tool]) -> Outcome<()> {
    refuse_without(what, &missing(tools))
}

/// Refuses builds for which this is missing, if it is anything.
///
/// # Errors
/// Usage, with everything that is missing.
pub fn refuse_without(what: &str, missing: &[Tool]) -> Outcome<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let mut names: Vec<&str> = Vec::new();
    for tool in missing {
        if !names.contains(&tool.name.as_str()) {
            names.push(&tool.name);
        }
    }
    Err(Fault::usage(format!("to build {what}, this host lacks {}", names.join(", "))).hint(install(missing)))
}

/// The command that installs what is missing.
pub fn install(missing: &[Tool]) -> String {
    let mut packages: Vec<&str> = missing.iter().map(|tool| tool.package.as_str()).collect();
    packages.sort_unstable();
    packages.dedup();
    format!("on Debian: apt-get install {}", packages.join(" "))
}

/// A program in PATH.
pub fn find(name: &str) -> Option<PathBuf> {
    let runs = |path: &PathBuf| {
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(runs);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(name)).find(runs)
}

/// The first line that a program says of its version; `None`: it does not start.
pub fn version(name: &str) -> Option<String> {
    let output = program::output(Command::new(name).arg("--version").env("LC_ALL", "C")).ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then(|| text.lines().next().unwrap_or_default().trim().to_owned())
}

/// Where compilers look for headers, on Debian and elsewhere.
fn header_places() -> Vec<PathBuf> {
    let named = ["CPATH", "C_INCLUDE_PATH"].into_iter().filter_map(env::var_os);
    let mut places: Vec<PathBuf> =
        named.flat_map(|text| env::split_paths(&text).collect::<Vec<_>>()).collect();
    places.extend(["/usr/include", "/usr/local/include"].map(PathBuf::from));
    places.push(PathBuf::from(format!("/usr/include/{}-linux-gnu", env::consts::ARCH)));
    places
}

/// Where linkers look for libraries, on Debian and elsewhere.
fn library_places() -> Vec<PathBuf> {
    let named = env::var_os("LIBRARY_PATH");
    let mut places: Vec<PathBuf> =
        named.iter().flat_map(|text| env::split_paths(text).collect::<Vec<_>>()).collect();
    places.push(PathBuf::from(format!("/usr/lib/{}-linux-gnu", env::consts::ARCH)));
    places.extend(["/usr/lib64", "/usr/lib", "/usr/local/lib"].map(PathBuf::from));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_missing_is_told_at_once() {
        let tools = [
            Tool::new("sh", "dash"),
            Tool::new("no-such-tool", "tool-package"),
            Tool::new("/no/such/compiler", "compiler"),
            Tool::new("<no/such.h>", "libno-dev"),
            Tool::new("-lno-such", "libno-dev"),
        ];
        let fault = require("it", &tools).expect_err("three are missing");
        assert_eq!(fault.exit_code(), 2);
        let told = "to build it, this host lacks no-such-tool, /no/such/compiler, <no/such.h>, -lno-such";
        assert_eq!(fault.what, told);
        assert_eq!(fault.hint.as_deref(), Some("on Debian: apt-get install compiler libno-dev tool-package"));
        require("it", &tools[..1]).expect("a shell is there");
    }

    #[test]
    fn versions_are_first_lines() {
        assert!(version("no-such-tool").is_none());
        assert!(version("/bin/cp").is_some_and(|line| !line.is_empty() && !line.contains('\n')));
    }
}
