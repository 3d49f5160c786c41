//! The likely cause of each change, one line a test, below the tables.

use humdrum_model::Comparison;

use super::{BRIEF_MAX, Page};
use crate::Extras;
use crate::explanation::first_cause;
use crate::text::clean;

impl Page {
    /// The first cause of each test that moved.
    pub(super) fn causes(&mut self, comparison: &Comparison, extras: &Extras) {
        let ours = extras.explanations.iter().filter(|one| one.subject == comparison.subject);
        let told: Vec<String> =
            ours.filter_map(|one| Some(format!("{}: {}", clean(&one.test), first_cause(one)?))).collect();
        if told.is_empty() {
            return;
        }
        self.heading("likely causes (`humdrum explain` shows more)");
        let shown = if self.style.verbose { told.len() } else { told.len().min(BRIEF_MAX) };
        told[..shown].iter().for_each(|line| self.paragraph(line));
        if shown < told.len() {
            self.paragraph(&format!("… and {} more (-v or report.html lists them)", told.len() - shown));
        }
    }
}
