//! Floating-point numbers as `strtold` reads them in the C locale, as bytes in their order.
//!
//! ```text
//!   no number  <  -nan  <  nan  <  -inf  <  negative  <  0  <  positive  <  inf
//!       0          1        2              3             4          5           a byte
//!                                   value's bytes                value's bytes, turned over if negative
//! ```
//!
//! Values have the 64 bits of precision that `long double` has on x86-64 (`extended.rs`), and are rounded as there.

use super::extended::{self, Extended};
use super::number::{digits, without_leading_zeros};

/// Appends the encoding of the number that `text` starts with.
pub(crate) fn encode(text: &[u8], into: &mut Vec<u8>) {
    let General { negative, value, .. } = General::read(text);
    let value = match value {
        Value::None => return into.push(0),
        Value::NotANumber => return into.push(if negative { 1 } else { 2 }),
        Value::Number(Extended::ZERO) => return into.push(4),
        Value::Number(value) => value.to_bytes(),
    };
    if negative {
        into.push(3);
        into.extend(value.map(|byte| !byte));
    } else {
        into.push(5);
        into.extend(value);
    }
}

/// A number as it is written.
pub(crate) struct General {
    negative: bool,
    value: Value,
    /// Where it ends; 0 if there is none.
    pub(crate) end: usize,
}

enum Value {
    None,
    NotANumber,
    /// Without its sign.
    Number(Extended),
}

impl General {
    /// Reads it from the start of `text`, behind white space.
    pub(crate) fn read(text: &[u8]) -> Self {
        let space = |byte: &&u8| matches!(byte, b' ' | b'\t'..=b'\r');
        let rest = &text[text.iter().take_while(space).count()..];
        let (negative, rest) = match rest {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            rest => (false, rest),
        };
        let (value, len) = magnitude(rest);
        let end = if len == 0 { 0 } else { text.len() - rest.len() + len };
        General { negative, value, end }
    }
}

/// A number without a sign, and its length.
fn magnitude(text: &[u8]) -> (Value, usize) {
    let starts = |word: &[u8]| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if starts(b"infinity") {
        return (Value::Number(Extended::INFINITY), 8);
    }
    if starts(b"inf") {
        return (Value::Number(Extended::INFINITY), 3);
    }
    if starts(b"nan") {
        return (Value::NotANumber, 3 + payload(&text[3..]));
    }
    if starts(b"0x")
        && let Some((value, len)) = hexadecimal(&text[2..])
    {
        return (Value::Number(value), 2 + len);
    }
    decimal(text).map_or((Value::None, 0), |(value, len)| (Value::Number(value), len))
}

/// The length of the word in parentheses behind `nan`.
fn payload(text: &[u8]) -> usize {
    let word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    match text {
        [b'(', rest @ ..] => {
            let len = rest.iter().take_while(word).count();
            if rest.get(len) == Some(&b')') { len + 2 } else { 0 }
        }
        _ => 0,
    }
}

fn decimal(text: &[u8]) -> Option<(Extended, usize)> {
    let (whole, part, len) = around_the_point(text, digits)?;
    let (exponent, exponent_len) = exponent(&text[len..], b'e');
    let exponent = exponent.saturating_sub(part.len() as i64);
    Some((extended::from_decimal(&significant(whole, part), exponent), len + exponent_len))
}

/// Behind `0x`.
fn hexadecimal(text: &[u8]) -> Option<(Extended, usize)> {
    let count = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let (whole, part, len) = around_the_point(text, count)?;
    let (exponent, exponent_len) = exponent(&text[len..], b'p');
    let exponent = exponent.saturating_sub(4 * part.len() as i64);
    Some((extended::from_hexadecimal(&significant(whole, part), exponent), len + exponent_len))
}

/// Digits before and behind the point, and the length of all; nothing if there is no digit.
fn around_the_point(text: &[u8], count: impl Fn(&[u8]) -> usize) -> Option<(&[u8], &[u8], usize)> {
    let (whole, rest) = text.split_at(count(text));
    let part = match rest {
        [b'.', rest @ ..] => &rest[..count(rest)],
        _ => &[],
    };
    // A point behind digits belongs to the number.
    let point = usize::from(rest.first() == Some(&b'.'));
    (!whole.is_empty() || !part.is_empty()).then(|| (whole, part, whole.len() + point + part.len()))
}

/// All digits, from the first that is not zero.
fn significant(whole: &[u8], part: &[u8]) -> Vec<u8> {
    let all = [whole, part].concat();
    without_leading_zeros(&all).to_vec()
}

/// An exponent and its length; zero and nothing if there is none.
fn exponent(text: &[u8], letter: u8) -> (i64, usize) {
    let (negative, signed, rest) = match text {
        [first, ..] if first.to_ascii_lowercase() != letter => return (0, 0),
        [] => return (0, 0),
        [_, b'-', rest @ ..] => (true, 1, rest),
        [_, b'+', rest @ ..] => (false, 1, rest),
        [_, rest @ ..] => (false, 0, rest),
    };
    let len = digits(rest);
    if len == 0 {
        return (0, 0);
    }
    let digit = |number: i64, byte: &u8| number.saturating_mul(10).saturating_add(i64::from(byte - b'0'));
    let number = rest[..len].iter().fold(0, digit);
    (if negative { -number } else { number }, 1 + signed + len)
}

#[cfg(test)]
mod tests {
    use super::super::bytes_of;
    use super::*;

    fn encoded(text: &str) -> Vec<u8> {
        bytes_of(encode, text)
    }

    #[test]
    fn bytes_are_in_the_order_of_the_numbers() {
        let ascending = [
            "x",
            "-nan",
            "nan",
            "-inf",
            "-1e5000",
            "-1e4932",
            "-1e3",
            "-1.5",
            "-3e-4951",
            "0",
            "4e-4951",
            "1e-4940",
            "1e-5",
            ".1",
            "0.1000000000000000001",
            "1",
            "1.0000000000000000002",
            "0x1.8",
            "1.6",
            "0x10",
            "1e1000",
            "1.1e4932",
            "1e4933",
        ];
        for pair in ascending.windows(2).filter(|pair| pair[0] != "-inf") {
            assert!(encoded(pair[0]) < encoded(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn equal_numbers_are_equal_bytes() {
        for same in [
            &["0", "-0", "+0e99999999999999999999", "0x", "1e-99999", " \n0.0"][..],
            &["x", "", "-", ".", "+e5", "-.e1", "in"],
            &["1", "1.", "+1e0", "10e-1", "0x1p0", "0x0.8p+1", "1e", "1e+", "01x", "1.00000000000000000001"],
            &["inf", "Infinity", "infx", "1e5000", "0x1p99999999999999999999"],
            &["nan", "NaN(12_a)", "nan("],
        ] {
            assert!(same.iter().all(|text| encoded(text) == encoded(same[0])), "{same:?}");
        }
    }

    #[test]
    fn ends() {
        for (text, end) in
            [("1.x", 2), ("0x", 1), ("nan(a)b", 6), ("nan(a", 3), (" -1e+5e", 6), ("1e+", 1), ("x", 0)]
        {
            assert_eq!(General::read(text.as_bytes()).end, end, "{text}");
        }
    }
}
