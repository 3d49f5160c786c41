//! Numbers with a unit (`1K`, `2.5G`), as `du -h` writes them, as bytes in their order.
//!
//! ```text
//!   [80 + unit] the number without its unit        the unit is negative if the number is
//! ```
//!
//! As in GNU sort the unit decides first, so `1G` is above `2000M`. Zero has no unit.

use super::field::skip_blanks;
use super::number::Decimal;

/// Units in ascending order.
const UNITS: &[u8] = b"KMGTPEZYRQ";
const NONE: u8 = 0x80;

/// Appends the encoding of the number that `text` starts with.
pub(crate) fn encode(text: &[u8], into: &mut Vec<u8>) {
    let text = skip_blanks(text);
    let number = Decimal::read(text);
    let unit = if number.is_zero() { 0 } else { unit(text.get(number.end)) };
    into.push(if number.negative { NONE - unit } else { NONE + unit });
    number.encode(into);
}

/// The unit's place in the order; 0 is none.
pub(crate) fn unit(letter: Option<&u8>) -> u8 {
    let unit = |letter: u8| UNITS.iter().position(|unit| *unit == if letter == b'k' { b'K' } else { letter });
    letter.and_then(|letter| unit(*letter)).map_or(0, |place| place as u8 + 1)
}

#[cfg(test)]
mod tests {
    use super::super::bytes_of;
    use super::*;

    #[test]
    fn units_decide_first() {
        let encoded = |text: &str| bytes_of(encode, text);
        let ascending = [
            "-1Q", "-1K", "-1000", "-0.5", "0Q", "7", "1000", "1K", "2k", "1M", "1E", "1Z", "1Y", "1R", "1Q",
        ];
        for pair in ascending.windows(2) {
            assert!(encoded(pair[0]) < encoded(pair[1]), "{pair:?}");
        }
        assert_eq!(encoded(" 1.50Kx"), encoded("1.5k"));
        assert_eq!(encoded("0K"), encoded("x"));
    }
}
