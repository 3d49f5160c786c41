//! Sizes as `-S` takes them: `64M`, `50%`, `1000b`; a bare number is KiB.

use crate::fault::{Fault, Result};

/// Bytes. `physical` is what a percentage is taken of.
pub(crate) fn parse(text: &str, physical: u64) -> Result<u64> {
    let bad = || {
        Fault::new(format!("-S {text}: not a size"))
            .hint("give a number with b, K, M, G, T, P, E or %, as in -S 512M; a bare number is KiB")
    };
    // As in GNU sort.
    let text = text.trim_start();
    let text = text.strip_prefix('+').unwrap_or(text);
    let digits = text.len() - text.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| bad())?;
    let bytes = match unit {
        "b" => u128::from(number),
        // More than all is all, as more bytes than there are.
        "%" => u128::from(physical) * u128::from(number) / 100,
        unit => u128::from(number) << (10 * exponent(unit).ok_or_else(bad)?),
    };
    u64::try_from(bytes).map_err(|_| bad())
}

fn exponent(unit: &str) -> Option<u32> {
    match unit {
        "" | "k" | "K" => Some(1),
        "M" | "m" => Some(2),
        "G" | "g" => Some(3),
        "T" | "t" => Some(4),
        "P" => Some(5),
        "E" => Some(6),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        let sizes =
            ["1", "2K", "3M", "1G", "700b", "50%", "101%", "+1E"].map(|text| parse(text, 1000).unwrap());
        assert_eq!(sizes, [1 << 10, 2 << 10, 3 << 20, 1 << 30, 700, 500, 1010, 1 << 60]);
        assert!(
            ["", "M", "1X", "-1", "16E", "99999999999999999999b", "1.5G"]
                .iter()
                .all(|text| parse(text, 1000).is_err())
        );
    }
}
