//! Client CPU per inserted row: ours in a real comparison, that of a plain Python client with the same statements and
//! release, and the server's own.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::server::{Server, humdrum};
use super::{median, round_trip};

/// Default number of rows of l.i0 and of l.i1 in a round.
const ROWS: u32 = 200_000;

/// Default number of rounds. Both clients run in each, because a host's speed changes by more than their difference.
const ROUNDS: u32 = 5;

/// Bytes that a row adds to an INSERT, and those of a DELETE.
const ROW_BYTES: usize = 60;
const DELETE_BYTES: usize = 160;

/// `bench insert [SUBJECT [ROWS [ROUNDS]]]`; `PYTHON` names the interpreter.
pub fn main(args: &[&str]) -> Result<(), String> {
    let (subject, rows, rounds) = super::arguments(args, "SUBJECT ROWS ROUNDS", [ROWS, ROUNDS])?;
    let (rows, rounds) = (rows.next_multiple_of(100), rounds.max(1));
    // Checked before the comparison, which takes minutes.
    let driver = driver(engine(subject))?;
    let mut all: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds}");
        for (step, row) in turn(subject, rows)? {
            all.entry(step).or_default().push(row);
        }
    }
    println!("{subject}: CPU per inserted row, µs, {rounds} rounds of {rows} rows each; python: {driver}");
    println!("medians, and least to greatest of the ratios");
    println!(
        "{:<6} {:>8} {:>8} {:>8} {:>22} {:>22}",
        "step", "humdrum", "python", "server", "of python's", "of the server's"
    );
    for (step, rows) in all {
        let of = |one: fn(&Row) -> f64| rows.iter().map(one).collect::<Vec<f64>>();
        let [client, python, server] =
            [of(|row| row.client_us), of(|row| row.python_us), of(|row| row.server_us)].map(median);
        let of_python = spread(of(|row| row.client_us / row.python_us));
        let of_server = spread(of(|row| row.client_us / row.server_us));
        println!("{step:<6} {client:>8.2} {python:>8.2} {server:>8.2} {of_python:>22} {of_server:>22}");
        floor(&step, python, server)?;
    }
    Ok(())
}

/// The client CPU of a step's round trips alone, with a server that works as long as it did here.
fn floor(step: &str, python_us: f64, server_us: f64) -> Result<(), String> {
    let (rows, statements): (f64, &[usize]) =
        if step == "l.i0" { (100.0, &[100 * ROW_BYTES]) } else { (50.0, &[50 * ROW_BYTES, DELETE_BYTES]) };
    let work_us = server_us * rows / statements.len() as f64;
    let trips = statements.iter().map(|bytes| round_trip::client_us(*bytes, work_us));
    let us = trips.sum::<Result<f64, String>>()? / rows;
    println!(
        "{:>15.2} µs of it, {:.3} of python's, are round trips with nothing made and nothing read",
        us,
        us / python_us
    );
    Ok(())
}

/// One step in one round. Our value is the mean of both subjects.
struct Row {
    client_us: f64,
    server_us: f64,
    python_us: f64,
}

/// One round: a comparison, then the Python client.
fn turn(subject: &str, rows: u32) -> Result<Vec<(String, Row)>, String> {
    let ours = ours(subject, rows)?;
    let server = Server::bare(subject)?;
    let theirs = theirs(&server.url, rows);
    Server::down()?;
    let theirs = theirs?;
    let row = |(step, [client_us, server_us]): (String, [f64; 2])| {
        let python_us = theirs.get(&step).copied();
        let python_us = python_us.ok_or_else(|| format!("the Python client printed nothing of {step}"))?;
        Ok((step, Row { client_us, server_us, python_us }))
    };
    ours.into_iter().map(row).collect()
}

/// Median, least and greatest.
fn spread(all: Vec<f64>) -> String {
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{:.3} ({least:.3}–{greatest:.3})", median(all))
}

