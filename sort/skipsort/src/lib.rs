//! Sorts byte-string keys by skipping the bytes they share.
//!
//! - [`sort`], [`sort_stable`], [`sort_by_key`]: rows in place.
//! - [`sort_indices`], [`sort_stable_indices`]: row numbers.
//! - [`Sorted`], [`top_k`](top_k()): the first rows early.
//! - [`sort_indices_lcp`]: shared prefixes of neighbours beside the order.
//! - [`Scratch`]: memory that is kept, halved or bounded.
//! - `sort_text`, with the feature `parallel`: rows made while a text is read (`Loader`, `TextRow`),
//!   handed over in order while others are still being sorted.
//!
//! Prefer it over the standard library for a hundred rows and more whose keys are strings: paths,
//! URLs, identifiers, encoded composite keys. Prefer the standard library for few rows, integers and
//! nearly sorted input. The README has figures, the algorithm in drawings and the sources.
//!
//! Where the ideas are: `prefix.rs` and `refine.rs` skip common prefixes, `adaptive.rs` switches between
//! `quicksort.rs`, `radix.rs` and `smallsort.rs`, `cache.rs` is the key substring cache and `window.rs` with
//! `gather.rs` what makes it stand for more than eight bytes, `descent.rs` drives them leftmost first and
//! `stream.rs` and `front.rs` hand out results before the end.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod adaptive;
#[cfg(feature = "arrow")]
mod arrow;
#[cfg(all(feature = "std", target_arch = "x86_64", not(miri)))]
mod bits;
mod buffers;
mod bytes;
mod cache;
#[cfg(feature = "parallel")]
mod crew;
mod descent;
mod entry;
mod flag;
mod front;
mod gather;
mod huge_pages;
#[cfg(feature = "parallel")]
mod in_order;
mod indices;
mod keys;
mod lcp;
mod memory;
#[cfg(feature = "parallel")]
mod parallel;
mod permute;
mod prefetch;
mod prefix;
mod presorted;
mod quicksort;
mod radix;
mod refine;
mod rows;
#[cfg(feature = "parallel")]
mod scatter;
mod settle;
mod smallsort;
mod stream;
#[cfg(feature = "parallel")]
mod text;
mod top_k;
#[cfg(feature = "track")]
pub mod track;
#[cfg(not(feature = "track"))]
mod track;
mod visit;
mod window;
#[cfg(feature = "parallel")]
mod work;

/// Under Miri and a fuzzer rows are few: thresholds are tiny there, so that what is for many rows runs too.
const TINY: bool = cfg!(any(miri, fuzzing));

#[cfg(feature = "arrow")]
pub use arrow::{UnsupportedType, sort_array_to_indices, sort_rows_to_indices};
pub use bytes::Bytes;
#[cfg(feature = "parallel")]
pub use in_order::{Consumer, ReadFrom, sort_text};
pub use indices::{
    Index, sort_indices, sort_indices_by_key, sort_indices_with, sort_stable_indices,
    sort_stable_indices_by_key, sort_stable_indices_with,
};
pub use lcp::{lcp_array, sort_indices_lcp};
pub use memory::Scratch;
#[cfg(feature = "parallel")]
pub use parallel::{par_sort, par_sort_by_key, par_sort_indices, par_sort_with};
pub use rows::{
    sort, sort_by_key, sort_by_key_with, sort_stable, sort_stable_by_key, sort_stable_by_key_with,
    sort_stable_with, sort_with,
};
pub use stream::Sorted;
#[cfg(feature = "parallel")]
pub use text::{Loader, Text, TextRow};
pub use top_k::{top_k, top_k_indices};
