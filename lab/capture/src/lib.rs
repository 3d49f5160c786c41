//! Makes the folder of a workload from the statements that a server logged, or counted (`live.rs`).
//!
//! ```text
//!   a log ──► reader ──► statements ──► sessions ──► patterns ──► folder
//!             a format    text, time,    a pattern is a   by shape:    scripts, samples of
//!             each        values         transaction   counts and   their values, a mix
//!                                        or one        time
//!                                        statement
//! ```
//!
//! A *shape* is a statement's text without its values. It is found by one pass over the text (`scan.rs`): a parser would read a
//! log at a few megabytes a second. A parser (`sqlparser`, which is pure Rust and knows all three engines' dialects; `pg_query` is
//! Postgres' own and compiles Postgres' sources in C) reads each shape once, for the names of its tables and columns.
//!
//! Memory is bounded: a shape keeps counts and a sample of its values (Vitter's reservoir), there are at most so many shapes, and
//! the samples of shapes that take little time are thinned where all together need too much (`memory.rs`).

mod collect;
mod event;
mod keys;
mod lines;
mod literal;
mod live;
mod mask;
mod memory;
mod names;
mod pattern;
mod patterns;
mod readers;
mod reservoir;
mod scan;
mod script;
mod session;
mod word;
mod write;

pub use collect::{Captured, LeftOut};
pub use event::{Dialect, Event, Value};
pub use lines::{Lines, Watch};
pub use live::{Known, Live, Wants, between};
pub use pattern::Pattern;
pub use write::{Layout, Written, without, write};

use humdrum_model::Fault;

/// What is kept, and how much of it.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Rows of values that a script gets.
    pub samples: usize,
    /// Seed of what is sampled and of the mask.
    pub seed: u64,
}

/// One format of a log.
pub trait Reader: Sync {
    /// The word that chooses it.
    fn name(&self) -> &'static str;

    /// What it reads, in a few words.
    fn about(&self) -> &'static str;

    /// The language of its statements.
    fn dialect(&self) -> Dialect;

    /// Whether a file that begins with `head` may be of this format.
    fn fits(&self, head: &str) -> bool;

    /// Reads a whole log.
    ///
    /// # Errors
    /// Environment: it cannot be read on; whatever the watch says.
    fn read(&self, lines: &mut Lines<'_>, captured: &mut Captured) -> Result<(), Fault>;
}

/// All readers, in alphabetical order.
pub fn table() -> Vec<&'static dyn Reader> {
    readers::TABLE.to_vec()
}

/// The reader of a log that begins with `head`, or the one of a name.
///
/// # Errors
/// Usage: none fits, several do, or there is none of that name.
pub fn reader(head: &[u8], name: Option<&str>) -> Result<&'static dyn Reader, Fault> {
    let all = table();
    let names = |some: &[&dyn Reader]| some.iter().map(|one| one.name()).collect::<Vec<_>>().join(", ");
    if let Some(name) = name {
        return all.iter().copied().find(|one| one.name() == name).ok_or_else(|| {
            Fault::usage(format!("no format `{name}`")).hint(format!("formats: {}", names(&all)))
        });
    }
    let head = String::from_utf8_lossy(head);
    let fitting: Vec<&'static dyn Reader> = all.iter().copied().filter(|one| one.fits(&head)).collect();
    match fitting[..] {
        [one] => Ok(one),
        [] => Err(Fault::usage("is no log that is known")
            .hint(format!("formats: {}; --format chooses one", names(&all)))),
        _ => Err(Fault::usage(format!("may be of several formats: {}", names(&fitting)))
            .hint(format!("say which: --format {}", fitting[0].name()))),
    }
}
