//! `humdrum beside`: published ratios, or those of another host, beside measured ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use humdrum_model::{Beside, Bridge, Fault, Measured, OtherFigure, Published, Results, Summary};
use humdrum_record::{ResultsFolder, write_whole};
use humdrum_report::{Format, processor};

use super::report::style;
use crate::args::BesideOptions;
use crate::judged::{Judged, Wanted, judged};
use crate::reader::Reader;

/// `humdrum beside RESULTS... --published FILE...`, the same with `--bridge`, and `humdrum beside RESULTS RESULTS...`.
///
/// # Errors
/// Usage for files that are missing or no such tables, for results of no release, and where no published engine was measured.
pub fn beside(reader: &Reader, options: &BesideOptions) -> Result<u8, Fault> {
    let format: Format = options.format.parse()?;
    let published = Figures::read(&options.published)?;
    let (mut measured, mut steps) = (Vec::new(), Vec::new());
    for results in &options.results {
        let (ratios, of_steps) = read(reader, results)?;
        measured.extend((!ratios.is_empty()).then_some(ratios));
        steps.extend(of_steps);
    }
    let text = if options.bridge {
        humdrum_report::bridge(&bridge(&published.ratios, &measured)?, format, style(reader))
    } else {
        let found = match published.beside(&measured.concat(), &steps)? {
            Some(found) => found,
            None => own(&measured)?,
        };
        humdrum_report::beside_published(&found, format, style(reader))
    };
    match &options.out {
        Some(path) => write_whole(path, &text)?,
        None => anstream::print!("{text}"),
    }
    Ok(0)
}

/// What tables of published figures hold.
pub(super) struct Figures {
    ratios: Vec<Published>,
    /// Figures that are no ratios of throughputs.
    others: Vec<OtherFigure>,
    tables: usize,
}

impl Figures {
    /// Reads tables; of none, nothing stands beside anything.
    ///
    /// # Errors
    /// As [`figures`].
    pub(super) fn read(tables: &[PathBuf]) -> Result<Self, Fault> {
        let mut all = Self { ratios: Vec::new(), others: Vec::new(), tables: tables.len() };
        for path in tables {
            let (ratios, further) = figures(path)?;
            all.ratios.extend(ratios);
            all.others.extend(further);
        }
        Ok(all)
    }

    /// Published figures beside measured ones, and shares of dead rows beside those of tables of steps; `None` where there are no
    /// tables of figures.
    ///
    /// # Errors
    /// Usage: none of the figures was measured, or a share is no number.
    pub(super) fn beside(&self, measured: &[Measured], steps: &[Steps]) -> Result<Option<Beside>, Fault> {
        if self.tables == 0 {
            return Ok(None);
        }
        let found = humdrum_analyse::beside_published(&self.ratios, measured, &self.others);
        let found = humdrum_analyse::add_shares(found, &self.others, steps)?;
        if found.rows.is_empty() && found.dead_rows.is_empty() {
            let shares = self.others.iter().filter(|other| humdrum_analyse::is_share(other)).count();
            return Err(none_measured(self.ratios.len() + shares));
        }
        Ok(Some(found))
    }
}

fn none_measured(figures: usize) -> Fault {
    Fault::usage(format!("none of the {figures} published figures that can be compared was measured"))
        .hint("give results and published figures of one engine and of releases of the same series")
}

/// The results as steps to the published ratios.
fn bridge(published: &[Published], measured: &[Vec<Measured>]) -> Result<Bridge, Fault> {
    if measured.len() < 2 {
        return Err(Fault::usage("a bridge has two steps or more")
            .hint("name the results of each set-up, ours first: 160k=A 10M=B"));
    }
    apart(measured)?;
    let found = humdrum_analyse::bridge(published, measured);
    if found.walks.is_empty() && found.alone > 0 {
        let what =
            format!("no published ratio was measured under two set-ups, and {} under one", found.alone);
        return Err(Fault::usage(what).hint("measure the same tests and releases under each set-up"));
    }
    if found.walks.is_empty() {
        return Err(none_measured(published.len()));
    }
    Ok(found)
}

