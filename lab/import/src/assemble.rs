//! All files of an import, read and put together.

use std::collections::BTreeMap;
use std::path::Path;

use humdrum_model::{Fault, Results};

use crate::files::{Group, expand};
use crate::found::Options;
use crate::record::record;
use crate::remarks::{coverage, of_file, remark};
use crate::runs::Runs;
use crate::source::{self, Source};

/// What to read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// Files by subject, the base's first.
    pub groups: Vec<Group>,
    /// The reader of all files; `None`: each file shows it.
    pub format: Option<String>,
    /// What files do not say.
    pub options: Options,
    /// `humdrum 0.1.0`.
    pub tool: String,
    /// When this was, UTC, RFC 3339.
    pub started: String,
    /// The host, in words.
    pub host: Option<String>,
}

/// What was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The record.
    pub results: Results,
    /// A line for each subject: its tests and repetitions.
    pub lines: Vec<String>,
}

/// Reads all files. `watch` is called with a file and the bytes read of it; an error of it ends the reading.
///
/// # Errors
/// Usage: a file that cannot be read, is of no format or of several, or results that cannot be compared.
pub fn read(import: &Import, watch: &mut dyn FnMut(&Path, u64) -> Result<(), Fault>) -> Result<Read, Fault> {
    let mut sources: Vec<Source> = Vec::new();
    let mut foreign = Vec::new();
    for given in expand(&import.groups)? {
        let path = given.path.clone();
        let mut watch = |bytes| watch(&path, bytes);
        match source::read(given, import.format.as_deref(), &import.options, &mut watch)? {
            Some(source) => sources.push(source),
            None => foreign.push(path),
        }
    }
    let mut remarks = once(&sources)?;
    remarks.extend(resultless(&sources, &import.groups)?);
    if let Some(first) = foreign.first() {
        let rest = foreign.len();
        remarks.push(format!(
            "{rest} files in the folders are of no known format and were left out, such as {}",
            first.display()
        ));
    }
    let counts: Vec<u64> = sources.iter().map(|source| source.found.repetitions.len() as u64).collect();
    let runs = Runs::new(&mut sources, &import.groups, &import.options)?;
    let mut results = record(import, &runs, &sources, &counts);
    let unread = sources.iter().flat_map(of_file);
    results.events = coverage(&runs).into_iter().chain(remarks).chain(unread).map(remark).collect();
    Ok(Read { lines: lines(&runs), results })
}

/// Refuses two files of the same content in one group, and tells of those in two.
fn once(sources: &[Source]) -> Result<Vec<String>, Fault> {
    let mut known: BTreeMap<u64, &Source> = BTreeMap::new();
    let mut remarks = Vec::new();
    for source in sources.iter().filter(|source| source.bytes > 0) {
        let Some(other) = known.insert(source.content, source) else { continue };
        let what = format!(
            "{} and {} have the same content",
            other.given.path.display(),
            source.given.path.display()
        );
        if other.given.group == source.given.group {
            return Err(Fault::usage(what).hint("a copy is no repetition: leave one out"));
        }
        remarks.push(what);
    }
    Ok(remarks)
}

/// Files without a result are remarks; a subject without any is an error.
fn resultless(sources: &[Source], groups: &[Group]) -> Result<Vec<String>, Fault> {
    for (number, group) in groups.iter().enumerate() {
        let own: Vec<&Source> = sources.iter().filter(|source| source.given.group == number).collect();
        if own.iter().any(|source| !source.found.repetitions.is_empty()) {
            continue;
        }
        let whose = group.subject.as_ref().map_or_else(String::new, |subject| format!("{}: ", subject.label));
        let said: Vec<String> = own.iter().flat_map(|source| of_file(source)).take(3).collect();
        let said = if said.is_empty() { String::new() } else { format!(": {}", said.join("; ")) };
        let what = format!("{whose}no result in {} files{said}", own.len());
        return Err(
            Fault::usage(what).hint("give the whole output of finished runs; --format names another reader")
        );
    }
    let empty = sources.iter().filter(|source| source.found.repetitions.is_empty());
    Ok(empty.map(|source| format!("{}: no result in this file", source.given.path.display())).collect())
}

fn lines(runs: &Runs) -> Vec<String> {
    let line = |subject: usize| {
        let own: Vec<usize> =
            runs.tests.iter().map(|(_, all)| all[subject].len()).filter(|count| *count > 0).collect();
        let (least, most) = (own.iter().min().copied().unwrap_or(0), own.iter().max().copied().unwrap_or(0));
        let repetitions = if least == most { format!("{most}") } else { format!("{least} to {most}") };
        let [tests, times] = [(own.len(), "test"), (most, "repetition")]
            .map(|(count, noun)| if count == 1 { noun.to_owned() } else { format!("{noun}s") });
        format!("{}: {} {tests}, {repetitions} {times} each", runs.subjects[subject].label, own.len())
    };
    (0..runs.subjects.len()).map(line).collect()
}

#[cfg(test)]
mod tests;
