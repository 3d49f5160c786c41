//! Values of which no column tells: new ones, and usual ones. Each is told in the script.

use humdrum_contract::{Placeholders, ValueKind};

use super::bound::BoundColumn;
use super::fill::Filling;
use super::places::Role;
use super::source::Source;
use crate::event::{Dialect, Value};
use crate::literal::Kind;

/// LIMIT, where nothing tells it.
const LIMIT: u64 = 10;
/// Different values that a new number may have.
const NEW_MOST: i64 = 1_000_000_000_000_000_000;
/// Fewer than these may be drawn twice in a session.
const NEW_ENOUGH: i64 = 10_000_000_000_000_000;
/// Digits of a text that is new.
const NEW_TEXT_DIGITS: u32 = 18;

impl Filling<'_> {
    /// A number or a text that no row has.
    pub(super) fn made_new(&mut self, number: usize) -> Source {
        let Some(BoundColumn { table, column, .. }) = self.bound.columns[number] else {
            return self.without_column(number);
        };
        let (least, most) = match column.kind {
            ValueKind::Integer { most } => {
                let highest = self.known.highest.get(&(table.clone(), column.name.clone())).copied();
                let least = highest.map_or(most / 2, |highest| highest.max(0).saturating_add(1).min(most));
                (least, least.saturating_add(NEW_MOST).min(most))
            }
            ValueKind::Text { characters } => {
                let digits = characters.map_or(NEW_TEXT_DIGITS, |most| most.min(NEW_TEXT_DIGITS));
                (10_i64.pow(digits - 1), 10_i64.pow(digits) - 1)
            }
            _ => return self.without_column(number),
        };
        // Of a million numbers so few are equal that no run will see it.
        self.may_collide |= most - least < NEW_ENOUGH;
        let extra = &mut self.extras[number];
        extra.set = Some(format!("random({least}, {most})"));
        extra.remark = Some(format!("new in each run, because {} is unique", column.name));
        Source::Always(Value::Null)
    }

    /// A value of which no column tells: the example's, or a usual one.
    pub(super) fn without_column(&mut self, number: usize) -> Source {
        if !self.is_given(number) {
            return Source::Always(self.example(number));
        }
        let role = self.one.read.places[number].as_ref().map(|place| place.role);
        match role {
            Some(Role::Limit) => {
                let rows = self.rows_per_run();
                let (rows, why) = if rows > 0 {
                    (rows, "so many rows a run returned on average")
                } else {
                    (LIMIT, "the server does not keep it")
                };
                self.set(number, "limit", rows.to_string(), why.to_owned())
            }
            Some(Role::Offset) => {
                self.set(number, "offset", "0".to_owned(), "the server does not keep it".to_owned())
            }
            _ => {
                let kind = self.told_kind(number);
                let why = match role {
                    Some(Role::Change) => "the server does not keep by how much it changed",
                    _ => "no column tells what it may be",
                };
                self.usual(number, kind.as_ref(), why)
            }
        }
    }

    fn told_kind(&self, number: usize) -> Option<ValueKind> {
        let Kind::Given(place) = self.one.literals[number].kind else { return None };
        match self.known.placeholders.get(&self.one.counted.text)? {
            Placeholders::Known(kinds) => kinds.get(place).cloned(),
            _ => None,
        }
    }

    pub(super) fn usual(&mut self, number: usize, kind: Option<&ValueKind>, why: &str) -> Source {
        if !self.is_given(number) {
            return Source::Always(self.example(number));
        }
        let text = match kind {
            None | Some(ValueKind::Integer { .. } | ValueKind::Number) => {
                return self.set(number, "value", "1".to_owned(), why.to_owned());
            }
            Some(ValueKind::Boolean) => return self.set(number, "value", "true".to_owned(), why.to_owned()),
            Some(ValueKind::Other) => return self.set(number, "value", "NULL".to_owned(), why.to_owned()),
            Some(ValueKind::Text { .. }) => "x",
            Some(ValueKind::Moment) => "2026-01-01",
            Some(ValueKind::Span) if self.dialect == Dialect::Postgres => "1 day",
            Some(ValueKind::Span) => "01:00:00",
        };
        self.extras[number].remark = Some(format!("always {text}: {why}"));
        Source::Always(Value::Text(text.into()))
    }

    fn set(&mut self, number: usize, title: &'static str, expression: String, why: String) -> Source {
        let extra = &mut self.extras[number];
        extra.title.get_or_insert_with(|| title.to_owned());
        (extra.set, extra.remark) = (Some(expression), Some(why));
        Source::Always(Value::Null)
    }
}
