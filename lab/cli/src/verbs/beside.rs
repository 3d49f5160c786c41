//! `humdrum report RESULTS RESULTS...`: several runs in one report, as a matrix of tests and conditions.

use std::path::{Path, PathBuf};

use humdrum_analyse::{conditions, differences, over_hosts};
use humdrum_model::{Fault, Results, Summary};
use humdrum_record::{ResultsFolder, write_whole};
use humdrum_report::{BesideRun, Format, SideBySide};

use super::report::style;
use crate::args::ReportOptions;
use crate::judged::{Wanted, judged};
use crate::reader::Reader;

/// Puts runs side by side.
///
/// # Errors
/// Usage for results that cannot stand side by side, for a format of single runs, and as `report`.
pub fn beside(reader: &Reader, options: &ReportOptions) -> Result<u8, Fault> {
    let format: Format = options.format.parse()?;
    let read: Vec<(Results, Summary)> =
        options.results.iter().map(|path| read(reader, path, options)).collect::<Result<_, Fault>>()?;
    let results: Vec<Results> = read.iter().map(|(results, _)| results.clone()).collect();
    let names = conditions(&results, options.pool_generations)?;
    let over_hosts =
        over_hosts(&read.iter().map(|(results, summary)| (results, summary)).collect::<Vec<_>>());
    let differences = differences(&read.iter().map(|(_, summary)| summary).collect::<Vec<_>>());
    let runs = read.into_iter().zip(&options.results).zip(names);
    let runs: Vec<BesideRun> = runs.map(|((read, path), condition)| one(read, path, condition)).collect();
    let text = render(reader, format, &SideBySide { runs, over_hosts, differences })?;
    match &options.out {
        Some(path) if owned(&options.results, path) => {
            let what = format!("{} is a file of one of these runs", path.display());
            return Err(
                Fault::usage(what).hint("give --out another name, or leave it out for standard output")
            );
        }
        Some(path) => write_whole(path, &anstream::adapter::strip_str(&text).to_string())?,
        None => anstream::print!("{text}"),
    }
    Ok(0)
}

fn read(reader: &Reader, path: &Path, options: &ReportOptions) -> Result<(Results, Summary), Fault> {
    let out = ResultsFolder::open(path)?;
    let wanted = Wanted { base: options.base.as_deref(), subjects: &options.subjects };
    let found = judged(reader, &out, path, wanted).map_err(|fault| fault.at(path.display().to_string()))?;
    Ok((found.results, found.summary))
}

fn one((results, summary): (Results, Summary), path: &Path, condition: String) -> BesideRun {
    BesideRun { condition, results: path.display().to_string(), started: results.started, summary }
}

fn owned(results: &[PathBuf], path: &Path) -> bool {
    results.iter().any(|folder| ResultsFolder::open(folder).is_ok_and(|out| out.owns(path)))
}

fn render(reader: &Reader, format: Format, runs: &SideBySide) -> Result<String, Fault> {
    Ok(match format {
        Format::Terminal => humdrum_report::beside_terminal(runs, style(reader)),
        Format::Markdown => humdrum_report::beside_markdown(runs),
        Format::Html => humdrum_report::beside_html(runs),
        Format::Tsv => humdrum_report::beside_tsv(runs),
        Format::Json => humdrum_report::beside_json(runs),
        Format::Github | Format::Post | Format::PostHtml | Format::Smalldatum => {
            return Err(Fault::usage("this format is of a single run")
                .hint("take terminal, markdown, html, tsv or json for several, or name one run"));
        }
    })
}
