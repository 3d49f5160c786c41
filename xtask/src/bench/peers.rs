//! Clients that engineers use, each as a command that runs one test repeatedly.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use super::case::Case;
use super::server::{ROWS, Server};

/// Connections with which clients are measured.
pub const CONNECTIONS: [u32; 2] = [1, 4];

/// Operations and CPU of one run of a client.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Operations done. A transaction is one operation.
    pub operations: f64,
    /// Operations per second, as the client itself counts.
    pub rate: f64,
    /// User-mode CPU seconds of the process.
    pub user_seconds: f64,
    /// System-mode CPU seconds of the process.
    pub system_seconds: f64,
}

impl Usage {
    /// The difference between a long run and a short one: the loop without starting, connecting and preparing.
    pub fn beyond(self, short: Self) -> Self {
        Self {
            operations: self.operations - short.operations,
            rate: self.rate,
            user_seconds: self.user_seconds - short.user_seconds,
            system_seconds: self.system_seconds - short.system_seconds,
        }
    }
}

/// A client under measurement.
pub struct Peer {
    /// Its name in the table.
    pub name: &'static str,
    /// Builds its command, from connections and seconds.
    pub command: fn(&Server, &Case, u32, u32) -> Command,
    /// Reads the number of operations from its output.
    pub operations: fn(&str) -> Option<f64>,
    /// Reads its operations per second.
    pub rate: fn(&str) -> Option<f64>,
}

impl Peer {
    /// The program that it is.
    pub fn program(&self) -> &'static str {
        self.name.split(' ').next().unwrap_or_default()
    }
}

/// Our client and the peers for an engine. pgbench is only for Postgres.
pub fn table(engine: &str) -> Vec<Peer> {
    let mut all = vec![
        Peer {
            name: "humdrum",
            command: ours,
            operations: |text| number_after(text, "operations"),
            rate: |text| Some(number_after(text, "counted")? / number_after(text, "wall_ns")? * 1e9),
        },
        Peer {
            name: "sysbench",
            command: sysbench,
            operations: |text| number_after(text, "transactions:"),
            rate: |text| number_after(&text[text.find("transactions:")?..], "("),
        },
        Peer {
            name: "pgbench",
            command: |server, _, connections, seconds| pgbench(server, "prepared", connections, seconds),
            operations: |text| number_after(text, "number of transactions actually processed:"),
            rate: |text| number_after(text, "tps ="),
        },
        // As it is called without `-M`.
        Peer {
            name: "pgbench -M simple",
            command: |server, _, connections, seconds| pgbench(server, "simple", connections, seconds),
            operations: |text| number_after(text, "number of transactions actually processed:"),
            rate: |text| number_after(text, "tps ="),
        },
    ];
    all.retain(|peer| !peer.name.starts_with("pgbench") || engine == "postgres");
    all
}

fn ours(server: &Server, case: &Case, connections: u32, seconds: u32) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "xtask".into()));
    command.args(["bench", "client-worker", &server.url, case.test]);
    command.args([ROWS.to_string(), connections.to_string(), seconds.to_string()]);
    command
}

fn sysbench(server: &Server, case: &Case, connections: u32, seconds: u32) -> Command {
    let mut command = Command::new("sysbench");
    command.arg(case.script).args(["--tables=1", "--rand-type=uniform"]).args(case.options);
    command.arg(format!("--table-size={ROWS}"));
    let (driver, place) = match server.engine.as_str() {
        "postgres" => ("pgsql", [("host", server.option("host")), ("port", server.option("port"))]),
        _ => ("mysql", [("socket", server.option("socket")), ("ssl", "off")]),
    };
    command.arg(format!("--db-driver={driver}"));
    let parts = &server.parts;
    let login = [("user", parts.user.as_str()), ("password", &parts.password), ("db", &parts.path)];
    place.iter().chain(&login).for_each(|(key, value)| {
        command.arg(format!("--{driver}-{key}={value}"));
    });
    command.arg(format!("--threads={connections}")).arg(format!("--time={seconds}")).arg("run");
    in_our_schema(&mut command);
    command
}

