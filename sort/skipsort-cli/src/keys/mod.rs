//! Keys of a line as bytes whose order is the lines' order.
//!
//! ```text
//!   line            "b  -7 x"         -k2,2nr -k1,1f
//!   key bytes       [ number, turned over | "B" 0 ] and then the line itself, as the last resort
//! ```
//!
//! So the sort, the spilled runs and the merge compare bytes and know nothing of keys.

pub(crate) mod collation;
mod extended;
pub(crate) mod field;
mod general;
mod human;
pub(crate) mod modifiers;
mod month;
mod number;
pub(crate) mod random;
pub(crate) mod spec;
pub(crate) mod tight;
mod version;

use std::borrow::Cow;

use collation::Collation;
use modifiers::{Ignore, Modifiers, Order};
use random::Seed;
use spec::Key;

/// All keys of a sort.
#[derive(Clone, Debug)]
pub(crate) struct KeyList {
    pub(crate) keys: Vec<Key>,
    /// `-t`.
    pub(crate) separator: Option<u8>,
    /// The key of fixed-length records, instead: where it starts and ends.
    pub(crate) fixed: Option<(usize, usize)>,
    /// Turn the fixed key over.
    pub(crate) reverse: bool,
    /// Of keys in random order.
    pub(crate) seed: Seed,
    /// Of text, where modifiers ask for it.
    pub(crate) collation: Option<Collation>,
}

impl KeyList {
    /// Appends the key bytes of a line. No line's are the start of another line's.
    pub(crate) fn encode(&self, line: &[u8], into: &mut Vec<u8>) {
        if let Some((start, end)) = self.fixed {
            let from = into.len();
            into.extend_from_slice(&line[start..end]);
            turn_over(self.reverse, &mut into[from..]);
        }
        for key in &self.keys {
            let part = field::of(key, self.separator, line);
            let from = into.len();
            match key.modifiers.order() {
                Order::Text => match &self.collation {
                    Some(collation) if key.modifiers.collate => {
                        collation.encode(&what_counts(&key.modifiers, part), into);
                    }
                    _ => text(&key.modifiers, part, into),
                },
                Order::GeneralNumeric => general::encode(part, into),
                Order::HumanNumeric => human::encode(part, into),
                Order::Month => into.push(month::number(part)),
                Order::Numeric => number::encode(part, into),
                Order::Random => random::encode(&self.seed, &what_counts(&key.modifiers, part), into),
                Order::Version => version::encode(&what_counts(&key.modifiers, part), into),
            }
            turn_over(key.modifiers.reverse, &mut into[from..]);
        }
    }

    /// The most bytes that [`KeyList::encode`] may append for a line of so many.
    pub(crate) fn encoded_most(&self, line_len: usize) -> usize {
        let times = if self.collation.is_some() { collation::TIMES } else { 2 };
        self.keys.len() * (times * line_len + collation::MORE)
            + self.fixed.map_or(0, |(start, end)| end - start)
    }
}

fn turn_over(reverse: bool, bytes: &mut [u8]) {
    if reverse {
        bytes.iter_mut().for_each(|byte| *byte = !*byte);
    }
}

/// Bytes that count, ended by a zero; zeros and ones within are led in by a one, so that the end is below them.
fn text(modifiers: &Modifiers, part: &[u8], into: &mut Vec<u8>) {
    if all_counts(modifiers) && memchr::memchr2(0, 1, part).is_none() {
        into.extend_from_slice(part);
    } else {
        for byte in counting(modifiers, part) {
            match byte {
                low @ 0..=1 => into.extend_from_slice(&[1, low + 1]),
                byte => into.push(byte),
            }
        }
    }
    into.push(0);
}

/// Bytes that count, as they are.
fn what_counts<'p>(modifiers: &Modifiers, part: &'p [u8]) -> Cow<'p, [u8]> {
    if all_counts(modifiers) { Cow::Borrowed(part) } else { Cow::Owned(counting(modifiers, part).collect()) }
}

fn all_counts(modifiers: &Modifiers) -> bool {
    modifiers.ignore == Ignore::Nothing && !modifiers.fold
}

fn counting(modifiers: &Modifiers, part: &[u8]) -> impl Iterator<Item = u8> {
    let Modifiers { ignore, fold, .. } = *modifiers;
    let counting = part.iter().filter(move |byte| counts(ignore, **byte));
    counting.map(move |byte| if fold { byte.to_ascii_uppercase() } else { *byte })
}

fn counts(ignore: Ignore, byte: u8) -> bool {
    match ignore {
        Ignore::Nothing => true,
        Ignore::NonDictionary => byte.is_ascii_alphanumeric() || field::is_blank(byte),
        Ignore::NonPrinting => (b' '..=b'~').contains(&byte),
    }
}

/// What an encoding makes of a text.
#[cfg(test)]
fn bytes_of(encode: fn(&[u8], &mut Vec<u8>), text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(text.as_bytes(), &mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(spec: &str, line: &[u8]) -> Vec<u8> {
        let list = KeyList {
            keys: vec![Key::parse(spec.as_bytes()).unwrap()],
            separator: None,
            fixed: None,
            reverse: false,
            seed: Seed::default(),
            collation: None,
        };
        let mut bytes = Vec::new();
        list.encode(line, &mut bytes);
        assert!(bytes.len() <= list.encoded_most(line.len()));
        bytes
    }

    #[test]
    fn keys_that_start_alike_are_told_apart() {
        let ascending: [&[u8]; 7] = [b"", b"\0", b"\0\0", b"\x01", b"\x02", b"a", b"a\0"];
        for pair in ascending.windows(2) {
            assert!(encoded("1", pair[0]) < encoded("1", pair[1]), "{pair:?}");
            assert!(encoded("1r", pair[0]) > encoded("1r", pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn letters_change_what_counts() {
        assert_eq!(encoded("1f", b"aB"), encoded("1f", b"Ab"));
        assert_eq!(encoded("1d", b"a-b c"), encoded("1d", b"ab c!"));
        assert_eq!(encoded("1i", b"a\x07b"), encoded("1i", b"ab\xff"));
        assert_eq!(encoded("1b", b"  a"), encoded("1b", b"a"));
        assert_eq!(encoded("1Vf", b"a01"), encoded("1Vf", b"A1"));
        assert_eq!(encoded("1Rd", b"a-b"), encoded("1Rd", b"ab"));
    }

    #[test]
    fn no_order_is_longer_than_it_may_be() {
        let long = "9".repeat(96);
        for line in ["", "1", "1a1a1a.b1b1b", "a.b.c.d", &long, &format!("-{long}K"), "-1e5", "\0\0"] {
            for letter in "bghMnRV".chars() {
                encoded(&format!("1{letter}"), line.as_bytes());
            }
        }
    }
}
