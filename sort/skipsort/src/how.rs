//! What is asked of an order besides the keys.

use core::cmp::Ordering;

/// Direction and stability.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    /// Rows of equal keys stay in their order.
    pub(crate) stable: bool,
    /// Largest key first.
    pub(crate) descending: bool,
}

impl How {
    pub(crate) const STABLE: How = How { stable: true, descending: false };
    pub(crate) const UNSTABLE: How = How { stable: false, descending: false };

    /// Which of two keys comes first.
    #[inline(always)]
    pub(crate) fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        if self.descending { b.cmp(a) } else { a.cmp(b) }
    }
}
