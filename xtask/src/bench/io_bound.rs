//! Reads of the Insert Benchmark's read-write steps with a database larger than the server's memory. The lab's numbers
//! per query are compared with the kernel's counts for the device and for the server's processes over the same step.

use std::io::{BufRead, BufReader};
use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use humdrum_sample::stacks::parent_of;
use serde_json::Value;

use super::server::command;

/// The default plan.
const PLAN: &str = "experiments/insert-io-bound.toml";
const KIB: f64 = 1024.0;
/// The kernel's sector, whatever the device's sectors are.
const SECTOR_BYTES: f64 = 512.0;

/// `bench io-bound [PLAN]`.
pub fn main(args: &[&str]) -> Result<(), String> {
    let plan = args.first().copied().unwrap_or(PLAN);
    let out = std::env::temp_dir().join(format!("humdrum-bench-io-{}", std::process::id()));
    let seen = watched(plan, &out);
    let text = std::fs::read_to_string(out.join("summary.json"));
    let _ = std::fs::remove_dir_all(&out);
    let seen = seen?;
    let summary: Value = text
        .map_err(|error| error.to_string())
        .and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()))
        .map_err(|error| format!("the run left no summary.json to read: {error}"))?;
    println!(
        "reads of all subjects together, by step: as reported, by the kernel's count of the device, of the servers"
    );
    println!(
        "{:<8} {:>10} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "step", "queries", "r/o", "device", "rKB/o", "device", "servers", "of device", "of serv."
    );
    for step in seen {
        let Some(told) = reported(&summary, &step.name) else { continue };
        let each = |sum: f64| sum / told.queries;
        let [reads, kib, by_servers] =
            [each(step.read.reads), each(step.read.device_kib), each(step.read.servers_kib)];
        println!(
            "{:<8} {:>10} {:>8.4} {reads:>8.4} {:>9.3} {kib:>9.3} {by_servers:>9.3} {:>9.4} {:>9.4}",
            step.name,
            told.queries,
            each(told.reads),
            each(told.kib),
            each(told.kib) / kib,
            each(told.kib) / by_servers
        );
    }
    Ok(())
}

/// Sums of one step over all subjects.
struct Reported {
    queries: f64,
    reads: f64,
    kib: f64,
}

/// `None` for a step that does not query.
fn reported(summary: &Value, step: &str) -> Option<Reported> {
    let mut sum = Reported { queries: 0.0, reads: 0.0, kib: 0.0 };
    for row in summary["steps"].as_array()?.iter().filter(|row| row["test"] == step) {
        let queries = row["streams"]["query"]["statements"].as_f64()?;
        sum.queries += queries;
        sum.reads += row["columns"]["rpq"].as_f64()? * queries;
        sum.kib += row["columns"]["rkbpq"].as_f64()? * queries;
    }
    (sum.queries > 0.0).then_some(sum)
}

/// The kernel's counts over a step.
struct Seen {
    name: String,
    read: Sums,
}

/// Counts since the device or the processes began.
#[derive(Clone, Copy, Default)]
struct Sums {
    reads: f64,
    device_kib: f64,
    servers_kib: f64,
}

impl Sums {
    /// The counts now. Zeros where no server runs.
    fn now(humdrum: &Child) -> Self {
        let servers = servers(humdrum.id());
        let Some(first) = servers.first() else { return Self::default() };
        let [reads, device_kib] = device(first).unwrap_or_default();
        Self { reads, device_kib, servers_kib: servers.iter().map(|process| read_kib(process)).sum() }
    }

    fn since(self, before: Self) -> Self {
        Self {
            reads: self.reads - before.reads,
            device_kib: self.device_kib - before.device_kib,
            servers_kib: self.servers_kib - before.servers_kib,
        }
    }
}

