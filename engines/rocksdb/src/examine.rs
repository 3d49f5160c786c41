//! The library's counters, for examinations. Its statistics slow every operation, so they are off during
//! measurements unless the user turns them on. For examinations the store is opened with them.

/// A worker's own property: the library's statistics as text.
pub(crate) const STATISTICS: &str = "statistics";

/// Tickers by their names, and of each histogram how many there were and their sum. All names begin alike, which is left
/// out.
///
/// ```text
///   rocksdb.block.cache.miss COUNT : 12
///   rocksdb.db.get.micros P50 : 1.5 P95 : 2.1 P99 : 3 P100 : 9 COUNT : 40 SUM : 61
/// ```
pub(crate) fn counters(statistics: &str) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    for line in statistics.lines() {
        let Some((name, values)) = line.trim().split_once(' ') else { continue };
        let name = name.strip_prefix("rocksdb.").unwrap_or(name);
        match (value(values, "COUNT"), value(values, "SUM")) {
            (Some(count), None) => found.push((name.to_owned(), count)),
            (Some(count), Some(sum)) => {
                found.extend([(format!("{name}.count"), count), (format!("{name}.sum"), sum)]);
            }
            (None, _) => {}
        }
    }
    found
}

/// The number behind `NAME :`.
fn value(values: &str, name: &str) -> Option<f64> {
    let words: Vec<&str> = values.split_ascii_whitespace().collect();
    let at = words.iter().position(|word| *word == name)?;
    words.get(at + 2).filter(|_| words[at + 1] == ":")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickers_and_histograms_become_counters() {
        let text = "rocksdb.block.cache.miss COUNT : 12\n\
                    rocksdb.db.get.micros P50 : 1.5 P95 : 2.1 P99 : 3.0 P100 : 9.0 COUNT : 40 SUM : 61\n\
                    rocksdb.half COUNT :\nnothing\n";
        let expected =
            [("block.cache.miss", 12.0), ("db.get.micros.count", 40.0), ("db.get.micros.sum", 61.0)];
        assert_eq!(counters(text), expected.map(|(name, value)| (name.to_owned(), value)));
        assert!(counters("").is_empty());
    }
}
