//! Rows that are nothing but a borrowed key: one step from entry to key, and the rows are made again from their keys.
//!
//! Only where addresses leave 16 bits to spare; elsewhere, and where a key is too long for these, [`sort`] says no.

#[cfg(target_pointer_width = "64")]
pub(crate) use wide::*;

#[cfg(target_pointer_width = "64")]
mod wide {
    use crate::agenda::Agenda;
    use crate::buffers::Buffers;
    use crate::bytes::Bytes;
    use crate::descent::Descent;
    use crate::entry::Entry;
    use crate::how::How;
    use crate::keys::{Packed, PackedKeys};
    use crate::memory::Scratch;
    #[cfg(feature = "parallel")]
    use crate::{crew::Crew, parallel};

    /// Sorts and says so, or leaves everything alone.
    pub(crate) fn sort<T: Bytes>(rows: &mut [T], scratch: &mut Scratch, how: How) -> bool {
        let Some(rebuild) = T::rebuild().0 else {
            return false;
        };
        let (main, spare) = scratch.entries::<Packed<'_>>(rows.len());
        if !fill(rows, main) {
            return false;
        }
        turn(main, how);
        // SAFETY: `fill` has written all entries of `main`.
        let keys = unsafe { PackedKeys::new() };
        let agenda = Agenda::new(main.len());
        Descent::new(&keys, Buffers::new(main, spare), agenda).run();
        turn(main, how);
        for (row, entry) in rows.iter_mut().zip(&*main) {
            // SAFETY: `fill` made the handle of a row of this very slice, of type `T`. A `T` that can be rebuilt is a
            // shared reference, so overwriting one loses nothing, and the key it leads to is not in `rows`.
            *row = unsafe { rebuild(entry.handle.get()) };
        }
        true
    }

    /// The same on several threads.
    #[cfg(feature = "parallel")]
    pub(crate) fn par_sort<T: Bytes + Send + Sync>(
        rows: &mut [T],
        scratch: &mut Scratch,
        crew: &mut Crew<'_>,
        how: How,
    ) -> bool {
        let Some(rebuild) = T::rebuild().0 else {
            return false;
        };
        let (main, spare) = scratch.entries::<Packed<'_>>(rows.len());
        let part_of = |start: usize, len: usize| &rows[start..start + len];
        let filled = crew.stretches(main, |start, part| fill(part_of(start, part.len()), part));
        if filled.contains(&false) {
            return false;
        }
        turn(main, how);
        // SAFETY: `fill` has written all entries of `main`, stretch by stretch.
        let keys = unsafe { PackedKeys::new() };
        parallel::descend(&keys, main, spare, crew);
        turn(main, how);
        let main = &*main;
        crew.stretches(rows, |start, part| {
            for (row, entry) in part.iter_mut().zip(&main[start..]) {
                // SAFETY: as in `sort`; the stretches do not overlap.
                *row = unsafe { rebuild(entry.handle.get()) };
            }
        });
        true
    }

    /// Turns entries round, once before and once after the sort, if the order is descending.
    fn turn(main: &mut [Entry<Packed<'_>>], how: How) {
        if how.descending {
            main.reverse();
        }
    }

    /// Handles for all rows; false if one does not fit.
    fn fill<'k, T: Bytes>(rows: &[T], main: &mut [Entry<Packed<'k>>]) -> bool {
        for (row, entry) in rows.iter().zip(main) {
            let key: *const [u8] = row.bytes();
            // SAFETY: a `T` that can be rebuilt is a `&'a [u8]` or `&'a str`; its key lives for `'a`, which
            // outlives the sort, and is not borrowed from the row itself.
            let Some(handle) = Packed::new(unsafe { &*key }) else {
                return false;
            };
            *entry = Entry { cache: 0, handle };
        }
        true
    }
}

/// Says no.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) fn sort<T>(_: &mut [T], _: &mut crate::Scratch, _: crate::how::How) -> bool {
    false
}

/// Says no.
#[cfg(all(feature = "parallel", not(target_pointer_width = "64")))]
pub(crate) fn par_sort<T>(
    _: &mut [T],
    _: &mut crate::Scratch,
    _: &mut crate::crew::Crew<'_>,
    _: crate::how::How,
) -> bool {
    false
}
