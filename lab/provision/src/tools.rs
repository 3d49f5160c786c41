//! Programs and headers that a build needs. What is missing is told at once, with packages to install; nothing is
//! installed here.

use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::program;

/// Something that a build needs, and the package of Debian that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// A program's name or path, or a header in angle brackets (`<lz4.h>`).
    pub name: String,
    /// What to install.
    pub package: String,
}

impl Tool {
    /// A tool and its package.
    pub fn new(name: &str, package: &str) -> Self {
        Self { name: name.to_owned(), package: package.to_owned() }
    }

    fn is_there(&self) -> bool {
        match self.name.strip_prefix('<').and_then(|name| name.strip_suffix('>')) {
            Some(header) => header_places().iter().any(|folder| folder.join(header).is_file()),
            None => find(&self.name).is_some(),
        }
    }
}

/// What is not on this host.
pub fn missing(tools: &[Tool]) -> Vec<Tool> {
    tools.iter().filter(|tool| !tool.is_there()).cloned().collect()
}

/// Refuses a build that lacks something.
///
/// # Errors
/// Usage, with everything that is missing.
pub fn require(what: &str, tools: &[Tool]) -> Outcome<()> {
    let missing = missing(tools);
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|tool| tool.name.as_str()).collect();
    Err(Fault::usage(format!("to build {what}, this host lacks {}", names.join(", ")))
        .hint(install(&missing)))
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
        ];
        let fault = require("it", &tools).expect_err("three are missing");
        assert_eq!(fault.exit_code(), 2);
        assert_eq!(fault.what, "to build it, this host lacks no-such-tool, /no/such/compiler, <no/such.h>");
        assert_eq!(fault.hint.as_deref(), Some("on Debian: apt-get install compiler libno-dev tool-package"));
        require("it", &tools[..1]).expect("a shell is there");
    }

    #[test]
    fn versions_are_first_lines() {
        assert!(version("no-such-tool").is_none());
        assert!(version("/bin/cp").is_some_and(|line| !line.is_empty() && !line.contains('\n')));
    }
}
