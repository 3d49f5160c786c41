//! Counters of what a sort did (feature `track`); without the feature they compile to nothing.
//!
//! For tests of the cost argument and for curiosity; a counter is global and relaxed, so concurrent
//! sorts add up.

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A quicksort split.
    Split,
    /// A radix distribution.
    RadixPass,
    /// A group whose caches were refilled.
    Refill,
    /// A row whose cache was refilled: one visit to a key.
    KeyVisit,
    /// A whole-prefix skip that moved the depth beyond the cache.
    PrefixSkip,
}

/// Number of [`Event`]s.
#[cfg(feature = "track")]
const EVENTS: usize = 5;

#[cfg(feature = "track")]
static COUNTS: [core::sync::atomic::AtomicU64; EVENTS] =
    [const { core::sync::atomic::AtomicU64::new(0) }; EVENTS];

#[inline(always)]
pub(crate) fn count(event: Event) {
    add(event, 1);
}

#[inline(always)]
pub(crate) fn add(event: Event, times: usize) {
    #[cfg(feature = "track")]
    COUNTS[event as usize].fetch_add(times as u64, core::sync::atomic::Ordering::Relaxed);
    #[cfg(not(feature = "track"))]
    let _ = (event, times);
}

/// How often `event` happened since the last call for it.
#[cfg(feature = "track")]
pub fn take(event: Event) -> u64 {
    COUNTS[event as usize].swap(0, core::sync::atomic::Ordering::Relaxed)
}
