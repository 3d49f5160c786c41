//! Version order, as the manual of GNU coreutils describes it, as bytes.
//!
//! ```text
//!   key      [kind of name] parts of the name without its suffix [has a suffix?] parts of the suffix
//!   parts    what is not a digit, a byte each, and then a number; again and again; END
//! ```
//!
//! Names are empty, `.`, `..`, others that start with a point, and others, in this order. A suffix is what
//! `(\.[A-Za-z~][A-Za-z0-9~]*)*$` matches, but not the whole name; it counts if all before it is equal.
//!
//! Where one name has a digit and the other has not, and where one ends, the rest is compared as if the number 0 were
//! there. So a part without digits is ended by a zero, and `a` and `a0` are equal. Only where a suffix follows they are
//! not: `a.b` is compared with `a0.b` and the point is above the digit.

use super::number::{digits, magnitude, without_leading_zeros};

/// `~` is below the end of a name.
const TILDE: u8 = 1;
/// Ends what is not a digit, and behind a number the name.
const END: u8 = 2;
const LETTER: u8 = 3;

/// Appends the encoding of the name.
pub(crate) fn encode(name: &[u8], into: &mut Vec<u8>) {
    into.push(match name {
        b"" => 0,
        b"." => 1,
        b".." => 2,
        [b'.', ..] => 3,
        _ => 4,
    });
    if into.last() < Some(&3) {
        return;
    }
    let (stem, suffix) = name.split_at(suffix_start(name));
    parts(stem, into);
    if suffix.is_empty() {
        return into.push(0);
    }
    into.push(if stem.last().is_some_and(u8::is_ascii_digit) { 1 } else { 2 });
    parts(suffix, into);
}

/// Where the suffix starts; the end if there is none.
fn suffix_start(name: &[u8]) -> usize {
    let mut start = name.len();
    while let Some(point) =
        name[..start].iter().rposition(|byte| !is_suffix(*byte)).filter(|point| *point > 0)
    {
        let first = name.get(point + 1).filter(|_| point + 1 < start);
        if name[point] != b'.' || !first.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'~') {
            break;
        }
        start = point;
    }
    start
}

fn is_suffix(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'~'
}

fn parts(text: &[u8], into: &mut Vec<u8>) {
    let mut rest = text;
    loop {
        let others = rest.iter().take_while(|byte| !byte.is_ascii_digit()).count();
        into.extend(rest[..others].iter().map(|byte| place(*byte)));
        into.push(END);
        let (number, after) = rest[others..].split_at(digits(&rest[others..]));
        magnitude(without_leading_zeros(number), &[], into);
        rest = after;
        if rest.is_empty() {
            return into.push(END);
        }
    }
}

/// The place of a byte that is no digit: letters are below all others.
fn place(byte: u8) -> u8 {
    const OTHER: u8 = LETTER + 2 * 26;
    match byte {
        b'~' => TILDE,
        b'A'..=b'Z' => LETTER + byte - b'A',
        b'a'..=b'z' => LETTER + 26 + byte - b'a',
        // What is left keeps its order, without gaps: 246 places are taken of 256.
        ..b'0' => OTHER + byte,
        b':'..b'A' => OTHER + (byte - 10),
        b'['..b'a' => OTHER + (byte - 36),
        b'{'..b'~' => OTHER + (byte - 62),
        _ => OTHER + (byte - 63),
    }
}

#[cfg(test)]
mod tests {
    use super::super::bytes_of;
    use super::*;

    fn encoded(name: &str) -> Vec<u8> {
        bytes_of(encode, name)
    }

    #[test]
    fn order_of_the_manual() {
        let ascending =
            ["", ".", "..", ".a", "1~", "1", "2", "10", "a~", "a", "a.b", "a1", "a2.c", "a10.b", "ab", "a+"];
        for pair in ascending.windows(2) {
            assert!(encoded(pair[0]) < encoded(pair[1]), "{pair:?}");
        }
        assert_eq!(encoded("a01"), encoded("a1"));
        assert_eq!(encoded("a"), encoded("a00"));
        assert!(encoded("a0.b") < encoded("a.b"));
    }

    #[test]
    fn suffixes() {
        for (name, start) in
            [("a.b", 1), ("a.b.~c1", 1), ("a.1.b", 3), ("a..b", 2), (".b", 2), ("a.", 2), ("a", 1)]
        {
            assert_eq!(suffix_start(name.as_bytes()), start, "{name}");
        }
    }

    #[test]
    fn places_are_all_different() {
        let mut places: Vec<u8> = (0..=255u8).filter(|byte| !byte.is_ascii_digit()).map(place).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 246);
        assert!(!places.contains(&END));
    }
}
