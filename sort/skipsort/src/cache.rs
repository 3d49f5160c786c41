//! Key substring caching: which eight bytes of the key travel beside the handle.
//!
//! AlphaSort keeps the *first* bytes of each key. Here the cache slides: whenever a group of rows
//! turns out to share more bytes, the cache is refilled from behind them.
//!
//! ```text
//! depth 0   |https://|www.example.org/a/1     all rows tie: the cache tells nothing
//! depth 24   https://www.example.org/|a/1.....|   refilled behind the shared prefix
//!                                     ^ zero padding past the end of the key
//! ```
//!
//! Padding with zeros makes "ab" and "ab\0" tie; the length decides between them when the tie is
//! settled (`settle.rs`), so embedded zeros need no escape.

/// Bytes held by one cache.
pub(crate) const CACHE_BYTES: usize = 8;

/// The eight bytes of `key` from `depth`, big-endian, zero-padded.
#[inline(always)]
pub(crate) fn load(key: &[u8], depth: usize) -> u64 {
    match key.get(depth..) {
        Some([a, b, c, d, e, f, g, h, ..]) => u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
        Some(rest) => load_tail(key, rest),
        None => 0,
    }
}

/// Fewer than eight bytes are left: read the *last* eight of the key and shift, if it has so many.
#[inline(always)]
fn load_tail(key: &[u8], rest: &[u8]) -> u64 {
    match key.last_chunk::<8>() {
        Some(_) if rest.is_empty() => 0,
        Some(last) => u64::from_be_bytes(*last) << (64 - 8 * rest.len()),
        None => load_short(rest),
    }
}

/// At most seven bytes, without a loop: two overlapping halves, or first, middle and last byte.
#[inline(always)]
fn load_short(rest: &[u8]) -> u64 {
    let len = rest.len();
    if let (Some(head), Some(tail)) = (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        let head = u64::from(u32::from_be_bytes(*head)) << 32;
        let tail = u64::from(u32::from_be_bytes(*tail)) << (64 - 8 * len);
        return head | tail;
    }
    if len == 0 {
        return 0;
    }
    let byte = |at: usize| u64::from(rest[at]) << (56 - 8 * at);
    byte(0) | byte(len / 2) | byte(len - 1)
}

#[cfg(test)]
mod tests {
    use super::load;

    fn naive(key: &[u8], depth: usize) -> u64 {
        (0..8).fold(0, |word, i| word << 8 | u64::from(*key.get(depth + i).unwrap_or(&0)))
    }

    #[test]
    fn every_length_and_depth() {
        let bytes: Vec<u8> = (1..=40).collect();
        for len in 0..=40 {
            for depth in 0..=42 {
                assert_eq!(load(&bytes[..len], depth), naive(&bytes[..len], depth), "{len} {depth}");
            }
        }
    }
}
