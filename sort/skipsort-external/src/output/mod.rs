//! Output of several threads: rows become parts (`writer.rs`), which are put in order (`sink.rs`) and taken by a target
//! (`part.rs`).

pub(crate) mod part;
pub(crate) mod sink;
pub(crate) mod writer;
