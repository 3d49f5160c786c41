//! Values of a fixed width, between arrays and records.

use datafusion::arrow::buffer::MutableBuffer;

/// Calls the function of a width that is known when it runs.
macro_rules! of_width {
    ($width:expr, $of:ident $args:tt) => {
        match $width {
            1 => $of::<1> $args,
            2 => $of::<2> $args,
            4 => $of::<4> $args,
            8 => $of::<8> $args,
            16 => $of::<16> $args,
            32 => $of::<32> $args,
            width => unreachable!("no value of arrow has {width} bytes"),
        }
    };
}

/// Writes the values of an array, each so far before where its row starts.
pub(crate) fn scatter(width: usize, values: &[u8], starts: &[usize], back: usize, text: &mut [u8]) {
    of_width!(width, scatter_of(values, starts, back, text))
}

fn scatter_of<const WIDTH: usize>(values: &[u8], starts: &[usize], back: usize, text: &mut [u8]) {
    let (values, _) = values.as_chunks::<WIDTH>();
    for (value, start) in values.iter().zip(starts) {
        text[start - back..][..WIDTH].copy_from_slice(value);
    }
}

/// Takes values, each so far before where its row starts.
pub(crate) fn gather(width: usize, text: &[u8], starts: &[usize], back: usize, values: &mut MutableBuffer) {
    of_width!(width, gather_of(text, starts, back, values))
}

fn gather_of<const WIDTH: usize>(text: &[u8], starts: &[usize], back: usize, values: &mut MutableBuffer) {
    for start in starts {
        values.extend_from_slice(&array_at::<WIDTH>(text, start - back));
    }
}

/// So many bytes from there on.
#[inline(always)]
pub(crate) fn array_at<const WIDTH: usize>(text: &[u8], at: usize) -> [u8; WIDTH] {
    text[at..at + WIDTH].try_into().expect("a range of that length")
}
