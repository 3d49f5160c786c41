//! `humdrum import`: results of other tools as a record, and their report.

use std::path::Path;
use std::time::SystemTime;

use humdrum_contract::{Progress, Update};
use humdrum_import::{Group, Import, Options, Read};
use humdrum_model::Fault;
use humdrum_plan::parse_subject;
use humdrum_record::{ResultsFolder, Store};

use super::report::{Shown, present};
use crate::args::{Files, ImportOptions};
use crate::judged::{Wanted, judged};
use crate::reader::Reader;

/// `humdrum import [FORMAT] FILE... --subject SUBJECT ... -o DIR`. It judges nothing that fails a build: it ends with 0.
///
/// # Errors
/// Usage: files that cannot be read or compared, a folder that exists. Nothing is left of a folder then.
pub fn import(reader: &Reader, options: &ImportOptions) -> Result<u8, Fault> {
    let import = what(options)?;
    let mut read = None;
    // The folder first: that it cannot be made is known before a gigabyte is read.
    let out = ResultsFolder::create_whole(&options.out, |part| {
        let Read { results, .. } = read.insert(all(reader, &import)?);
        Store::create(&part.results(), results).map(drop)
    })?;
    let Some(Read { lines, .. }) = read else { return Ok(0) };
    reader.console.clear();
    lines.iter().for_each(|line| reader.console.update(Update::Step(line)));
    let judged = judged(reader, &out, &out.folder, Wanted::default())?;
    present(reader, &out, Shown::of(options.json.as_deref()), &judged)?;
    Ok(0)
}

/// Reads all files, and says how far it is.
fn all(reader: &Reader, import: &Import) -> Result<Read, Fault> {
    humdrum_import::read(import, &mut |path, bytes| {
        let what = format!("reading {}", path.display());
        reader.console.update(Update::Part { what: &what, done: bytes, total: total(path), unit: "bytes" });
        reader.interrupt.check()
    })
}

fn total(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().map(|meta| meta.len())
}

fn what(options: &ImportOptions) -> Result<Import, Fault> {
    if let Some(empty) = options.groups.iter().find(|group| group.paths.is_empty()) {
        let side = if options.subjects_first { "after" } else { "before" };
        let subject = empty.subject.as_deref().unwrap_or_default();
        return Err(Fault::usage(format!("no files {side} --subject {subject}"))
            .hint("type FILE... --subject postgres@16.11 FILE... --subject postgres@17.7, the base first"));
    }
    let group = |files: &Files| -> Result<Group, Fault> {
        let subject = files.subject.as_deref().map(parse_subject).transpose()?;
        Ok(Group { subject: subject.map(|subject| subject.without_password()), paths: files.paths.clone() })
    };
    let only = |typed: &String| -> Result<(String, String), Fault> {
        typed.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or_else(|| {
            Fault::usage(format!("--only {typed} has no `=`")).hint("type it as --only clients=1")
        })
    };
    Ok(Import {
        groups: options.groups.iter().map(group).collect::<Result<_, Fault>>()?,
        format: options.format.clone(),
        options: Options {
            test: options.test.clone(),
            only: options.only.iter().map(only).collect::<Result<_, Fault>>()?,
        },
        tool: format!("humdrum {}", env!("CARGO_PKG_VERSION")),
        started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        host: options.host.clone(),
    })
}
