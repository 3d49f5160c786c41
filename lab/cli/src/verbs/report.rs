//! `humdrum report`: judges a run, and writes or prints its reports. Every measurement ends so too.

pub mod bisect;
pub mod upgrade;

use std::collections::BTreeMap;
use std::path::Path;

use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, Results, Summary};
use humdrum_record::{ResultsFolder, write_whole};
use humdrum_report::{Extras, Format, Style};
use terminal_size::{Width, terminal_size_of};

use super::beside::beside;
use crate::args::ReportOptions;
use crate::judged::{Judged, Wanted, judged};
use crate::kept;
use crate::reader::Reader;

/// What a user gets of a result beside the files in its folder.
#[derive(Clone, Copy)]
pub struct Shown<'p> {
    /// summary.json goes here as well; `-` is standard output.
    pub json: Option<&'p Path>,
    /// The table is printed.
    pub table: bool,
}

impl<'p> Shown<'p> {
    /// The table, unless standard output is for JSON.
    pub fn of(json: Option<&'p Path>) -> Self {
        Self { json, table: json != Some(Path::new("-")) }
    }
}

/// `humdrum report RESULTS`, with another base or some of the subjects where that is asked for.
///
/// # Errors
/// Usage for a missing or foreign file, an unknown format or subject, or an `--out` that would replace a file of the run.
pub fn report(reader: &Reader, options: &ReportOptions) -> Result<u8, Fault> {
    let [path] = &options.results[..] else { return beside(reader, options) };
    let format: Format = options.format.parse()?;
    if bisect::is_bisect(path) {
        return give(options, &bisect::report(reader, path, format)?);
    }
    if upgrade::is_upgrade(path) {
        return give(options, &upgrade::report(reader, path, format)?);
    }
    let out = ResultsFolder::open(path)?;
    keep_own_files(&out, options)?;
    let wanted = Wanted { base: options.base.as_deref(), subjects: &options.subjects };
    let Judged { results, summary } = judged(reader, &out, path, wanted)?;
    give(options, &render(reader, format, &summary, &results, &extras(&results, &summary, &out)))
}

fn give(options: &ReportOptions, text: &str) -> Result<u8, Fault> {
    match &options.out {
        Some(path) => write_whole(path, &anstream::adapter::strip_str(text).to_string())?,
        None => anstream::print!("{text}"),
    }
    Ok(0)
}

/// The blocks are never replaced, and a run's own report only by one of the same base and subjects.
fn keep_own_files(out: &ResultsFolder, options: &ReportOptions) -> Result<(), Fault> {
    let Some(path) = options.out.as_deref().filter(|path| out.owns(path)) else { return Ok(()) };
    let chooses = options.base.is_some() || !options.subjects.is_empty();
    let is_store = path.canonicalize().is_ok_and(|path| path.ends_with("results.sqlite"));
    if !chooses && !is_store {
        return Ok(());
    }
    let what = format!("{} is a file of the run itself", path.display());
    Err(Fault::usage(what).hint("give --out another name, or leave it out for standard output"))
}

/// Writes the files of a result and prints it.
///
/// # Errors
/// When a file cannot be written.
pub(super) fn present(
    reader: &Reader,
    out: &ResultsFolder,
    shown: Shown<'_>,
    Judged { results, summary }: &Judged,
) -> Result<(), Fault> {
    reader.console.update(Update::Step("writing the report"));
    let extras = extras(results, summary, out);
    let text = |format| render(reader, format, summary, results, &extras);
    out.write("report.html", &text(Format::Html))?;
    let data = text(Format::Json);
    out.write("summary.json", &data)?;
    out.write("summary.tsv", &text(Format::Tsv))?;
    if !summary.steps.is_empty() {
        out.write("steps.tsv", &humdrum_report::steps_tsv(summary))?;
    }
    out.write("summary.md", &text(Format::Markdown))?;
    shown.json.map_or(Ok(()), |path| write_whole(path, &data))?;
    if shown.table {
        anstream::print!("{}", text(Format::Terminal));
        anstream::println!("\nreport: {}", out.folder.join("report.html").display());
    }
    Ok(())
}

fn render(reader: &Reader, format: Format, summary: &Summary, results: &Results, extras: &Extras) -> String {
    match format {
        Format::Terminal => humdrum_report::terminal(summary, results, extras, style(reader)),
        Format::Json => humdrum_report::json(summary),
        Format::Tsv => humdrum_report::tsv(summary),
        Format::Markdown => humdrum_report::markdown(summary, results, extras),
        Format::Github => humdrum_report::github(summary, results, extras),
        Format::Post => humdrum_report::post(summary, results, extras),
        Format::PostHtml => humdrum_report::post_html(summary, results, extras),
        Format::Smalldatum => humdrum_report::smalldatum(summary),
        Format::Html => humdrum_report::html(summary, results, extras),
    }
}

/// What a report shows that is derived.
pub(super) fn extras(results: &Results, summary: &Summary, out: &ResultsFolder) -> Extras {
    let differences = humdrum_analyse::setting_differences(results);
    let tests = results.plan.tests.iter().map(|test| test.name.clone());
    Extras {
        setting_differences: differences.into_iter().map(|one| (one.name, one.values)).collect(),
        rate_series: tests
            .map(|test| (test.clone(), points(humdrum_analyse::rate_series(results, &test))))
            .collect::<BTreeMap<_, _>>(),
        explanations: kept::explanations(out, results, summary),
        home: None,
    }
}

/// By subject, as the report takes them.
fn points(series: Vec<Vec<humdrum_analyse::RatePoint>>) -> Vec<Vec<(f64, f64, bool)>> {
    let point = |point: humdrum_analyse::RatePoint| (point.seconds, point.qps, point.discarded);
    series.into_iter().map(|subject| subject.into_iter().map(point).collect()).collect()
}

/// Always coloured: the stream strips what a terminal, a file or NO_COLOR does not want.
pub fn style(reader: &Reader) -> Style {
    Style { color: true, width: terminal_width(), verbose: reader.verbose }
}

/// Columns of the terminal; 100 where there is none.
fn terminal_width() -> u16 {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let found = || terminal_size_of(std::io::stdout()).map(|(Width(columns), _)| columns);
    asked.or_else(found).unwrap_or(100)
}
