//! Remarks on the whole run, above everything; and notes beside the verdicts, below the tables. Notes that differ only in their numbers share one line.

use humdrum_model::{Comparison, Results, Summary, TestResult};

use super::Page;
use crate::choice;
use crate::text::clean;
use crate::words::Outcome;

/// This many notes or more that differ only in their numbers are shown once, with the names of the other tests.
const ALIKE_MIN: usize = 3;

impl Page {
    /// What to know of the run and of its subjects before anything is read.
    pub(super) fn remarks(&mut self, summary: &Summary, results: &Results) {
        if !summary.finished {
            self.paragraph("The run was interrupted; this is what was measured until then.");
        }
        for sentence in choice::sentences(summary, results) {
            self.paragraph(&format!("{sentence}."));
        }
        for warning in results.warnings() {
            self.paragraph(&format!("Warning: {}.", clean(warning)));
        }
    }

    /// The notes of each test; of boring tests only with `verbose`.
    pub(super) fn notes(&mut self, comparison: &Comparison) {
        let shown = |test: &&TestResult| {
            !test.notes.is_empty() && (self.style.verbose || Outcome::of(test) != Outcome::Boring)
        };
        let tests: Vec<&TestResult> = comparison.tests.iter().filter(shown).collect();
        if tests.is_empty() {
            return;
        }
        self.heading("notes");
        for names in alike(&tests) {
            let shown = if self.style.verbose || names.len() < ALIKE_MIN { names.len() } else { 1 };
            for (name, own) in &names[..shown] {
                self.paragraph(&format!("{name}: {own}"));
            }
            if shown < names.len() {
                let others: Vec<&str> = names[1..].iter().map(|(name, _)| name.as_str()).collect();
                self.paragraph(&format!("  similar notes: {}", others.join(", ")));
            }
        }
        if self.style.verbose {
            self.heading("what one operation is");
            for test in &comparison.tests {
                self.paragraph(&format!("{}: {}", clean(&test.test), clean(&test.operation)));
            }
        }
    }
}

/// Groups notes that differ only in their numbers: test and note, in the order of the first test of each group.
fn alike(tests: &[&TestResult]) -> Vec<Vec<(String, String)>> {
    let mut kinds: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for test in tests {
        for note in test.notes.iter().filter(|note| !note.starts_with("log: ")) {
            let kind = note.replace(|letter: char| letter.is_ascii_digit() || letter == '.', "");
            let one = (clean(&test.test), clean(note));
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, members)) => members.push(one),
                None => kinds.push((kind, vec![one])),
            }
        }
    }
    kinds.into_iter().map(|(_, members)| members).collect()
}
