//! What runs in the worker processes of engines. It has few dependencies, because one worker is built in a workspace of its
//! own (`engines/datafusion/worker`).
//!
//! ```text
//!   frames.rs    messages to and from a worker         library.rs   a shared library that a worker loads
//!   orderby/     a worker that answers ordered queries: its table, its queries, its messages, its loop
//!   heap.rs      the heap: giving freed memory back, and one for all threads
//! ```

pub mod frames;
pub mod heap;
mod library;
pub mod orderby;

pub use library::Library;
