//! Reads a dump to its end before any server is started: one that is cut off is refused then, and its checksum and size are
//! known to the plan.

use std::path::Path;

use humdrum_contract::{Interrupt, Outcome, Progress, Update};

use super::entry::sets_statistics;
use super::restore::Told;
use super::{Dump, Item, OnRefused, open, parts};
use crate::checksum;

/// The dump of a file.
///
/// # Errors
/// Usage: it cannot be read, or is cut off; interrupted.
pub(crate) fn survey(
    path: &Path,
    on_refused: OnRefused,
    progress: &dyn Progress,
    interrupt: &Interrupt,
) -> Outcome<Dump> {
    let opened = open::open(path, true)?;
    let reading = opened.progress.clone();
    let tell = |done| {
        progress.update(Update::Part {
            what: "reading the dump",
            done,
            total: Some(reading.total),
            unit: "bytes",
        });
    };
    let mut told = Told::default();
    let mut parts = parts(opened)?;
    let (mut bytes, mut rows, mut statistics, mut row) = (0, 0, 0, Vec::new());
    while let Some(item) = parts.next()? {
        interrupt.check()?;
        if let Some(done) = told.due(&reading) {
            tell(done);
        }
        match item {
            Item::Sql { text, .. } => {
                bytes += text.len() as u64;
                statistics += u64::from(std::str::from_utf8(&text).is_ok_and(sets_statistics));
            }
            Item::Rows { .. } => {
                while parts.row(&mut row)? {
                    bytes += row.len() as u64;
                    rows += 1;
                    row.clear();
                    if let Some(done) = told.due(&reading) {
                        tell(done);
                        interrupt.check()?;
                    }
                }
            }
        }
    }
    // Some bytes may follow the last part.
    let whole = reading.done() == reading.total;
    let sha256 = if whole { reading.sha256() } else { checksum::of_file(path)? };
    Ok(Dump { path: path.to_owned(), sha256, bytes, rows, statistics, on_refused })
}
