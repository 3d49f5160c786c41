//! The native half of the Python package `skipsort`.
//!
//! `python/skipsort/` looks at what kind of rows it was given and calls one of the functions here. Each of them finds the
//! keys of its kind (`objects.rs`, `numpy.rs`, `arrow.rs` with `values.rs`), all as slices of bytes, and `order.rs` sorts those
//! without the interpreter's lock, which `interrupt.rs` takes now and then to look for signals. `external.rs` sorts files.

mod arrow;
mod destination;
mod external;
mod interrupt;
mod numpy;
mod objects;
mod order;
mod values;

/// Functions and classes that `python/skipsort/_native.pyi` describes.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::arrow::{order_array, order_stream};
    #[pymodule_export]
    use crate::external::external_sort;
    #[pymodule_export]
    use crate::numpy::order_numpy;
    #[pymodule_export]
    use crate::objects::{order_objects, picked};
    #[pymodule_export]
    use crate::order::Order;
}
