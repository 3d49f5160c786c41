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

use super::field::skip_blanks;

const ZERO: u8 = 0x80;
/// From this many digits on the count has eight bytes of its own.
const MANY: usize = 0x60;

/// Appends the encoding of the number that `text` starts with.
pub(crate) fn encode(text: &[u8], into: &mut Vec<u8>) {
    Decimal::read(skip_blanks(text)).encode(into);
}

/// A number as it is written.
pub(crate) struct Decimal<'t> {
    pub(crate) negative: bool,
    /// Digits before the point, without leading zeros.
    whole: &'t [u8],
    /// Digits behind the point, without trailing zeros.
    part: &'t [u8],
    /// Where it ends, its point included; 0 if there is no digit.
    pub(crate) end: usize,
}

impl<'t> Decimal<'t> {
    /// Reads it from the start of `text`: a minus, digits, a point, digits.
    pub(crate) fn read(text: &'t [u8]) -> Self {
        let (negative, rest) = match text {
            [b'-', rest @ ..] => (true, rest),
            text => (false, text),
        };
        let (whole, rest) = rest.split_at(digits(rest));
        let (part, rest) = match rest {
            [b'.', rest @ ..] => rest.split_at(digits(rest)),
            rest => (&[][..], rest),
        };
        let end = if whole.is_empty() && part.is_empty() { 0 } else { text.len() - rest.len() };
        let (whole, part) = (without_leading_zeros(whole), without_trailing_zeros(part));
        Decimal { negative, whole, part, end }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.part.is_empty()
    }

    pub(crate) fn encode(&self, into: &mut Vec<u8>) {
        let from = into.len();
        magnitude(self.whole, self.part, into);
        if self.negative && !self.is_zero() {
            into[from..].iter_mut().for_each(|byte| *byte = !*byte);
        }
    }
}

/// Appends the encoding of a number that is not negative. Its digits start and end with none that is zero for nothing.
pub(crate) fn magnitude(whole: &[u8], part: &[u8], into: &mut Vec<u8>) {
    if whole.is_empty() && part.is_empty() {
        return into.push(ZERO);
    }
    into.push(ZERO + 1 + whole.len().min(MANY) as u8);
    if whole.len() >= MANY {
        into.extend_from_slice(&(whole.len() as u64).to_be_bytes());
    }
    pack(whole, part, into);
}

pub(crate) fn without_leading_zeros(digits: &[u8]) -> &[u8] {
    &digits[digits.iter().take_while(|byte| **byte == b'0').count()..]
}

pub(crate) fn without_trailing_zeros(digits: &[u8]) -> &[u8] {
    &digits[..digits.iter().rposition(|byte| *byte != b'0').map_or(0, |last| last + 1)]
}

/// How many digits `text` starts with.
pub(crate) fn digits(text: &[u8]) -> usize {
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
    use super::super::bytes_of;
    use super::*;

    fn encoded(text: &str) -> Vec<u8> {
        bytes_of(encode, text)
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
