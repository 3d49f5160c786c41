//! `skipsort`: sorts lines or fixed-length records of files, also of files larger than memory, by their bytes.
//!
//! The way of a line: `options/` says what is wanted and `shape.rs` how records look; `input/` reads them into
//! `memory/`, with `keys/` turned into bytes; the library sorts; `emit.rs` and `output/` write lines, or `run/` what
//! does not fit, which `merge/` puts together. `sort.rs` is the table of contents.
//! `debug/` shows what is compared.

mod bytes;
mod check;
mod crew;
mod debug;
mod emit;
mod fault;
mod input;
mod keys;
mod memory;
mod merge;
mod meter;
mod options;
mod output;
mod progress;
mod run;
mod shape;
mod signals;
mod sort;
mod source;
mod standard;
mod stats;
mod top;

use std::io::Write;
use std::process::ExitCode;
use std::sync::LazyLock;

use debug::{Annotation, Annotator};
use fault::Result;
use memory::budget::Budget;
use merge::inputs::Inputs;
use merge::runs::Setting;
use meter::Meter;
use options::{Action, Options};
use output::destination::Destination;
use run::store::Store;

static METER: LazyLock<Meter> = LazyLock::new(Meter::new);

fn main() -> ExitCode {
    LazyLock::force(&METER);
    match options::read().and_then(work) {
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

fn work(mut options: Options) -> Result<ExitCode> {
    for notice in &options.notices {
        let _ = writeln!(std::io::stderr(), "skipsort: {notice}");
    }
    let meter: &'static Meter = &METER;
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
fn annotated(options: &mut Options, annotation: Annotation, meter: &Meter) -> Result<ExitCode> {
    let annotator = Annotator::start(annotation)?;
    options.output = Some(annotator.output());
    let code = act(options, meter);
    // If lines cannot be shown, they cannot be written to the pipe either, and that is no news.
    annotator.finish().and(code)
}

fn act(options: &Options, meter: &Meter) -> Result<ExitCode> {
    let budget = Budget::of(options);
    let setting = Setting { shape: &options.shape, budget, meter };
    let mut store = Store::new(options.folders.clone(), options.compress.clone(), budget.marks(), meter);
    match options.action {
        Action::Check { aloud } => return check(options, aloud, meter),
        Action::Merge => {
            let inputs = Inputs { setting, names: &options.inputs, batch: options.batch };
            let destination = Destination::open(options.output.as_deref())?;
            inputs.merge(&mut store, sort::limit(options), destination)?;
        }
        Action::Sort if top::worth_it(sort::limit(options), budget) => {
            let wanted = usize::try_from(sort::limit(options)).unwrap_or(usize::MAX);
            let output = sort::Output::open(options, setting)?;
            let best = top::run(options.inputs.clone(), wanted, setting)?;
            output.write(|target| target.write(&best).map(drop))?;
        }
        Action::Sort => sort::run(options, setting, &mut store)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn check(options: &Options, aloud: bool, meter: &Meter) -> Result<ExitCode> {
    let Some(disorder) = check::run(&options.inputs[0], &options.shape, meter)? else {
        return Ok(ExitCode::SUCCESS);
    };
    if aloud {
        let _ = std::io::stderr().write_all(&disorder.message());
    }
    Ok(ExitCode::from(1))
}

/// Bytes to read, if all inputs are files.
fn total(options: &Options) -> Option<u64> {
    let length = |name: &std::path::PathBuf| {
        let metadata = std::fs::metadata(name).ok()?;
        metadata.is_file().then_some(metadata.len())
    };
    options.inputs.iter().map(length).sum()
}
