//! `humdrum capture`: the folder of a workload, from what a server logged.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use humdrum_capture::{Captured, Layout, LeftOut, Lines, Options, Written, reader, write};
use humdrum_contract::{Progress, Update};
use humdrum_model::Fault;
use humdrum_record::write_whole;
use humdrum_report::printable;
use serde_json::json;

use crate::args::CaptureOptions;
use crate::lab::Lab;
use crate::workloads;

/// Bytes of a log that tell its format.
const HEAD_BYTES: u64 = 256 << 10;
/// Bytes read at once.
const BUFFER_BYTES: usize = 1 << 20;
/// Bytes of a MB, as people count files.
const MB: u64 = 1_000_000;
/// Tests that are listed.
const LISTED: usize = 20;

/// `humdrum capture LOG... -o FOLDER`.
///
/// # Errors
/// Usage: a log that is missing, of no known format, or without a statement; a folder that is there. Environment: the disk.
pub fn capture(lab: &Lab, options: &CaptureOptions) -> Result<u8, Fault> {
    let name = workloads::name_of(&options.out)
        .map_err(|fault| fault.at("--out").hint("type a name of letters, digits, - and _: -o shop"))?;
    if options.out.exists() {
        return Err(Fault::usage("it is there already")
            .at(options.out.display().to_string())
            .hint("give another folder with -o, or remove it first"));
    }
    let data = options.data.as_deref().map(existing).transpose()?;
    let mut captured: Option<Captured> = None;
    let mut bytes = 0;
    for log in &options.logs {
        bytes +=
            read(lab, options, log, &mut captured).map_err(|fault| fault.at(log.display().to_string()))?;
    }
    lab.console.clear();
    let Some(captured) = captured else { return Err(Fault::usage("no log was named")) };
    let about = format!("captured from {} statements", captured.statements);
    let mask = options.mask.then_some(options.seed);
    let layout = Layout { name, about: &about, top: options.top.into(), data: data.as_deref(), mask };
    let found = Found::of(&captured, bytes);
    let dialect = captured.dialect();
    let tests =
        write(captured.patterns(), dialect, &layout, &options.out).map_err(|fault| found.explain(fault))?;
    if let Some(path) = &options.json {
        // Writing plain data to memory cannot fail.
        write_whole(path, &(serde_json::to_string_pretty(&found.json(&tests)).unwrap_or_default() + "\n"))?;
    }
    if options.json.as_deref() != Some(Path::new("-")) {
        found.print(&tests, options);
    }
    Ok(0)
}

fn existing(path: &Path) -> Result<std::path::PathBuf, Fault> {
    path.canonicalize().map_err(|error| Fault::usage(format!("{}: {error}", path.display())).at("--data"))
}

/// Reads one log; returns its bytes.
fn read(
    lab: &Lab,
    options: &CaptureOptions,
    log: &Path,
    captured: &mut Option<Captured>,
) -> Result<u64, Fault> {
    let unreadable = |error: std::io::Error| Fault::usage(format!("cannot be read: {error}"));
    let is_input = log == Path::new("-");
    let mut input: Box<dyn Read> =
        if is_input { Box::new(std::io::stdin()) } else { Box::new(File::open(log).map_err(unreadable)?) };
    let total = std::fs::metadata(log).ok().filter(|_| !is_input).map(|about| about.len());
    let mut head = Vec::new();
    (&mut input).take(HEAD_BYTES).read_to_end(&mut head).map_err(unreadable)?;
    if head.is_empty() {
        return Err(Fault::usage("is empty"));
    }
    let packed = [&b"\x1f\x8b"[..], b"\x28\xb5\x2f\xfd"].iter().any(|magic| head.starts_with(magic));
    if packed {
        return Err(
            Fault::usage("is packed").hint("unpack it on the way: zcat LOG.gz | humdrum capture - -o shop")
        );
    }
    let reader = reader(&head, options.format.as_deref())?;
    let wanted = Options { samples: options.samples as usize, seed: options.seed };
    let captured = captured.get_or_insert_with(|| Captured::new(wanted, reader.dialect()));
    if captured.dialect() != reader.dialect() {
        return Err(Fault::usage("is the log of another engine than the logs before it")
            .hint("make a folder from the logs of each engine"));
    }
    let what = format!("reading {}", log.display());
    let mut watch = |done: u64| {
        lab.console.update(Update::Part {
            what: &what,
            done: done / MB,
            total: total.map(|all| all / MB),
            unit: "MB",
        });
        lab.dirs.interrupt.check()
    };
    let mut input = BufReader::with_capacity(BUFFER_BYTES, head.chain(input));
    let mut lines = Lines::new(&mut input, &mut watch);
    reader.read(&mut lines, captured)?;
    Ok(lines.bytes())
}

