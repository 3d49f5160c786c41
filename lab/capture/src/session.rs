//! Sessions: which statements belong to one transaction.

use crate::event::{Event, Value};
use crate::literal::{Kind, Literal, value};
use crate::memory::{of_pattern, of_values};
use crate::pattern::{End, Template};
use crate::scan::Scanned;

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
    /// It is too long, or holds a statement that cannot be replayed; nothing of it is kept.
    pub(crate) spoiled: bool,
    /// Memory of its values.
    given_bytes: usize,
}

/// What a transaction that has ended keeps for the next one.
const SPARE_BYTES_MAX: usize = 16 << 10;

impl Open {
    /// Adds a statement.
    pub(crate) fn add(&mut self, event: &Event<'_>, scanned: &Scanned) {
        self.seconds += event.seconds.unwrap_or(0.0);
        if self.statements.len() >= STATEMENTS_MAX {
            self.spoil();
        }
        if self.spoiled {
            return;
        }
        let (start, given) = (self.text.len(), self.given.len());
        self.statements.push((start, scanned.shape, self.literals.len()));
        self.text.push_str(event.text);
        self.given.extend_from_slice(event.values);
        self.given_bytes += of_values(event.values);
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

    /// It will not be kept.
    pub(crate) fn spoil(&mut self) {
        *self = Self { seconds: self.seconds, spoiled: true, ..Self::default() };
    }

    /// The same memory for another transaction; `None` if that is much.
    pub(crate) fn emptied(mut self) -> Option<Self> {
        self.text.clear();
        self.statements.clear();
        self.literals.clear();
        self.given.clear();
        (self.seconds, self.spoiled, self.given_bytes) = (0.0, false, 0);
        (self.text.capacity() + self.literals.capacity() * size_of::<Literal>() <= SPARE_BYTES_MAX)
            .then_some(self)
    }

    /// About so much memory.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + self.literals.len() * size_of::<Literal>() + self.given_bytes
    }

    /// Memory of a pattern of it.
    pub(crate) fn pattern_bytes(&self) -> usize {
        of_pattern(self.text.len(), self.literals.len(), self.given_bytes)
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
        self.literals.iter().map(|literal| value(&self.text, literal, &self.given)).collect()
    }
}
