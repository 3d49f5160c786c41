//! The sorts as methods of slices, named as the standard library's and rayon's.

use alloc::vec::Vec;

use crate::bytes::Bytes;
use crate::how::How;
use crate::index::Index;
use crate::memory::Scratch;
use crate::sorter::Sorter;
use crate::{presorted, rows};

/// Sorts slices by bytes: [`slice::sort`] and its kin, and what rayon calls `par_sort`, with `skip` in the name.
///
/// ```
/// use skipsort::SkipSort;
///
/// let mut words = vec!["pear", "apple", "fig"];
/// words.skip_sort();
/// assert_eq!(words, ["apple", "fig", "pear"]);
/// assert!(words.is_skip_sorted());
/// ```
///
/// O(n + D) for any input, D being the bytes that must be read to tell the keys apart; 32 bytes of memory per row, taken
/// and given back ([`Sorter`] keeps or bounds it). If a key function panics, more than 128 rows are as they were, fewer in
/// some order; each row is there once.
pub trait SkipSort<T>: sealed::Slice {
    /// Sorts rows by their bytes; equal rows stay in their order.
    fn skip_sort(&mut self)
    where
        T: Bytes;

    /// Sorts rows by their bytes; equal rows in any order.
    fn skip_sort_unstable(&mut self)
    where
        T: Bytes;

    /// Sorts rows by a key that is part of them; rows of equal keys stay in their order.
    ///
    /// # Panics
    /// If `key` does; and perhaps if it gives different answers for the same row. No row is lost.
    ///
    /// ```
    /// use skipsort::SkipSort;
    ///
    /// let mut people = [("Ada", 1815), ("Grace", 1906), ("Alan", 1912)];
    /// people.skip_sort_by_key(|person| person.0.as_bytes());
    /// assert_eq!(people.map(|person| person.0), ["Ada", "Alan", "Grace"]);
    /// ```
    fn skip_sort_by_key(&mut self, key: impl Fn(&T) -> &[u8]);

    /// Sorts rows by keys that are made once for each, of several columns perhaps ([`KeyBuilder`](crate::KeyBuilder)); rows
    /// of equal keys stay in their order.
    ///
    /// ```
    /// use skipsort::SkipSort;
    ///
    /// let mut names = ["b", "C", "a"];
    /// names.skip_sort_by_cached_key(|name| name.to_lowercase());
    /// assert_eq!(names, ["a", "b", "C"]);
    /// ```
    fn skip_sort_by_cached_key<K: Bytes>(&mut self, key: impl FnMut(&T) -> K);

    /// True when rows are in the order of their bytes.
    fn is_skip_sorted(&self) -> bool
    where
        T: Bytes;

    /// [`skip_sort`](SkipSort::skip_sort) on as many threads as there are processors, or on fewer where the system gives no
    /// more.
    ///
    /// ```
    /// use skipsort::SkipSort;
    ///
    /// let mut rows: Vec<String> = (0..100_000).map(|n| format!("{:x}", n * 7919 % 100_003)).collect();
    /// rows.par_skip_sort();
    /// assert!(rows.is_sorted());
    /// ```
    #[cfg(feature = "parallel")]
    fn par_skip_sort(&mut self)
    where
        T: Bytes + Send + Sync;

    /// [`skip_sort_by_key`](SkipSort::skip_sort_by_key) on several threads.
    #[cfg(feature = "parallel")]
    fn par_skip_sort_by_key(&mut self, key: impl Fn(&T) -> &[u8] + Sync)
    where
        T: Send + Sync;

    /// [`skip_sort_by_cached_key`](SkipSort::skip_sort_by_cached_key) on several threads, which make the keys too.
    #[cfg(feature = "parallel")]
    fn par_skip_sort_by_cached_key<K: Bytes + Send + Sync>(&mut self, key: impl Fn(&T) -> K + Sync)
    where
        T: Send + Sync;
}

mod sealed {
    pub trait Slice {}
    impl<T> Slice for [T] {}
}

impl<T> SkipSort<T> for [T] {
    #[inline]
    fn skip_sort(&mut self)
    where
        T: Bytes,
    {
        sort(self);
    }

    #[inline]
    fn skip_sort_unstable(&mut self)
    where
        T: Bytes,
    {
        if !rows::few(self, T::bytes, How::UNSTABLE) {
            rows::many(|| Sorter::new(&mut Scratch::new()).unstable().sort(self));
        }
    }

    #[inline]
    fn skip_sort_by_key(&mut self, key: impl Fn(&T) -> &[u8]) {
        if !rows::few(self, &key, How::STABLE) {
            rows::many(|| rows::sort_by_key(self, key, &mut Scratch::new(), How::STABLE));
        }
    }

    fn skip_sort_by_cached_key<K: Bytes>(&mut self, key: impl FnMut(&T) -> K) {
        rows::sort_by_cached_key(self, key, &mut Scratch::new(), How::STABLE);
    }

    fn is_skip_sorted(&self) -> bool
    where
        T: Bytes,
    {
        presorted::in_order(self, T::bytes, How::STABLE)
    }

    #[cfg(feature = "parallel")]
    fn par_skip_sort(&mut self)
    where
        T: Bytes + Send + Sync,
    {
        Sorter::new(&mut Scratch::new()).par_sort(self);
    }

    #[cfg(feature = "parallel")]
    fn par_skip_sort_by_key(&mut self, key: impl Fn(&T) -> &[u8] + Sync)
    where
        T: Send + Sync,
    {
        Sorter::new(&mut Scratch::new()).par_sort_by_key(self, key);
    }

