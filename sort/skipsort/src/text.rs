//! Rows of one text: entries that are made while the text is read, instead of a slice of keys.
//!
//! ```text
//!   text     GET /a\nGET /b/c\nPUT /a\n
//!            ^------^--------^           a row is where its key starts, its length, and eight of its bytes
//!   row      [ cache 8 | len 20 . start 44 ]
//! ```
//!
//! A program that has just found the end of a line has the line in its first-level cache. Reading the
//! eight bytes then and there saves a visit to every key when the sort begins, and the sort's own
//! entries are filled directly: 32 bytes per row are all that is used.

use crate::cache::{self, CACHE_BYTES};
use crate::entry::{Entry, Handle};
use crate::keys::Keys;
use crate::memory::Scratch;
use crate::prefix::{self, FIRST_LIMIT, Varying};

/// Bits of a [`Spot`] that hold the start: texts of up to 16 TiB.
const START_BITS: u32 = 44;

/// Keys of this many bytes and more have their length in a list beside the text.
const LONG: usize = (1 << (64 - START_BITS)) - 1;

/// Where a key is: its length, capped, and where it starts.
#[derive(Clone, Copy, Default)]
pub(crate) struct Spot(u64);

// SAFETY: an integer of eight bytes.
unsafe impl Handle for Spot {}

impl Spot {
    #[inline(always)]
    fn start(self) -> usize {
        (self.0 & ((1 << START_BITS) - 1)) as usize
    }

    #[inline(always)]
    fn len_capped(self) -> usize {
        (self.0 >> START_BITS) as usize
    }
}

/// A row of a text, 16 bytes; made by [`Loader::row`], read through [`Text`].
///
/// ```
/// let row = skipsort::Loader::default().row(b"fig", 10);
/// assert!(row.start() == 10 && !row.is_long());
/// ```
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct TextRow(pub(crate) Entry<Spot>);

impl core::fmt::Debug for TextRow {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("TextRow").field("start", &self.start()).finish_non_exhaustive()
    }
}

impl TextRow {
    /// Where the key starts in the text.
    #[inline(always)]
    pub fn start(self) -> usize {
        self.0.handle.start()
    }

    /// True when the key is so long that [`Text::new`] must be told of it.
    #[inline(always)]
    pub fn is_long(self) -> bool {
        self.0.handle.len_capped() == LONG
    }
}

/// The bytes that rows lead to.
///
/// ```
/// let bytes = b"pear\napple\n";
/// let row = skipsort::Loader::default().row(&bytes[5..10], 5);
/// assert_eq!(skipsort::Text::new(bytes, &[]).key(row), b"apple");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Text<'t> {
    bytes: &'t [u8],
    long: &'t [(usize, usize)],
}

impl<'t> Text<'t> {
    /// `long` holds (start, length) of every row that [is long](TextRow::is_long), by start.
    pub fn new(bytes: &'t [u8], long: &'t [(usize, usize)]) -> Self {
        debug_assert!(long.is_sorted());
        Text { bytes, long }
    }

    /// The bytes themselves.
    #[inline(always)]
    pub fn bytes(&self) -> &'t [u8] {
        self.bytes
    }

    /// The key of a row.
    ///
    /// # Panics
    /// If the row was not made for this text.
    #[inline(always)]
    pub fn key(&self, row: TextRow) -> &'t [u8] {
        self.at(row.0.handle)
    }

    /// The length of a row's key, without a look at the text.
    #[inline(always)]
    pub fn key_len(&self, row: TextRow) -> usize {
        self.len_at(row.0.handle)
    }

    /// Asks for the first and the last bytes of a row's key.
    #[inline(always)]
    pub fn prefetch(&self, row: TextRow) {
        let first = self.bytes.as_ptr().wrapping_add(row.start());
        crate::prefetch::line(first);
        crate::prefetch::line(first.wrapping_add(row.0.handle.len_capped()));
    }

    #[inline(always)]
    fn at(&self, spot: Spot) -> &'t [u8] {
        &self.bytes[spot.start()..][..self.len_at(spot)]
    }

    #[inline(always)]
    fn len_at(&self, spot: Spot) -> usize {
        match spot.len_capped() {
            LONG => self.len_of_long(spot.start()),
            len => len,
        }
    }

    #[cold]
    fn len_of_long(&self, start: usize) -> usize {
        let at = self.long.binary_search_by_key(&start, |long| long.0);
        at.map_or(LONG, |at| self.long[at].1)
    }
}

impl Keys for Text<'_> {
    type Handle = Spot;

    #[inline(always)]
    fn key(&self, handle: Spot) -> &[u8] {
        self.at(handle)
    }

    #[inline(always)]
    fn len(&self, handle: Spot) -> usize {
        self.len_at(handle)
    }

    #[inline(always)]
    fn prefetch(&self, handle: Spot, depth: usize) {
        crate::prefetch::line(self.bytes.as_ptr().wrapping_add(handle.start() + depth));
    }

    #[inline(always)]
    fn prefetch_if(&self, wanted: bool, handle: Spot, depth: usize) {
        let at_hand = (&raw const handle).cast();
        let key = self.bytes.as_ptr().wrapping_add(handle.start() + depth);
        let wanted = wanted & (handle.len_capped() > depth);
        crate::prefetch::line(core::hint::select_unpredictable(wanted, key, at_hand));
    }
}

