//! The server's log: its last lines for a fault, and what it says of settings that it does not take.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

const TAIL_BYTES: u64 = 8 * 1024;
const TAIL_LINES: usize = 20;

/// The last lines of a log; `None` when there are none.
pub(crate) fn tail(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES))).ok()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let tail = lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n");
    (!tail.is_empty()).then_some(tail)
}

/// What a log says against the settings in a server's own words, if it does.
pub(crate) fn complaint(log: &str) -> Option<String> {
    const SIGNS: [&str; 5] = [
        "unrecognized configuration parameter",
        "invalid value for parameter",
        "is outside the valid range for parameter",
        "requires a numeric value",
        "requires a Boolean value",
    ];
    let line = log.lines().find(|line| SIGNS.iter().any(|sign| line.contains(sign)))?;
    let words = line.split_once(":  ").map_or(line, |(_, words)| words);
    Some(words.split(" in file ").next().unwrap_or(words).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_last_lines() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("log");
        assert_eq!(tail(&path), None);
        let lines: Vec<String> = (0..2_000).map(|n| format!("line {n}")).collect();
        std::fs::write(&path, lines.join("\n")).expect("write");
        let tail = tail(&path).expect("tail");
        assert_eq!((tail.lines().count(), tail.lines().last()), (TAIL_LINES, Some("line 1999")));
    }

    #[test]
    fn hears_what_is_said_against_a_setting() {
        let log = "2026-01-01 LOG:  unrecognized configuration parameter \"io_method\" in file \"/x/postgresql.conf\" line 9\n\
                   2026-01-01 FATAL:  configuration file \"/x/postgresql.conf\" contains errors\n";
        assert_eq!(complaint(log).as_deref(), Some("unrecognized configuration parameter \"io_method\""));
        assert_eq!(complaint("LOG:  database system is ready"), None);
    }
}
