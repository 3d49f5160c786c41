//! Gathering: one visit per key loads its cache through a window (`window.rs`) and verifies what was guessed.
//!
//! ```text
//!   aim     a few rows      what they share, and in which bits they differ behind it
//!   pass    every row       cache = those bits; meanwhile: which bits do differ?
//!   again   every row       only if a bit differs that was thought to be the same: now with the right ones
//! ```

use crate::entry::Entry;
use crate::keys::Keys;
use crate::prefetch::AHEAD;
use crate::track;
use crate::visit::{self, Refilled};
use crate::window::{self, Seen, Window};

/// Gathering earns its instructions when a cache stands for so many bytes.
const WORTH: usize = 12;

/// A prefix up to here is left to the window, which skips it too.
const WITHIN: usize = 16;

/// From this many rows on their keys are likely to be far from the processor.
const FAR: usize = 2048;

/// What a few rows promise.
pub(crate) struct Aim {
    /// They share so many bytes.
    pub(crate) shared: usize,
    /// So many of these are skipped before the window.
    pub(crate) skip: usize,
    window: Window,
    /// The window is better than eight bytes.
    pub(crate) worth: bool,
}

/// Looks at a few rows, at most `limit` bytes far and the window beyond.
pub(crate) fn aim<K: Keys>(keys: &K, rows: &[Entry<K::Handle>], depth: usize, limit: usize) -> Aim {
    let shared = visit::guess(keys, rows, depth, limit);
    let skip = if shared > WITHIN { shared } else { 0 };
    let same = keys.len(rows[0].handle) <= depth + shared;
    let sample = if same { [0; window::WORDS] } else { sample(keys, rows, depth + skip) };
    let window = Window::of(&sample);
    let worth = window.covered >= WORTH && sample != [0; window::WORDS];
    Aim { shared, skip, window, worth }
}

/// What a few rows tell of the window; fewer, once it cannot be worth it.
fn sample<K: Keys>(keys: &K, rows: &[Entry<K::Handle>], depth: usize) -> Seen {
    let first: Seen = window::words(keys.key(rows[0].handle), depth);
    let mut seen = [0; window::WORDS];
    let samples = (rows.len() / 16).clamp(rows.len().min(8), 256);
    for sample in 0..samples {
        let row = rows[rows.len() * sample / samples];
        let words: Seen = window::words(keys.key(row.handle), depth);
        seen = window::join(&seen, &core::array::from_fn(|at| words[at] ^ first[at]));
        // The first twelve bytes have to fit.
        if sample % 4 == 3 && seen[0].count_ones() + (seen[1] >> 32).count_ones() > 64 {
            break;
        }
    }
    seen
}

/// Has caches loaded through the aim's window by `pass`, and through a better one if that was wrong; `None`, and
/// caches that mean nothing, if `pass` says so.
pub(crate) fn run(
    depth: usize,
    aim: &Aim,
    mut pass: impl FnMut(&Window) -> Option<Seen>,
) -> Option<Refilled> {
    let mut window = aim.window;
    let seen = pass(&window)?;
    if !window.holds(&seen) {
        window = Window::of(&seen);
        pass(&window)?;
    }
    if aim.skip > 0 {
        track::count(track::Event::PrefixSkip);
    }
    Some(Refilled { depth: depth + aim.skip, covered: window.covered, varying: window.varying(&seen) })
}

/// One visit to each key: caches through the window `skip` bytes behind `depth`. Returns the bits that differ from
/// the first key's (all, in words that were not read), or `None` if some key differs in the bytes skipped.
pub(crate) fn pass<K: Keys>(
    keys: &K,
    rows: &mut [Entry<K::Handle>],
    first: K::Handle,
    depth: usize,
    skip: usize,
    window: &Window,
) -> Option<Seen> {
    #[cfg(all(feature = "std", target_arch = "x86_64", not(miri)))]
    if crate::bits::fast_extract() {
        // SAFETY: `fast_extract` says that the processor has BMI2.
        return unsafe { pass_by_extract(keys, rows, first, depth, skip, window) };
    }
    let closed = window::Closing::all(&window.take);
    pass_by(keys, rows, first, depth, skip, window, |word, at| closed[at].gather(word))
}

/// The same with the bits taken by one instruction.
///
/// # Safety
/// The processor has BMI2.
#[cfg(all(feature = "std", target_arch = "x86_64", not(miri)))]
#[target_feature(enable = "bmi2")]
unsafe fn pass_by_extract<K: Keys>(
    keys: &K,
    rows: &mut [Entry<K::Handle>],
    first: K::Handle,
    depth: usize,
    skip: usize,
    window: &Window,
) -> Option<Seen> {
    let take = window.take;
    pass_by(
        keys,
        rows,
        first,
        depth,
        skip,
        window,
        #[inline(always)]
        |word, at| crate::bits::extract(word, take[at]),
    )
}

