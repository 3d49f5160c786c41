//! `humdrum report` of an upgrade: what the change to another release brings, from the record of its comparison.

use std::fs;
use std::path::Path;

use humdrum_explain::Experiments;
use humdrum_model::{Explanation, Fault, Results, Summary, Upgrade, UpgradeSource};
use humdrum_record::ResultsFolder;
use humdrum_report::Format;
use serde::{Deserialize, Serialize};

use super::style;
use crate::judged::{Judged, Wanted, judged};
use crate::kept;
use crate::reader::Reader;

/// The file with what was asked of the running server.
pub const ABOUT: &str = "upgrade-source.json";

/// What is not in the comparison's own record.
#[derive(Default, Serialize, Deserialize)]
pub struct About {
    /// The server.
    pub source: Option<UpgradeSource>,
    /// What is to be said beside the figures.
    pub notes: Vec<String>,
}

/// Whether a folder is that of an upgrade.
pub fn is_upgrade(folder: &Path) -> bool {
    folder.join(ABOUT).exists()
}

/// `humdrum report` of an upgrade.
///
/// # Errors
/// Usage: the comparison is not there or not readable, or a format that an upgrade does not have.
pub fn report(reader: &Reader, folder: &Path, format: Format) -> Result<String, Fault> {
    let upgrade = read(reader, folder)?;
    Ok(match format {
        Format::Terminal => humdrum_report::upgrade(&upgrade, style(reader)),
        Format::Html => humdrum_report::upgrade_html(&upgrade, "results/report.html"),
        Format::Markdown | Format::Github => humdrum_report::upgrade_markdown(&upgrade),
        Format::Json => humdrum_report::upgrade_json(&upgrade),
        Format::Tsv | Format::Post | Format::PostHtml | Format::Smalldatum => {
            return Err(Fault::usage("an upgrade has no such format")
                .at("--format")
                .hint("use one of terminal, json, markdown, html; its folder `results` has them all"));
        }
    })
}

/// The upgrade, from the record of its comparison.
///
/// # Errors
/// Usage: its files are missing or cannot be read.
pub fn read(reader: &Reader, out: &Path) -> Result<Upgrade, Fault> {
    let file = out.join(ABOUT);
    let unreadable = |what: String| Fault::usage(format!("cannot read {}: {what}", file.display()));
    let text = fs::read_to_string(&file).map_err(|error| unreadable(error.to_string()))?;
    let about: About = serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
    let folder = out.join("results");
    let results_folder = ResultsFolder::open(&folder)?;
    let Judged { results, summary } = judged(reader, &results_folder, &folder, Wanted::default())?;
    let explanations = explanations(&results_folder, &results, &summary);
    let upgrade = humdrum_explain::upgrade(&results, &summary, &explanations);
    Ok(Upgrade { source: about.source, notes: about.notes, ..upgrade })
}

/// Those of the tests that moved, with what was measured of them apart, and those of all others for their query plans.
fn explanations(out: &ResultsFolder, results: &Results, summary: &Summary) -> Vec<Explanation> {
    let moved = kept::explanations(out, results, summary);
    let tests = summary.comparisons.first().map(|one| one.tests.as_slice()).unwrap_or_default();
    let others = tests.iter().filter(|test| !moved.iter().any(|one| one.test == test.test));
    let others: Vec<Explanation> = others
        .map(|test| humdrum_explain::explain(results, summary, 0, test, Experiments::default()))
        .collect();
    moved.into_iter().chain(others).collect()
}
