//! The first rows before all others, when they are wanted soon.
//!
//! ```text
//!   keys     9 4 1 7 3 8 2 6 5 ...      of 1024 sampled keys the 21st is the cut
//!   filled   1 2                        one look at each key; only what is below the cut becomes an entry
//!   later    9 4 7 3 8 6 5 ...          the rest, when somebody asks for more
//! ```
//!
//! Entries for all rows, let alone their distribution, would be written before the first row is final. This reads
//! every key once and writes a fiftieth.

use alloc::vec::Vec;

use crate::cache;
use crate::entry::Entry;
use crate::keys::{Indexed, RowHandle};
use crate::prefetch::{self, AHEAD};
use crate::rows;

/// Fewer rows are sorted as one.
pub(crate) const WORTH: usize = if crate::TINY { 100 } else { 1 << 14 };

/// Keys looked at to choose the cut.
const SAMPLE: usize = if crate::TINY { 32 } else { 1024 };

/// Which of the sample is the cut: 2 % with room for bad luck, if 1 % is what is wanted first.
const CUT: usize = SAMPLE / 50;

/// Fills `main` with the first rows, or with all if these are few or alike; how many they are.
pub(crate) fn fill<T, F: Fn(&T) -> &[u8]>(keys: &Indexed<'_, T, F>, main: &mut [Entry<RowHandle>]) -> usize {
    if main.len() >= WORTH {
        let below = fill_below(keys, main, cut(keys));
        if below > 0 {
            return below;
        }
    }
    rows::fill(keys, main, false);
    main.len()
}

fn cut<'r, T, F: Fn(&T) -> &[u8]>(keys: &Indexed<'r, T, F>) -> &'r [u8] {
    let mut sample: Vec<&[u8]> =
        (0..SAMPLE).map(|at| (keys.key_of)(&keys.rows[keys.rows.len() / SAMPLE * at])).collect();
    sample.select_nth_unstable(CUT).1
}

/// Fills `main` with the rows below `cut`; says 0 if they are too many to be called the first.
fn fill_below<T, F: Fn(&T) -> &[u8]>(
    keys: &Indexed<'_, T, F>,
    main: &mut [Entry<RowHandle>],
    cut: &[u8],
) -> usize {
    let most = main.len() / 8;
    let eight = cache::load(cut, 0);
    let mut filled = 0;
    for (number, row) in keys.rows.iter().enumerate() {
        if let Some(next) = keys.rows.get(number + AHEAD) {
            prefetch::line((keys.key_of)(next).as_ptr());
        }
        let key = (keys.key_of)(row);
        let cache = cache::load(key, 0);
        if cache < eight || (cache == eight && key < cut) {
            if filled == most {
                return 0;
            }
            main[filled] = Entry { cache: 0, handle: RowHandle::new(number, key.len()) };
            filled += 1;
        }
    }
    filled
}

/// Fills `main` from `first` on with all rows that the entries before do not name.
pub(crate) fn fill_rest<T, F: Fn(&T) -> &[u8]>(
    keys: &Indexed<'_, T, F>,
    main: &mut [Entry<RowHandle>],
    first: usize,
) {
    let (named, rest) = main.split_at_mut(first);
    let mut taken = alloc::vec![0u64; keys.rows.len().div_ceil(64)];
    for entry in named {
        let row = entry.handle.row();
        taken[row / 64] |= 1 << (row % 64);
    }
    let free = (0..keys.rows.len()).filter(|row| taken[row / 64] >> (row % 64) & 1 == 0);
    for (row, entry) in free.zip(rest) {
        let len = (keys.key_of)(&keys.rows[row]).len();
        *entry = Entry { cache: 0, handle: RowHandle::new(row, len) };
    }
}
