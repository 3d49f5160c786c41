//! Some rows of an answer: a vector for each column.

use std::marker::PhantomData;

use humdrum_engine_worker::orderby::Value;

use super::symbols::{RawChunk, Symbols};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// 64 bits.
    Integer,
    /// Microseconds.
    Timestamp,
    /// UTF-8.
    Text,
}

impl Kind {
    /// Its name in SQL.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Integer => "BIGINT",
            Self::Timestamp => "TIMESTAMP",
            Self::Text => "VARCHAR",
        }
    }

    /// Its number in `duckdb_type`.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::Integer => 5,
            Self::Timestamp => 12,
            Self::Text => 17,
        }
    }
}

/// Texts of so many bytes are inside `RawText`.
const INLINE_MOST: usize = 12;

/// `duckdb_string_t`: a length, then the text itself or four bytes of it and a pointer to all.
#[repr(C)]
struct RawText {
    length: u32,
    prefix: [u8; 4],
    rest: Rest,
}

#[repr(C)]
union Rest {
    inline: [u8; 8],
    start: *const u8,
}

/// Rows of an answer, destroyed when they are dropped.
pub(crate) struct Chunk<'a> {
    symbols: &'static Symbols,
    chunk: *mut RawChunk,
    /// The stream that it came from.
    _stream: PhantomData<&'a ()>,
}

impl Chunk<'_> {
    /// A chunk that came from the library and is ours to destroy.
    pub(super) fn new(symbols: &'static Symbols, chunk: *mut RawChunk) -> Self {
        Self { symbols, chunk, _stream: PhantomData }
    }

    /// How many rows.
    pub(crate) fn rows(&self) -> usize {
        // SAFETY: the chunk is live until `drop`.
        unsafe { (self.symbols.duckdb_data_chunk_get_size)(self.chunk) as usize }
    }

    /// Gives each row to `take`; `kinds` are the columns' types.
    ///
    /// # Errors
    /// The first of `take`.
    pub(crate) fn each<E>(
        &self,
        kinds: &[Kind],
        mut take: impl FnMut(&[Value<'_>]) -> Result<(), E>,
    ) -> Result<(), E> {
        let columns = (0..).zip(kinds).map(|(number, kind)| (*kind, self.column(number)));
        let columns: Vec<(Kind, *const u8)> = columns.collect();
        let mut values = Vec::with_capacity(columns.len());
        for row in 0..self.rows() {
            values.clear();
            for (kind, start) in &columns {
                // SAFETY: the vector of a column of this kind has as many values as the chunk has rows; the query names
                // its columns, so their types are those of the table, and none is null.
                values.push(unsafe { value(*kind, *start, row) });
            }
            take(&values)?;
        }
        Ok(())
    }

    fn column(&self, number: u64) -> *const u8 {
        // SAFETY: the chunk is live, and the number is below its columns: kinds are those of the query.
        unsafe {
            let vector = (self.symbols.duckdb_data_chunk_get_vector)(self.chunk, number);
            (self.symbols.duckdb_vector_get_data)(vector).cast_const().cast()
        }
    }
}

/// A value of a vector.
///
/// # Safety
/// - `start` is the data of a live vector of this kind, with more than `row` values that do not change for `'a`.
/// - Texts that are not inside the vector lie in memory that the vector's chunk holds.
unsafe fn value<'a>(kind: Kind, start: *const u8, row: usize) -> Value<'a> {
    // SAFETY: the caller's promise; the library aligns vectors for their type.
    unsafe {
        match kind {
            Kind::Integer | Kind::Timestamp => Value::Integer(*start.cast::<i64>().add(row)),
            Kind::Text => {
                let text = start.cast::<RawText>().add(row);
                let length = (*text).length as usize;
                let bytes = if length <= INLINE_MOST {
                    // The prefix and the rest lie one behind the other.
                    (&raw const (*text).prefix).cast::<u8>()
                } else {
                    (*text).rest.start
                };
                // The pointer to the prefix was made from one to the whole text, so it may reach over the rest.
                Value::Text(std::slice::from_raw_parts(bytes, length))
            }
        }
    }
}

impl Drop for Chunk<'_> {
    fn drop(&mut self) {
        // SAFETY: ours to destroy, once; values borrow from it only while `each` runs.
        unsafe { (self.symbols.duckdb_destroy_data_chunk)(&raw mut self.chunk) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_inside_and_long_ones_elsewhere() {
        let long = b"a text that is longer than twelve bytes";
        let texts = [
            RawText { length: 3, prefix: *b"abc\0", rest: Rest { inline: [0; 8] } },
            RawText { length: 12, prefix: *b"abcd", rest: Rest { inline: *b"efghijkl" } },
            RawText { length: long.len() as u32, prefix: *b"a te", rest: Rest { start: long.as_ptr() } },
        ];
        let start = texts.as_ptr().cast();
        // SAFETY: three texts as the library has them, which live until the end.
        let found = [0, 1, 2].map(|row| unsafe { value(Kind::Text, start, row) });
        assert_eq!(found, [Value::Text(b"abc"), Value::Text(b"abcdefghijkl"), Value::Text(long)]);
        let numbers = [-1_i64, i64::MAX];
        // SAFETY: as above, two integers.
        let second = unsafe { value(Kind::Integer, numbers.as_ptr().cast(), 1) };
        assert_eq!((second, size_of::<RawText>()), (Value::Integer(i64::MAX), 16));
    }
}
