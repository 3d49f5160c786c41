//! The C interface of skipsort.
//!
//! `include/skipsort.h` is the documentation: it says what each function does and what its callers owe it. Here is how
//! it is done.
//!
//! | file | holds |
//! |---|---|
//! | `calls.rs` | the functions that sort an array |
//! | `sorter.rs`, `sorter_options.rs` | a sort of rows that come one by one |
//! | `allocator.rs` | where the memory comes from |
//! | `options.rs` | how to sort, checked |
//! | `rows.rs` | arrays of the caller as slices, checked |
//! | `scratch.rs` | memory that is kept between calls |
//! | `status.rs` | codes, and the fence that no panic passes |
//! | `stop.rs` | the callback that ends a sort |
//!
//! The crate is a Rust library too, for its tests; Rust programs use `skipsort` itself.

mod allocator;
mod calls;
mod options;
mod rows;
mod scratch;
#[cfg(target_os = "linux")]
mod sorter;
#[cfg(target_os = "linux")]
mod sorter_options;
mod status;
mod stop;

pub use allocator::{Allocate, Allocator, Release, skipsort_use_allocator};
pub use calls::{skipsort_indices32, skipsort_indices64, skipsort_sort, skipsort_top_k};
pub use options::{Options, SKIPSORT_DESCENDING, SKIPSORT_UNSTABLE};
pub use rows::Row;
pub use scratch::{ScratchHandle, skipsort_scratch_bytes, skipsort_scratch_free, skipsort_scratch_new};
#[cfg(target_os = "linux")]
pub use sorter::{
    Record, SorterHandle, Take, skipsort_sorter_each, skipsort_sorter_finish, skipsort_sorter_free,
    skipsort_sorter_message, skipsort_sorter_new, skipsort_sorter_next, skipsort_sorter_push,
};
#[cfg(target_os = "linux")]
pub use sorter_options::{SKIPSORT_DISTINCT, SorterOptions};
pub use status::{
    SKIPSORT_BAD_ARGUMENT, SKIPSORT_END, SKIPSORT_NO_MEMORY, SKIPSORT_OK, SKIPSORT_PANIC, SKIPSORT_STOPPED,
    SKIPSORT_STORAGE, skipsort_strerror, skipsort_version,
};
pub use stop::Stop;
