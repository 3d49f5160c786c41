//! Reads a server's log: all of it, or its last lines for a fault.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

const TAIL_BYTES: u64 = 8 * 1024;
const TAIL_LINES: usize = 20;

/// The last lines of a log; `None` when there are none.
pub fn tail(path: &Path) -> Option<String> {
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

/// The log so far; empty when there is none.
pub fn whole(path: &Path) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_last_lines() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("log");
        assert_eq!((tail(&path), whole(&path)), (None, String::new()));
        let lines: Vec<String> = (0..2_000).map(|n| format!("line {n}")).collect();
        std::fs::write(&path, lines.join("\n")).expect("write");
        let tail = tail(&path).expect("tail");
        assert_eq!((tail.lines().count(), tail.lines().last()), (TAIL_LINES, Some("line 1999")));
        assert_eq!(whole(&path).lines().count(), 2_000);
    }
}
