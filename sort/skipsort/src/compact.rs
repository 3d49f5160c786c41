//! Keys without a detour: rows whose number, place of the key and length fit into one handle together.
//!
//! ```text
//!   Indexed   handle -> row -> key        any rows
//!   Compact   handle -> key               [ len | place of the key, from the lowest | row ]
//!                                            20        24 bits of 16 bytes each        20      a million strings
//! ```
//!
//! The widths are those that these rows need: their keys are looked at once, where they are and how long, before the
//! handles are made. Where 64 bits do not suffice (keys far from each other, and many) [`Compact::fill`] says no.

use core::marker::PhantomData;
use core::ptr::with_exposed_provenance;

use crate::entry::Entry;
use crate::keys::{Indexed, Keys, LONG, RowHandle};

/// Where keys are, and how the bits of a handle are shared out.
#[derive(Clone, Copy)]
pub(crate) struct Compact<'k> {
    /// The lowest address of a key.
    low: usize,
    /// All keys are a multiple of so many places (as a power of two) from there.
    shift: u32,
    row_bits: u32,
    place_bits: u32,
    keys: PhantomData<&'k [u8]>,
}

/// Bits that hold a number.
fn bits(number: usize) -> u32 {
    usize::BITS - number.leading_zeros()
}

impl<'k> Compact<'k> {
    /// Handles for all rows, from the last to the first if `reversed`; `None` if they do not fit.
    ///
    /// # Safety
    /// What is returned is only asked about the handles that are in `main` now, and copies of them.
    pub(crate) unsafe fn fill<T, F: Fn(&T) -> &[u8]>(
        keys: &'k Indexed<'k, T, F>,
        main: &mut [Entry<RowHandle>],
        reversed: bool,
    ) -> Option<Self> {
        let compact = Compact::fitting(keys.rows.iter().map(&keys.key_of), keys.rows.len())?;
        let last = main.len().checked_sub(1)?;
        for (number, row) in keys.rows.iter().enumerate() {
            let handle = compact.handle((keys.key_of)(row), number)?;
            main[if reversed { last - number } else { number }] = Entry { cache: 0, handle };
        }
        Some(compact)
    }

    /// What so many keys need; `None` if that is too much.
    fn fitting(keys: impl Iterator<Item = &'k [u8]>, rows: usize) -> Option<Self> {
        let (mut low, mut high, mut longest) = (usize::MAX, 0, 0);
        let (mut first, mut differs) = (None, 0);
        for key in keys.filter(|key| !key.is_empty()) {
            let address = key.as_ptr().addr();
            (low, high, longest) = (low.min(address), high.max(address), longest.max(key.len()));
            differs |= address ^ *first.get_or_insert(address);
        }
        let shift = differs.trailing_zeros().min(usize::BITS - 1);
        let place_bits = bits(high.saturating_sub(low) >> shift);
        let row_bits = bits(rows);
        let fits = row_bits + place_bits + bits(longest) <= u64::BITS && (longest as u64) < LONG;
        fits.then_some(Compact { low, shift, row_bits, place_bits, keys: PhantomData })
    }

    /// The handle of a row; `None` if the key is not as it was looked at.
    #[inline(always)]
    fn handle(&self, key: &'k [u8], row: usize) -> Option<RowHandle> {
        if key.is_empty() {
            return Some(RowHandle::from_bits(row as u64));
        }
        let away = key.as_ptr().expose_provenance().checked_sub(self.low)?;
        let place = (away >> self.shift) as u64;
        let len = key.len() as u64;
        let fits = place << self.shift == away as u64
            && place >> self.place_bits == 0
            && len.leading_zeros() >= self.row_bits + self.place_bits;
        let len = len << (self.row_bits + self.place_bits - 1) << 1;
        fits.then(|| RowHandle::from_bits(len | place << self.row_bits | row as u64))
    }

    /// The row's number.
    #[inline(always)]
    pub(crate) fn row(&self, handle: RowHandle) -> usize {
        (handle.bits() & ((1 << self.row_bits) - 1)) as usize
    }

    #[inline(always)]
    fn start(&self, handle: RowHandle) -> *const u8 {
        let place = handle.bits() >> self.row_bits & ((1 << self.place_bits) - 1);
        with_exposed_provenance(self.low.wrapping_add((place as usize) << self.shift))
    }
}

impl Keys for Compact<'_> {
    type Handle = RowHandle;

    #[inline(always)]
    fn key(&self, handle: RowHandle) -> &[u8] {
        let len = self.len(handle);
        if len == 0 {
            return &[];
        }
        // SAFETY:
        // 1. The handle was made by `handle` from a key of `'k` (the word of whoever called `fill`), whose address
        //    `start` gives back exactly: no bit of it was cut off, as was checked there.
        // 2. That key's provenance was exposed, its length is this one, and `'k` is still running.
        unsafe { core::slice::from_raw_parts(self.start(handle), len) }
    }

    #[inline(always)]
    fn len(&self, handle: RowHandle) -> usize {
        (handle.bits() >> (self.row_bits + self.place_bits - 1) >> 1) as usize
    }

    #[inline(always)]
    fn prefetch(&self, handle: RowHandle, depth: usize) {
        crate::prefetch::line(self.start(handle).wrapping_add(depth));
    }

    #[inline(always)]
    fn prefetch_if(&self, wanted: bool, handle: RowHandle, depth: usize) {
        let at_hand = (&raw const handle).cast();
        let key = self.start(handle).wrapping_add(depth);
        let wanted = wanted & (self.len(handle) > depth);
        crate::prefetch::line(core::hint::select_unpredictable(wanted, key, at_hand));
    }
}
