//! Names of months.

use super::field::skip_blanks;

const MONTHS: [&[u8]; 12] =
    [b"JAN", b"FEB", b"MAR", b"APR", b"MAY", b"JUN", b"JUL", b"AUG", b"SEP", b"OCT", b"NOV", b"DEC"];

/// Letters that count.
pub(crate) const LETTERS: usize = 3;

/// The month that `text` starts with, blanks before it left out: 1 to 12, or 0 if it is none.
pub(crate) fn number(text: &[u8]) -> u8 {
    let text = skip_blanks(text);
    let starts = |month: &&[u8]| text.get(..LETTERS).is_some_and(|start| start.eq_ignore_ascii_case(month));
    MONTHS.iter().position(starts).map_or(0, |month| month as u8 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_letters_are_enough() {
        let months = ["xJan", "", "ja", "JANuary", " \tfeb", "Dec31"].map(|text| number(text.as_bytes()));
        assert_eq!(months, [0, 0, 0, 1, 2, 12]);
    }
}
