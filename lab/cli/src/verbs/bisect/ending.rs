//! The end of a search: what it found, why the step is one, and the page.

use std::path::Path;

use humdrum_explain::Experiments;
use humdrum_model::{Bisect, BisectState, Explanation, Fault, FaultKind, Results, Summary};
use humdrum_record::{ResultsFolder, Store, write_whole};
use humdrum_report::Format;

use super::search::Search;
use super::{SCHEMA, round};
use crate::kept;
use crate::lab::Lab;
use crate::verbs::explain;
use crate::verbs::report::style;

/// Searches to the end, then tells and writes what was found, whatever ended it.
pub(super) fn conclude(lab: &Lab, mut search: Search<'_>, json: Option<&Path>) -> Result<u8, Fault> {
    let ended = search.go();
    lab.console.clear();
    let Search { bisect, folder, .. } = search;
    if let Err(fault) = ended {
        let go_on = format!("humdrum resume {}", folder.display());
        let keeps_hint = fault.hint.is_some() && fault.kind != FaultKind::Interrupted;
        return Err(if keeps_hint { fault } else { fault.hint(go_on) });
    }
    if bisect.profile {
        profile(lab, &bisect, &folder)?;
    }
    // Writing plain data to memory cannot fail.
    let text = serde_json::to_string_pretty(&bisect).unwrap_or_default();
    json.map_or(Ok(()), |path| write_whole(path, &text))?;
    write_whole(&folder.join("report.html"), &render(lab, &bisect, &folder, Format::Html)?)?;
    if json != Some(Path::new("-")) {
        anstream::print!("{}", render(lab, &bisect, &folder, Format::Terminal)?);
        let last = round::folder(&folder, bisect.rounds.len());
        let round = match bisect.script {
            Some(_) => format!("its last round: {}", last.display()),
            None => format!("a round: humdrum report {}", last.display()),
        };
        anstream::println!("\nreport: {}; {round}", folder.join("report.html").display());
    }
    Ok(if bisect.state == BisectState::Found { 0 } else { 4 })
}

/// Samples the two beside the step, for `why`.
fn profile(lab: &Lab, bisect: &Bisect, folder: &Path) -> Result<(), Fault> {
    let Some((out, results, summary)) = confirmation(bisect, folder) else { return Ok(()) };
    let Some(test) = summary.comparisons.first().and_then(|one| one.tests.first()) else { return Ok(()) };
    explain::profile(lab, false, &out, &results, (0, test)).map(drop)
}

/// What the confirmation says of the step, as `humdrum explain` does; `None` without a step, and for a command of the user's.
fn why(bisect: &Bisect, folder: &Path) -> Option<Explanation> {
    let (out, results, summary) = confirmation(bisect, folder)?;
    let test = summary.comparisons.first()?.tests.first()?;
    let profiles = kept::profiles(&out, 0, &test.test);
    let mut one = humdrum_explain::explain(
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
fn confirmation(bisect: &Bisect, folder: &Path) -> Option<(ResultsFolder, Results, Summary)> {
    let (found, round) = (bisect.found.as_ref()?, bisect.rounds.last()?);
    if bisect.state != BisectState::Found || bisect.script.is_some() {
        return None;
    }
    let subject = |position: usize| round.positions.iter().position(|one| *one == position);
    let beside = [subject(found.after)?, subject(found.until)?];
    let out = ResultsFolder { folder: round::folder(folder, bisect.rounds.len()) };
    let results = Store::open(&out.results()).and_then(|store| store.read()).ok()?;
    let results = humdrum_analyse::rebased(results, &beside);
    let summary = humdrum_analyse::summarise(&results);
    Some((out, results, summary))
}

/// `humdrum report` of a bisect.
///
/// # Errors
/// Usage: `bisect.json` cannot be read, or a format that a search does not have.
pub fn report(lab: &Lab, folder: &Path, format: Format) -> Result<String, Fault> {
    render(lab, &read(folder)?, folder, format)
}

fn render(lab: &Lab, bisect: &Bisect, folder: &Path, format: Format) -> Result<String, Fault> {
    Ok(match format {
        Format::Terminal => {
            let why = why(bisect, folder).map(|why| humdrum_report::explanation(&why, style(lab)));
            let gap = if why.is_some() { "\n" } else { "" };
            format!("{}{gap}{}", humdrum_report::bisect(bisect, style(lab)), why.unwrap_or_default())
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

pub(super) fn read(folder: &Path) -> Result<Bisect, Fault> {
    let file = folder.join("bisect.json");
    let unreadable = |what: String| Fault::usage(format!("cannot read {}: {what}", file.display()));
    let text = std::fs::read_to_string(&file).map_err(|error| unreadable(error.to_string()))?;
    let bisect: Bisect = serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
    if bisect.schema == SCHEMA {
        return Ok(bisect);
    }
    Err(unreadable(format!("its schema is {}, and this version knows {SCHEMA}", bisect.schema)))
}
