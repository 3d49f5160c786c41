//! The end of a search: tells and writes what it found, and goes on inside a merge.

use std::path::Path;

use humdrum_contract::{Progress, Update};
use humdrum_model::{Bisect, BisectState, Fault, FaultKind};
use humdrum_record::write_whole;
use humdrum_report::Format;

use super::inside::{INSIDE, inside};
use super::search::{Search, save};
use crate::lab::Lab;
use crate::verbs::explain;
use crate::verbs::report::bisect::{confirmation, render, round_folder};

/// Searches to the end, then tells and writes what was found, whatever ended it.
pub(super) fn conclude(lab: &Lab, search: Search<'_>, json: Option<&Path>) -> Result<u8, Fault> {
    conclude_each(lab, search, json, json != Some(Path::new("-")))
}

/// The same, and of the search inside a merge if that is found; it has no JSON but its own. The exit code is that of the first.
fn conclude_each(
    lab: &Lab,
    mut search: Search<'_>,
    json: Option<&Path>,
    is_shown: bool,
) -> Result<u8, Fault> {
    let ended = search.go();
    lab.console.clear();
    let Search { way, mut bisect, folder, .. } = search;
    if let Err(fault) = ended {
        let go_on = format!("humdrum resume {}", folder.display());
        let keeps_hint = fault.hint.is_some() && fault.kind != FaultKind::Interrupted;
        return Err(if keeps_hint { fault } else { fault.hint(go_on) });
    }
    let inner = inside(&bisect).map(|inner| Search::new(lab, folder.join(INSIDE), way, inner));
    if let Some(inner) = &inner {
        inner.begin()?;
        bisect.goes_inside = true;
        save(&bisect, &folder)?;
    }
    tell(lab, &bisect, &folder, json, is_shown)?;
    if let Some(inner) = inner {
        let what = format!("among the commits that it merged; results go to {}/", inner.folder.display());
        lab.console.update(Update::Step(&what));
        if is_shown {
            anstream::println!("\namong the commits that it merged:\n");
        }
        conclude_each(lab, inner, None, is_shown)?;
    }
    Ok(if bisect.state == BisectState::Found { 0 } else { 4 })
}

/// Tells and writes what a search found.
fn tell(lab: &Lab, bisect: &Bisect, folder: &Path, json: Option<&Path>, is_shown: bool) -> Result<(), Fault> {
    if bisect.profile {
        profile(lab, bisect, folder)?;
    }
    // Writing plain data to memory cannot fail.
    let text = serde_json::to_string_pretty(bisect).unwrap_or_default();
    json.map_or(Ok(()), |path| write_whole(path, &text))?;
    write_whole(&folder.join("report.html"), &render(lab, bisect, folder, Format::Html)?)?;
    if is_shown {
        anstream::print!("{}", render(lab, bisect, folder, Format::Terminal)?);
        let last = round_folder(folder, bisect.rounds.len());
        let round = match bisect.script {
            Some(_) => format!("its last round: {}", last.display()),
            None => format!("a round: humdrum report {}", last.display()),
        };
        anstream::println!("\nreport: {}; {round}", folder.join("report.html").display());
    }
    Ok(())
}

/// Samples the two beside the step, for `why`.
fn profile(lab: &Lab, bisect: &Bisect, folder: &Path) -> Result<(), Fault> {
    let Some((out, results, summary)) = confirmation(bisect, folder) else { return Ok(()) };
    let Some(test) = summary.comparisons.first().and_then(|one| one.tests.first()) else { return Ok(()) };
    explain::profile(lab, false, &out, &results, (0, test)).map(drop)
}