fn pgbench(server: &Server, protocol: &str, connections: u32, seconds: u32) -> Command {
    let mut command = Command::new("pgbench");
    command.args(["-n", "-M", protocol, "-f"]).arg(&server.script);
    command.args([
        "-c",
        &connections.to_string(),
        "-j",
        &connections.to_string(),
        "-T",
        &seconds.to_string(),
    ]);
    command.args(["-h", server.option("host"), "-p", server.option("port"), "-U", &server.parts.user]);
    command.arg(&server.parts.path).env("PGPASSWORD", &server.parts.password);
    in_our_schema(&mut command);
    command
}

fn in_our_schema(command: &mut Command) {
    command.env("PGOPTIONS", "-c search_path=humdrum");
}

/// Runs a peer to its end, and gets its CPU time from the kernel.
pub fn run(
    peer: &Peer,
    server: &Server,
    case: &Case,
    connections: u32,
    seconds: u32,
) -> Result<Usage, String> {
    finish(peer, (peer.command)(server, case, connections, seconds))
}

/// As `run`, with a command that may have been changed.
pub fn finish(peer: &Peer, mut command: Command) -> Result<Usage, String> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("{} cannot be started: {error}", peer.name))?;
    let (mut out, mut complaint) = (String::new(), String::new());
    read(child.stdout.take(), &mut out);
    read(child.stderr.take(), &mut complaint);
    let usage = wait(child.id())?;
    let operations = (peer.operations)(&out);
    let counts = operations.zip((peer.rate)(&out));
    let (operations, rate) =
        counts.ok_or_else(|| format!("{} printed no count:\n{out}{complaint}", peer.name))?;
    Ok(Usage { operations, rate, ..usage })
}

fn read(stream: Option<impl std::io::Read>, text: &mut String) {
    if let Some(mut stream) = stream {
        // If reading fails, the count is missing, which the caller reports.
        let _ = stream.read_to_string(text);
    }
}

/// CPU time of a child by its own count.
fn wait(pid: u32) -> Result<Usage, String> {
    let (_, usage) = wait_for(pid)?;
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    Ok(Usage {
        operations: 0.0,
        rate: 0.0,
        user_seconds: seconds(usage.ru_utime),
        system_seconds: seconds(usage.ru_stime),
    })
}

/// Waits for a child and returns its status and its own resource usage, which `std` does not offer.
pub fn wait_for(pid: u32) -> Result<(ExitStatus, libc::rusage), String> {
    let mut status = 0;
    // SAFETY: rusage is plain numbers, for which all zeros is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to locals that live through the call; the child is ours and not yet waited for.
    let waited = unsafe { libc::wait4(pid as i32, &raw mut status, 0, &raw mut usage) };
    if waited != pid as i32 {
        return Err(format!("process {pid} cannot be waited for"));
    }
    Ok((ExitStatus::from_raw(status), usage))
}

fn number_after(text: &str, label: &str) -> Option<f64> {
    let rest = &text[text.find(label)? + label.len()..];
    rest.split(|c: char| !c.is_ascii_digit() && c != '.').find_map(|digits| digits.parse().ok())
}

/// Whether a program can be found.
pub fn in_path(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|folder| Path::new(&folder).join(program).exists())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_peers_counts() {
        let sysbench = "    transactions:                        81293  (27093.52 per sec.)\n";
        assert_eq!(number_after(sysbench, "transactions:"), Some(81293.0));
        assert_eq!(number_after(sysbench, "("), Some(27093.52));
        let pgbench = "number of transactions actually processed: 5120\n";
        assert_eq!(number_after(pgbench, "number of transactions actually processed:"), Some(5120.0));
    }
}
