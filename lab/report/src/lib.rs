//! Stage 7: terminal, JSON, TSV, Markdown and HTML from a results file's plain data.
//!
//! Every renderer is a pure function of `Summary` (what was decided), `Results` (what was measured) and `Extras`
//! (what is derived and not stored), so a result from years ago still renders. No renderer fails, reads a clock or
//! touches a file; the caller writes the string. `text` cleans text that came from users or servers for the terminal,
//! TSV and Markdown, and `maud` escapes it for HTML.

mod beside;
mod bisect;
mod caveats;
mod check_history;
mod choice;
mod cost;
mod experiments;
mod explanation;
mod facts;
mod format;
mod gated;
mod github;
mod headline;
mod html;
mod imported;
mod joint;
mod json;
mod judged;
mod kinds;
mod links;
mod markdown;
mod matrix;
mod number;
mod opening;
mod post;
mod processor;
mod published;
mod scripts;
mod selftest;
mod series;
mod settings;
mod smalldatum;
mod steps;
mod store;
mod style;
mod table;
mod terminal;
mod text;
mod tsv;
mod upgrade;
mod watch;
mod words;

#[cfg(test)]
mod fixture;

use std::collections::BTreeMap;

use humdrum_model::Explanation;

pub use beside::{
    BesideRun, SideBySide, beside_html, beside_json, beside_markdown, beside_terminal, beside_tsv,
};
pub use bisect::{bisect, bisect_html, bisect_markdown, bisect_progress};
pub use check_history::{check_history, checks_counted};
pub use experiments::{experiments, experiments_markdown};
pub use explanation::{explanation, explanations_json, host_lines, step_explanation};
pub use format::Format;
pub use gated::{annotations, check_comment, sentence as check_sentence};
pub use github::github;
pub use html::{FindChanges, Generations, SitePage, SiteRun, SiteSubject, html, site, site_name};
pub use json::json;
pub use markdown::markdown;
pub use post::{post, post_html};
pub use processor::described as processor;
pub use published::{beside_published, bridge};
pub use selftest::selftest;
pub use smalldatum::smalldatum;
pub use steps::steps_tsv;
pub use style::Style;
pub use terminal::terminal;
pub use text::printable;
pub use tsv::tsv;
pub use upgrade::{upgrade, upgrade_html, upgrade_json, upgrade_markdown};
pub use watch::watch_sentence;

/// One point of a throughput series: seconds since the run began, operations per second, and whether a
/// pre-declared rule discarded the block it came from.
pub type RatePoint = (f64, f64, bool);

/// What reports show beside the results and the summary. The caller derives it from the results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extras {
    /// Settings that differ: name, and the value by position in the plan's subjects (`None`: it does not have the setting).
    pub setting_differences: Vec<(String, Vec<Option<String>>)>,
    /// Throughput over time by test, then by position in the plan's subjects.
    pub rate_series: BTreeMap<String, Vec<Vec<RatePoint>>>,
    /// Explanations of the tests that moved.
    pub explanations: Vec<Explanation>,
    /// Link from the report to the page of all runs, if the report is part of a site.
    pub home: Option<String>,
}
