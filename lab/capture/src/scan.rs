//! One pass over a statement: where its values are, and a number for its shape.
//!
//! Two statements have one shape if they differ in values, white space and comments alone. A sign before a number belongs to it
//! where no value is before it (`= -5`, not `a -5`).

use crate::event::{Dialect, Value};

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

/// What a pass found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scanned {
    pub(crate) shape: u64,
    pub(crate) literals: Vec<Literal>,
}

/// What is before the place that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A name or a value: a minus subtracts.
    Operand,
    /// Anything else.
    Other,
}

const PRIME: u64 = 0x0100_0000_01b3;
/// Stands for a value in the shape.
const VALUE: u8 = 1;

struct Pass<'t> {
    text: &'t [u8],
    dialect: Dialect,
    at: usize,
    shape: u64,
    before: Before,
    /// The last byte of the shape could be part of a word, and so could the next.
    in_word: bool,
    gap: bool,
}

/// Reads a statement.
pub(crate) fn scan(text: &str, dialect: Dialect, into: &mut Scanned) {
    into.literals.clear();
    let text = text.trim_end_matches(|letter: char| letter == ';' || letter.is_whitespace());
    let mut pass = Pass {
        text: text.as_bytes(),
        dialect,
        at: 0,
        shape: 0xcbf2_9ce4_8422_2325,
        before: Before::Other,
        in_word: false,
        gap: false,
    };
    while let Some(byte) = pass.text.get(pass.at).copied() {
        pass.step(byte, &mut into.literals);
    }
    into.shape = pass.shape;
}

