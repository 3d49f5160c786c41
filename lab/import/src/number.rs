//! Numbers as tools print them.

/// Nanoseconds of a second.
const NS_PER_S: f64 = 1e9;
/// Seconds that no run takes: some thirty years.
const SECONDS_MAX: f64 = 1e9;
/// Operations per second that nothing does.
const RATE_MAX: f64 = 1e15;

/// A finite number.
pub(crate) fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// The number at the start of a text, before a blank or a unit (`10.0003s`, `12 (3.4 per sec.)`).
pub(crate) fn leading(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let end = text.find(|letter: char| !(letter.is_ascii_digit() || ".-+".contains(letter)));
    number(&text[..end.unwrap_or(text.len())])
}

/// A count.
pub(crate) fn count(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// Seconds as nanoseconds; `None` for a time that no run takes.
pub(crate) fn ns(seconds: f64) -> Option<u64> {
    let possible = seconds > 0.0 && seconds < SECONDS_MAX;
    let ns = (seconds * NS_PER_S).round();
    (possible && ns >= 1.0).then_some(ns as u64)
}

/// (operations, ns) of a rate whose duration is unknown: the operations of about a second, at least one, and their exact time.
pub(crate) fn of_rate(per_second: f64) -> Option<(u64, u64)> {
    let possible = per_second > 0.0 && per_second < RATE_MAX;
    let operations = per_second.ceil();
    let time = possible.then(|| ns(operations / per_second)).flatten()?;
    Some((operations as u64, time))
}

/// Milliseconds as the µs of a record.
pub(crate) fn us_of_ms(value: f64) -> Option<i64> {
    let us = (value * 1e3).round();
    (0.0..1e15).contains(&us).then_some(us as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_remarks_are_left_out() {
        assert_eq!(leading(" 10.0003s"), Some(10.0003));
        assert_eq!(leading("12 (3.4 per sec.)"), Some(12.0));
        assert_eq!(leading("-1e5"), Some(-1.0));
        assert_eq!((leading("x"), leading(""), leading("…5")), (None, None, None));
    }

    #[test]
    fn times_and_rates_that_cannot_be_are_none() {
        assert_eq!(ns(1.5), Some(1_500_000_000));
        for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(ns(seconds), None, "{seconds}");
        }
        assert_eq!(of_rate(1000.0), Some((1000, 1_000_000_000)));
        assert_eq!(of_rate(0.5), Some((1, 2_000_000_000)));
        assert_eq!([0.0, -1.0, 1e-10, 1e16, f64::NAN].map(of_rate), [None; 5]);
        assert_eq!((us_of_ms(0.25), us_of_ms(f64::NAN), us_of_ms(-1.0)), (Some(250), None, None));
    }
}
