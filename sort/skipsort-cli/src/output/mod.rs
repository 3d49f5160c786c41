//! Writing: pieces from several threads in order (`sink.rs`), made of rows (`writer.rs`), to a place that changes only
//! when all is well (`destination.rs`).

pub(crate) mod destination;
pub(crate) mod sink;
pub(crate) mod target;
pub(crate) mod writer;
