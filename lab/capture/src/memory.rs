//! What bounds the memory of a capture, whatever a log holds.

use crate::event::Value;
use crate::reservoir::Bytes;

/// A longer statement loads data; no workload has it as an operation.
pub(crate) const STATEMENT_BYTES_MAX: usize = 1 << 20;
/// Values of a statement: no protocol carries more parameters.
pub(crate) const VALUES_MAX: usize = 65_535;
/// Statements of all open transactions.
pub(crate) const OPEN_BYTES_MAX: usize = 64 << 20;
/// Texts of all patterns.
pub(crate) const TEXTS_BYTES_MAX: usize = 64 << 20;
/// Samples of all patterns.
pub(crate) const SAMPLES_BYTES_MAX: usize = 128 << 20;
/// Reasons why statements are left out.
pub(crate) const REASONS_MAX: usize = 1000;
/// What an allocation takes beside its bytes.
const ALLOCATION: usize = 16;

impl Bytes for Value {
    fn bytes(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Null => 0,
                Self::Number(text) | Self::Text(text) => text.len() + ALLOCATION,
            }
    }
}

impl Bytes for Box<[Value]> {
    fn bytes(&self) -> usize {
        size_of::<Self>() + ALLOCATION + self.iter().map(Bytes::bytes).sum::<usize>()
    }
}

/// Adds a further line of a statement. One that is too long to be kept grows no further: it stays too long.
pub(crate) fn push_line(text: &mut String, line: &str) {
    if text.len() <= STATEMENT_BYTES_MAX {
        text.push('\n');
        text.push_str(line);
    }
}

/// What a pattern takes beside its samples but for its first one, which always stays.
pub(crate) fn of_pattern(text_bytes: usize, values: usize, given_bytes: usize) -> usize {
    let piece = size_of::<String>() + ALLOCATION;
    2 * text_bytes + values * (2 * piece + size_of::<Value>() + ALLOCATION) + given_bytes
}

/// What values take.
pub(crate) fn of_values(values: &[Value]) -> usize {
    values.iter().map(Bytes::bytes).sum()
}
