//! Finds where a statement ends: quotes, comments and dollar quotes may hold what would end it.

use super::{BEGINS, ENDS, Inside, Script};

impl Script {
    /// Takes bytes of the line up to the end of a statement; false if the line ends before.
    pub(super) fn scan(&mut self) -> bool {
        while self.at < self.line.len() {
            let rest = &self.line[self.at..];
            let taken = match &self.inside {
                Inside::Plain => {
                    if rest.starts_with(&self.delimiter) {
                        self.at += self.delimiter.len();
                        return true;
                    }
                    self.plain()
                }
                Inside::Quote(mark, escapes) => self.quoted(*mark, *escapes),
                Inside::Comment(depth) => self.commented(*depth),
                Inside::Dollar(tag) => match memchr::memmem::find(rest, tag) {
                    Some(at) => {
                        let taken = at + tag.len();
                        self.inside = Inside::Plain;
                        taken
                    }
                    None => rest.len(),
                },
            };
            self.sql.extend_from_slice(&self.line[self.at..self.at + taken]);
            self.at += taken;
        }
        false
    }

    /// Takes what begins at the present byte outside quotes and comments.
    fn plain(&mut self) -> usize {
        let rest = &self.line[self.at..];
        if self.sql.is_empty() {
            if rest[0].is_ascii_whitespace() {
                self.at += 1;
                return 0;
            }
            self.from = self.lines;
        }
        match rest {
            [b'-', b'-', after @ ..]
                if !self.backslashed || after.first().is_none_or(u8::is_ascii_whitespace) =>
            {
                self.note_comment();
                self.skip_line()
            }
            [b'#', ..] if self.backslashed => self.skip_line(),
            [b'/', b'*', ..] => {
                self.inside = Inside::Comment(1);
                2
            }
            [mark @ (b'\'' | b'"' | b'`'), ..] => {
                let escapes =
                    (self.backslashed && *mark != b'`') || (*mark == b'\'' && ends_with_e(&self.sql));
                self.inside = Inside::Quote(*mark, escapes);
                1
            }
            [b'$', ..] if !self.backslashed && !self.sql.last().is_some_and(is_name) => {
                match dollar_tag(rest) {
                    Some(length) => {
                        self.inside = Inside::Dollar(rest[..length].to_vec());
                        length
                    }
                    None => 1,
                }
            }
            _ => self.ordinary(rest),
        }
    }

    /// Leaves out the rest of a line. A newline stays where words would become one.
    fn skip_line(&mut self) -> usize {
        if !self.sql.is_empty() {
            self.sql.push(b'\n');
        }
        self.at = self.line.len();
        0
    }

    /// How many bytes from the present one on mean nothing by themselves.
    fn ordinary(&self, rest: &[u8]) -> usize {
        let special = |byte: &u8| b"-#/'\"`$".contains(byte) || self.delimiter.first() == Some(byte);
        1 + rest[1..].iter().position(special).unwrap_or(rest.len() - 1)
    }

    fn quoted(&mut self, mark: u8, escapes: bool) -> usize {
        let rest = &self.line[self.at..];
        let found = if escapes { memchr::memchr2(mark, b'\\', rest) } else { memchr::memchr(mark, rest) };
        match found {
            // The escaped byte is taken with its backslash. At a line's end, that is the newline.
            Some(at) if rest[at] == b'\\' => (at + 2).min(rest.len()),
            Some(at) => {
                self.inside = Inside::Plain;
                at + 1
            }
            None => rest.len(),
        }
    }

    fn commented(&mut self, depth: u32) -> usize {
        let rest = &self.line[self.at..];
        let nests = !self.backslashed;
        let mark = rest.windows(2).position(|pair| pair == b"*/" || (nests && pair == b"/*"));
        let Some(at) = mark else { return rest.len() };
        let depth = if rest[at] == b'*' { depth - 1 } else { depth + 1 };
        self.inside = if depth == 0 { Inside::Plain } else { Inside::Comment(depth) };
        at + 2
    }

    /// Some comments tell where a dump begins and ends.
    fn note_comment(&mut self) {
        let line = &self.line[self.at..];
        if ENDS.iter().any(|mark| line.starts_with(mark)) {
            self.ended = true;
        } else if BEGINS.iter().any(|mark| line.starts_with(mark)) {
            (self.begun, self.ended) = (true, false);
        }
    }
}

/// The length of `$tag$` or `$$` at the start of a text.
fn dollar_tag(text: &[u8]) -> Option<usize> {
    let end = 1 + text[1..].iter().take_while(|byte| is_name(byte)).count();
    let numbered = text.get(1).is_some_and(u8::is_ascii_digit);
    (text.get(end) == Some(&b'$') && !numbered).then_some(end + 1)
}

/// Whether a quote behind these bytes belongs to `E'…'`.
fn ends_with_e(sql: &[u8]) -> bool {
    match sql {
        [.., before, b'e' | b'E'] => !is_name(before),
        [b'e' | b'E'] => true,
        _ => false,
    }
}

fn is_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii()
}
