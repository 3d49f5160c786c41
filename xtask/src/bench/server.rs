//! The server that all clients of a benchmark use. `humdrum up` starts it, and `humdrum down` ends it.

use std::path::PathBuf;
use std::process::Command;

use humdrum_provision::server_url::{self, ServerUrl};

use super::case::Case;

/// Rows of the one table.
pub const ROWS: u32 = 100_000;

/// A running server with its addresses.
pub struct Server {
    /// Its engine's name.
    pub engine: String,
    /// Its address, for our worker.
    pub url: String,
    /// The parts of the address, for the peers.
    pub parts: ServerUrl,
    /// Its main process.
    pub pid: u32,
    /// The script for pgbench.
    pub script: PathBuf,
}

impl Server {
    /// Starts an empty server.
    pub fn bare(subject: &str) -> Result<Self, String> {
        let output = humdrum(&["up", &format!("bench={subject}")])?;
        let script = std::env::temp_dir().join(format!("humdrum-bench-{}.sql", std::process::id()));
        Self::read(&output, script)
    }

    /// Starts a server and loads the tables of a test.
    pub fn up(subject: &str, case: &Case) -> Result<Self, String> {
        let text = case.pgbench()?;
        let server = Self::bare(subject)?;
        let written = std::fs::write(&server.script, text).map_err(|error| error.to_string());
        let load = [&server.url, case.test, &ROWS.to_string(), "0", "0"];
        match written.and_then(|()| super::worker::main(&load)) {
            Ok(()) => Ok(server),
            Err(what) => {
                // The server must not keep running. Only the first error is reported.
                let _ = Self::down();
                Err(what)
            }
        }
    }

    /// Stops the server.
    pub fn down() -> Result<(), String> {
        humdrum(&["down", "bench"]).map(|_| ())
    }

    /// Reads the output of `up`: `… runs as process PID`, and a URL.
    fn read(output: &str, script: PathBuf) -> Result<Self, String> {
        let missing = |what: &str| format!("`humdrum up` printed no {what}:\n{output}");
        let url = output.split_whitespace().find(|word| word.contains("://"));
        let url = url.ok_or_else(|| missing("address"))?.to_owned();
        let pid = output.split_once("runs as process ").and_then(|(_, rest)| rest.split_whitespace().next());
        let pid = pid.and_then(|pid| pid.parse().ok()).ok_or_else(|| missing("process"))?;
        let parts = server_url::parse(&url).map_err(|what| format!("cannot read {url}: {what}"))?;
        Ok(Self { engine: parts.scheme.clone(), url, parts, pid, script })
    }

    /// An option of its address.
    pub fn option(&self, key: &str) -> &str {
        self.parts.options.iter().find(|(name, _)| name == key).map_or("", |(_, value)| value)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.script);
    }
}

/// `humdrum` in a release build, without arguments.
pub fn command() -> Command {
    let mut command = Command::new(super::cargo());
    command.args(["run", "--release", "--quiet", "-p", "humdrum", "--"]);
    command
}

/// Runs `humdrum` and returns what it printed.
pub fn humdrum(args: &[&str]) -> Result<String, String> {
    let output = command().args(args).output();
    let output = output.map_err(|error| format!("cargo cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("humdrum {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_up_prints() {
        let output = "bench=postgres@17.7 runs as process 77\n  psql -h /run/s …\n  \
                      postgres://me:secret@/db?host=/run/s&port=5433\nstop it with: humdrum down bench\n";
        let server = Server::read(output, PathBuf::new()).expect("read");
        assert_eq!((server.engine.as_str(), server.pid), ("postgres", 77));
        assert_eq!((server.option("host"), server.option("port")), ("/run/s", "5433"));
        assert_eq!((server.parts.user.as_str(), server.parts.password.as_str()), ("me", "secret"));
    }
}
