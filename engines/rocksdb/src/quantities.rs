//! The shape of the tree and its debt, in the words of a report.

use humdrum_contract::{KvSession, KvStore, Outcome};
use humdrum_model::Quantity;

/// (the library's property, name, unit, what it is).
const PROPERTIES: [(&str, &str, &str, &str); 4] = [
    ("rocksdb.total-sst-files-size", "table_bytes", "bytes", "size of the store's table files"),
    ("rocksdb.cur-size-all-mem-tables", "memtable_bytes", "bytes", "what is in memory and not written out"),
    (
        "rocksdb.estimate-pending-compaction-bytes",
        "pending_compaction_bytes",
        "bytes",
        "what compaction would have to rewrite to bring all levels below their limits",
    ),
    ("rocksdb.estimate-num-keys", "keys_estimated", "count", "entries, those that hide older ones included"),
];

/// A worker's own property: a line of files and bytes for each level.
pub(crate) const LEVELS: &str = "levels";

/// A worker's own property: how many of its threads have put entries into a store since it was opened.
pub(crate) const WRITING_THREADS: &str = "writing-threads";

/// Names of levels' sizes; no configuration has more levels.
const LEVEL_NAMES: [&str; 8] = [
    "level0_bytes",
    "level1_bytes",
    "level2_bytes",
    "level3_bytes",
    "level4_bytes",
    "level5_bytes",
    "level6_bytes",
    "level7_bytes",
];

/// Asks for all of them.
///
/// # Errors
/// As the session.
pub(crate) fn ask(session: &mut dyn KvSession, store: KvStore) -> Outcome<Vec<Quantity>> {
    let mut all = Vec::new();
    for (property, name, unit, description) in PROPERTIES {
        let text = session.property(store, property)?;
        if let Some(value) = text.and_then(|text| text.trim().parse().ok()) {
            all.push(quantity(name, unit, description, value));
        }
    }
    let levels = session.property(store, LEVELS)?.unwrap_or_default();
    for ((_, bytes), name) in parse_levels(&levels).into_iter().zip(LEVEL_NAMES) {
        all.push(quantity(name, "bytes", "size of the files of that level", bytes as f64));
    }
    // Of the store that a test makes for itself they are that test's; others also have those of the load and of earlier tests.
    let threads = if store == KvStore::Scratch { session.property(store, WRITING_THREADS)? } else { None };
    if let Some(threads) = threads.and_then(|text| text.parse().ok()) {
        let what = "threads that have put entries into it";
        all.push(quantity("writing_threads", "count", what, threads));
    }
    Ok(all)
}

fn quantity(name: &str, unit: &str, description: &str, value: f64) -> Quantity {
    Quantity { name: name.into(), unit: unit.into(), description: description.into(), value }
}

/// (files, bytes) of each level as text.
pub(crate) fn levels_text(levels: &[(u64, u64)]) -> String {
    levels.iter().map(|(files, bytes)| format!("{files} {bytes}\n")).collect()
}

fn parse_levels(text: &str) -> Vec<(u64, u64)> {
    let pair = |line: &str| {
        let (files, bytes) = line.split_once(' ')?;
        Some((files.parse().ok()?, bytes.parse().ok()?))
    };
    text.lines().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_pass_as_text() {
        let levels = vec![(4, 1 << 40), (0, 0), (7, 9)];
        assert_eq!(parse_levels(&levels_text(&levels)), levels);
        assert!(parse_levels("").is_empty());
    }
}
