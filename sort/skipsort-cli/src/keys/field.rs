//! Where a key is in a line.

use std::ops::Range;

use super::spec::{End, Key};

/// Blank in the C locale; a newline counts where it does not end lines, under `-z`.
#[inline]
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

/// The key's bytes. `separator` is what `-t` gave; without it fields start at the blanks before them.
pub(crate) fn of<'l>(key: &Key, separator: Option<u8>, line: &'l [u8]) -> &'l [u8] {
    let Range { start, end } = range(key, separator, line);
    &line[start..end.max(start)]
}

/// Where they start and end; a key that ends before it starts has none.
pub(crate) fn range(key: &Key, separator: Option<u8>, line: &[u8]) -> Range<usize> {
    let start = start(key, separator, line);
    start..key.end.map_or(line.len(), |end| stop(key, end, separator, line))
}

fn start(key: &Key, separator: Option<u8>, line: &[u8]) -> usize {
    let mut at = 0;
    for _ in 0..key.start_fields {
        if at == line.len() {
            break;
        }
        at = match separator {
            Some(separator) => find(line, at, separator).map_or(line.len(), |found| found + 1),
            None => field_end(line, at),
        };
    }
    if key.modifiers.skip_start_blanks {
        at = behind_blanks(line, at);
    }
    at.saturating_add(key.start_chars).min(line.len())
}

fn stop(key: &Key, end: End, separator: Option<u8>, line: &[u8]) -> usize {
    let whole_field = end.chars == 0;
    let fields = if whole_field { end.fields.saturating_add(1) } else { end.fields };
    let mut at = 0;
    for field in 1..=fields {
        if at == line.len() {
            break;
        }
        at = match separator {
            // Behind the separator only if something of the next field is wanted.
            Some(separator) => {
                let found = find(line, at, separator).unwrap_or(line.len());
                let step_over = found < line.len() && (field < fields || !whole_field);
                found + usize::from(step_over)
            }
            None => field_end(line, at),
        };
    }
    if whole_field {
        return at;
    }
    if key.modifiers.skip_end_blanks {
        at = behind_blanks(line, at);
    }
    at.saturating_add(end.chars).min(line.len())
}

fn find(line: &[u8], from: usize, separator: u8) -> Option<usize> {
    memchr::memchr(separator, &line[from..]).map(|at| from + at)
}

/// Behind the blanks at `at` and the field that follows them.
fn field_end(line: &[u8], at: usize) -> usize {
    let at = behind_blanks(line, at);
    line[at..].iter().position(|byte| is_blank(*byte)).map_or(line.len(), |len| at + len)
}

fn behind_blanks(line: &[u8], at: usize) -> usize {
    line.len() - skip_blanks(&line[at..]).len()
}

/// What follows the blanks at the start.
pub(crate) fn skip_blanks(text: &[u8]) -> &[u8] {
    &text[text.iter().position(|byte| !is_blank(*byte)).unwrap_or(text.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key<'l>(spec: &str, separator: Option<u8>, line: &'l str) -> &'l str {
        let key = Key::parse(spec.as_bytes()).unwrap();
        std::str::from_utf8(of(&key, separator, line.as_bytes())).unwrap()
    }

    #[test]
    fn blanks_belong_to_the_field_behind_them() {
        assert_eq!(key("2,2", None, "one  two three"), "  two");
        assert_eq!(key("2b,2", None, "one  two three"), "two");
        assert_eq!(key("2.2b,2.3b", None, "one  two three"), "wo");
        assert_eq!(key("4", None, "one two three"), "");
    }

    #[test]
    fn separators_stand_alone() {
        assert_eq!(key("2,2", Some(b','), "a,,c"), "");
        assert_eq!(key("2", Some(b','), "a,b,c"), "b,c");
        assert_eq!(key("1,2", Some(b','), "a,b,c"), "a,b");
        assert_eq!(key("1,2.1", Some(b','), "a,bcd,e"), "a,b");
        assert_eq!(key("3,2", Some(b','), "a,b,c"), "");
    }
}
