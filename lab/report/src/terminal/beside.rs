//! Tables beside the verdicts: intervals for another run, verdicts on other quantities, flushes and
//! compactions of a store, debts.

use humdrum_model::{Comparison, TestResult};

use super::{Page, tables};
use crate::judged;
use crate::scripts;
use crate::text::clean;

impl Page {
    /// How far the verdicts carry, and those on other quantities.
    pub(super) fn judged(&mut self, comparison: &Comparison) {
        let columns = judged::columns(&comparison.tests);
        let Some(legend) = judged::legend(&columns, &comparison.tests) else { return };
        self.heading("how far it carries, and what else was judged");
        self.lines(tables::judged(&comparison.tests, &columns, self.width));
        self.paragraph(&format!("{legend}."));
    }

    /// The scripts of mixes.
    pub(super) fn scripts(&mut self, comparison: &Comparison) {
        let rows = scripts::rows(comparison);
        if !rows.is_empty() {
            self.heading(scripts::TITLE);
            self.lines(tables::scripts(rows, self.width));
            self.paragraph(&format!("{}.", scripts::LEGEND));
        }
    }

    /// What a store's flushes and compactions did.
    pub(super) fn stores(&mut self, comparison: &Comparison) {
        let lines = tables::stores(&comparison.tests, self.width);
        if !lines.is_empty() {
            self.heading("what flushes and compactions did, base→subject (GLOSSARY.md defines the columns)");
            self.lines(lines);
        }
    }

    /// What it took to finish, after each test, the work that its writes left for later.
    pub(super) fn debts(&mut self, comparison: &Comparison) {
        let own = |test: &TestResult| Some(format!("{}: {}", clean(&test.test), crate::cost::debts(test)?));
        let told: Vec<String> = comparison.tests.iter().filter_map(own).collect();
        if told.is_empty() {
            return;
        }
        self.heading(
            "debt per operation, base→subject: work that writes left for later, finished after each test",
        );
        told.iter().for_each(|debts| self.paragraph(debts));
    }
}
