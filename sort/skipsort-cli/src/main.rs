//! `skipsort`: sorts lines or fixed-length records of files, also of files larger than memory, by their bytes.
//!
//! `options/` says what is wanted, with `shape.rs` and `keys/` for how records look and compare; `skipsort-external`
//! reads, sorts, spills to a `storage.rs` and merges; `output/` takes the lines; `debug/` shows what is compared. This
//! file is the table of contents.

mod available;
mod check;
mod debug;
mod fault;
mod input;
mod keys;
mod options;
mod output;
mod progress;
mod shape;
mod signals;
mod standard;
mod stats;
mod storage;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use skipsort_external::Meter;
use skipsort_external::records::Records;

use debug::{Annotation, Annotator};
use fault::{Fault, Result};
use options::{Action, Options};
use output::destination::Destination;
use storage::Spill;

fn main() -> ExitCode {
    let meter = Arc::new(Meter::new());
    match options::read().and_then(|options| work(options, &meter)) {
        Ok(code) => code,
        Err(fault) if fault.is_closed_pipe() => {
            signals::end_by_closed_pipe();
            ExitCode::from(2)
        }
        Err(fault) => {
            // Standard error may be closed; the exit code says it, too.
            let _ = writeln!(std::io::stderr(), "{fault}");
            ExitCode::from(2)
        }
    }
}

fn work(mut options: Options, meter: &Arc<Meter>) -> Result<ExitCode> {
    for notice in &options.notices {
        let _ = writeln!(std::io::stderr(), "skipsort: {notice}");
    }
    let shown = progress::Shown::start(options.progress, meter, total(&options));
    let code = match options.annotation.take() {
        None => act(&options, meter),
        Some(annotation) => annotated(&mut options, annotation, meter),
    };
    meter.done();
    drop(shown);
    if let (Ok(_), Some(form)) = (&code, options.stats) {
        let _ = std::io::stderr().write_all(stats::report(form, meter, &options).as_bytes());
    }
    code
}

/// Lines on their way to standard output are annotated.
fn annotated(options: &mut Options, annotation: Annotation, meter: &Arc<Meter>) -> Result<ExitCode> {
    let annotator = Annotator::start(annotation)?;
    options.output = Some(annotator.output());
    let code = act(options, meter);
    // If lines cannot be shown, they cannot be written to the pipe either, and that is no news.
    annotator.finish().and(code)
}

fn act(options: &Options, meter: &Arc<Meter>) -> Result<ExitCode> {
    let mut resources = skipsort_external::Options::new(options.memory);
    (resources.threads, resources.fan_in) = (options.threads, options.batch);
    resources.meter = Arc::clone(meter);
    let shape = options.shape.of_records();
    let records = Records::new(&shape, resources, &options.inputs)
        .opened_by(&input::open)
        .limit(options.limit.unwrap_or(u64::MAX));
    if let Action::Check { aloud } = options.action {
        return check::run(&options.inputs[0], records, aloud);
    }
    // An output that cannot be opened should be known before hours of sorting.
    let mut output = Destination::open(options.output.as_deref())?;
    let spill = Spill::of(options);
    let done = if options.action == Action::Merge {
        input::allow_many();
        let all_first = output.may_harm(&options.inputs);
        records.merge(spill, &mut output, all_first)
    } else {
        records.sort(spill, &mut output)
    };
    done.map_err(|error| Fault::sorting(error, |error| output.fault(error)))?;
    output.commit()?;
    Ok(ExitCode::SUCCESS)
}

/// Bytes to read, if all inputs are files.
fn total(options: &Options) -> Option<u64> {
    let length = |name: &std::path::PathBuf| {
        let metadata = std::fs::metadata(name).ok()?;
        metadata.is_file().then_some(metadata.len())
    };
    options.inputs.iter().map(length).sum()
}
