//! One pass over a statement: where its values are, and a number for its shape.
//!
//! Two statements have one shape if they differ in values, white space and comments alone. A sign before a number belongs to it
//! where no value is before it (`= -5`, not `a -5`).

use crate::event::Dialect;
use crate::keys::mix;
use crate::literal::{Kind, Literal};

/// What a pass found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scanned {
    pub(crate) shape: u64,
    pub(crate) literals: Vec<Literal>,
    /// It reads the server's own catalogue.
    pub(crate) reads_catalogue: bool,
}

/// What is before the place that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A name or a value: a minus subtracts.
    Operand,
    /// A word between these places, perhaps one of the language.
    Word(usize, usize),
    /// Anything else.
    Other,
}

/// A shape is a sequence of numbers, each with one of these in its highest byte. All are less than any byte of a word, which is in
/// that place where eight bytes of a word are one number.
mod tag {
    /// The last 0 to 7 bytes of a word.
    pub(super) const WORD: u64 = 1 << 56;
    /// Any other byte.
    pub(super) const BYTE: u64 = 2 << 56;
    /// A value.
    pub(super) const VALUE: u64 = 3 << 56;
    /// A name in quotes, with its length; its bytes follow.
    pub(super) const QUOTED: u64 = 4 << 56;
}

struct Pass<'t> {
    text: &'t [u8],
    dialect: Dialect,
    at: usize,
    shape: u64,
    before: Before,
    reads_catalogue: bool,
}

/// Reads a statement.
pub(crate) fn scan(text: &str, dialect: Dialect, into: &mut Scanned) {
    into.literals.clear();
    let text = text.trim_end_matches(|letter: char| letter == ';' || letter.is_whitespace());
    let mut pass = Pass {
        text: text.as_bytes(),
        dialect,
        at: 0,
        shape: 0,
        before: Before::Other,
        reads_catalogue: false,
    };
    while let Some(byte) = pass.text.get(pass.at).copied() {
        pass.step(byte, &mut into.literals);
    }
    (into.shape, into.reads_catalogue) = (pass.shape, pass.reads_catalogue);
}

impl Pass<'_> {
    #[inline]
    fn step(&mut self, byte: u8, literals: &mut Vec<Literal>) {
        let start = self.at;
        let next = self.text.get(self.at + 1).copied();
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
            b'-' if next == Some(b'-') => self.comment(),
            b'#' if self.dialect == Dialect::MySql => self.comment(),
            b'/' if next == Some(b'*') => {
                let end = memchr::memmem::find(&self.text[start + 2..], b"*/");
                self.at = end.map_or(self.text.len(), |end| start + 2 + end + 2);
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
            b'-' if next.is_some_and(|byte| byte.is_ascii_digit()) && !self.is_behind_operand() => {
                self.at += 1;
                self.number(start, literals);
            }
            b'.' if next.is_some_and(|byte| byte.is_ascii_digit()) && !self.is_behind_operand() => {
                self.number(start, literals);
            }
            _ if is_word(byte) => self.word(literals),
            _ => {
                self.push(tag::BYTE | u64::from(byte));
                self.at += 1;
                self.before = if byte == b')' || byte == b']' { Before::Operand } else { Before::Other };
            }
        }
    }

    #[inline]
    fn push(&mut self, number: u64) {
        self.shape = mix(self.shape, number);
    }

    /// Adds the bytes between two places, eight at a time.
    #[inline]
    fn push_bytes(&mut self, start: usize, end: usize) {
        let mut bytes = &self.text[start..end];
        while let Some((eight, rest)) = bytes.split_first_chunk::<8>() {
            self.push(u64::from_le_bytes(*eight));
            bytes = rest;
        }
        // One number that is eight bytes of the text, where the text has them, and not a loop over each.
        let few = match self.text[end - bytes.len()..].first_chunk::<8>() {
            Some(eight) => u64::from_le_bytes(*eight) & !(u64::MAX << (8 * bytes.len())),
            None => bytes.iter().rev().fold(0, |few, byte| few << 8 | u64::from(*byte)),
        };
        self.push(tag::WORD | few);
    }

    fn value(&mut self, start: usize, kind: Kind, literals: &mut Vec<Literal>) {
        self.push(tag::VALUE);
        self.before = Before::Operand;
        literals.push(Literal { start, end: self.at, kind });
    }

    fn is_behind_operand(&self) -> bool {
        match self.before {
            Before::Operand => true,
            Before::Word(start, end) => !is_keyword(&self.text[start..end]),
            Before::Other => false,
        }
    }

    fn comment(&mut self) {
        let end = memchr::memchr(b'\n', &self.text[self.at..]);
        self.at = end.map_or(self.text.len(), |end| self.at + end);
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
        let start = self.at;
        self.at = self.behind_quote(start + 1, quote, false);
        self.push(tag::QUOTED | (self.at - start) as u64);
        self.push_bytes(start, self.at);
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
            self.push(tag::BYTE | u64::from(b'$'));
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
            let hex = || self.text.get(start + 1) == Some(&b'x');
            if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || (is_sign && !hex())) {
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
            self.push(tag::QUOTED | (end - start) as u64);
        }
        self.reads_catalogue |= self.names_catalogue(start, start + length);
        self.push_bytes(start, self.at);
        self.before = Before::Word(start, start + length);
    }

    /// Behind a blank, `pg_…`; in front of a dot, `information_schema`; `pg_stat…` and `version()` anywhere.
    fn names_catalogue(&self, start: usize, end: usize) -> bool {
        let (word, next) = (&self.text[start..end], self.text.get(end));
        let is = |name: &[u8], mark: u8| next == Some(&mark) && word.eq_ignore_ascii_case(name);
        match word[0] {
            b'p' if word.starts_with(b"pg_stat") => true,
            b'p' if word.starts_with(b"pg_") => start > 0 && self.text[start - 1].is_ascii_whitespace(),
            b'p' | b'P' => is(b"performance_schema", b'.'),
            b'i' | b'I' => is(b"information_schema", b'.'),
            b'v' | b'V' => is(b"version", b'('),
            _ => false,
        }
    }
}

fn is_word(byte: u8) -> bool {
    const WORD: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            table[byte] = byte >= 128 || byte == b'_' as usize || (byte as u8).is_ascii_alphanumeric();
            byte += 1;
        }
        table
    };
    WORD[usize::from(byte)]
}

/// Words behind which a minus is a sign.
fn is_keyword(word: &[u8]) -> bool {
    const WORDS: [&[u8]; 16] = [
        b"and", b"between", b"by", b"case", b"else", b"in", b"like", b"limit", b"not", b"offset", b"or",
        b"return", b"select", b"then", b"values", b"when",
    ];
    word.len() <= 7 && WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests;
