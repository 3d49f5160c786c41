//! Where the output goes: standard output, or a file that stays whole or untouched (`destination.rs`, `fresh.rs`).

pub(crate) mod destination;
mod fresh;