    #[cfg(feature = "parallel")]
    fn par_skip_sort_by_cached_key<K: Bytes + Send + Sync>(&mut self, key: impl Fn(&T) -> K + Sync)
    where
        T: Send + Sync,
    {
        Sorter::new(&mut Scratch::new()).par_sort_by_cached_key(self, key);
    }
}

/// Sorts rows by their bytes; equal rows stay in their order.
///
/// [`SkipSort`] has this as a method of slices, and the other forms.
///
/// ```
/// let mut words = ["pear", "apple", "fig"];
/// skipsort::sort(&mut words);
/// assert_eq!(words, ["apple", "fig", "pear"]);
/// ```
#[inline]
pub fn sort<T: Bytes>(rows: &mut [T]) {
    if !rows::few(rows, T::bytes, How::STABLE) {
        rows::many(|| rows::sort(rows, &mut Scratch::new(), How::STABLE));
    }
}

/// The numbers of `rows` in the order of their bytes; equal rows in their order.
///
/// ```
/// let indices: Vec<u32> = skipsort::sort_indices(&["pear", "apple", "fig"]);
/// assert_eq!(indices, [1, 2, 0]);
/// ```
///
/// # Panics
/// If the last row's number does not fit into `I`.
pub fn sort_indices<T: Bytes, I: Index>(rows: &[T]) -> Vec<I> {
    Sorter::new(&mut Scratch::new()).indices(rows)
}

/// What may not be sorted by several threads does not compile.
///
/// Rows that other threads may not look at:
/// ```compile_fail,E0277
/// struct Counted(std::cell::Cell<u32>, String);
/// impl skipsort::Bytes for Counted {
///     fn bytes(&self) -> &[u8] { self.1.as_bytes() }
/// }
/// skipsort::SkipSort::par_skip_sort(&mut Vec::<Counted>::new()[..]);
/// ```
/// ```compile_fail,E0277
/// struct Counted(std::cell::Cell<u32>, String);
/// impl skipsort::Bytes for Counted {
///     fn bytes(&self) -> &[u8] { self.1.as_bytes() }
/// }
/// let mut scratch = skipsort::Scratch::new();
/// skipsort::Sorter::new(&mut scratch).par_indices::<_, u32>(&Vec::<Counted>::new());
/// ```
/// ```compile_fail,E0277
/// use skipsort::SkipSort;
/// Vec::<(String, std::cell::Cell<u32>)>::new().par_skip_sort_by_key(|row| row.0.as_bytes());
/// ```
/// ```compile_fail,E0277
/// let mut scratch = skipsort::Scratch::new();
/// let mut rows = Vec::<(String, std::cell::Cell<u32>)>::new();
/// skipsort::Sorter::new(&mut scratch).par_sort_by_key(&mut rows, |row| row.0.as_bytes());
/// ```
/// Rows that may not go to another thread:
/// ```compile_fail,E0277
/// skipsort::SkipSort::par_skip_sort(&mut Vec::<std::rc::Rc<str>>::new()[..]);
/// ```
/// ```compile_fail,E0277
/// let mut scratch = skipsort::Scratch::new();
/// skipsort::Sorter::new(&mut scratch).par_sort(&mut Vec::<std::rc::Rc<str>>::new());
/// ```
/// Keys that may not go to another thread:
/// ```compile_fail,E0277
/// use skipsort::SkipSort;
/// Vec::<String>::new().par_skip_sort_by_cached_key(|row| std::rc::Rc::<str>::from(&row[..]));
/// ```
/// ```compile_fail,E0277
/// let mut scratch = skipsort::Scratch::new();
/// let key = |row: &String| std::rc::Rc::<str>::from(&row[..]);
/// skipsort::Sorter::new(&mut scratch).par_sort_by_cached_key(&mut Vec::<String>::new(), key);
/// ```
/// Key functions and consumers that other threads may not call:
/// ```compile_fail,E0277
/// use skipsort::SkipSort;
/// let calls = std::cell::Cell::new(0);
/// Vec::<String>::new().par_skip_sort_by_key(|row| { calls.set(calls.get() + 1); row.as_bytes() });
/// ```
/// ```compile_fail,E0277
/// let calls = std::cell::Cell::new(0);
/// let mut scratch = skipsort::Scratch::new();
/// let key = |row: &String| -> &[u8] { calls.set(calls.get() + 1); row.as_bytes() };
/// skipsort::Sorter::new(&mut scratch).par_indices_by_key::<_, u32>(&[], key);
/// ```
/// ```compile_fail,E0277
/// struct Counts(std::cell::Cell<usize>);
/// impl skipsort::Consumer for Counts {
///     fn ready(&self, _: usize) -> bool { true }
///     fn consume(&self, range: std::ops::Range<usize>, _: &[skipsort::TextRow]) { self.0.set(range.end) }
///     fn wants_more(&self) -> bool { true }
/// }
/// ```
/// Keys that do not outlive what is made of them:
/// ```compile_fail,E0597
/// use skipsort::SkipSort;
/// let mut rows = vec!["b"];
/// {
///     let short = String::from("a");
///     rows.push(&short);
///     rows.par_skip_sort();
/// }
/// assert_eq!(rows[0], "a");
/// ```
#[cfg(all(doctest, feature = "parallel"))]
mod bounds {}
