//! The host's noise certificate: how much equal subjects differed in the last A/A run. It is kept in the
//! cache folder, used by every later run on this host, and printed beside every table.

use std::path::{Path, PathBuf};

use crate::folder::write_whole;

fn path(cache: &Path) -> PathBuf {
    cache.join("aa-floor.json")
}

/// Floor and excess of this host in ln units, if an A/A run was made here.
pub fn read(cache: &Path) -> Option<(f64, f64)> {
    let text = std::fs::read_to_string(path(cache)).ok()?;
    let value: serde_json::Value = serde_json::from_str(&text).ok()?;
    let number = |key| value.get(key)?.as_f64().filter(|number| number.is_finite() && *number >= 0.0);
    Some((number("ln_ratio_p95").filter(|floor| *floor > 0.0)?, number("beyond_intervals_p95")?))
}

/// Keeps floor and excess of an A/A run that began at `measured`.
pub fn keep(cache: &Path, (floor, excess): (f64, f64), measured: &str) {
    let text = serde_json::json!({
        "ln_ratio_p95": floor,
        "beyond_intervals_p95": excess,
        "measured": measured,
    })
    .to_string();
    // Only a convenience for later runs: a cache that cannot be written costs them the line, nothing else.
    let _ = write_whole(&path(cache), &text);
}
