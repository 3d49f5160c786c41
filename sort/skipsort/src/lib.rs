//! Sorts byte-string keys by skipping the bytes they share.
//!
//! ```
//! use skipsort::SkipSort;
//!
//! let mut paths = vec!["/usr/share/doc", "/usr/bin", "/etc"];
//! paths.skip_sort();
//! assert_eq!(paths, ["/etc", "/usr/bin", "/usr/share/doc"]);
//! ```
//!
//! | for | there is |
//! |---|---|
//! | rows in place | [`SkipSort`], methods of slices; [`sort`] |
//! | row numbers | [`sort_indices`] |
//! | memory that is kept or bounded, descending order, a number of threads | [`Sorter`] over [`Scratch`] |
//! | the first rows early | [`Sorted`], [`top_k`](top_k()), [`top_k_indices`] |
//! | shared prefixes of neighbours, groups, merges | [`lcp_array`], [`groups`], [`merge`](merge()) |
//! | keys | [`Bytes`] of a row, [`KeyBuilder`] for several columns |
//! | a text that is being read (feature `parallel`) | `Loader`, `Text`, `Consumer` |
//! | Arrow (feature `arrow`) | `sort_array_to_indices`, `sort_rows_to_indices` |
//!
//! Every sort is stable, but those that say they are not.
//!
//! Prefer it over the standard library for a hundred rows and more whose keys are strings: paths,
//! URLs, identifiers, encoded composite keys. Prefer the standard library for few rows, integers and
//! nearly sorted input. The README has figures, the algorithm in drawings and the sources.
//!
//! Where the ideas are: `prefix.rs`, `refine.rs` and `comb.rs` skip common prefixes, `adaptive.rs` switches between
//! `quicksort.rs`, `radix.rs` and `smallsort.rs`, `equals.rs` parts groups of few keys, `cache.rs` is the key substring cache and `window.rs` with
//! `gather.rs` what makes it stand for more than eight bytes, `descent.rs` drives them leftmost first and
//! `stream.rs` and `front.rs` hand out results before the end.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod adaptive;
mod agenda;
#[cfg(feature = "arrow")]
mod arrow;
#[cfg(all(feature = "std", target_arch = "x86_64", not(miri)))]
mod bits;
mod block;
mod buffers;
mod bytes;
mod cache;
mod columns;
mod comb;
mod compact;
#[cfg(feature = "parallel")]
mod crew;
mod descent;
mod entry;
mod equals;
#[cfg(feature = "parallel")]
mod first_groups;
mod flag;
mod front;
mod gather;
mod how;
mod huge_pages;
#[cfg(feature = "parallel")]
mod in_order;
mod index;
mod indices;
mod keys;
mod lcp;
mod memory;
mod merge;
mod packed;
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
mod rows_par;
#[cfg(feature = "parallel")]
mod scatter;
mod settle;
mod slice;
mod smallsort;
mod sorter;
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
pub use columns::{Column, ColumnOrder, KeyBuilder};
#[cfg(feature = "parallel")]
pub use in_order::{Consumer, ReadFrom};
pub use index::Index;
pub use lcp::{groups, lcp_array};
pub use memory::Scratch;
pub use merge::merge;
pub use slice::{SkipSort, sort, sort_indices};
pub use sorter::Sorter;
pub use stream::Sorted;
#[cfg(feature = "parallel")]
pub use text::{Loader, Text, TextRow};
pub use top_k::{top_k, top_k_indices};
