//! Memory: what it is divided into (`budget.rs`), the block that a run of records is read into (`arena.rs`), and rows that
//! a caller pushes (`pushed.rs`).

pub(crate) mod arena;
pub(crate) mod budget;
pub(crate) mod pushed;
