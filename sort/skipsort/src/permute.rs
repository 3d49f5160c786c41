//! Moving rows to where their entries say.
//!
//! ```text
//!   entries say   2 0 1         row 2 comes first, then 0, then 1
//!   gather        copy rows in that order to spare room, copy back: loads do not wait for each other
//!   cycles        follow 0 <- 2 <- 1 <- 0 with one row in hand: no room needed
//! ```

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use crate::entry::Entry;
use crate::keys::RowHandle;
use crate::prefetch::{self, AHEAD};

/// Rearranges `rows` so that row `i` is the one that `order[i]` names. `spare` is overwritten.
pub(crate) fn apply<T>(rows: &mut [T], order: &mut [Entry<RowHandle>], spare: &mut [Entry<RowHandle>]) {
    assert_eq!(rows.len(), order.len());
    if size_of::<T>() <= size_of_val(spare) / rows.len().max(1) && align_of::<T>() <= align_of::<u64>() {
        gather(rows, order, spare);
    } else {
        cycles(rows, order);
    }
}

/// Through spare room that has place for all rows.
fn gather<T>(rows: &mut [T], order: &[Entry<RowHandle>], spare: &mut [Entry<RowHandle>]) {
    let room = spare.as_mut_ptr().cast::<MaybeUninit<T>>();
    assert!(size_of_val(rows) <= size_of_val(spare) && align_of::<T>() <= align_of::<u64>());
    assert!(order.len() == rows.len() && order.iter().all(|entry| entry.handle.row() < rows.len()));
    for (at, entry) in order.iter().enumerate() {
        if let Some(next) = order.get(at + AHEAD) {
            prefetch::line(rows.as_ptr().wrapping_add(next.handle.row()).cast());
        }
        // SAFETY:
        // 1. `at` and the entry's row are below `rows.len()`, asserted above.
        // 2. The room is large and aligned enough, asserted above, and does not overlap `rows`.
        unsafe { room.add(at).write(rows.as_ptr().add(entry.handle.row()).cast::<MaybeUninit<T>>().read()) }
    }
    // SAFETY: `order` is a permutation of the row numbers: it was filled with each number once and entries
    // are only ever moved among their places. So each row was copied once; copying them back makes
    // no duplicate and drops none, and nothing in between can panic.
    unsafe { core::ptr::copy_nonoverlapping(room, rows.as_mut_ptr().cast(), rows.len()) }
}

/// In place; visited entries are marked by naming themselves.
fn cycles<T>(rows: &mut [T], order: &mut [Entry<RowHandle>]) {
    for start in 0..rows.len() {
        let mut hole = start;
        loop {
            let from = order[hole].handle.row();
            order[hole].handle = RowHandle::new(hole, 0);
            if from == start {
                break;
            }
            rows.swap(hole, from);
            hole = from;
        }
    }
}

/// When no entry fits into the memory allowed: numbers only, ordered by comparing whole keys.
pub(crate) fn by_compare<T>(rows: &mut [T], key_of: impl Fn(&T) -> &[u8]) {
    if u32::try_from(rows.len()).is_ok() {
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| {
            key_of(&rows[a as usize]).cmp(key_of(&rows[b as usize])).then(a.cmp(&b))
        });
        follow(rows, &mut order, |number| number as usize, |number| number as u32);
    } else {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_unstable_by(|&a, &b| key_of(&rows[a]).cmp(key_of(&rows[b])).then(a.cmp(&b)));
        follow(rows, &mut order, |number| number, |number| number);
    }
}

/// Swaps rows along the cycles of a permutation.
fn follow<T, N: Copy>(rows: &mut [T], order: &mut [N], get: fn(N) -> usize, put: fn(usize) -> N) {
    for start in 0..rows.len() {
        let mut hole = start;
        while get(order[hole]) != start {
            let from = get(core::mem::replace(&mut order[hole], put(hole)));
            rows.swap(hole, from);
            hole = from;
        }
        order[hole] = put(hole);
    }
}