/// What a capture found, for people and for programs.
struct Found {
    statements: u64,
    has_times: bool,
    has_sessions: bool,
    bytes: u64,
    unknown_lines: u64,
    left_out: Vec<(LeftOut, u64)>,
}

impl Found {
    fn of(captured: &Captured, bytes: u64) -> Self {
        let mut left_out: Vec<(LeftOut, u64)> =
            captured.left_out.iter().map(|(why, count)| (why.clone(), *count)).collect();
        left_out.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Self {
            statements: captured.statements,
            has_times: captured.timed > 0,
            has_sessions: captured.in_sessions > 0,
            bytes,
            unknown_lines: captured.unknown_lines,
            left_out,
        }
    }

    /// Nothing to replay: what there was instead.
    fn explain(&self, fault: Fault) -> Fault {
        match self.left_out.first() {
            Some((why, count)) if fault.places.is_empty() => {
                let what = format!(
                    "{}: {count} of {} were left out, because {}",
                    fault.what,
                    self.statements,
                    why.why()
                );
                Fault { what, ..fault }
            }
            _ => fault,
        }
    }

    fn print(&self, tests: &[Written], options: &CaptureOptions) {
        let Self { statements, bytes, unknown_lines, .. } = self;
        anstream::println!("{statements} statements in {:.1} MB", *bytes as f64 / MB as f64);
        for (why, count) in &self.left_out {
            anstream::println!("  {count} left out: {}", printable(&why.why()));
        }
        if *unknown_lines > 0 {
            anstream::println!("  {unknown_lines} lines of another form were passed over");
        }
        if !self.has_times {
            anstream::println!("  the log has no times: statements are ranked by how often they ran");
        }
        if !self.has_sessions {
            anstream::println!(
                "  the log does not tell sessions apart (Postgres: %p in log_line_prefix), so that no transactions are kept"
            );
        }
        let (count, seconds) = totals(tests);
        anstream::println!(
            "\n{:<32} {:>10} {:>8} {:>10}  {:>7}",
            "test",
            "operations",
            "weight",
            "ms each",
            "time"
        );
        for test in tests.iter().take(LISTED) {
            let share = 100.0 * test.count as f64 / count as f64;
            let (each, time) = match self.has_times {
                true => (
                    format!("{:.3}", 1000.0 * test.seconds / test.count as f64),
                    format!("{:.1} %", 100.0 * test.seconds / seconds.max(f64::MIN_POSITIVE)),
                ),
                false => ("–".to_owned(), "–".to_owned()),
            };
            anstream::println!("{:<32} {:>10} {share:>6.1} % {each:>10}  {time:>7}", test.name, test.count);
        }
        if tests.len() > LISTED {
            anstream::println!("… {} more", tests.len() - LISTED);
        }
        let path = workloads::typed(&options.out);
        let path = printable(&path);
        let data = if options.data.is_some() { "" } else { " --data prod.dump" };
        anstream::println!("\n{path} holds {} tests and their mix", tests.len());
        if options.data.is_none() {
            anstream::println!(
                "its rows come from a dump of that server: pg_dump -Fc -d DATABASE -f prod.dump, or mysqldump --hex-blob DATABASE > prod.dump"
            );
        }
        anstream::println!(
            "\n  humdrum suite check {path} postgres@17.7{data}\n  humdrum compare postgres@16.11 postgres@17.7 --suite {path}{data}"
        );
    }

    fn json(&self, tests: &[Written]) -> serde_json::Value {
        let (count, _) = totals(tests);
        let test = |test: &Written| {
            json!({
                "name": test.name,
                "operations": test.count,
                "weight": test.count as f64 / count as f64,
                "seconds": self.has_times.then_some(test.seconds),
                "statements": test.statements,
                "samples": test.samples,
                "rest": !test.is_top,
            })
        };
        let left = |(why, count): &(LeftOut, u64)| json!({ "why": why.why(), "statements": count });
        json!({
            "statements": self.statements,
            "bytes": self.bytes,
            "unknown_lines": self.unknown_lines,
            "tells_sessions_apart": self.has_sessions,
            "left_out": self.left_out.iter().map(left).collect::<Vec<_>>(),
            "tests": tests.iter().map(test).collect::<Vec<_>>(),
        })
    }
}

fn totals(tests: &[Written]) -> (u64, f64) {
    (tests.iter().map(|test| test.count).sum(), tests.iter().map(|test| test.seconds).sum())
}
