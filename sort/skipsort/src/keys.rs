//! Handles: eight bytes that lead from an entry to its key.
//!
//! ```text
//! Packed    [ len 16 | address 48 ]   one step to the key; needs rows that can be rebuilt from it
//! Indexed   [ len 24 | row     40 ]   two steps, row then key; works for every row and knows its place
//! ```
//!
//! Both carry the length, because most ties end with the question "is this key over?", and that is
//! then answered without touching the key. `Packed` saves a dependent load per visit, which is worth
//! 1.1 to 1.6 times on long keys; it is used when all keys are shorter than 64 KiB and the platform
//! leaves the top 16 address bits clear, otherwise `Indexed` takes over.

#[cfg(target_pointer_width = "64")]
use core::marker::PhantomData;

use crate::entry::Handle;

/// Answers for the handles it made.
pub(crate) trait Keys {
    /// Eight bytes that identify a row.
    type Handle: Handle;
    /// The whole key.
    fn key(&self, handle: Self::Handle) -> &[u8];
    /// The key's length, from the handle alone where it fits.
    fn len(&self, handle: Self::Handle) -> usize;
    /// Asks for the cache line of the key at `depth`.
    fn prefetch(&self, handle: Self::Handle, depth: usize);
    /// Asks for the key at `depth` if it is that long and `wanted`. Whether it is wanted is hard to
    /// foresee, so this should not branch on it where that can be avoided.
    #[inline(always)]
    fn prefetch_if(&self, wanted: bool, handle: Self::Handle, depth: usize) {
        if wanted && self.len(handle) > depth {
            self.prefetch(handle, depth);
        }
    }
    /// Asks for the line that [`Keys::prefetch`] itself has to read first, if there is one.
    fn prefetch_row(&self, _handle: Self::Handle) {}
}

/// A borrowed key in eight bytes: the length in the 16 bits that addresses leave unused.
#[cfg(target_pointer_width = "64")]
#[derive(Clone, Copy)]
pub(crate) struct Packed<'k> {
    tagged: *const u8,
    key: PhantomData<&'k [u8]>,
}

#[cfg(target_pointer_width = "64")]
// SAFETY: a raw pointer of eight bytes.
unsafe impl Handle for Packed<'_> {}

#[cfg(target_pointer_width = "64")]
// SAFETY: a `Packed` is a `&[u8]` in another shape, and `&[u8]` is `Send`.
unsafe impl Send for Packed<'_> {}

#[cfg(target_pointer_width = "64")]
// SAFETY: as above, `&[u8]` is `Sync`.
unsafe impl Sync for Packed<'_> {}

#[cfg(target_pointer_width = "64")]
const ADDRESS_BITS: u32 = 48;

#[cfg(target_pointer_width = "64")]
impl<'k> Packed<'k> {
    /// `None` when the length or the address does not fit.
    #[inline(always)]
    pub(crate) fn new(key: &'k [u8]) -> Option<Self> {
        let address = key.as_ptr().addr();
        let fits = key.len() >> 16 == 0 && address >> ADDRESS_BITS == 0;
        // `map_addr` keeps the pointer's provenance, so taking the tag off again gives `key` back.
        fits.then(|| Packed {
            tagged: key.as_ptr().map_addr(|address| address | key.len() << ADDRESS_BITS),
            key: PhantomData,
        })
    }

    #[inline(always)]
    fn start(self) -> *const u8 {
        self.tagged.map_addr(|address| address & ((1 << ADDRESS_BITS) - 1))
    }

    #[inline(always)]
    fn len(self) -> usize {
        self.tagged.addr() >> ADDRESS_BITS
    }

    /// The key, as it was given to [`Packed::new`].
    ///
    /// # Safety
    /// The handle was made by [`Packed::new`] from a key that lives for `'k`, or is a copy of such a one: it is not what
    /// happened to be in memory.
    #[inline(always)]
    pub(crate) unsafe fn get(self) -> &'k [u8] {
        // SAFETY:
        // 1. `tagged` was set in `new`, by the caller's word, from a live `&'k [u8]` whose address has the tag bits
        //    clear, so `start` is that slice's pointer with its provenance.
        // 2. The tag is that slice's length, and `'k` is still running.
        unsafe { core::slice::from_raw_parts(self.start(), self.len()) }
    }
}

/// Makes nothing, knows nothing: [`Packed`] handles answer for themselves.
#[cfg(target_pointer_width = "64")]
#[derive(Clone, Copy)]
pub(crate) struct PackedKeys<'k>(PhantomData<&'k [u8]>);

#[cfg(target_pointer_width = "64")]
impl PackedKeys<'_> {
    /// # Safety
    /// The keys are only asked about handles that were made by [`Packed::new`] from keys that live for `'k`: the caller
    /// fills every entry that is sorted, and the sort reads no entry of its other buffer that it has not copied there.
    pub(crate) unsafe fn new() -> Self {
        PackedKeys(PhantomData)
    }
}

