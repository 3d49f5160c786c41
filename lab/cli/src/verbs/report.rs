//! `humdrum report`, and the end of every measurement: judges the run, writes the reports and prints the
//! result.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;

use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, FaultKind, Results, Summary};
use humdrum_record::{ResultsFolder, Store, certificate, write_whole};
use humdrum_report::{Extras, Format, Style};

use super::beside::beside;
use super::bisect;
use super::upgrade;
use crate::args::ReportOptions;
use crate::judged::{Judged, Wanted, judged};
use crate::kept;
use crate::lab::Lab;

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
pub fn report(lab: &Lab, options: &ReportOptions) -> Result<u8, Fault> {
    let [path] = &options.results[..] else { return beside(lab, options) };
    let format: Format = options.format.parse()?;
    if bisect::is_bisect(path) {
        return give(options, &bisect::report(lab, path, format)?);
    }
    if upgrade::is_upgrade(path) {
        return give(options, &upgrade::report(lab, path, format)?);
    }
    let out = ResultsFolder::open(path)?;
    keep_own_files(&out, options)?;
    let wanted = Wanted { base: options.base.as_deref(), subjects: &options.subjects };
    let Judged { results, summary } = judged(lab, &out, path, wanted)?;
    give(options, &render(lab, format, &summary, &results, &extras(&results, &summary, &out)))
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

/// Ends a measurement: judges what there is, together with other runs of the same results, writes the files, prints the table,
/// and chooses the exit code.
///
/// # Errors
/// What ended the measurement: an interruption after the files were written from what there is, any other fault before (all
/// that was measured is in the store either way).
pub fn conclude(
    lab: &Lab,
    store: Store,
    out: &ResultsFolder,
    shown: Shown<'_>,
    strict: bool,
    measured: Result<(), Fault>,
) -> Result<u8, Fault> {
    let results = store.read()?;
    if is_empty(&results) {
        drop(store);
        out.discard();
        measured?;
        return Err(Fault::crash(
            "nothing could be measured: no two subjects were alive at once, or the budget was too small",
        ));
    }
    let go_on = format!("humdrum resume {}", out.folder.display());
    let interrupted = measured.as_ref().is_err_and(|fault| fault.kind == FaultKind::Interrupted);
    if !interrupted {
        measured.map_err(|fault| if fault.hint.is_none() { fault.hint(go_on.clone()) } else { fault })?;
    }
    if !interrupted {
        keep(lab, &results);
    }
    let whole = out.whole();
    drop(results);
    drop(store);
    let judged = judged(lab, &whole, &whole.folder, Wanted::default())?;
    present(lab, &whole, shown, &judged)?;
    if interrupted {
        let what = "interrupted; everything measured so far is kept";
        return Err(Fault::new(FaultKind::Interrupted, what).hint(go_on));
    }
    Ok(humdrum_analyse::exit_code(&judged.summary, strict))
}

/// Writes the files of a result and prints it.
///
/// # Errors
/// When a file cannot be written.
pub(super) fn present(
    lab: &Lab,
    out: &ResultsFolder,
    shown: Shown<'_>,
    Judged { results, summary }: &Judged,
) -> Result<(), Fault> {
    lab.console.update(Update::Step("writing the report"));
    let extras = extras(results, summary, out);
    let text = |format| render(lab, format, summary, results, &extras);
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

/// Whether nothing was measured, and nothing failed that is worth a line.
pub(super) fn is_empty(results: &Results) -> bool {
    results.blocks.is_empty() && results.events.is_empty() && results.steps.is_empty()
}

/// What a finished run tells of the host, for later ones.
pub(super) fn keep(lab: &Lab, results: &Results) {
    let summary = humdrum_analyse::summarise(results);
    if let Some(found) = humdrum_analyse::certified_floor(results, &summary) {
        certificate::keep(&lab.dirs.cache, (found.floor, found.excess), &results.started);
    }
    if let Some(remark) = humdrum_run::keep_history(results, &summary, &lab.dirs) {
        lab.console.update(Update::Note(&remark));
    }
}

fn render(lab: &Lab, format: Format, summary: &Summary, results: &Results, extras: &Extras) -> String {
    match format {
        Format::Terminal => humdrum_report::terminal(summary, results, extras, style(lab)),
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
pub fn style(lab: &Lab) -> Style {
    Style { color: true, width: terminal_width(), verbose: lab.verbose }
}

/// Columns of the terminal; 100 where there is none.
fn terminal_width() -> u16 {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let found =
        || std::io::stdout().is_terminal().then(|| rustix::termios::tcgetwinsize(std::io::stdout()).ok());
    asked.or_else(|| found().flatten().map(|size| size.ws_col).filter(|columns| *columns > 0)).unwrap_or(100)
}
