//! Row numbers, in the type that the caller keeps them in.

/// A row number: `u32`, `u64` or `usize`.
///
/// ```
/// let small: Vec<u32> = skipsort::sort_indices(&["b", "a"]);
/// let large: Vec<usize> = skipsort::sort_indices(&["b", "a"]);
/// assert!(small == [1, 0] && large == [1, 0]);
/// ```
pub trait Index: Copy + Ord + sealed::Sealed {
    /// The number of a row.
    ///
    /// # Panics
    /// If it does not fit.
    fn from_row(row: usize) -> Self;
    /// Back to the row.
    fn row(self) -> usize;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! index {
    ($($number:ty),*) => {$(
        impl sealed::Sealed for $number {}
        impl Index for $number {
            #[inline(always)]
            fn from_row(row: usize) -> Self {
                Self::try_from(row).expect("the row number fits into the index type")
            }
            #[inline(always)]
            fn row(self) -> usize {
                self as usize
            }
        }
    )*};
}

index!(u32, u64, usize);
