//! Memory: how much may be used (`available.rs`), what it is divided into (`budget.rs`), and the block that a run of
//! records is read into (`arena.rs`, `fill.rs`, `shelf.rs`).

pub(crate) mod arena;
pub(crate) mod available;
pub(crate) mod budget;
pub(crate) mod fill;
mod shelf;
