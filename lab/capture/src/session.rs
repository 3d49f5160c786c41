//! Sessions: which statements belong to one transaction.

use crate::event::{Event, Value};
use crate::pattern::{End, Template};
use crate::scan::{Kind, Literal, Scanned};

/// Statements of a transaction that is kept; a longer one is a batch job.
pub(crate) const STATEMENTS_MAX: usize = 200;

/// An open transaction. Its statements lie in one text, one behind the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Open {
    text: String,
    /// The statements: where each begins, its shape, and its first value.
    statements: Vec<(usize, u64, usize)>,
    literals: Vec<Literal>,
    given: Vec<Value>,
    pub(crate) seconds: f64,
    /// It is too long, or holds a statement that cannot be replayed.
    pub(crate) spoiled: bool,
}

impl Open {
    /// Adds a statement.
    pub(crate) fn add(&mut self, event: &Event<'_>, scanned: &Scanned) {
        self.seconds += event.seconds.unwrap_or(0.0);
        self.spoiled |= self.statements.len() >= STATEMENTS_MAX;
        if self.spoiled {
            return;
        }
        let (start, given) = (self.text.len(), self.given.len());
        self.statements.push((start, scanned.shape, self.literals.len()));
        self.text.push_str(event.text);
        self.given.extend_from_slice(event.values);
        let moved = scanned.literals.iter().map(|literal| Literal {
            start: literal.start + start,
            end: literal.end + start,
            kind: match literal.kind {
                Kind::Given(number) => Kind::Given(number.saturating_add(given)),
                other => other,
            },
        });
        self.literals.extend(moved);
    }

    /// Tells its sequence of shapes from others.
    pub(crate) fn key(&self, end: End) -> u64 {
        self.statements.iter().fold(end as u64 + 1, |key, (_, shape, _)| {
            (key.rotate_left(17) ^ shape).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// Its statements as templates.
    pub(crate) fn templates(&self) -> Vec<Template> {
        let ends = self.statements.iter().skip(1).copied();
        let last = (self.text.len(), 0, self.literals.len());
        let each = self.statements.iter().zip(ends.chain([last]));
        each.map(|((start, shape, first), (end, _, behind))| {
            let own = |literal: &Literal| Literal {
                start: literal.start - start,
                end: literal.end - start,
                kind: literal.kind,
            };
            let literals: Vec<Literal> = self.literals[*first..behind].iter().map(own).collect();
            Template::new(*shape, &self.text[*start..end], &literals)
        })
        .collect()
    }

    /// The values of all its statements.
    pub(crate) fn values(&self) -> Box<[Value]> {
        self.literals.iter().map(|literal| crate::scan::value(&self.text, literal, &self.given)).collect()
    }
}