#[cfg(target_pointer_width = "64")]
impl<'k> Keys for PackedKeys<'k> {
    type Handle = Packed<'k>;

    #[inline(always)]
    fn key(&self, handle: Packed<'k>) -> &[u8] {
        // SAFETY: the word of whoever called `new`.
        unsafe { handle.get() }
    }

    #[inline(always)]
    fn len(&self, handle: Packed<'k>) -> usize {
        handle.len()
    }

    #[inline(always)]
    fn prefetch(&self, handle: Packed<'k>, depth: usize) {
        crate::prefetch::line(handle.start().wrapping_add(depth));
    }

    #[inline(always)]
    fn prefetch_if(&self, wanted: bool, handle: Packed<'k>, depth: usize) {
        // Asking for a line that is at hand costs less than a branch that is wrong half of the time.
        let at_hand = (&raw const handle).cast();
        let key = handle.start().wrapping_add(depth);
        crate::prefetch::line(core::hint::select_unpredictable(
            wanted & (handle.len() > depth),
            key,
            at_hand,
        ));
    }
}

const ROW_BITS: u32 = 40;

/// Row numbers beyond fit into no handle: so many rows at most are sorted by entries.
pub(crate) const MOST_ROWS: usize =
    if usize::BITS > ROW_BITS { 1 << (ROW_BITS % usize::BITS) } else { usize::MAX };
/// Stands for a length that does not fit.
pub(crate) const LONG: u64 = (1 << (64 - ROW_BITS)) - 1;

/// Rows by number, keys through a function that is asked again at each visit.
///
/// The function is the user's. It may panic (nothing but entries has moved) and it may give different
/// answers to the same question (the order is then unspecified, the memory accesses stay within the
/// slices it returns).
pub(crate) struct Indexed<'r, T, F> {
    pub(crate) rows: &'r [T],
    pub(crate) key_of: F,
}

/// A row's number and the length of its key, capped.
#[derive(Clone, Copy)]
pub(crate) struct RowHandle(u64);

// SAFETY: an integer of eight bytes.
unsafe impl Handle for RowHandle {}

impl RowHandle {
    /// # Panics
    /// If there are more than [`MOST_ROWS`]: a number that is cut off would name another row.
    #[inline(always)]
    pub(crate) fn new(row: usize, key_len: usize) -> Self {
        assert!((row as u64) >> ROW_BITS == 0, "at most 2^{ROW_BITS} rows");
        RowHandle((key_len as u64).min(LONG) << ROW_BITS | row as u64)
    }

    /// What [`Compact`](crate::compact::Compact) makes of it.
    #[inline(always)]
    pub(crate) fn from_bits(bits: u64) -> Self {
        RowHandle(bits)
    }

    #[inline(always)]
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// The row's number in the slice that is sorted.
    #[inline(always)]
    pub(crate) fn row(self) -> usize {
        (self.0 & ((1 << ROW_BITS) - 1)) as usize
    }
}

impl<T, F: Fn(&T) -> &[u8]> Keys for Indexed<'_, T, F> {
    type Handle = RowHandle;

    #[inline(always)]
    fn key(&self, handle: RowHandle) -> &[u8] {
        (self.key_of)(&self.rows[handle.row()])
    }

    #[inline(always)]
    fn len(&self, handle: RowHandle) -> usize {
        match handle.0 >> ROW_BITS {
            LONG => self.key(handle).len(),
            len => len as usize,
        }
    }

    #[inline(always)]
    fn prefetch(&self, handle: RowHandle, depth: usize) {
        crate::prefetch::line(self.key(handle).as_ptr().wrapping_add(depth));
    }

    #[inline(always)]
    fn prefetch_row(&self, handle: RowHandle) {
        crate::prefetch::line(self.rows.as_ptr().wrapping_add(handle.row()).cast());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A length that does not fit is asked for again; a row number that does not would be another's.
    #[test]
    fn long_keys_are_capped_and_far_rows_refused() {
        let most = (MOST_ROWS - 1).min(usize::MAX >> 1);
        let handle = RowHandle::new(most, usize::MAX);
        assert_eq!((handle.row(), handle.0 >> ROW_BITS), (most, LONG));
        #[cfg(target_pointer_width = "64")]
        assert!(std::panic::catch_unwind(|| RowHandle::new(MOST_ROWS, 0)).is_err());
    }

    /// Addresses and lengths that do not fit into one handle are left to the other.
    #[cfg(target_pointer_width = "64")]
    #[test]
    fn keys_of_64_kib_are_not_packed() {
        let bytes = vec![1; 1 << 16];
        assert!(Packed::new(&bytes).is_none());
        let packed = Packed::new(&bytes[1..]).expect("it fits");
        // SAFETY: made just now.
        assert_eq!(unsafe { packed.get() }, &bytes[1..]);
    }
}
