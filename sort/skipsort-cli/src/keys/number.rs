//! Decimal numbers of any length as bytes in their order.
//!
//! ```text
//!   zero       80
//!   12.5       81+2 . 2 3 | 6 0       how many digits before the point, then digits plus one, two to a byte,
//!                                     ended by a zero
//!   -12.5      all bits of 12.5's bytes turned over
//! ```
//!
//! More digits before the point make a larger number, and where these are equal many the digits decide from the
//! first on, so bytes compare as numbers do; the zero at the end is below every digit, so no encoding is the
//! start of another one. What counts as a number is what `sort -n` reads in the C locale: blanks, a minus, digits,
//! a point, digits; anything else is zero.

use super::field::is_blank;

const ZERO: u8 = 0x80;
/// From this many digits on the count has eight bytes of its own.
const MANY: usize = 0x60;

/// Appends the encoding of the number that `text` starts with.
pub(crate) fn encode(text: &[u8], into: &mut Vec<u8>) {
    let start = text.iter().position(|byte| !is_blank(*byte)).unwrap_or(text.len());
    let text = &text[start..];
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        text => (false, text),
    };
    let zeros = text.iter().take_while(|byte| **byte == b'0').count();
    let text = &text[zeros..];
    let (whole, rest) = text.split_at(digits(text));
    let part = match rest {
        [b'.', rest @ ..] => &rest[..digits(rest)],
        _ => &[],
    };
    let part = &part[..part.iter().rposition(|byte| *byte != b'0').map_or(0, |last| last + 1)];
    if whole.is_empty() && part.is_empty() {
        return into.push(ZERO);
    }
    let from = into.len();
    into.push(ZERO + 1 + whole.len().min(MANY) as u8);
    if whole.len() >= MANY {
        into.extend_from_slice(&(whole.len() as u64).to_be_bytes());
    }
    pack(whole, part, into);
    if negative {
        into[from..].iter_mut().for_each(|byte| *byte = !*byte);
    }
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn pack(whole: &[u8], part: &[u8], into: &mut Vec<u8>) {
    let mut high = None;
    for digit in whole.iter().chain(part).map(|byte| byte - b'0' + 1) {
        match high.take() {
            None => high = Some(digit << 4),
            Some(high) => into.push(high | digit),
        }
    }
    into.push(high.unwrap_or(0));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(text.as_bytes(), &mut bytes);
        bytes
    }

    #[test]
    fn bytes_are_in_the_order_of_the_numbers() {
        let long = "9".repeat(95);
        let longer = "1".repeat(96);
        let longest = "1".repeat(300);
        let ascending = [
            &format!("-{longest}"),
            "-100",
            "-12.51",
            "-12.5",
            "-9",
            "-1",
            "-.5",
            "-.05",
            "0",
            ".05",
            ".5",
            "1",
            "1.01",
            "1.1",
            "9",
            "12.5",
            "12.51",
            "100",
            &long,
            &longer,
            &longest,
        ];
        for pair in ascending.windows(2) {
            assert!(encoded(pair[0]) < encoded(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn equal_numbers_are_equal_bytes() {
        for same in [
            &["0", "-0", "", "abc", "-", ".", "+1", "0.000"][..],
            &["1", "01", " 1.", "1.0x", "\t1"],
            &["-.5", "-0.50"],
        ] {
            assert!(same.iter().all(|text| encoded(text) == encoded(same[0])), "{same:?}");
        }
    }
}
