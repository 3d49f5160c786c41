//! The library used as its callers do: one binary, so that its generic code is compiled once.

#[cfg(feature = "arrow")]
mod arrow;
mod bounds;
mod bytes;
mod callbacks;
#[cfg(feature = "parallel")]
mod callbacks_parallel;
#[cfg(feature = "arrow")]
mod columns;
mod destructors;
mod equals;
mod scratch;
mod sizes;
#[cfg(feature = "parallel")]
mod text;
