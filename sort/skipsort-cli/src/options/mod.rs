//! From the command line to a plan of the sort.

mod annotate;
mod args;
mod complete;
mod locale;
mod names;
mod once;
mod order;
mod resolve;
mod size;
mod spelling;
mod words;

use std::io::Write;

use clap::Parser;

use crate::fault::{Fault, Result};
pub(crate) use complete::{Action, Options, Progress, Stats};

/// Reads this process's command line. `--help`, `--version` and what clap refuses end the process here.
pub(crate) fn read() -> Result<Options> {
    let words = spelling::plain(std::env::args_os())?;
    match args::Args::try_parse_from(words) {
        Ok(args) => resolve::options(args),
        Err(error) => {
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            printed.map_err(|error| Fault::writing("standard output", &error))?;
            std::process::exit(error.exit_code())
        }
    }
}

#[cfg(test)]
pub(crate) fn parse(line: &str) -> Result<Options> {
    let words = std::iter::once("skipsort").chain(line.split_whitespace());
    let words = spelling::plain(words.map(Into::into))?;
    let args = args::Args::try_parse_from(words).map_err(|error| Fault::new(error.to_string()))?;
    resolve::options(args)
}
