//! The block that a run of records is read into.
//!
//! ```text
//!   text    [ records one behind the other ......           ]   grows to the right
//!   rows    [ 16 bytes for each .....                       ]   and as many to move them in
//! ```
//!
//! All are as long as they might have to be, for address space costs nothing: memory is taken as pages are written,
//! and what is written is counted against the budget by whoever fills the arena.

use skipsort::{Loader, Scratch, TextRow};

use super::budget::Budget;
use crate::error::{Error, Result};

/// Bytes that a row takes beside its text.
pub(crate) const ROW_BYTES: usize = 32;

/// The size from which glibc maps every block by itself, and gives it back to the system (`DEFAULT_MMAP_THRESHOLD_MAX`).
const WORTH_ASKING: usize = 32 << 20;

/// Rows that fit twice into pages of the usual size at the start of the block.
const FEW: usize = 1 << 16;

/// The first bytes of text are in pages of the usual size: a small input needs a few, and no large one cleared.
const SMALL: usize = 2 << 20;

/// Memory of one run.
pub(crate) struct Arena {
    pub(crate) text: Vec<u8>,
    pub(crate) scratch: Scratch,
    /// Rows there is address space for.
    pub(crate) rows_most: usize,
    /// What may be used of all this.
    pub(crate) budget: Budget,
    /// The most text and the most rows that any run had: their pages stay.
    touched: (usize, usize),
}

/// Rows in memory that are to be sorted.
pub(crate) struct Batch<'b> {
    pub(crate) text: &'b [u8],
    /// (start, length) of rows that are long, by start.
    pub(crate) long: &'b [(usize, usize)],
    pub(crate) rows: &'b mut [TextRow],
    pub(crate) spare: &'b mut [TextRow],
    pub(crate) loader: &'b Loader,
}

/// What a run consists of.
pub(crate) struct Filled {
    pub(crate) rows: usize,
    pub(crate) text: usize,
    pub(crate) loader: Loader,
    /// (start, length) of rows that are long, by start.
    pub(crate) long: Vec<(usize, usize)>,
    /// Nothing is left to be read.
    pub(crate) ended: bool,
}

impl Arena {
    /// `slack` is text beyond the budget.
    pub(crate) fn new(budget: Budget, slack: usize) -> Result<Self> {
        let bytes = budget.total.saturating_add(slack);
        let rows_most = budget.total / (ROW_BYTES + 1) + 2 * budget.piece();
        let text = zeroed(bytes)?;
        address_space_for(&[rows_most * ROW_BYTES / 2; 2])?;
        let mut scratch = Scratch::new();
        scratch.text_rows(rows_most);
        Ok(Arena { text, scratch, rows_most, budget, touched: (0, 0) })
    }

    /// Makes room for at least so many bytes of text; the contents are lost.
    pub(crate) fn grow(&mut self, least: usize) -> Result<()> {
        let bytes = least.max(self.text.len()).saturating_mul(2);
        self.text = Vec::new();
        self.text = zeroed(bytes)?;
        Ok(())
    }

    /// What has been filled, to be sorted.
    pub(crate) fn batch<'b>(&'b mut self, filled: &'b Filled) -> Batch<'b> {
        let (rows, spare) = self.scratch.text_rows(self.rows_most);
        let (rows, behind) = rows.split_at_mut(filled.rows);
        // Few rows have their spare ones right behind them, in pages that are there already.
        let near = filled.rows <= FEW && filled.rows <= behind.len();
        let spare = if near { behind } else { spare };
        Batch {
            text: &self.text[..filled.text],
            long: &filled.long,
            rows,
            spare: &mut spare[..filled.rows],
            loader: &filled.loader,
        }
    }

    /// Gives back pages of earlier runs if a run of another form would stand beside them.
    pub(crate) fn tidy_up(&mut self, last: &Filled) -> Result<()> {
        let touched = (self.touched.0.max(last.text), self.touched.1.max(last.rows));
        if touched.0 + touched.1 * ROW_BYTES > self.budget.total + self.budget.total / 16 {
            let bytes = self.text.len();
            self.text = Vec::new();
            self.text = zeroed(bytes)?;
            self.scratch.clear();
            self.scratch.text_rows(self.rows_most);
            self.touched = (0, 0);
        } else {
            self.touched = touched;
        }
        Ok(())
    }
}

/// Whether there is room for all of these at the same time; nothing is taken.
///
/// What is below [`WORTH_ASKING`] is not asked for: glibc would keep the block for what is allocated next, and write zeros
/// all over it then, so that all of it would be resident.
fn address_space_for(sizes: &[usize]) -> Result<()> {
    if sizes.iter().all(|bytes| *bytes < WORTH_ASKING) {
        return Ok(());
    }
    let mut asked: Vec<Vec<u8>> = sizes.iter().map(|_| Vec::new()).collect();
    let asked = asked.iter_mut().zip(sizes).try_for_each(|(room, bytes)| room.try_reserve_exact(*bytes));
    asked.map_err(|_| Error::Memory { bytes: sizes.iter().fold(0, |sum, bytes| sum.saturating_add(*bytes)) })
}

/// Zeroed pages on demand, large ones where the system has them.
fn zeroed(bytes: usize) -> Result<Vec<u8>> {
    address_space_for(&[bytes])?;
    let mut text = vec![0u8; bytes];
    ask_for_large_pages(&mut text);
    Ok(text)
}

/// For memory that will be read in random order, all but its first bytes.
pub(crate) fn ask_for_large_pages<T>(memory: &mut [T]) {
    const PAGE: usize = 1 << 16;
    let (start, bytes) = (memory.as_mut_ptr().cast::<u8>(), size_of_val(memory));
    let skip = SMALL + start.wrapping_add(SMALL).align_offset(PAGE);
    // Miri has no such call.
    if cfg!(miri) || bytes < skip + (4 << 20) {
        return;
    }
    let whole = (bytes - skip) / PAGE * PAGE;
    // SAFETY: the range lies within a live allocation of ours, and this advice changes no content.
    let asked =
        unsafe { rustix::mm::madvise(start.add(skip).cast(), whole, rustix::mm::Advice::LinuxHugepage) };
    // Without large pages it is slower, nothing worse.
    let _ = asked;
}
