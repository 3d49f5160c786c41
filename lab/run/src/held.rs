//! The contents of each subject's tables after each step. A subject whose rows differ from the base's has
//! different data in all later steps.

use std::collections::BTreeMap;

use humdrum_model::{Contents, Fault, FaultKind};

use crate::unit::Exit;

/// Contents by position of the step and subject. One subject may reach a step long after another.
#[derive(Default)]
pub(crate) struct Held(BTreeMap<(usize, usize), Contents>);

impl Held {
    /// Keeps the contents of subjects after the step at `position`.
    pub(crate) fn keep(&mut self, position: usize, contents: Vec<(usize, Contents)>) {
        self.0.extend(contents.into_iter().map(|(subject, found)| ((position, subject), found)));
    }

    /// Subjects whose rows differ from the base's after a step, if both are known.
    pub(crate) fn differing(&self, position: usize, after: &str) -> Vec<Exit> {
        let Some(base) = self.0.get(&(position, 0)) else { return Vec::new() };
        let others = self.0.range((position, 1)..(position + 1, 0));
        others.filter_map(|((_, subject), found)| differs(after, *subject, found, base)).collect()
    }
}

fn differs(after: &str, subject: usize, found: &Contents, base: &Contents) -> Option<Exit> {
    let what = format!(
        "after {after} the tables hold {} rows with sum {} where the base's hold {} with sum {}",
        found.rows, found.checksum, base.rows, base.checksum
    );
    (found != base).then(|| Exit { subject, fault: Fault::new(FaultKind::WrongAnswer, what) })
}

/// The fault of a subject whose tables differ from the base's after the same writes.
pub(crate) fn other_contents(found: Option<&Contents>, expected: Option<&Contents>) -> Fault {
    let told = |contents: Option<&Contents>| match contents {
        Some(Contents { rows, checksum }) => format!("{rows} rows with checksum {checksum}"),
        None => "nothing".to_owned(),
    };
    let what = format!(
        "after the same writes the tables hold {} where the base's hold {}",
        told(found),
        told(expected)
    );
    Fault::new(FaultKind::WrongAnswer, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(checksum: &str) -> Contents {
        Contents { rows: 7, checksum: checksum.to_owned() }
    }

    #[test]
    fn who_holds_other_rows_is_found_whoever_comes_first() {
        for order in [[0, 1, 2], [2, 1, 0]] {
            let mut held = Held::default();
            let mut found = Vec::new();
            for subject in order {
                let sum = if subject == 2 { "b" } else { "a" };
                held.keep(3, vec![(subject, contents(sum))]);
                // Another step is another matter.
                held.keep(4, vec![(subject, contents(&subject.to_string()))]);
                found = held.differing(3, "l.i2");
            }
            let [Exit { subject: 2, fault }] = &found[..] else { panic!("{} differ", found.len()) };
            assert_eq!(fault.kind, FaultKind::WrongAnswer);
            assert!(fault.what.contains("after l.i2") && fault.what.contains("7 rows with sum b"), "{fault}");
        }
    }

    #[test]
    fn without_the_base_nobody_differs() {
        let mut held = Held::default();
        held.keep(0, vec![(1, contents("a")), (2, contents("b"))]);
        assert!(held.differing(0, "l.i0").is_empty());
    }
}
