//! What the sorts are tested and measured with: patterns of keys, kinds of rows, a naive oracle, one property suite.
//!
//! ```
//! use skipsort_testkit::{oracle, patterns};
//! let keys = patterns::find("url").unwrap().keys(100, 1);
//! let mut rows = keys.slices();
//! rows.sort_unstable();
//! oracle::check_sorted(&keys.slices(), &rows).unwrap();
//! ```

pub mod arena;
pub mod oracle;
pub mod patterns;
pub mod rng;
pub mod rows;
pub mod suite;

pub use arena::Keys;
