//! The quicksort step: split a group at a pivot and learn what each side shares.
//!
//! ```text
//!   rows    3 9 4 1 9 7 2   pivot 4          left:  bits of (cache ^ pivot) ORed over rows <  4
//!   left    3 1 2                            right: the same over rows >= 4
//!   right   9 4 9 7                          leading zeros = prefix shared by that side
//! ```
//!
//! Both writes of a row are made and one of them counts, so nothing is predicted. Left rows are
//! compacted in place, right rows go to the other buffer and return: the split is stable.

use crate::entry::Entry;
use crate::prefix::Varying;

/// What a split learned.
pub(crate) struct Split {
    /// Rows on the left side.
    pub(crate) left: usize,
    /// Bits that vary on the left.
    pub(crate) left_varying: Varying,
    /// Bits that vary on the right.
    pub(crate) right_varying: Varying,
}

/// Median of five, spread over the group; the group has at least five rows.
pub(crate) fn pivot<H>(rows: &[Entry<H>]) -> u64 {
    let step = rows.len() / 5;
    let mut sample: [u64; 5] = core::array::from_fn(|i| rows[i * step + step / 2].cache);
    sample.sort_unstable();
    sample[2]
}

/// Rows before `pivot` first, the others behind them, both in their old order.
pub(crate) fn split<H: Copy>(rows: &mut [Entry<H>], other: &mut [Entry<H>], pivot: u64) -> Split {
    let (mut left, mut right) = (0, 0);
    let (mut left_varying, mut right_varying) = (0, 0);
    for at in 0..rows.len() {
        let row = rows[at];
        let goes_left = row.cache < pivot;
        let differs = row.cache ^ pivot;
        rows[left] = row;
        other[right] = row;
        left += usize::from(goes_left);
        right += usize::from(!goes_left);
        left_varying |= if goes_left { differs } else { 0 };
        right_varying |= if goes_left { 0 } else { differs };
    }
    rows[left..].copy_from_slice(&other[..right]);
    Split { left, left_varying: Varying(left_varying), right_varying: Varying(right_varying) }
}
