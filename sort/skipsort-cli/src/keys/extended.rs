//! Numbers with 64 bits of precision and 15 of exponent, the `long double` of x86-64, rounded to the nearest and, in
//! the middle, to the even one.

use num_bigint::BigUint;

/// A number that is not negative. The order of the fields is that of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Extended {
    exponent: u16,
    /// Its highest bit is set, but for numbers of the lowest exponent.
    mantissa: u64,
}

const BIAS: i64 = 16_383;
const EXPONENT_INFINITE: u16 = 0x7fff;
/// Powers of ten beyond which all is zero or infinite.
const POWER_LEAST: i64 = -4_951;
const POWER_MOST: i64 = 4_933;
/// No number, and none in the middle of two, has so many decimal digits: digits behind them only say that there is more.
const DIGITS_MOST: usize = 12_000;

impl Extended {
    pub(crate) const ZERO: Self = Extended { exponent: 0, mantissa: 0 };
    pub(crate) const INFINITY: Self = Extended { exponent: EXPONENT_INFINITE, mantissa: 0 };

    /// Bytes in the order of the numbers.
    pub(crate) fn to_bytes(self) -> [u8; 10] {
        let mut bytes = [0; 10];
        bytes[..2].copy_from_slice(&self.exponent.to_be_bytes());
        bytes[2..].copy_from_slice(&self.mantissa.to_be_bytes());
        bytes
    }

    /// `bits` times 2 to the power of `exponent`, and a little more if `more`. `bits` are not zero and, if `more`, at
    /// least 66.
    fn round(bits: u128, more: bool, exponent: i64) -> Self {
        let room = bits.leading_zeros();
        let bits = bits << room;
        let exponent = exponent.saturating_add(BIAS + 127 - i64::from(room));
        if exponent >= i64::from(EXPONENT_INFINITE) {
            return Extended::INFINITY;
        }
        // Below the lowest exponent bits are lost.
        let lost = 64 + u64::try_from(1 - exponent).unwrap_or(0);
        if lost > 128 {
            return Extended::ZERO;
        }
        let kept = if lost == 128 { 0 } else { (bits >> lost) as u64 };
        let half = 1u128 << (lost - 1);
        let rest = bits & (half | (half - 1));
        let up = rest > half || (rest == half && (more || kept & 1 == 1));
        let exponent = u16::try_from(exponent.max(0)).unwrap_or(0);
        match kept.checked_add(u64::from(up)) {
            None if exponent + 1 == EXPONENT_INFINITE => Extended::INFINITY,
            None => Extended { exponent: exponent + 1, mantissa: 1 << 63 },
            Some(mantissa) if exponent == 0 => Extended { exponent: (mantissa >> 63) as u16, mantissa },
            Some(mantissa) => Extended { exponent, mantissa },
        }
    }

    /// The same for a number of any length.
    fn round_long(number: &BigUint, more: bool, exponent: i64) -> Self {
        let shift = number.bits().saturating_sub(128);
        let top = (number >> shift)
            .iter_u64_digits()
            .rev()
            .fold(0u128, |bits, digit| bits << 64 | u128::from(digit));
        let more = more || number.trailing_zeros().is_some_and(|zeros| zeros < shift);
        Extended::round(top, more, exponent.saturating_add(shift as i64))
    }
}

/// `digits`, the first of which is not zero, times 10 to the power of `power`.
pub(crate) fn from_decimal(digits: &[u8], power: i64) -> Extended {
    let above = power.saturating_add(digits.len() as i64);
    if digits.is_empty() || above < POWER_LEAST {
        return Extended::ZERO;
    }
    if above > POWER_MOST {
        return Extended::INFINITY;
    }
    let value = |digits: &[u8]| digits.iter().fold(0u64, |value, digit| value * 10 + u64::from(digit - b'0'));
    match power {
        0..=19 if digits.len() <= 19 => {
            Extended::round(u128::from(value(digits)) * u128::from(10u64.pow(power as u32)), false, 0)
        }
        // The quotient has 68 bits at least.
        -18..0 if digits.len() <= 19 => {
            let number = u128::from(value(digits));
            let (room, ten) = (number.leading_zeros(), 10u128.pow(-power as u32));
            let number = number << room;
            Extended::round(number / ten, !number.is_multiple_of(ten), -i64::from(room))
        }
        power => from_many_digits(digits, power),
    }
}

