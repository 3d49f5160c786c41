//! Parses durations, counts and fractions as people type them.

use humdrum_contract::Outcome;
use humdrum_model::Fault;

/// Seconds of `90s`, `5m`, `1h`, `1h30m`, `500ms` or `500us`.
///
/// # Errors
/// Usage: no number, no unit, an unknown unit, zero.
pub fn parse_duration(text: &str) -> Outcome<f64> {
    let mut rest = text.trim();
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().map_err(|_| bad_duration(text))?;
        let tail = &rest[digits..];
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        seconds += number * unit_seconds(&tail[..letters]).ok_or_else(|| bad_duration(text))?;
        rest = &tail[letters..];
    }
    if seconds > 0.0 && seconds.is_finite() { Ok(seconds) } else { Err(bad_duration(text)) }
}

/// A count with an optional `k` or `M` (thousand, million).
///
/// # Errors
/// Usage: not a whole number of at least 1.
pub fn parse_count(text: &str) -> Outcome<u64> {
    let bad = || {
        Fault::usage(format!("`{text}` is not a count"))
            .hint("type a whole number, or thousands and millions as 100k and 10M")
    };
    let (digits, factor) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1_000),
        None => text.strip_suffix(['m', 'M']).map_or((text, 1), |digits| (digits, 1_000_000)),
    };
    let plain = digits.replace('_', "");
    if !plain.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(bad());
    }
    let number: u64 = plain.parse().map_err(|_| bad())?;
    number.checked_mul(factor).filter(|count| *count > 0).ok_or_else(bad)
}

/// Bytes of `1G` or `256M`, in units of 1024.
///
/// # Errors
/// Usage: not a whole number of at least 1 with such a unit.
pub fn parse_bytes(text: &str) -> Outcome<u64> {
    let bad = || Fault::usage(format!("`{text}` is no amount of memory")).hint("type it as 256M, 1G or 16G");
    let plain = text.trim().to_ascii_uppercase();
    let plain = plain.strip_suffix("IB").or_else(|| plain.strip_suffix('B')).unwrap_or(&plain);
    let (digits, shift) = match (plain.strip_suffix('M'), plain.strip_suffix('G')) {
        (Some(digits), _) => (digits, 20),
        (_, Some(digits)) => (digits, 30),
        _ => return Err(bad()),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(bad());
    }
    let number: u64 = digits.parse().map_err(|_| bad())?;
    number.checked_mul(1 << shift).filter(|bytes| *bytes > 0).ok_or_else(bad)
}

/// A fraction as `1%` or `0.01`, more than 0 and at most a half.
///
/// # Errors
/// Usage: not such a number.
pub fn parse_fraction(text: &str) -> Outcome<f64> {
    let bad = || {
        Fault::usage(format!("`{text}` is not a change between 0 and 50 %"))
            .hint("type it as `1%` or as `0.01`")
    };
    let (digits, divisor) = match text.trim().strip_suffix('%') {
        Some(digits) => (digits.trim_end(), 100.0),
        None => (text.trim(), 1.0),
    };
    let fraction: f64 = digits.parse::<f64>().map_err(|_| bad())? / divisor;
    if fraction > 0.0 && fraction <= 0.5 { Ok(fraction) } else { Err(bad()) }
}

fn unit_seconds(unit: &str) -> Option<f64> {
    match unit {
        "us" => Some(1e-6),
        "ms" => Some(0.001),
        "s" | "sec" => Some(1.0),
        "m" | "min" => Some(60.0),
        "h" => Some(3600.0),
        _ => None,
    }
}

fn bad_duration(text: &str) -> Fault {
    Fault::usage(format!("`{text}` is not a length of time")).hint("type it as 90s, 5m, 1h or 1h30m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(parse_duration("90s"), Ok(90.0));
        assert_eq!(parse_duration("5m"), Ok(300.0));
        assert_eq!(parse_duration("1h30m"), Ok(5400.0));
        assert_eq!(parse_duration("0.5h"), Ok(1800.0));
        assert_eq!(parse_duration("500ms"), Ok(0.5));
        assert_eq!(parse_duration("250us"), Ok(250e-6));
        for bad in ["", "5", "m", "5 m", "5x", "-5m", "0s", "1..5m", "inf", "5m3"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn counts() {
        assert_eq!(parse_count("100k"), Ok(100_000));
        assert_eq!(parse_count("10M"), Ok(10_000_000));
        assert_eq!(parse_count("1_000"), Ok(1_000));
        for bad in ["", "0", "k", "+5", "-1", "1.5k", "99999999999999999999", "99999999999999M"] {
            assert!(parse_count(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn bytes() {
        assert_eq!(parse_bytes("256M"), Ok(256 << 20));
        assert_eq!(
            [parse_bytes("1g"), parse_bytes("1GB"), parse_bytes("1GiB")],
            [Ok(1 << 30), Ok(1 << 30), Ok(1 << 30)]
        );
        for bad in ["", "1", "0G", "G", "+1G", "-1G", "1.5G", "1K", "99999999999G", "1GIBB", "1GBB", "many"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn fractions() {
        assert_eq!(parse_fraction("1%"), Ok(0.01));
        assert_eq!(parse_fraction("0.005"), Ok(0.005));
        for bad in ["", "0", "-1%", "60%", "NaN", "one"] {
            assert!(parse_fraction(bad).is_err(), "{bad}");
        }
    }
}
