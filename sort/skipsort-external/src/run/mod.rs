//! Sorted runs outside of memory: front-coded blocks that check themselves (`coder.rs` writes, `coded.rs` reads), where
//! blocks with known first keys start (`marks.rs`), runs and their storage (`store.rs`), and how room is given back
//! (`spent.rs`).

pub(crate) mod coded;
pub(crate) mod coder;
pub(crate) mod marks;
pub(crate) mod spent;
pub(crate) mod store;
