//! `humdrum`: finds performance regressions in databases.
//!
//! A program is made of the command line, one file per verb, and one function that prints a fault and returns its exit code.
//! `whole.rs` has all verbs and is the table of contents. Without the feature `measure`, `reading.rs` takes its place, for hosts
//! that cannot measure: the verbs that read results need no Linux. `lab/run` has the order of a measurement.

mod args;
mod faults;
mod judged;
mod kept;
mod known;
#[cfg(feature = "measure")]
mod lab;
#[cfg(feature = "measure")]
mod planned;
mod progress;
mod reader;
#[cfg(not(feature = "measure"))]
mod reading;
mod suites;
#[cfg(feature = "measure")]
mod titles;
mod verbs;
#[cfg(feature = "measure")]
mod whole;
#[cfg(feature = "measure")]
mod workloads;

use std::process::ExitCode;

use clap::Parser;
use humdrum_model::Fault;

use args::Arguments;
#[cfg(not(feature = "measure"))]
use reading as program;
#[cfg(feature = "measure")]
use whole as program;

fn main() -> ExitCode {
    program::main()
}

/// Does what was typed, by the table of the program's verbs.
fn run(dispatch: fn(&Arguments) -> Result<u8, Fault>) -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => match program::refused(&error) {
            Some(fault) => return told(&fault, false),
            None => error.exit(),
        },
    };
    arguments.color.apply();
    match dispatch(&arguments) {
        Ok(code) => ExitCode::from(code),
        Err(fault) => told(&fault, arguments.verbose > 0),
    }
}

fn told(fault: &Fault, verbose: bool) -> ExitCode {
    faults::print(fault, verbose);
    ExitCode::from(fault.exit_code())
}
