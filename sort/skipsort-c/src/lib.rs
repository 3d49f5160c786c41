//! The C interface of skipsort.
//!
//! `include/skipsort.h` is the documentation: it says what each function does and what its callers owe it. Here is how
//! it is done.
//!
//! | file | holds |
//! |---|---|
//! | `calls.rs` | the functions that sort |
//! | `options.rs` | how to sort, checked |
//! | `rows.rs` | arrays of the caller as slices, checked |
//! | `scratch.rs` | memory that is kept between calls |
//! | `status.rs` | codes, and the fence that no panic passes |
//! | `stop.rs` | the callback that ends a sort |
//!
//! The crate is a Rust library too, for its tests; Rust programs use `skipsort` itself.

mod calls;
mod options;
mod rows;
mod scratch;
mod status;
mod stop;

pub use calls::{skipsort_indices32, skipsort_indices64, skipsort_sort, skipsort_top_k};
pub use options::{Options, SKIPSORT_DESCENDING, SKIPSORT_UNSTABLE};
pub use rows::Row;
pub use scratch::{ScratchHandle, skipsort_scratch_bytes, skipsort_scratch_free, skipsort_scratch_new};
pub use status::{
    SKIPSORT_BAD_ARGUMENT, SKIPSORT_NO_MEMORY, SKIPSORT_OK, SKIPSORT_PANIC, SKIPSORT_STOPPED,
    skipsort_strerror, skipsort_version,
};
pub use stop::Stop;
