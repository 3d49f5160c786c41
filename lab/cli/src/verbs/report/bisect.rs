//! `humdrum report` of a bisect: what the search found, and why the step is one.

use std::path::{Path, PathBuf};

use humdrum_explain::Experiments;
use humdrum_model::{Bisect, BisectState, Explanation, Fault, Results, Summary};
use humdrum_record::{ResultsFolder, Store};
use humdrum_report::Format;

use super::style;
use crate::kept;
use crate::reader::Reader;

/// Version of the shape of `bisect.json`.
pub const SCHEMA: u32 = 1;

/// Whether a results folder is that of a bisect.
pub fn is_bisect(folder: &Path) -> bool {
    folder.join("bisect.json").exists()
}

/// `humdrum report` of a bisect.
///
/// # Errors
/// Usage: `bisect.json` cannot be read, or a format that a search does not have.
pub fn report(reader: &Reader, folder: &Path, format: Format) -> Result<String, Fault> {
    render(reader, &read(folder)?, folder, format)
}

/// A bisect as a text or a page.
///
/// # Errors
/// Usage: a format that a search does not have.
pub fn render(reader: &Reader, bisect: &Bisect, folder: &Path, format: Format) -> Result<String, Fault> {
    Ok(match format {
        Format::Terminal => {
            let why = why(bisect, folder).map(|why| humdrum_report::step_explanation(&why, style(reader)));
            let gap = if why.is_some() { "\n" } else { "" };
            format!("{}{gap}{}", humdrum_report::bisect(bisect, style(reader)), why.unwrap_or_default())
        }
        Format::Html => humdrum_report::bisect_html(bisect, why(bisect, folder).as_ref()),
        Format::Markdown | Format::Github => {
            humdrum_report::bisect_markdown(bisect, why(bisect, folder).as_ref())
        }
        // Writing plain data to memory cannot fail.
        Format::Json => serde_json::to_string_pretty(bisect).unwrap_or_default() + "\n",
        Format::Tsv | Format::Post | Format::PostHtml | Format::Smalldatum => {
            return Err(Fault::usage("a bisect has no such format")
                .at("--format")
                .hint("use one of terminal, json, markdown, html; rounds/N of it has them all"));
        }
    })
}

/// What a search has found until now.
///
/// # Errors
/// Usage: `bisect.json` cannot be read.
pub fn read(folder: &Path) -> Result<Bisect, Fault> {
    let file = folder.join("bisect.json");
    let unreadable = |what: String| Fault::usage(format!("cannot read {}: {what}", file.display()));
    let text = std::fs::read_to_string(&file).map_err(|error| unreadable(error.to_string()))?;
    let bisect: Bisect = serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
    if bisect.schema == SCHEMA {
        return Ok(bisect);
    }
    Err(unreadable(format!("its schema is {}, and this version knows {SCHEMA}", bisect.schema)))
}

/// The folder of a round, counted from 1.
pub fn round_folder(whole: &Path, number: usize) -> PathBuf {
    whole.join("rounds").join(number.to_string())
}

/// What the confirmation says of the step, as `humdrum explain` does but without a verdict; `None` without a step, and for a command of the user's.
fn why(bisect: &Bisect, folder: &Path) -> Option<Explanation> {
    let (out, results, summary) = confirmation(bisect, folder)?;
    let test = summary.comparisons.first()?.tests.first()?;
    let profiles = kept::profiles(&out, 0, &test.test);
    let mut one = humdrum_explain::explain_step(
        &results,
        &summary,
        0,
        test,
        Experiments { profiles, ..Experiments::default() },
    );
    let path = out.folder.display().to_string();
    one.remarks.iter_mut().for_each(|line| *line = line.replace("RESULTS", &path));
    Some(one)
}

/// The round that confirmed the step, with the two beside it alone: what held before the step is the base.
pub fn confirmation(bisect: &Bisect, folder: &Path) -> Option<(ResultsFolder, Results, Summary)> {
    let (found, round) = (bisect.found.as_ref()?, bisect.rounds.last()?);
    if bisect.state != BisectState::Found || bisect.script.is_some() {
        return None;
    }
    let subject = |position: usize| round.positions.iter().position(|one| *one == position);
    let beside = [subject(found.after)?, subject(found.until)?];
    let out = ResultsFolder { folder: round_folder(folder, bisect.rounds.len()) };
    let results = Store::open(&out.results()).and_then(|store| store.read()).ok()?;
    let results = humdrum_analyse::rebased(results, &beside);
    let summary = humdrum_analyse::summarise(&results);
    Some((out, results, summary))
}
