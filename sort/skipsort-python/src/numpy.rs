//! Keys of NumPy's arrays of strings: `S`, sorted where they are, and `U`, four bytes a character, sorted as UTF-8.

use std::num::NonZeroUsize;
use std::slice;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::order::{How, Order, list_for, numbers};

/// Sorts an array of one dimension and of type `S` or `U`. Nobody may write to it meanwhile.
#[pyfunction]
#[pyo3(signature = (array, *, reverse, limit, threads))]
pub(crate) fn order_numpy(
    py: Python<'_>,
    array: &Bound<'_, PyAny>,
    reverse: bool,
    limit: Option<usize>,
    threads: Option<NonZeroUsize>,
) -> PyResult<Order> {
    let buffer = PyUntypedBuffer::get(array)?;
    let how = How::new(reverse, limit, threads);
    let rows = rows(&buffer)?;
    let sorted = match Kind::of(&buffer)? {
        Kind::Bytes => numbers(py, &rows, how)?,
        Kind::Characters { swapped } => {
            let text = py.detach(|| Utf8::of(&rows, swapped)).map_err(|row| {
                PyValueError::new_err(format!("row {row} has a character that is no code point"))
            })?;
            numbers(py, &text.keys()?, how)?
        }
    };
    Ok(Order::new(sorted))
}

/// What the elements are.
enum Kind {
    /// Bytes, filled up with zeros. As many zeros more change no order.
    Bytes,
    /// Code points of four bytes, filled up with zeros, perhaps in the other byte order.
    Characters { swapped: bool },
}

impl Kind {
    fn of(buffer: &PyUntypedBuffer) -> PyResult<Kind> {
        let format = buffer.format().to_string_lossy();
        let swapped = if cfg!(target_endian = "little") { '>' } else { '<' };
        match format.trim_start_matches(['<', '>', '=', '@']).trim_start_matches(|c: char| c.is_ascii_digit())
        {
            "s" => Ok(Kind::Bytes),
            "w" => Ok(Kind::Characters { swapped: format.starts_with(swapped) }),
            _ => Err(PyTypeError::new_err(format!("elements of format {format} are neither bytes nor str"))),
        }
    }
}

/// The bytes of all elements.
fn rows(buffer: &PyUntypedBuffer) -> PyResult<Vec<&[u8]>> {
    let (&[count], &[stride]) = (buffer.shape(), buffer.strides()) else {
        let dimensions = buffer.dimensions();
        return Err(PyValueError::new_err(format!(
            "the array has {dimensions} dimensions; sort one row of it"
        )));
    };
    let start = buffer.buf_ptr().cast::<u8>();
    let mut rows = list_for(count)?;
    for row in 0..count as isize {
        // SAFETY: a buffer of this shape has an element of that many bytes there, for as long as it is borrowed. The caller of
        // `order_numpy` keeps others from writing to it.
        rows.push(unsafe { slice::from_raw_parts(start.offset(row * stride), buffer.item_size()) });
    }
    Ok(rows)
}

/// Texts one behind the other.
struct Utf8 {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Utf8 {
    /// Fails with the number of a row that has something else than code points.
    fn of(rows: &[&[u8]], swapped: bool) -> Result<Self, usize> {
        let mut text = Utf8 { bytes: Vec::new(), ends: Vec::with_capacity(rows.len()) };
        for (number, row) in rows.iter().enumerate() {
            let (characters, _) = row.as_chunks::<4>();
            let used = characters.iter().rposition(|c| *c != [0; 4]).map_or(0, |last| last + 1);
            for character in &characters[..used] {
                let native = u32::from_ne_bytes(*character);
                text.push(if swapped { native.swap_bytes() } else { native }).ok_or(number)?;
            }
            text.ends.push(text.bytes.len());
        }
        Ok(text)
    }

    /// Halves of surrogate pairs are encoded like any other code point of their size, which gives them their place.
    fn push(&mut self, code: u32) -> Option<()> {
        let tail = |shift: u32| 0x80 | (code >> shift & 0x3f) as u8;
        match code {
            0..0x80 => self.bytes.push(code as u8),
            0x80..0x800 => self.bytes.extend([0xc0 | (code >> 6) as u8, tail(0)]),
            0x800..0x1_0000 => self.bytes.extend([0xe0 | (code >> 12) as u8, tail(6), tail(0)]),
            0x1_0000..0x11_0000 => {
                self.bytes.extend([0xf0 | (code >> 18) as u8, tail(12), tail(6), tail(0)]);
            }
            _ => return None,
        }
        Some(())
    }

    fn keys(&self) -> PyResult<Vec<&[u8]>> {
        let mut keys = list_for(self.ends.len())?;
        let mut start = 0;
        for &end in &self.ends {
            keys.push(&self.bytes[start..end]);
            start = end;
        }
        Ok(keys)
    }
}
