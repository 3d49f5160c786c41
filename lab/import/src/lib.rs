//! Results of other tools as a record, so that every report, chart, series and site shows them.
//!
//! ```text
//!   files ──► recognise ──► a reader each ──► repetitions ──► assemble ──► Results
//!   by subject  the first     one line at a     whole runs      a block is a whole run of each
//!               64 KiB        time              of one test     subject, a session a repetition
//! ```
//!
//! A reader is one file in `readers/` and its line in `table`. It reads a file line by line, adds what it finds to a
//! [`Found`], and counts the lines that it does not understand. It opens no file, and it never fails on bytes that it does not
//! expect, unless they make the results doubtful. `docs/import.md` is the manual.

mod assemble;
mod course;
mod files;
mod found;
mod lines;
mod names;
mod number;
mod readers;
mod recognise;
mod record;
mod remarks;
mod runs;
mod source;

pub use assemble::{Import, Read, read};
pub use files::{Given, Group};
pub use found::{Found, Options};
pub use lines::{Line, Lines};

use humdrum_model::Fault;

/// One format.
pub trait Reader: Sync {
    /// The word that chooses it, the tool's name.
    fn name(&self) -> &'static str;

    /// What it reads, in a few words.
    fn about(&self) -> &'static str;

    /// Whether a file that begins with `head` may be of this format.
    fn fits(&self, head: &str) -> bool;

    /// Reads a whole file.
    ///
    /// # Errors
    /// Usage for a file whose results would be doubtful; environment for a file that cannot be read on.
    fn read(&self, lines: &mut Lines<'_>, options: &Options, found: &mut Found) -> Result<(), Fault>;
}

/// All readers, in alphabetical order.
pub fn table() -> Vec<&'static dyn Reader> {
    readers::TABLE.to_vec()
}