/// A comparison of a release with itself.
fn ours(subject: &str, rows: u32) -> Result<BTreeMap<String, [f64; 2]>, String> {
    let out = std::env::temp_dir().join(format!("humdrum-bench-insert-{}", std::process::id()));
    let scale = format!("rows={rows},y={rows},z=1000,seconds=1");
    let place = out.display().to_string();
    let subjects = [format!("a={subject}"), format!("b={subject}")];
    let asked = humdrum(&[
        "compare",
        &subjects[0],
        &subjects[1],
        "--suite",
        "insert",
        "--tests",
        "l.i0,l.i1",
        "--scale",
        &scale,
        "--sessions",
        "1",
        "--quiet",
        "--out",
        &place,
    ]);
    // The exit code is that of the verdict. Only the steps matter here.
    let text = std::fs::read_to_string(out.join("steps.tsv"));
    let _ = std::fs::remove_dir_all(&out);
    match text {
        Ok(text) => read(&text),
        Err(_) => Err(asked.err().unwrap_or_else(|| "the comparison left no steps.tsv".into())),
    }
}

/// Client's and server's CPU, µs, by step: means over subjects of what `steps.tsv` says.
fn read(text: &str) -> Result<BTreeMap<String, [f64; 2]>, String> {
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().unwrap_or_default();
    let place = |name: &str| {
        head.iter()
            .position(|column| *column == name)
            .ok_or_else(|| format!("steps.tsv has no column {name}"))
    };
    let [step, client, server] = [place("step")?, place("client_cpu_us")?, place("server_cpu_us")?];
    let mut found: BTreeMap<String, Vec<[f64; 2]>> = BTreeMap::new();
    for line in lines {
        let cell = |place: usize| line.get(place).copied().unwrap_or_default();
        let number = |place| cell(place).parse::<f64>().map_err(|error| format!("{}: {error}", cell(step)));
        if matches!(cell(step), "l.i0" | "l.i1") {
            found.entry(cell(step).to_owned()).or_default().push([number(client)?, number(server)?]);
        }
    }
    let mean = |all: &[[f64; 2]], of: usize| all.iter().map(|one| one[of]).sum::<f64>() / all.len() as f64;
    Ok(found.into_iter().map(|(step, all)| (step, [mean(&all, 0), mean(&all, 1)])).collect())
}

/// The engine that a subject names.
fn engine(subject: &str) -> &str {
    subject.split('@').next().unwrap_or_default()
}

/// Name and version of the Python driver for an engine. The error says which ones to install.
fn driver(engine: &str) -> Result<String, String> {
    Ok(python(&[engine])?.trim().to_owned())
}

/// What the Python client prints.
fn python(args: &[&str]) -> Result<String, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/insert_client.py");
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let output = Command::new(&python).arg(script).args(args).output();
    let output = output.map_err(|error| format!("{} cannot be started: {error}", python.display()))?;
    if !output.status.success() {
        return Err(format!("the Python client failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn theirs(url: &str, rows: u32) -> Result<BTreeMap<String, f64>, String> {
    let rows = rows.to_string();
    let text = python(&[url, &rows, &rows])?;
    let line = |line: &str| {
        let (step, us) = line.split_once(' ')?;
        Some((step.to_owned(), us.parse().ok()?))
    };
    Ok(text.lines().filter_map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_and_averaged_over_subjects() {
        let text =
            "subject\tstep\tserver_cpu_us\tclient_cpu_us\na\tl.i0\t4\t1\nb\tl.i0\t6\t3\nb\tl.x\t6\t3\n";
        let found = read(text).expect("reads");
        assert_eq!(found.len(), 1);
        let [client_us, server_us] = found["l.i0"];
        assert!((client_us - 2.0).abs() < 1e-9 && (server_us - 5.0).abs() < 1e-9);
        assert!(read("subject\tstep\n").is_err());
    }

    #[test]
    fn ratios_are_told_by_their_median_and_their_ends() {
        assert_eq!(spread(vec![0.3, 0.1, 0.2]), "0.200 (0.100–0.300)");
    }

    #[test]
    fn the_driver_is_known_before_anything_is_measured() {
        assert_eq!((engine("mysql@8.0.33+z12a"), engine("postgres@17.7")), ("mysql", "postgres"));
        // Without a driver on this host, the error says what to install.
        match driver(engine("postgres@17.7")) {
            Ok(found) => assert!(found.starts_with("psycopg") && found.contains(' '), "{found}"),
            Err(what) => assert!(what.contains("psycopg2") || what.contains("cannot be started"), "{what}"),
        }
    }
}
