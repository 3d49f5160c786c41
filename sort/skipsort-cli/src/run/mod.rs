//! Sorted runs on disk: front-coded blocks (`coded.rs`), where blocks with known first keys start (`marks.rs`), the
//! temporary files they are in (`store.rs`), and how those are given back (`spent.rs`).

pub(crate) mod coded;
pub(crate) mod marks;
pub(crate) mod spent;
pub(crate) mod store;
