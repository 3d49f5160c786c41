//! `humdrum`: finds performance regressions in databases.
//!
//! `main` is the table of contents: arguments, one file per verb, and one function that prints a fault and
//! returns its exit code. `lab/run` has the order of a measurement.

mod args;
mod faults;
mod judged;
mod kept;
mod lab;
mod planned;
mod progress;
mod titles;
mod verbs;
mod workloads;

use std::process::ExitCode;

use clap::Parser;
use humdrum_model::Fault;

use args::{Arguments, SuiteVerb, Verb};

fn main() -> ExitCode {
    // An engine that is a library runs in processes of its own, which are this program.
    if let Some(code) = humdrum_engines::play_worker() {
        return code;
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => match args::refused(&error) {
            Some(fault) => return told(&fault, false),
            None => error.exit(),
        },
    };
    titles::hide_passwords();
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

fn dispatch(arguments: &Arguments) -> Result<u8, Fault> {
    let mut lab = lab::Lab::open(arguments)?;
    match &arguments.verb {
        Verb::Beside(options) => verbs::published::beside(&lab, options),
        Verb::Build(options) => verbs::build::build(&lab, options),
        Verb::Bisect(options) => verbs::bisect::bisect(&mut lab, options),
        Verb::Ci(options) => verbs::ci::ci(&mut lab, options),
        Verb::Clean(options) => verbs::clean::clean(&lab, options),
        Verb::Compare(options) => verbs::compare::compare(&mut lab, options),
        Verb::Completions(options) => verbs::manual::completions(options),
        Verb::Doctor(options) => verbs::doctor::doctor(&lab, options),
        Verb::Down(options) => verbs::up::down(&lab, options),
        Verb::Experiments(options) => verbs::experiments::experiments(&lab, options),
        Verb::Explain(options) => verbs::explain::explain(&mut lab, options),
        Verb::Extend(options) => verbs::extend::extend(&mut lab, options),
        Verb::Fetch(options) => verbs::fetch::fetch(&lab, options),
        Verb::Capture(options) => verbs::capture::capture(&lab, options),
        Verb::Import(options) => verbs::import::import(&lab, options),
        Verb::Fleet(options) => verbs::fleet::fleet(&mut lab, options),
        Verb::Man(options) => verbs::manual::man(options),
        Verb::Merge(options) => verbs::merge::merge(&lab, options),
        Verb::Pack(options) => verbs::pack::pack(&mut lab, options),
        Verb::Report(options) => verbs::report::report(&lab, options),
        Verb::Resume(options) => verbs::resume::resume(&mut lab, options),
        Verb::Run(options) => verbs::compare::run(&mut lab, options),
        Verb::Selftest(options) => verbs::selftest::selftest(&mut lab, options),
        Verb::Site(options) => verbs::site::site(&lab, options),
        Verb::Suite(options) => match &options.verb {
            SuiteVerb::New(options) => verbs::suite::new(options),
            SuiteVerb::Check(options) => verbs::suite::check(&lab, options),
        },
        Verb::Unpack(options) => verbs::pack::unpack(&lab, options),
        Verb::Up(options) => verbs::up::up(&lab, options),
        Verb::Upgrade(options) => verbs::upgrade::upgrade(&mut lab, options),
        Verb::Versions(options) => verbs::versions::versions(&lab, options),
        Verb::Watch(options) => verbs::watch::watch(&mut lab, options),
    }
}
