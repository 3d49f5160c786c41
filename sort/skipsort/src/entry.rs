//! The 16 bytes that move instead of the row: eight key bytes and a handle.
//!
//! ```text
//!            +----------- cache ----------+ +------- handle -------+
//!            | k[d] k[d+1] ...    k[d+7]  | | where the key lives  |
//!            +----------------------------+ +----------------------+
//!             big-endian, zero past the end   8 bytes, see `handle`
//! ```
//!
//! Because the cache is big-endian, comparing two caches as integers compares eight key bytes at
//! once. Sixteen bytes and not 24 because the entries are what moves: a distribution pass is bound
//! by how many cache lines it writes.

/// Key bytes at the current depth, and the handle of the row they came from.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Entry<H> {
    /// Eight key bytes from the depth of the surrounding task.
    pub(crate) cache: u64,
    /// How to find the rest of the key.
    pub(crate) handle: H,
}

/// True when two neighbours in cache order hold the same eight bytes.
#[inline(always)]
pub(crate) fn tied<H>(a: &Entry<H>, b: &Entry<H>) -> bool {
    a.cache == b.cache
}

/// Bytes of an entry.
pub(crate) const ENTRY_BYTES: usize = 16;

/// What leads from an entry to a row: any eight initialised bytes are one.
///
/// That a handle is a value does not say that it leads anywhere: only handles that were made for a row do.
///
/// # Safety
/// The type has eight bytes, none of which is padding, and any initialised bytes are valid for it: an integer or a raw
/// pointer, or a wrapper of one.
pub(crate) unsafe trait Handle: Copy + Send + Sync {}