fn from_many_digits(digits: &[u8], power: i64) -> Extended {
    let (digits, cut) = digits.split_at(digits.len().min(DIGITS_MOST));
    let power = power.saturating_add(cut.len() as i64);
    let more = cut.iter().any(|digit| *digit != b'0');
    let number = BigUint::parse_bytes(digits, 10).unwrap_or_default();
    let ten = BigUint::from(10u8).pow(u32::try_from(power.unsigned_abs()).unwrap_or(u32::MAX));
    if power >= 0 {
        return Extended::round_long(&(number * ten), more, 0);
    }
    let room = (128 + ten.bits()).saturating_sub(number.bits());
    let number = number << room;
    let quotient = &number / &ten;
    let more = more || &quotient * &ten != number;
    Extended::round_long(&quotient, more, -(room as i64))
}

/// `digits`, the first of which is not zero, times 2 to the power of `power`.
pub(crate) fn from_hexadecimal(digits: &[u8], power: i64) -> Extended {
    if digits.is_empty() {
        return Extended::ZERO;
    }
    let (digits, cut) = digits.split_at(digits.len().min(32));
    let value = |digit: &u8| u128::from(char::from(*digit).to_digit(16).unwrap_or(0));
    let bits = digits.iter().fold(0, |bits, digit| bits << 4 | value(digit));
    let more = cut.iter().any(|digit| *digit != b'0');
    Extended::round(bits, more, power.saturating_add(4 * cut.len() as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_ways_agree() {
        for digits in ["1", "7", "9999999999999999999", "1234567890123456789", "5000000000000000001"] {
            for power in -18..=19 {
                let digits = digits.as_bytes();
                assert_eq!(
                    from_decimal(digits, power),
                    from_many_digits(digits, power),
                    "{digits:?} {power}"
                );
            }
        }
    }

    #[test]
    fn rounds_to_the_nearest() {
        // Beyond 2^64 every other number is one.
        let near = |number: u128| from_decimal(number.to_string().as_bytes(), 0);
        let two = 1u128 << 64;
        assert_eq!(near(two + 1), near(two));
        assert_eq!(near(two + 3), near(two + 4));
        assert!(near(two) < near(two + 2));
        assert!(from_decimal(format!("{}1", two + 1).as_bytes(), -1) > near(two));
        assert_eq!(near(two - 1), Extended { exponent: (BIAS + 63) as u16, mantissa: u64::MAX });
        assert_eq!(near(2 * two - 1), near(2 * two));
    }

    #[test]
    fn the_ends_of_the_range() {
        let least = Extended { exponent: 0, mantissa: 1 };
        assert_eq!(from_hexadecimal(b"1", -16_445), least);
        assert_eq!(from_hexadecimal(b"1", -16_446), Extended::ZERO);
        assert_eq!(from_hexadecimal(b"18", -16_450), least);
        assert_eq!(from_hexadecimal(b"1", 1 - BIAS).mantissa, 1 << 63);
        assert_eq!(from_hexadecimal(b"7FFFFFFFFFFFFFFF8", -16_449), from_hexadecimal(b"1", 1 - BIAS));
        assert_eq!(from_hexadecimal(b"1", BIAS + 1), Extended::INFINITY);
        assert_eq!(from_hexadecimal(b"FFFFFFFFFFFFFFFF8", BIAS - 67), Extended::INFINITY);
    }
}