impl Pass<'_> {
    fn step(&mut self, byte: u8, literals: &mut Vec<Literal>) {
        let start = self.at;
        let next = self.text.get(self.at + 1).copied();
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {
                self.at += 1;
                self.gap = true;
            }
            b'-' if next == Some(b'-') => self.comment(),
            b'#' if self.dialect == Dialect::MySql => self.comment(),
            b'/' if next == Some(b'*') => {
                let end = memchr::memmem::find(&self.text[start + 2..], b"*/");
                self.at = end.map_or(self.text.len(), |end| start + 2 + end + 2);
                self.gap = true;
            }
            b'\'' => self.quoted(b'\'', self.dialect == Dialect::MySql, literals),
            b'"' if self.dialect == Dialect::MySql => self.quoted(b'"', true, literals),
            b'"' | b'`' => self.name_in_quotes(byte),
            b'$' if self.dialect == Dialect::Postgres => self.dollar(next, literals),
            b'?' if self.dialect == Dialect::MySql => {
                self.at += 1;
                let given = literals.iter().filter(|one| matches!(one.kind, Kind::Given(_))).count();
                self.value(start, Kind::Given(given), literals);
            }
            b'0'..=b'9' => self.number(start, literals),
            b'-' if self.before == Before::Other && next.is_some_and(|byte| byte.is_ascii_digit()) => {
                self.at += 1;
                self.number(start, literals);
            }
            b'.' if self.before == Before::Other && next.is_some_and(|byte| byte.is_ascii_digit()) => {
                self.number(start, literals);
            }
            _ if is_word(byte) => self.word(literals),
            _ => {
                self.push(byte);
                self.at += 1;
                self.before = if byte == b')' || byte == b']' { Before::Operand } else { Before::Other };
            }
        }
    }

    fn push(&mut self, byte: u8) {
        let word = is_word(byte) || byte == VALUE;
        if self.gap && self.in_word && word {
            self.shape = (self.shape ^ u64::from(b' ')).wrapping_mul(PRIME);
        }
        self.shape = (self.shape ^ u64::from(byte)).wrapping_mul(PRIME);
        (self.in_word, self.gap) = (word, false);
    }

    fn value(&mut self, start: usize, kind: Kind, literals: &mut Vec<Literal>) {
        self.push(VALUE);
        self.before = Before::Operand;
        literals.push(Literal { start, end: self.at, kind });
    }

    fn comment(&mut self) {
        let end = memchr::memchr(b'\n', &self.text[self.at..]);
        self.at = end.map_or(self.text.len(), |end| self.at + end);
        self.gap = true;
    }

    fn quoted(&mut self, quote: u8, escapes: bool, literals: &mut Vec<Literal>) {
        let start = self.at;
        self.at = self.behind_quote(start + 1, quote, escapes);
        self.value(start, Kind::Text(escapes), literals);
    }

    /// The byte behind the closing quote; the text's end where there is none.
    fn behind_quote(&self, mut at: usize, quote: u8, escapes: bool) -> usize {
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            let found =
                if escapes { memchr::memchr2(quote, b'\\', rest) } else { memchr::memchr(quote, rest) };
            let Some(found) = found else { return self.text.len() };
            let place = at + found;
            if self.text[place] == b'\\' || self.text.get(place + 1) == Some(&quote) {
                at = (place + 2).min(self.text.len());
            } else {
                return place + 1;
            }
        }
    }

    fn name_in_quotes(&mut self, quote: u8) {
        let end = self.behind_quote(self.at + 1, quote, false);
        let name = self.at..end;
        self.at = end;
        for place in name {
            self.push(self.text[place]);
        }
        self.before = Before::Operand;
    }

    fn dollar(&mut self, next: Option<u8>, literals: &mut Vec<Literal>) {
        let start = self.at;
        if next.is_some_and(|byte| byte.is_ascii_digit()) {
            let digits = self.text[start + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            self.at = start + 1 + digits;
            let text = std::str::from_utf8(&self.text[start + 1..self.at]).unwrap_or_default();
            let number: usize = text.parse().unwrap_or(0);
            return self.value(start, Kind::Given(number.wrapping_sub(1)), literals);
        }
        let tag = self.text[start + 1..].iter().take_while(|byte| is_word(**byte)).count();
        if self.text.get(start + 1 + tag) != Some(&b'$') {
            self.push(b'$');
            self.at += 1;
            return;
        }
        let mark = &self.text[start..start + tag + 2];
        let end = memchr::memmem::find(&self.text[start + mark.len()..], mark);
        self.at = end.map_or(self.text.len(), |end| start + 2 * mark.len() + end);
        self.value(start, Kind::Dollar(tag), literals);
    }

    fn number(&mut self, start: usize, literals: &mut Vec<Literal>) {
        let mut at = self.at;
        while let Some(byte) = self.text.get(at).copied() {
            let is_sign = matches!(byte, b'+' | b'-') && matches!(self.text[at - 1], b'e' | b'E');
            let hex = self.text.get(start + 1) == Some(&b'x');
            if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || (is_sign && !hex)) {
                break;
            }
            at += 1;
        }
        self.at = at;
        self.value(start, Kind::Number, literals);
    }

    /// A word; a letter at a quote (`E'…'`, `x'…'`) begins a value.
    fn word(&mut self, literals: &mut Vec<Literal>) {
        let start = self.at;
        let length = self.text[start..].iter().take_while(|byte| is_word(**byte)).count();
        self.at = start + length;
        if length == 1 && self.text.get(self.at) == Some(&b'\'') {
            let escapes = self.dialect == Dialect::MySql || matches!(self.text[start], b'e' | b'E');
            let end = self.behind_quote(self.at + 1, b'\'', escapes);
            if matches!(self.text[start], b'e' | b'E') {
                self.at = end;
                return self.value(start, Kind::Text(true), literals);
            }
            // Bits and bytes are part of the shape.
            self.at = end;
        }
        for place in start..self.at {
            self.push(self.text[place]);
        }
        self.before =
            if is_keyword(&self.text[start..start + length]) { Before::Other } else { Before::Operand };
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Words behind which a minus is a sign.
fn is_keyword(word: &[u8]) -> bool {
    const WORDS: [&[u8]; 16] = [
        b"and", b"between", b"by", b"case", b"else", b"in", b"like", b"limit", b"not", b"offset", b"or",
        b"return", b"select", b"then", b"values", b"when",
    ];
    word.len() <= 7 && WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
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

#[cfg(test)]
mod tests;
