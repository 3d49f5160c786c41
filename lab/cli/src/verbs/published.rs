//! `humdrum beside`: published ratios, or those of another host, beside measured ones.

use std::fs;
use std::path::Path;

use humdrum_model::{Beside, Fault, Measured, Published};
use humdrum_record::{ResultsFolder, write_whole};
use humdrum_report::{Format, processor};

use super::report::style;
use crate::args::BesideOptions;
use crate::judged::{Wanted, judged};
use crate::reader::Reader;

/// `humdrum beside RESULTS... --published FILE...`, and `humdrum beside RESULTS RESULTS...`.
///
/// # Errors
/// Usage for files that are missing or no such tables, for results of no release, and where no published engine was measured.
pub fn beside(reader: &Reader, options: &BesideOptions) -> Result<u8, Fault> {
    let format: Format = options.format.parse()?;
    let mut published = Vec::new();
    let mut others = 0;
    for path in &options.published {
        let (ratios, further) = figures(path)?;
        published.extend(ratios);
        others += further;
    }
    let mut measured = Vec::new();
    for results in &options.results {
        measured.push(read(reader, results)?);
    }
    let found = if options.published.is_empty() {
        own(&measured)?
    } else {
        humdrum_analyse::beside_published(&published, &measured.concat(), others)
    };
    if found.rows.is_empty() {
        let what =
            format!("none of the {} published ratios is of an engine that was measured", published.len());
        return Err(Fault::usage(what).hint("give results and published figures of one engine"));
    }
    let text = humdrum_report::beside_published(&found, format, style(reader));
    match &options.out {
        Some(path) => write_whole(path, &text)?,
        None => anstream::print!("{text}"),
    }
    Ok(0)
}

/// The first results in the place of published figures.
fn own(measured: &[Vec<Measured>]) -> Result<Beside, Fault> {
    let [first, rest @ ..] = measured else { return Err(Fault::usage("no results")) };
    let others = rest.concat();
    let host = |all: &[Measured]| all.first().map(|own| own.host.clone());
    if others.is_empty() {
        return Err(Fault::usage("results of one host have nothing to stand beside")
            .hint("name --published FILE, or results of another host"));
    }
    if others.iter().any(|own| Some(&own.host) == host(first).as_ref()) {
        let what = format!("two of the results have the host `{}`", host(first).unwrap_or_default());
        return Err(Fault::usage(what).hint("name them apart: first=PATH second=PATH"));
    }
    let found = humdrum_analyse::beside_own(first, &others);
    if found.rows.is_empty() {
        return Err(Fault::usage("the results have no engine in common"));
    }
    Ok(found)
}

/// The ratios of one host: of a results folder or of a table. A name before `=` is the host's; without one, a folder has its
/// processor's and a table its path.
fn read(reader: &Reader, results: &str) -> Result<Vec<Measured>, Fault> {
    let (name, place) = named(results);
    let path = Path::new(place);
    let measured = if path.extension().is_some_and(|extension| extension == "tsv") {
        table(path, name)?
    } else {
        let out = ResultsFolder::open(path)?;
        let summary = judged(reader, &out, path, Wanted::default())?.summary;
        let host = name
            .map(str::to_owned)
            .or_else(|| processor(&summary.host))
            .unwrap_or_else(|| path.display().to_string());
        humdrum_analyse::measured(&summary, &host)
    };
    if measured.is_empty() {
        let what = format!("{} has no ratio of two releases", path.display());
        return Err(Fault::usage(what)
            .hint("subjects that are folders, servers or have labels match no published release"));
    }
    Ok(measured)
}

/// Host and path of `HOST=PATH`, or a path alone.
pub(super) fn named(results: &str) -> (Option<&str>, &str) {
    match results.split_once('=') {
        Some((name, place)) if !name.contains('/') => (Some(name), place),
        _ => (None, results),
    }
}

/// Published ratios of a table, and how many of its figures are none.
///
/// # Errors
/// Usage: no such file, no such table.
pub(super) fn figures(path: &Path) -> Result<(Vec<Published>, u64), Fault> {
    humdrum_analyse::published_tsv(&text(path)?).map_err(|fault| at(path, fault))
}

/// Measured ratios of a table.
///
/// # Errors
/// As [`figures`].
pub(super) fn table(path: &Path, host: Option<&str>) -> Result<Vec<Measured>, Fault> {
    let host = host.map_or_else(|| path.display().to_string(), str::to_owned);
    humdrum_analyse::measured_tsv(&text(path)?, &host).map_err(|fault| at(path, fault))
}

/// The text of a file.
///
/// # Errors
/// Usage: it cannot be read.
pub(super) fn text(path: &Path) -> Result<String, Fault> {
    fs::read_to_string(path).map_err(|error| Fault::usage(format!("cannot read {}: {error}", path.display())))
}

fn at(path: &Path, mut fault: Fault) -> Fault {
    fault.what = format!("{}, {}", path.display(), fault.what);
    fault
}
