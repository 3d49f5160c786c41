//! What must be alike for all subjects of a session: their loads, answers and tables, and the work that they do. It is kept
//! through the session, because one subject may reach a test long after another.

use std::cell::RefCell;
use std::collections::BTreeMap;

use humdrum_contract::Answer;
use humdrum_drive::Prelude;
use humdrum_model::{Contents, Fault, FaultKind, LoadFacts};

use crate::unit::Exit;

/// The answers to a test's first operations over one connection, by position of the test and number of the connection.
type Connection = (usize, usize);

/// What the subjects of one session have shown so far.
#[derive(Default)]
pub(crate) struct Alike {
    /// By rows of a table of the data set.
    loads: RefCell<Held<u64, Contents>>,
    answers: RefCell<Held<Connection, Answer>>,
    /// By position of the test; `None` where a workload sums up nothing.
    contents: RefCell<Held<usize, Option<Contents>>>,
    /// What found the pace of a test, by its position.
    preludes: RefCell<BTreeMap<usize, Prelude>>,
}

impl Alike {
    /// Keeps what a subject has loaded of the data set with so many rows of a table. Returns those whose data differ from the base's.
    pub(crate) fn load(&self, data_rows: u64, subject: usize, facts: &LoadFacts) -> Vec<Exit> {
        let loaded = Contents { rows: facts.rows, checksum: facts.checksum.clone() };
        let what = |own: &Contents, base: &Contents| {
            format!("after the load the tables hold {} where the base's hold {}", told(own), told(base))
        };
        self.loads.borrow_mut().keep(data_rows, subject, loaded, what)
    }

    /// Keeps a subject's answers. Returns those whose answers differ from the base's.
    pub(crate) fn answer(&self, connection: Connection, subject: usize, answer: Answer) -> Vec<Exit> {
        let what =
            |own: &Answer, base: &Answer| format!("answers differ from the base's: {own:?} against {base:?}");
        self.answers.borrow_mut().keep(connection, subject, answer, what)
    }

    /// Keeps the contents of a subject's tables after the test at `position`. Returns those whose tables differ from the base's.
    pub(crate) fn contents(
        &self,
        (position, test): (usize, &str),
        subject: usize,
        found: Option<Contents>,
    ) -> Vec<Exit> {
        let told = |contents: &Option<Contents>| contents.as_ref().map_or("nothing".to_owned(), told);
        let what = |own: &Option<Contents>, base: &Option<Contents>| {
            format!("after {test} the tables hold {} where the base's hold {}", told(own), told(base))
        };
        self.contents.borrow_mut().keep(position, subject, found, what)
    }

    /// Keeps what found the pace of the test at `position`.
    pub(crate) fn keep_prelude(&self, position: usize, prelude: &Prelude) {
        self.preludes.borrow_mut().insert(position, prelude.clone());
    }

    /// What found the pace of the test at `position` in this session, if it was found in it.
    pub(crate) fn prelude(&self, position: usize) -> Option<Prelude> {
        self.preludes.borrow().get(&position).cloned()
    }
}

fn told(contents: &Contents) -> String {
    format!("{} rows with checksum {}", contents.rows, contents.checksum)
}

/// Values of subjects, by what they are of.
struct Held<Of, Value>(BTreeMap<(Of, usize), Value>);

impl<Of: Ord, Value> Default for Held<Of, Value> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<Of: Ord + Copy, Value: PartialEq> Held<Of, Value> {
    /// Keeps a value. Returns the subjects that it shows to differ from the base: its own or, for a value of the base, all
    /// that came before. So each difference is found once, whoever comes first.
    fn keep(
        &mut self,
        of: Of,
        subject: usize,
        value: Value,
        what: impl Fn(&Value, &Value) -> String,
    ) -> Vec<Exit> {
        self.0.insert((of, subject), value);
        let Some(base) = self.0.get(&(of, 0)) else { return Vec::new() };
        let shown = |other: usize| if subject == 0 { other > 0 } else { other == subject };
        let others = self.0.iter().filter(|((key, other), own)| *key == of && shown(*other) && *own != base);
        let exit = |((_, subject), own): (&(Of, usize), &Value)| Exit {
            subject: *subject,
            fault: Fault::new(FaultKind::WrongAnswer, what(own, base)),
        };
        others.map(exit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(checksum: &str) -> Option<Contents> {
        Some(Contents { rows: 7, checksum: checksum.to_owned() })
    }

    #[test]
    fn who_holds_other_rows_is_found_once_whoever_comes_first() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let alike = Alike::default();
            let mut found = Vec::new();
            for subject in order {
                let sum = if subject == 2 { "b" } else { "a" };
                found.extend(alike.contents((3, "l.i2"), subject, contents(sum)));
                // Another step is another matter.
                assert_eq!(alike.contents((4, "qr100"), subject, contents("c")).len(), 0);
            }
            let [Exit { subject: 2, fault }] = &found[..] else { panic!("{} differ", found.len()) };
            assert_eq!(fault.kind, FaultKind::WrongAnswer);
            let what = &fault.what;
            assert!(what.contains("after l.i2") && what.contains("7 rows with checksum b"), "{fault}");
        }
    }

    #[test]
    fn without_the_base_nobody_differs() {
        let alike = Alike::default();
        let answer = |rows| Answer { rows, checksum: 0 };
        assert!(alike.answer((0, 0), 1, answer(1)).is_empty());
        assert!(alike.answer((0, 0), 2, answer(2)).is_empty());
        assert!(alike.answer((0, 1), 0, answer(3)).is_empty(), "another connection");
        assert_eq!(alike.answer((0, 0), 0, answer(1)).len(), 1);
    }

    #[test]
    fn tables_that_are_not_summed_up_differ_from_those_that_are() {
        let alike = Alike::default();
        assert!(alike.contents((0, "t"), 0, None).is_empty() && alike.contents((0, "t"), 1, None).is_empty());
        let [Exit { fault, .. }] = &alike.contents((0, "t"), 2, contents("a"))[..] else { panic!() };
        assert!(fault.what.ends_with("the base's hold nothing"), "{fault}");
    }
}
