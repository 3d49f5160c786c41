//! The two buffers of a sort, addressed by ranges of rows.
//!
//! ```text
//!   main      [ e0 e1 e2 ........................ ]   the order ends here
//!   scratch   [ .. .. .. ........................ ]   same length: row i's partner is scratch[i]
//!   or        [ .. .. ]                               a fixed few rows: one-buffer mode
//! ```

use core::ops::Range;

use crate::entry::Entry;

/// Groups up to this size are sorted in one go: 512 KiB of entries, twice, stay in a second-level
/// cache. Also the granularity in which results come out before the end.
pub(crate) const CHUNK: usize = if crate::TINY { 64 } else { 1 << 15 };

/// Entries and the room to move them in.
pub(crate) struct Buffers<'b, H> {
    main: &'b mut [Entry<H>],
    scratch: &'b mut [Entry<H>],
}

impl<'b, H: Copy> Buffers<'b, H> {
    /// `scratch` is as long as `main`, or holds at least the smaller of `main` and a chunk.
    pub(crate) fn new(main: &'b mut [Entry<H>], scratch: &'b mut [Entry<H>]) -> Self {
        assert!(scratch.len() >= main.len().min(CHUNK));
        Buffers { main, scratch }
    }

    pub(crate) fn len(&self) -> usize {
        self.main.len()
    }

    /// The rows of a range and their partners; the partners are fewer if the room does not suffice.
    #[inline(always)]
    pub(crate) fn both(&mut self, range: Range<usize>) -> (&mut [Entry<H>], &mut [Entry<H>]) {
        let len = range.len();
        let spare = if self.scratch.len() == self.main.len() {
            &mut self.scratch[range.clone()]
        } else {
            let room = self.scratch.len().min(len);
            &mut self.scratch[..room]
        };
        (&mut self.main[range], spare)
    }
}
