//! `humdrum capture`: the folder of a workload, from what a server logged, or from what it has counted (`capture/server.rs`).

mod found;
mod server;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use humdrum_capture::{Captured, Dialect, Layout, Lines, Options, Pattern, reader, write};
use humdrum_contract::{Progress, Update};
use humdrum_model::Fault;
use humdrum_record::write_whole;

use crate::args::CaptureOptions;
use crate::lab::Lab;
use crate::workloads;

use found::{Found, MB};

/// Bytes of a log that tell its format.
const HEAD_BYTES: u64 = 256 << 10;
/// Bytes read at once.
const BUFFER_BYTES: usize = 1 << 20;

/// `humdrum capture SOURCE... -o FOLDER`.
///
/// # Errors
/// Usage: a log that is missing, of no known format, or without a statement; a server that counts none, or not for this user; a
/// folder that is there. Environment: the disk.
pub fn capture(lab: &Lab, options: &CaptureOptions) -> Result<u8, Fault> {
    let name = workloads::name_of(&options.out)
        .map_err(|fault| fault.at("--out").hint("type a name of letters, digits, - and _: -o shop"))?;
    if options.out.exists() {
        return Err(Fault::usage("it is there already")
            .at(options.out.display().to_string())
            .hint("give another folder with -o, or remove it first"));
    }
    let data = options.data.as_deref().map(existing).transpose()?;
    let Source { patterns, dialect, found } = match server::url(options)? {
        Some(url) => server::read(lab, options, url)?,
        None => logs(lab, options)?,
    };
    lab.console.clear();
    let about = format!("captured from {} statements", found.statements);
    let mask = options.mask.then_some(options.seed);
    let layout = Layout { name, about: &about, top: options.top.into(), data: data.as_deref(), mask };
    let tests = write(patterns, dialect, &layout, &options.out).map_err(|fault| found.explain(fault))?;
    if let Some(path) = &options.json {
        // Writing plain data to memory cannot fail.
        write_whole(path, &(serde_json::to_string_pretty(&found.json(&tests)).unwrap_or_default() + "\n"))?;
    }
    if options.json.as_deref() != Some(Path::new("-")) {
        found.print(&tests, options);
    }
    Ok(0)
}

/// What logs or a server gave.
struct Source {
    patterns: Vec<Pattern>,
    dialect: Dialect,
    found: Found,
}

fn logs(lab: &Lab, options: &CaptureOptions) -> Result<Source, Fault> {
    let mut captured: Option<Captured> = None;
    let mut bytes = 0;
    for log in &options.sources {
        bytes +=
            read(lab, options, log, &mut captured).map_err(|fault| fault.at(log.display().to_string()))?;
    }
    let Some(captured) = captured else { return Err(Fault::usage("no log was named")) };
    let (dialect, found) = (captured.dialect(), Found::of_logs(&captured, bytes));
    Ok(Source { patterns: captured.patterns(), dialect, found })
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
