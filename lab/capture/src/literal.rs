//! Where a value is in a statement's text, and what it is.

use crate::event::Value;

/// A value in a statement's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: Kind,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    /// In quotes; `true`: a backslash escapes.
    Text(bool),
    /// `$tag$ … $tag$`, with so many bytes of tag.
    Dollar(usize),
    /// `$1` or `?`, counted from 0.
    Given(usize),
}

/// The value of a literal; `given` has those of `$1` and so on.
pub(crate) fn value(text: &str, literal: &Literal, given: &[Value]) -> Value {
    let shown = text.get(literal.start..literal.end).unwrap_or_default();
    match literal.kind {
        Kind::Number => Value::Number(shown.into()),
        Kind::Given(number) => given.get(number).cloned().unwrap_or(Value::Null),
        Kind::Dollar(tag) => {
            let inner = shown.get(tag + 2..shown.len().saturating_sub(tag + 2)).unwrap_or_default();
            Value::Text(inner.into())
        }
        Kind::Text(escapes) => Value::Text(unquoted(shown, escapes).into()),
    }
}

/// A text without its quotes and with its escapes resolved.
fn unquoted(shown: &str, escapes: bool) -> String {
    let inner = shown.trim_start_matches(['e', 'E']);
    let Some(quote) = inner.chars().next() else { return String::new() };
    let inner = &inner[1..];
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut letters = inner.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if escapes => match letters.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some('0') => out.push('\0'),
                Some(other) => out.push(other),
                None => {}
            },
            letter if letter == quote => {
                letters.next_if_eq(&quote);
                out.push(quote);
            }
            other => out.push(other),
        }
    }
    out
}
