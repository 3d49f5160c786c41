//! Numbers for people: few digits, one spelling everywhere, and a dash for what is missing or not finite.

/// Shown where there is no number.
pub(crate) const NONE: &str = "–";

/// Three decimals, for ratios.
pub(crate) fn ratio(value: Option<f64>) -> String {
    finite(value).map_or_else(|| NONE.into(), |value| format!("{value:.3}"))
}

/// `[1.980, 2.060]`.
pub(crate) fn interval(value: Option<[f64; 2]>) -> String {
    match value {
        Some([low, high]) if low.is_finite() && high.is_finite() => format!("[{low:.3}, {high:.3}]"),
        _ => NONE.into(),
    }
}

/// Three significant digits: `0.0123`, `1.23`, `12.3`, `123`, `1234`, `1.23M`.
pub(crate) fn short(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return NONE.into();
    }
    match size {
        0.0 => "0".into(),
        _ if size >= 999_999.5 => format!("{:.2}M", value / 1e6),
        _ if size >= 99.95 => format!("{value:.0}"),
        _ if size >= 9.995 => format!("{value:.1}"),
        _ if size >= 0.9995 => format!("{value:.2}"),
        _ if size >= 0.001 => format!("{value:.3}"),
        _ => "<0.001".into(),
    }
}

/// `short`, or a dash.
pub(crate) fn short_or_none(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.into(), short)
}

/// A fraction as percent: `0.018` is `1.8 %`.
pub(crate) fn percent(fraction: f64) -> String {
    if !fraction.is_finite() {
        return NONE.into();
    }
    let percent = fraction * 100.0;
    if percent != 0.0 && percent.abs() < 0.005 {
        return "<0.01 %".into();
    }
    let digits = if percent.abs() >= 9.995 { 1 } else { 2 };
    let text = format!("{percent:.digits$}");
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// `41 s`, `6 min 2 s`, `2 h 5 min`.
pub(crate) fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return NONE.into();
    }
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// `7.6 GiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && value < 100.0);
    format!("{value:.digits$} {}", UNITS[unit])
}

fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_digits() {
        let shown: Vec<String> = [0.0, 0.0004, 0.0123, 1.234, 12.34, 5000.4, 1_234_567.0, f64::NAN]
            .into_iter()
            .map(short)
            .collect();
        assert_eq!(shown, ["0", "<0.001", "0.012", "1.23", "12.3", "5000", "1.23M", "–"]);
        assert_eq!(ratio(Some(f64::INFINITY)), NONE);
        assert_eq!(interval(Some([1.98, 2.06])), "[1.980, 2.060]");
    }

    #[test]
    fn units() {
        assert_eq!(percent(0.018), "1.8 %");
        assert_eq!(percent(0.01), "1 %");
        assert_eq!([percent(0.3092), percent(1e-6), percent(0.0)], ["30.9 %", "<0.01 %", "0 %"]);
        assert_eq!([duration(41.2), duration(362.0), duration(7500.0)], ["41 s", "6 min 2 s", "2 h 5 min"]);
        assert_eq!([bytes(512), bytes(8_160_437_862)], ["512 B", "7.6 GiB"]);
    }
}
