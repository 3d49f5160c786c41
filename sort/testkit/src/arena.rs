//! Keys one after the other in one block, as a table scan or a file would hand them over.
//!
//! ```text
//!   bytes   |key 0|key 1  ..|key 2|.....
//!   spans    ^---^ ^---^              a key need not fill its record
//! ```

use core::ops::Range;

/// A list of keys.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    bytes: Vec<u8>,
    spans: Vec<Range<usize>>,
}

impl Keys {
    /// No keys yet.
    pub fn new() -> Self {
        Keys::default()
    }

    /// `rows` keys, each written by `write` into an empty buffer.
    pub fn build(rows: usize, mut write: impl FnMut(usize, &mut Vec<u8>)) -> Self {
        let mut keys = Keys::new();
        let mut key = Vec::new();
        for row in 0..rows {
            key.clear();
            write(row, &mut key);
            keys.push(&key);
        }
        keys
    }

    /// The lines of a file, without their ends.
    pub fn from_lines(mut bytes: Vec<u8>) -> Self {
        if bytes.last().is_some_and(|&last| last != b'\n') {
            bytes.push(b'\n');
        }
        let mut start = 0;
        let newlines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let spans = newlines.map(|(at, _)| core::mem::replace(&mut start, at + 1)..at).collect();
        Keys { bytes, spans }
    }

    /// Appends a key.
    pub fn push(&mut self, key: &[u8]) {
        self.push_record(key, 0);
    }

    /// Appends a key followed by `payload` bytes that are not part of it.
    pub fn push_record(&mut self, key: &[u8], payload: usize) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.spans.push(start..self.bytes.len());
        self.bytes.resize(self.bytes.len() + payload, b'.');
    }

    /// Appends a key that is the first `len` bytes of the block's last `of` bytes: no copy.
    pub fn push_prefix_of_tail(&mut self, of: usize, len: usize) {
        let start = self.bytes.len() - of;
        self.spans.push(start..start + len);
    }

    /// Appends bytes that belong to no key yet.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Puts the keys in another order; the bytes stay where they are.
    pub fn reorder(&mut self, order: impl FnOnce(&[u8], &mut [Range<usize>])) {
        order(&self.bytes, &mut self.spans);
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// True without keys.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The key of a row.
    pub fn get(&self, row: usize) -> &[u8] {
        &self.bytes[self.spans[row].clone()]
    }

    /// All keys in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.spans.iter().map(|span| &self.bytes[span.clone()])
    }

    /// All keys as a vector that a sort can take.
    pub fn slices(&self) -> Vec<&[u8]> {
        self.iter().collect()
    }

    /// The first `rows` keys.
    pub fn truncate(&mut self, rows: usize) {
        self.spans.truncate(rows);
    }
}
