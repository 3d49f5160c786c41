//! Waits until a store's background work is done, and reports background work that failed.

use std::path::Path;
use std::time::Duration;

use super::ffi::Db;

/// The interval between checks whether background work is done.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// Looks in a row that must find nothing to do: between two compactions there is a moment without any.
const QUIET_LOOKS: u32 = 5;

/// Looks into the library's LOG for an error that it has counted.
const LOOKS_AT_LOG: u32 = 100;

/// Properties that are above zero while there is debt.
const OWED: [&str; 4] = [
    "rocksdb.compaction-pending",
    "rocksdb.mem-table-flush-pending",
    "rocksdb.num-running-compactions",
    "rocksdb.num-running-flushes",
];

/// Waits until the library has nothing to do behind the scenes. Looking at properties means the same in every
/// release; the library's own way to wait came with 8.6.
///
/// # Errors
/// The library's error of work that failed, because the debt would never be paid.
pub(super) fn wait(db: &Db, store: &Path) -> Result<(), String> {
    let mut quiet = 0;
    while quiet < QUIET_LOOKS {
        if db.property_number("rocksdb.background-errors").unwrap_or(0) > 0 {
            return Err(why_work_failed(db, store));
        }
        let owed = OWED.iter().any(|name| db.property_number(name).unwrap_or(0) > 0);
        quiet = if owed { 0 } else { quiet + 1 };
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(())
}

/// The library counts an error before it writes it down.
fn why_work_failed(db: &Db, store: &Path) -> String {
    for _ in 0..LOOKS_AT_LOG {
        let log = std::fs::read(store.join("LOG")).unwrap_or_default();
        if let Some(said) = background_error(&String::from_utf8_lossy(&log)) {
            return said.to_owned();
        }
        std::thread::sleep(LOOK_EVERY);
    }
    // On a full disk the LOG is full too; a store that has stopped says why to whoever asks it for anything.
    let said = db.flush().err();
    said.unwrap_or_else(|| "a flush or compaction failed; the library's LOG tells why".to_owned())
}

/// The last error of background work in the library's LOG, in the library's words.
fn background_error(log: &str) -> Option<&str> {
    let line = log.lines().rfind(|line| line.contains("Waiting after background "))?;
    let (_, said) = line.split_once(" error: ")?;
    Some(said.rsplit_once(", Accumulated").map_or(said, |(said, _)| said).trim_end_matches([',', ' ', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_background_work_are_found_in_the_log() {
        let line = |what: &str, said: &str| {
            format!(
                "2026/11/22-06:00:00.000001 7f00 [ERROR] [/db_impl/db_impl_compaction_flush.cc:3210] Waiting after \
                 background {what} error: {said}, Accumulated background error counts: 1\n"
            )
        };
        let full = "IO error: No space left on device: While appending to file: /x/000012.sst";
        let log = line("flush", "Corruption: old") + &line("compaction", &format!("{full}: ")) + "other\n";
        assert_eq!(background_error(&log), Some(full));
        assert_eq!(background_error("no error: here"), None);
    }
}
