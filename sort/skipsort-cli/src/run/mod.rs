//! Sorted runs on disk: front-coded blocks (`coded.rs`), where blocks with known first keys start (`marks.rs`), and
//! the temporary files they are in (`store.rs`).

pub(crate) mod coded;
pub(crate) mod marks;
pub(crate) mod store;
