//! A dump as data: what `pg_dump`, `mysqldump` and `mariadb-dump` write, restored over the lab's own connection.
//!
//! `open.rs` opens the file and unpacks `.gz` and `.zst`. `script.rs` cuts plain SQL into statements and rows, `archive.rs`
//! does the same with the custom format of `pg_dump`. `survey.rs` reads a dump to its end before any server is started, so
//! that one that is cut off is refused; `restore.rs` sends it. No client program of an engine takes part: builds that are
//! fetched have none, and one program would give the same statements to all releases anyway.

mod archive;
mod entry;
mod open;
mod restore;
mod script;
mod survey;

use std::path::PathBuf;

use humdrum_contract::Outcome;
use humdrum_model::Fault;

pub(crate) use restore::{Setter, restore, set_statistics};
pub(crate) use survey::survey;

use archive::Archive;
use open::Opened;
use script::Script;

/// For hints: what writes dumps, and how it writes text that can be read here.
pub(crate) const WRITERS: &str = "pg_dump, mysqldump or mariadb-dump";
const IN_UTF8: &str = "pg_dump --encoding=UTF8; mysqldump --default-character-set=utf8mb4 --hex-blob";

/// A dump that can be restored: it was read to its end once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dump {
    pub(crate) path: PathBuf,
    /// Of the file as it is.
    pub(crate) sha256: String,
    /// Bytes of text, unpacked.
    pub(crate) bytes: u64,
    /// Rows that it holds, as far as they can be counted without a server: those of COPY.
    pub(crate) rows: u64,
    /// Statements of it that set the optimizer's statistics.
    pub(crate) statistics: u64,
    pub(crate) on_refused: OnRefused,
}

/// What becomes of a restore when a server refuses a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OnRefused {
    /// It ends.
    #[default]
    Stop,
    /// The statement is left out.
    Skip,
}

impl OnRefused {
    /// Of the words of `--on-restore-error`.
    pub(crate) fn of(word: &str) -> Outcome<Self> {
        match word {
            "stop" => Ok(Self::Stop),
            "skip" => Ok(Self::Skip),
            _ => Err(Fault::usage(format!("`{word}` is nothing to do when a release refuses a statement"))
                .hint("type stop or skip")),
        }
    }
}

/// Where the optimizer's statistics of restored tables come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Statistics {
    /// From the dump. All samples of a run are then one, that of the server which was dumped.
    Import,
    /// From a sample that the server draws.
    Renew,
}

impl Statistics {
    /// Of the word in `workload.toml`.
    pub(crate) fn of(word: &str) -> Outcome<Self> {
        match word {
            "import" => Ok(Self::Import),
            "renew" => Ok(Self::Renew),
            _ => {
                Err(Fault::usage(format!("`{word}` is no way to get statistics"))
                    .hint("type import or renew"))
            }
        }
    }

    /// The word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Renew => "renew",
        }
    }
}

/// A part of a dump, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    /// A statement.
    Sql { text: Vec<u8>, place: String },
    /// Rows follow, for a table and its columns as they are named in the dump.
    Rows { table: String, columns: String, place: String },
}

/// The parts of a dump, one after another.
pub(crate) trait Parts {
    /// The next part; `None` at the end. The rows of the part before were taken.
    fn next(&mut self) -> Outcome<Option<Item>>;
    /// The next row of `Item::Rows`, as COPY writes it; false behind the last one.
    fn row(&mut self, row: &mut Vec<u8>) -> Outcome<bool>;
}

/// Begins to read an opened dump.
fn parts(opened: Opened) -> Outcome<Box<dyn Parts>> {
    let Opened { mut text, shown, .. } = opened;
    if open::begins_with(&mut text, archive::MAGIC, &shown)? {
        return Ok(Box::new(Archive::read(text, shown)?));
    }
    Ok(Box::new(Script::of_file(text, shown)?))
}

/// The fault of a dump that ends too early.
fn cut_off(place: String, why: impl std::fmt::Display) -> Fault {
    Fault::usage(format!("the dump is cut off or damaged: {why}"))
        .at(place)
        .hint("make it anew, or copy it again; compare its size with the original's: ls -l")
}