/// Refuses results that have one name, which would be taken for one host or step.
fn apart(measured: &[Vec<Measured>]) -> Result<(), Fault> {
    let mut names = BTreeSet::new();
    match measured.iter().filter_map(|all| all.first()).find(|own| !names.insert(&own.host)) {
        Some(own) => Err(same_name(&own.host)),
        None => Ok(()),
    }
}

fn same_name(host: &str) -> Fault {
    Fault::usage(format!("two of the results have the name `{host}`"))
        .hint("name them apart: first=PATH second=PATH")
}

/// The first results in the place of published figures.
fn own(measured: &[Vec<Measured>]) -> Result<Beside, Fault> {
    let [first, rest @ ..] = measured else {
        return Err(Fault::usage("steps without ratios have nothing to stand beside")
            .hint("name --published FILE, a table with shares of dead rows"));
    };
    let others = rest.concat();
    if others.is_empty() {
        return Err(Fault::usage("results of one host have nothing to stand beside")
            .hint("name --published FILE, or results of another host"));
    }
    // Others may share a name: several results of one host stand for it together.
    let reference = first.first().map(|own| &own.host);
    if let Some(own) = others.iter().find(|own| Some(&own.host) == reference) {
        return Err(same_name(&own.host));
    }
    let found = humdrum_analyse::beside_own(first, &others);
    if found.rows.is_empty() {
        return Err(Fault::usage("the results have no engine in common"));
    }
    Ok(found)
}

/// A table of steps (`steps.tsv`), after the name of its host.
type Steps = (String, String);

/// The ratios of one host and its table of steps, if that has shares of dead rows: of a results folder, or one of both as a table. A
/// name before `=` is the host's; without one, a folder has its processor's and a table its path.
fn read(reader: &Reader, results: &str) -> Result<(Vec<Measured>, Option<Steps>), Fault> {
    let (name, place) = named(results);
    let path = Path::new(place);
    let (measured, host, steps) = if path.extension().is_some_and(|extension| extension == "tsv") {
        let (host, own) = (name.unwrap_or(place).to_owned(), text(path)?);
        let measured = match humdrum_analyse::has_shares(&own) {
            true => Vec::new(),
            false => humdrum_analyse::measured_tsv(&own, &host).map_err(|fault| at(path, fault))?,
        };
        (measured, host, own)
    } else {
        let out = ResultsFolder::open(path)?;
        let Judged { summary, results, .. } = judged(reader, &out, path, Wanted::default())?;
        let steps = humdrum_report::steps_tsv(&summary);
        (as_measured(&summary, &results, name), host_of(&summary, name), steps)
    };
    let steps = humdrum_analyse::has_shares(&steps).then_some((host, steps));
    if measured.is_empty() && steps.is_none() {
        let what = format!("{} has no ratio of two releases", path.display());
        return Err(Fault::usage(what)
            .hint("a server that was running matches no published release, and neither does a build that tells no number"));
    }
    Ok((measured, steps))
}

/// The ratios of results. Without a name their host has its processor's.
pub(super) fn as_measured(summary: &Summary, results: &Results, name: Option<&str>) -> Vec<Measured> {
    humdrum_analyse::measured(summary, results, &host_of(summary, name))
}

fn host_of(summary: &Summary, name: Option<&str>) -> String {
    let model = &summary.host.cpu_model;
    let known = || if model.is_empty() { "an unknown host".to_owned() } else { model.clone() };
    name.map(str::to_owned).or_else(|| processor(&summary.host)).unwrap_or_else(known)
}

/// Host and path of `HOST=PATH`, or a path alone.
pub(super) fn named(results: &str) -> (Option<&str>, &str) {
    match results.split_once('=') {
        Some((name, place)) if !name.contains('/') => (Some(name), place),
        _ => (None, results),
    }
}

/// Published ratios of a table, and its other figures.
///
/// # Errors
/// Usage: no such file, no such table.
pub(super) fn figures(path: &Path) -> Result<(Vec<Published>, Vec<OtherFigure>), Fault> {
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
