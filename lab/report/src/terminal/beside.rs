//! Tables that only some engines and some tests have: flushes and compactions of a store, and debts.

use humdrum_model::{Comparison, TestResult};

use super::{Page, tables};
use crate::text::clean;

impl Page {
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
