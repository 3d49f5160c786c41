//! The program without the feature `measure`: the verbs that read results, in one table.

use std::env;
use std::fs::OpenOptions;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use humdrum_model::Fault;
use humdrum_record::history::path_in;

use crate::args::{Arguments, ExplainOptions, MEASURING, Verb, WHOLE_PROGRAM};
use crate::reader::Reader;
use crate::verbs;

/// Where the whole program keeps the history of this host under root, if root's home is closed to the servers' user.
const ROOT_CACHES: [&str; 2] = ["/var/cache/humdrum", "/var/tmp/humdrum-0"];

/// What the process was started for.
pub fn main() -> ExitCode {
    crate::run(dispatch)
}

/// The parser's complaint as a fault: of a verb that only the whole program has, where to get that.
pub fn refused(error: &clap::Error) -> Option<Fault> {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(verb)) if MEASURING.contains(&verb.as_str()) => Some(only_reads(verb)),
        _ => crate::args::refused(error),
    }
}

fn dispatch(arguments: &Arguments) -> Result<u8, Fault> {
    let reader = Reader { cache: cache(), ..Reader::open(arguments)? };
    match &arguments.verb {
        Verb::Beside(options) => verbs::published::beside(&reader, options),
        Verb::Completions(options) => verbs::manual::completions(options),
        Verb::Experiments(options) => verbs::experiments::experiments(&reader, options),
        Verb::Explain(options) => explain(&reader, options),
        Verb::Import(options) => verbs::import::import(&reader, options),
        Verb::Man(options) => verbs::manual::man(options),
        Verb::Merge(options) => verbs::merge::merge(&reader, options),
        Verb::Report(options) => verbs::report::report(&reader, options),
        Verb::Site(options) => verbs::site::site(&reader, options),
    }
}

fn explain(reader: &Reader, options: &ExplainOptions) -> Result<u8, Fault> {
    match options.measures() {
        Some(option) => Err(only_reads(&format!("explain {option}"))),
        None => verbs::explained::explain(reader, options),
    }
}

fn only_reads(asked: &str) -> Fault {
    Fault::usage(format!("`{asked}` needs the whole program, and this one only reads results"))
        .hint(WHOLE_PROGRAM)
}

/// The folder in which the whole program keeps what it knows of this host: the first that has a history of this user's, else the
/// usual one. Nothing is made there.
fn cache() -> Option<PathBuf> {
    let folder = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    let usual = folder("HUMDRUM_CACHE").or_else(|| Some(own?.join("humdrum")))?;
    // The user of the whole program may write its history; that of another user it does not read.
    let is_ours = |cache: &PathBuf| OpenOptions::new().append(true).open(path_in(cache)).is_ok();
    let of_root = ROOT_CACHES.map(PathBuf::from).into_iter().filter(|_| folder("HUMDRUM_CACHE").is_none());
    Some(std::iter::once(usual.clone()).chain(of_root).find(is_ours).unwrap_or(usual))
}