/// Runs the plan. Reads the kernel's counters when a step begins and ends, which it knows from the progress.
fn watched(plan: &str, out: &Path) -> Result<Vec<Seen>, String> {
    let mut command = command();
    command.args(["run", plan, "--progress", "json"]);
    let child = command.arg("--out").arg(out).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("cargo cannot be started: {error}"))?;
    let lines = child.stderr.take().map(BufReader::new).ok_or("no progress to read")?;
    let (mut seen, mut began, mut last) = (Vec::new(), Sums::default(), String::new());
    for line in lines.lines().map_while(Result::ok) {
        match part(&line) {
            Some((_, 0, _)) => began = Sums::now(&child),
            Some((name, done, total)) if done == total => {
                seen.push(Seen { name, read: Sums::now(&child).since(began) });
            }
            _ => {}
        }
        last = line;
    }
    // The exit code is that of the verdict. Only the steps matter here.
    child.wait().map_err(|error| error.to_string())?;
    if seen.is_empty() { Err(format!("no step was seen; the last that was said: {last}")) } else { Ok(seen) }
}

/// Step, chunks done and chunks in all, of a line of progress: `{"part": "session 1 · qr100", "done": 0, "total": 20}`.
fn part(line: &str) -> Option<(String, u64, u64)> {
    let value: Value = serde_json::from_str(line).ok()?;
    let chunks = value["unit"] == "chunks";
    let name = value["part"].as_str()?.rsplit(' ').next()?.to_owned();
    Some((name, value["done"].as_u64()?, value["total"].as_u64()?)).filter(|_| chunks)
}

/// `/proc` folders of the servers that are descendants of a process.
fn servers(above: u32) -> Vec<PathBuf> {
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let parents: Vec<(u32, u32)> = all.filter_map(|entry| parent(&entry.path())).collect();
    let (mut found, mut next) = (Vec::new(), vec![above]);
    while let Some(id) = next.pop() {
        next.extend(parents.iter().filter(|(_, parent)| *parent == id).map(|(id, _)| *id));
        found.push(PathBuf::from(format!("/proc/{id}")));
    }
    let serves = |process: &PathBuf| {
        let name = std::fs::read_to_string(process.join("comm")).unwrap_or_default();
        ["mysqld", "mariadbd", "postgres"].contains(&name.trim())
    };
    found.retain(serves);
    found
}

/// A process by its folder, and its parent.
fn parent(process: &Path) -> Option<(u32, u32)> {
    let id = process.file_name()?.to_str()?.parse().ok()?;
    Some((id, parent_of(id)?))
}

/// Reads and KiB read since boot, of the device that a server's data is on.
fn device(server: &Path) -> Option<[f64; 2]> {
    let device = std::fs::metadata(server.join("cwd")).ok()?.st_dev();
    let (major, minor) = (libc::major(device), libc::minor(device));
    let stat = std::fs::read_to_string(format!("/sys/dev/block/{major}:{minor}/stat")).ok()?;
    let fields: Vec<f64> = stat.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    Some([*fields.first()?, fields.get(2)? * SECTOR_BYTES / KIB])
}

/// KiB that a process had read from devices.
fn read_kib(process: &Path) -> f64 {
    let io = std::fs::read_to_string(process.join("io")).unwrap_or_default();
    let bytes = io.lines().find_map(|line| line.strip_prefix("read_bytes: ")?.parse::<f64>().ok());
    bytes.unwrap_or(0.0) / KIB
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_says_where_a_step_begins_and_ends() {
        let line = r#"{"part":"session 1 · qr100","done":20,"total":20,"unit":"chunks"}"#;
        assert_eq!(part(line), Some(("qr100".into(), 20, 20)));
        assert_eq!(part(r#"{"part":"load","done":5,"total":10,"unit":"rows"}"#), None);
        assert_eq!(part("looking at the host"), None);
    }

    #[test]
    fn queries_of_all_subjects_are_added() {
        let row = |queries: u32, rkbpq: f64| {
            serde_json::json!({"test": "qr100", "streams": {"query": {"statements": queries}},
                "columns": {"rpq": 1.0, "rkbpq": rkbpq}})
        };
        let summary = serde_json::json!({"steps": [row(100, 16.0), row(300, 32.0)]});
        let found = reported(&summary, "qr100").expect("it queries");
        assert!((found.queries - 400.0).abs() < 1e-9 && (found.reads - 400.0).abs() < 1e-9);
        assert!((found.kib - 11_200.0).abs() < 1e-9);
        assert!(reported(&summary, "l.i0").is_none());
    }

    #[test]
    fn a_child_is_found_below_its_parent() {
        let own = parent(&PathBuf::from(format!("/proc/{}", std::process::id()))).expect("a process");
        assert_eq!(own.0, std::process::id());
        assert_ne!(own.1, 0);
    }
}
