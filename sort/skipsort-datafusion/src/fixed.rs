//! Values of a fixed width, between arrays and records. Views are such values, and lead to buffers.

use datafusion::arrow::array::{ArrayData, ByteView};
use datafusion::arrow::buffer::{Buffer, MutableBuffer};

/// Longest value that a view has inside.
const INLINE: u32 = 12;

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

/// The views of an array, whose buffers come behind these; those of nulls are of nothing.
pub(crate) fn views(array: &ArrayData, buffers: &mut Vec<Buffer>) -> Buffer {
    let before = buffers.len() as u32;
    buffers.extend_from_slice(&array.buffers()[1..]);
    let views: &[u128] = &array.buffers()[0].typed_data()[array.offset()..array.offset() + array.len()];
    let moved = views.iter().enumerate().map(|(row, &view)| {
        let mut view = if array.is_null(row) { ByteView::default() } else { ByteView::from(view) };
        if view.length > INLINE {
            view.buffer_index += before;
        }
        view.as_u128()
    });
    Buffer::from_vec(moved.collect::<Vec<u128>>())
}

/// The buffers that views lead to. They lead to these, then.
pub(crate) fn used(views: &mut MutableBuffer, buffers: &[Buffer]) -> Vec<Buffer> {
    let (mut used, mut places) = (Vec::new(), vec![None; buffers.len()]);
    for view in views.typed_data_mut::<u128>() {
        let mut one = ByteView::from(*view);
        if one.length > INLINE {
            let buffer = one.buffer_index as usize;
            one.buffer_index = *places[buffer].get_or_insert_with(|| {
                used.push(buffers[buffer].clone());
                used.len() as u32 - 1
            });
            *view = one.as_u128();
        }
    }
    used
}
