//! The whole program: all verbs, in one table.

use std::process::ExitCode;

use humdrum_model::Fault;

use crate::args::{Arguments, SuiteVerb, Verb};
use crate::lab::Lab;
use crate::{titles, verbs};

pub use crate::args::refused;

/// What the process was started for.
pub fn main() -> ExitCode {
    // An engine that is a library runs in processes of its own, which are this program.
    humdrum_engines::play_worker().unwrap_or_else(|| crate::run(dispatch))
}

fn dispatch(arguments: &Arguments) -> Result<u8, Fault> {
    titles::hide_passwords();
    let mut lab = Lab::open(arguments)?;
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
