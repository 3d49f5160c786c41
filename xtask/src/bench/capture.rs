//! How fast `humdrum capture` reads a log, and how much memory it needs, for each format. Logs are made first: statements of a shop
//! whose values differ from line to line, half of them in transactions.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use super::merge::humdrum;
use super::peers::wait_for;

/// Formats, by the name of the reader.
const FORMATS: [&str; 5] = ["postgres", "postgres-csv", "postgres-json", "mysql-slow", "mysql-general"];

/// `bench capture [MB]`.
///
/// # Errors
/// If a log cannot be written, or a command fails.
pub fn main(args: &[&str]) -> Result<(), String> {
    in_a_folder(args, bench)
}

/// Calls `bench` with a new folder and the number of MB, and removes the folder.
pub(super) fn in_a_folder(args: &[&str], bench: fn(&Path, u64) -> Result<(), String>) -> Result<(), String> {
    let megabytes: u64 = args.first().map_or(Ok(1000), |text| text.parse()).map_err(|_| "MB is a number")?;
    let folder = std::env::temp_dir().join(format!("humdrum-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let measured = bench(&folder, megabytes);
    let removed = std::fs::remove_dir_all(&folder);
    measured?;
    removed.map_err(|error| format!("{}: {error}", folder.display()))
}

fn bench(folder: &Path, megabytes: u64) -> Result<(), String> {
    let humdrum = humdrum()?;
    println!("format\tMB\tseconds\tMB/s\tpeak memory, MB");
    for format in FORMATS {
        let log = folder.join("log");
        let bytes = make(format, &log, megabytes * 1_000_000)
            .map_err(|error| format!("{}: {error}", log.display()))?;
        let mut command = Command::new(&humdrum);
        command
            .current_dir(folder)
            .args(["capture", "log", "--out", format, "--quiet"])
            .stdout(Stdio::null());
        println!("{format}\t{}", timed(command, bytes)?);
    }
    Ok(())
}

/// Runs a command that reads so many bytes; its size, seconds, speed and memory, as columns.
pub(super) fn timed(mut command: Command, bytes: u64) -> Result<String, String> {
    let begun = Instant::now();
    let child = command.spawn().map_err(|error| format!("humdrum cannot be started: {error}"))?;
    let (status, usage) = wait_for(child.id())?;
    if !status.success() {
        return Err(format!("humdrum ended with {status}"));
    }
    let (seconds, size) = (begun.elapsed().as_secs_f64(), bytes as f64 / 1e6);
    let memory = usage.ru_maxrss as f64 / 1024.0;
    Ok(format!("{size:.0}\t{seconds:.2}\t{:.0}\t{memory:.0}", size / seconds))
}

/// Writes a log of at least so many bytes; returns how many there are. It is in the page cache then.
fn make(format: &str, log: &Path, most: u64) -> std::io::Result<u64> {
    let mut out = BufWriter::new(File::create(log)?);
    let mut written = 0;
    for number in 0_u64.. {
        if written >= most {
            break;
        }
        for text in statements(number) {
            let line = line(format, number % 50, &text);
            out.write_all(line.as_bytes())?;
            written += line.len() as u64;
        }
    }
    out.flush()?;
    Ok(written)
}

/// A look-up, a search and a transaction.
fn statements(number: u64) -> [String; 6] {
    let id = number.wrapping_mul(0x9e37_79b9) % 1_000_000;
    [
        format!("SELECT name, price, stock FROM products WHERE id = {id}"),
        format!(
            "SELECT o.id, o.total, c.name FROM orders o JOIN customers c ON c.id = o.customer WHERE o.state = 'paid' AND o.placed > \
             '2026-01-{:02}' AND c.city LIKE 'city {}%' ORDER BY o.placed DESC LIMIT 20",
            number % 28 + 1,
            id % 100
        ),
        "BEGIN".to_owned(),
        format!("UPDATE products SET stock = stock - {} WHERE id = {id}", number % 5 + 1),
        format!(
            "INSERT INTO orders (product, customer, amount, note) VALUES ({id}, {}, {}, 'order no. {number}')",
            id % 1000,
            number % 5 + 1
        ),
        "COMMIT".to_owned(),
    ]
}

fn line(format: &str, session: u64, text: &str) -> String {
    match format {
        "postgres" => {
            format!("2026-11-25 19:00:00.123 UTC [{session}] LOG:  duration: 0.123 ms  statement: {text}\n")
        }
        "postgres-csv" => format!(
            "2026-11-25 19:00:00.123 UTC,\"me\",\"shop\",{session},\"[local]\",6744a.{session},1,\"SELECT\",2026-11-25 19:00:00 UTC,3/0,0,LOG,00000,\
             \"duration: 0.123 ms  statement: {text}\",,,,,,,,,\"\",\"client backend\",,0\n"
        ),
        "postgres-json" => format!(
            "{{\"timestamp\":\"2026-11-25 19:00:00.123 UTC\",\"pid\":{session},\"session_id\":\"6744a.{session}\",\"error_severity\":\"LOG\",\
             \"message\":\"duration: 0.123 ms  statement: {text}\",\"backend_type\":\"client backend\"}}\n"
        ),
        "mysql-slow" => format!(
            "# Time: 2026-11-25T19:00:00.123456Z\n# User@Host: me[me] @ localhost []  Id: {session:5}\n\
             # Query_time: 0.000123  Lock_time: 0.000001 Rows_sent: 1  Rows_examined: 1\nSET timestamp=1764097200;\n{text};\n"
        ),
        _ => format!("2026-11-25T19:00:00.123456Z\t{session:5} Query\t{text}\n"),
    }
}
