//! What is replayed as one operation: a transaction, or a statement by itself.

use crate::event::{Dialect, Value};
use crate::literal::{Kind, Literal};
use crate::reservoir::Reservoir;

/// A statement's text around its values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Template {
    /// Its shape.
    pub(crate) shape: u64,
    /// The texts before, between and behind the values: one more than there are values.
    pub(crate) texts: Vec<String>,
    /// How the values of the first one were written; empty for `$1`.
    pub(crate) written: Vec<String>,
}

impl Template {
    /// Of a statement whose values are at these places.
    pub(crate) fn new(shape: u64, text: &str, literals: &[Literal]) -> Self {
        let text = text.trim_end_matches(|letter: char| letter == ';' || letter.is_whitespace());
        let mut texts = Vec::with_capacity(literals.len() + 1);
        let mut at = 0;
        for literal in literals {
            texts.push(text.get(at..literal.start).unwrap_or_default().to_owned());
            at = literal.end;
        }
        texts.push(text.get(at..).unwrap_or_default().to_owned());
        let written = literals.iter().map(|literal| match literal.kind {
            Kind::Given(_) => String::new(),
            _ => text.get(literal.start..literal.end).unwrap_or_default().to_owned(),
        });
        Self { shape, written: written.collect(), texts }
    }

    /// How many values it has.
    pub(crate) fn values(&self) -> usize {
        self.written.len()
    }

    /// Makes an INSERT pass over rows that are there already.
    pub(crate) fn pass_over_conflicts(&mut self, dialect: Dialect) {
        const CLAUSE: &str = " ON CONFLICT DO NOTHING";
        if dialect == Dialect::MySql {
            let Some(first) = self.texts.first_mut() else { return };
            first.insert_str("INSERT".len().min(first.len()), " IGNORE");
            return;
        }
        let place = |text: &String| text.to_ascii_lowercase().find("returning");
        match self.texts.iter_mut().find_map(|text| place(text).map(|at| (text, at))) {
            Some((text, at)) => {
                let at = text[..at].trim_end().len();
                text.insert_str(at, CLAUSE);
            }
            None => self.texts.last_mut().into_iter().for_each(|text| text.push_str(CLAUSE)),
        }
    }

    /// Bytes of its text.
    pub(crate) fn bytes(&self) -> usize {
        self.texts.iter().chain(&self.written).map(String::len).sum()
    }

    /// Its text with something in place of each value.
    pub(crate) fn with(&self, value: impl Fn(usize) -> String) -> String {
        let mut out = self.texts.first().cloned().unwrap_or_default();
        for (number, text) in self.texts.iter().skip(1).enumerate() {
            out.push_str(&value(number));
            out.push_str(text);
        }
        out
    }
}

/// How a pattern ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum End {
    /// It is a statement by itself.
    Alone,
    /// COMMIT.
    Commit,
    /// ROLLBACK.
    Rollback,
}

/// A pattern, with what is known of all times that it was run.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub(crate) statements: Vec<Template>,
    pub(crate) end: End,
    /// How often it ran.
    pub count: u64,
    /// How long all of them took together; 0 where the log does not tell.
    pub seconds: f64,
    /// Values of some of them, statement by statement.
    pub(crate) samples: Reservoir<Box<[Value]>>,
    /// More about each value of all statements; empty where the samples say all.
    pub(crate) extras: Vec<Extra>,
    /// What the script says at its top.
    pub(crate) remarks: Vec<String>,
}

/// More about a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extra {
    /// The value that has the same variable; itself, if none is before it.
    pub(crate) leader: usize,
    /// What its variable is called where the statement names no column.
    pub(crate) title: Option<String>,
    /// The expression of `\set` that makes it; `None`: the samples have it.
    pub(crate) set: Option<String>,
    /// Why it is what it is.
    pub(crate) remark: Option<String>,
}

impl Pattern {
    /// What tells it from others, whatever the length of lists and however often a part of it is repeated.
    pub(crate) fn fingerprint(&self) -> String {
        let each = self.statements.iter().map(|one| collapsed(&one.with(|_| "?".to_owned())));
        let each = without_repeats(each.collect());
        format!("{:?} {}", self.end, each.join(";"))
    }
}

/// A text without blanks, whose lists of values, `?,?,?` and `(?,?),(?,?)`, have one element.
fn collapsed(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    words.retain(|word| !word.is_empty());
    let mut out = words.join(" ").replace(" ,", ",").replace(", ", ",");
    while out.contains("?,?") {
        out = out.replace("?,?", "?");
    }
    while out.contains("(?),(?)") {
        out = out.replace("(?),(?)", "(?)");
    }
    out
}

/// Longest part that is looked for when it is repeated: the statements for one line of an order.
const PART_MAX: usize = 8;

/// Each part that follows itself is there once: `a b c b c d` is `a b c d`.
fn without_repeats(mut all: Vec<String>) -> Vec<String> {
    for length in 1..=PART_MAX {
        let mut at = 0;
        while at + 2 * length <= all.len() {
            if all[at..at + length] == all[at + length..at + 2 * length] {
                all.drain(at..at + length);
            } else {
                at += 1;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_repeats_collapse() {
        assert_eq!(collapsed("SELECT a\n FROM t WHERE id IN (?, ?,?)"), "SELECT a FROM t WHERE id IN (?)");
        assert_eq!(collapsed("INSERT INTO t VALUES (?, ?), (?, ?)"), "INSERT INTO t VALUES (?)");
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(without_repeats(words("a b c b c b c d d")), ["a", "b", "c", "d"]);
        assert_eq!(without_repeats(words("a b a c")), ["a", "b", "a", "c"]);
    }
}