/// Makes rows, and learns what all their keys share.
///
/// The first few keys give a guess; every row made verifies it. Threads that make rows of one text
/// start from clones of one loader and [`join`](Loader::join) them at the end.
///
/// ```
/// let mut loader = skipsort::Loader::new([&b"/usr/bin/ls"[..], b"/usr/bin/cat"]); // rows are compared behind "/usr/bin/"
/// let mut of_another_thread = loader.clone();
/// let rows = [loader.row(b"/usr/bin/ls", 0), of_another_thread.row(b"/usr/bin/cat", 12)];
/// loader.join(&of_another_thread);
/// assert_eq!(rows.map(|row| row.start()), [0, 12]);
/// ```
#[derive(Clone, Debug)]
pub struct Loader {
    /// The guess: caches start behind it.
    shared: [u8; FIRST_LIMIT],
    depth: usize,
    /// How much of the guess all keys seen agree with.
    agreed: usize,
    first: u64,
    varying: u64,
}

impl Default for Loader {
    fn default() -> Self {
        Loader::new([])
    }
}

impl Loader {
    /// Guesses that all keys share what these share. Without any, nothing is guessed.
    pub fn new<'k>(sample: impl IntoIterator<Item = &'k [u8]>) -> Self {
        let mut sample = sample.into_iter();
        let first = sample.next().unwrap_or(&[]);
        let most = first.len().min(FIRST_LIMIT);
        let depth = sample.fold(most, |shared, key| prefix::common(first, key, 0, shared));
        let mut shared = [0; FIRST_LIMIT];
        shared[..depth].copy_from_slice(&first[..depth]);
        Loader { shared, depth, agreed: depth, first: cache::load(first, depth), varying: 0 }
    }

    /// The row of a key that starts at `start` of the text.
    ///
    /// # Panics
    /// If `start` is not below 2^44.
    #[inline(always)]
    pub fn row(&mut self, key: &[u8], start: usize) -> TextRow {
        assert!((start as u64) >> START_BITS == 0, "a text of 16 TiB");
        if self.depth > 0 && key.get(..self.depth) != Some(&self.shared[..self.depth]) {
            self.disagree(key);
        }
        let cache = cache::load(key, self.depth);
        self.varying |= cache ^ self.first;
        let handle = Spot((key.len().min(LONG) as u64) << START_BITS | start as u64);
        TextRow(Entry { cache, handle })
    }

    #[cold]
    fn disagree(&mut self, key: &[u8]) {
        self.agreed = prefix::common(&self.shared, key, 0, self.agreed);
    }

    /// Takes over what another thread's loader has learned.
    pub fn join(&mut self, other: &Loader) {
        self.agreed = self.agreed.min(other.agreed);
        self.varying |= other.varying;
    }

    /// How much all keys share; caches start here if [`Loader::good`].
    pub(crate) fn shared_len(&self) -> usize {
        self.agreed
    }

    /// All keys had the guessed prefix, so all caches start behind it.
    pub(crate) fn good(&self) -> bool {
        self.agreed == self.depth
    }

    /// The bits in which the caches differ, if [`Loader::good`].
    pub(crate) fn varying(&self) -> Varying {
        Varying(self.varying)
    }
}

impl Scratch {
    /// Room for `most` rows of a text, and as much again for the sort to move them in. Pages that are
    /// never written take no memory where the system hands out zeroed pages on demand. No bound applies.
    ///
    /// # Panics
    /// If no memory is that large.
    pub fn text_rows(&mut self, most: usize) -> (&mut [TextRow], &mut [TextRow]) {
        const { assert!(size_of::<TextRow>() == 2 * CACHE_BYTES) }
        if most == 0 {
            return (&mut [], &mut []);
        }
        self.reach_for(most.saturating_mul(2));
        let (main, spare) = self.entries_and_spare::<Spot>(most, most);
        (rows_of(main), rows_of(spare))
    }
}

fn rows_of(entries: &mut [Entry<Spot>]) -> &mut [TextRow] {
    // SAFETY: `TextRow` is a transparent wrapper of the entry: same size, alignment and validity.
    unsafe { core::slice::from_raw_parts_mut(entries.as_mut_ptr().cast(), entries.len()) }
}

pub(crate) fn entries_of(rows: &mut [TextRow]) -> &mut [Entry<Spot>] {
    // SAFETY: as in `rows_of`.
    unsafe { core::slice::from_raw_parts_mut(rows.as_mut_ptr().cast(), rows.len()) }
}

/// The rows that entries are.
pub(crate) fn as_rows(entries: &[Entry<Spot>]) -> &[TextRow] {
    // SAFETY: as in `rows_of`.
    unsafe { core::slice::from_raw_parts(entries.as_ptr().cast(), entries.len()) }
}
