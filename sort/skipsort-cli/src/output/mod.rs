//! Writing: pieces from several threads in order (`sink.rs`), made of rows (`writer.rs`), to a place that changes only
//! when all is well (`destination.rs`, `fresh.rs`).

pub(crate) mod destination;
mod fresh;
pub(crate) mod sink;
pub(crate) mod target;
pub(crate) mod writer;