/// The same by any function that gathers the bits of a word.
#[inline(always)]
fn pass_by<K: Keys>(
    keys: &K,
    rows: &mut [Entry<K::Handle>],
    first: K::Handle,
    depth: usize,
    skip: usize,
    window: &Window,
    gather: impl Fn(u64, usize) -> u64,
) -> Option<Seen> {
    match window.words() {
        ..=2 => pass_words::<K, 2>(keys, rows, first, depth, skip, window, gather),
        _ => pass_words::<K, 4>(keys, rows, first, depth, skip, window, gather),
    }
}

#[inline(always)]
fn pass_words<K: Keys, const N: usize>(
    keys: &K,
    rows: &mut [Entry<K::Handle>],
    first: K::Handle,
    depth: usize,
    skip: usize,
    window: &Window,
    gather: impl Fn(u64, usize) -> u64,
) -> Option<Seen> {
    let first = keys.key(first);
    let far = rows.len() >= FAR;
    let prefix = first.get(depth..depth + skip)?;
    let first: [u64; N] = window::words(first, depth + skip);
    let mut seen = [u64::MAX; window::WORDS];
    seen[..N].fill(0);
    for at in 0..rows.len() {
        visit::look_ahead(keys, rows, at, depth + skip);
        // The words of one key are on two lines of memory as often as not.
        if far && let Some(row) = rows.get(at + AHEAD) {
            keys.prefetch(row.handle, depth + skip + 8 * N - 1);
        }
        let key = keys.key(rows[at].handle);
        if skip > 0 && key.get(depth..depth + skip) != Some(prefix) {
            return None;
        }
        let words: [u64; N] = window::words(key, depth + skip);
        let mut cache = 0;
        for (at, word) in words.into_iter().enumerate() {
            seen[at] |= word ^ first[at];
            cache |= gather(word, at) << window.up[at];
        }
        rows[at].cache = cache;
    }
    Some(seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Indexed, RowHandle};
    use crate::refine::refill;
    use crate::rows;
    use crate::window::Closing;

    /// A digit of one length, numbers of many, and a separator that is not always there.
    fn times() -> Vec<String> {
        let time = |n: usize| {
            let mark = if n.is_multiple_of(7) { "" } else { "T" };
            format!("{}-{:02}{mark}{n}", 2020 + n % 5, n % 13)
        };
        (0..if cfg!(miri) { 60 } else { 2_000 }).map(|n| time(n * 7919 % 5_000)).collect()
    }

    #[test]
    fn both_ways_to_gather_agree_and_keep_the_order() {
        let times = times();
        let keys = Indexed { rows: &times, key_of: String::as_bytes };
        let mut fast = vec![Entry { cache: 0, handle: RowHandle::new(0, 0) }; times.len()];
        rows::fill(&keys, &mut fast, false);
        let mut portable = fast.clone();
        let (first, aim) = (fast[0].handle, aim(&keys, &fast, 0, 64));
        assert!(aim.worth && aim.skip == 0, "{} bytes", aim.window.covered);
        for window in
            [aim.window, Window::of(&[u64::MAX; window::WORDS]), Window::of(&[0x0f0f; window::WORDS])]
        {
            let closed = Closing::all(&window.take);
            let seen = pass(&keys, &mut fast, first, 0, 0, &window);
            let gather = |word, at: usize| closed[at].gather(word);
            assert_eq!(seen, pass_by(&keys, &mut portable, first, 0, 0, &window, gather));
            assert!(fast.iter().zip(&portable).all(|(a, b)| a.cache == b.cache));
        }
        let refilled = refill(&keys, &mut fast, 0, 64);
        assert!(refilled.covered >= WORTH);
        for pair in fast.windows(2) {
            let keys = [pair[0], pair[1]].map(|row| keys.key(row.handle));
            assert!(pair[0].cache == pair[1].cache || (pair[0].cache < pair[1].cache) == (keys[0] < keys[1]));
        }
    }

    #[test]
    fn a_prefix_that_one_row_lacks_is_not_skipped() {
        let mut rows: Vec<String> = (0..100).map(|n| format!("a prefix of twenty-six bytes{n:03}")).collect();
        rows[33] = "a prefix".into();
        let keys = Indexed { rows: &rows, key_of: String::as_bytes };
        let mut entries = vec![Entry { cache: 0, handle: RowHandle::new(0, 0) }; rows.len()];
        rows::fill(&keys, &mut entries, false);
        let first = entries[0].handle;
        assert_eq!(pass(&keys, &mut entries, first, 0, 20, &Window::of(&[u64::MAX; window::WORDS])), None);
        assert_eq!(refill(&keys, &mut entries, 0, 64).depth, 8);
    }
}
