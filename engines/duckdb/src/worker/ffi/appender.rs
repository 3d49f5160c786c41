//! Appends rows to a table, in chunks of the library's own size.

use std::ptr;

use humdrum_engine_worker::orderby::Value;

use super::chunk::Kind;
use super::database::{Connection, c_text};
use super::symbols::{RawAppender, RawChunk, RawVector, SUCCESS, text};

/// Rows on their way into a table.
pub(crate) struct Appender<'a> {
    connection: &'a Connection,
    appender: *mut RawAppender,
    chunk: *mut RawChunk,
    /// Columns, in the table's order.
    kinds: Vec<Kind>,
    /// Rows in the chunk, and the most it takes.
    rows: u64,
    rows_most: u64,
}

impl<'a> Appender<'a> {
    pub(super) fn new(connection: &'a Connection, table: &str, kinds: &[Kind]) -> Result<Self, String> {
        let symbols = connection.symbols;
        let table = c_text(table)?;
        let mut new = Self {
            connection,
            appender: ptr::null_mut(),
            chunk: ptr::null_mut(),
            kinds: kinds.to_vec(),
            rows: 0,
            rows_most: 0,
        };
        // SAFETY: an open connection; the table's name lives until the call returns; types are destroyed after the chunk has
        // copied them. `Appender` destroys the appender and the chunk, null or not.
        unsafe {
            new.rows_most = (symbols.duckdb_vector_size)();
            let state = (symbols.duckdb_appender_create)(
                connection.connection,
                ptr::null(),
                table.as_ptr(),
                &raw mut new.appender,
            );
            if state != SUCCESS {
                return Err(new.error());
            }
            let mut types: Vec<_> =
                kinds.iter().map(|kind| (symbols.duckdb_create_logical_type)(kind.number())).collect();
            new.chunk = (symbols.duckdb_create_data_chunk)(types.as_mut_ptr(), types.len() as u64);
            types.iter_mut().for_each(|kind| (symbols.duckdb_destroy_logical_type)(ptr::from_mut(kind)));
        }
        if new.chunk.is_null() { Err("the library makes no chunk".to_owned()) } else { Ok(new) }
    }

    /// Appends a row with a value for each column.
    ///
    /// # Errors
    /// What the library says.
    ///
    /// # Panics
    /// If a value is not of its column's kind.
    pub(crate) fn append<const COLUMNS: usize>(&mut self, row: [Value<'_>; COLUMNS]) -> Result<(), String> {
        assert_eq!(COLUMNS, self.kinds.len(), "a value for each column");
        for (number, value) in row.into_iter().enumerate() {
            self.put(number, value);
        }
        self.rows += 1;
        if self.rows == self.rows_most { self.send() } else { Ok(()) }
    }

    fn put(&mut self, number: usize, value: Value<'_>) {
        let symbols = self.connection.symbols;
        // SAFETY: the chunk is live and has a column of this number, since the caller checked how many there are.
        let vector: *mut RawVector =
            unsafe { (symbols.duckdb_data_chunk_get_vector)(self.chunk, number as u64) };
        match (self.kinds[number], value) {
            (Kind::Integer | Kind::Timestamp, Value::Integer(integer)) => {
                // SAFETY: the vector has room for `rows_most` values of eight bytes, and `rows` is below that.
                unsafe {
                    let data = (symbols.duckdb_vector_get_data)(vector).cast::<i64>();
                    *data.add(self.rows as usize) = integer;
                }
            }
            (Kind::Text, Value::Text(bytes)) => {
                // SAFETY: the vector is of texts and `rows` is below its room; the library copies the bytes.
                unsafe {
                    let (start, length) = (bytes.as_ptr().cast(), bytes.len() as u64);
                    (symbols.duckdb_vector_assign_string_element_len)(vector, self.rows, start, length);
                }
            }
            (kind, value) => panic!("{value:?} is not of kind {kind:?}"),
        }
    }

    /// Appends the chunk and empties it.
    fn send(&mut self) -> Result<(), String> {
        let symbols = self.connection.symbols;
        // SAFETY: both are live, and all rows of the chunk below `rows` were filled.
        let state = unsafe {
            (symbols.duckdb_data_chunk_set_size)(self.chunk, self.rows);
            let state = (symbols.duckdb_append_data_chunk)(self.appender, self.chunk);
            (symbols.duckdb_data_chunk_reset)(self.chunk);
            state
        };
        self.rows = 0;
        if state == SUCCESS { Ok(()) } else { Err(self.error()) }
    }

    /// Appends what is left.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn end(mut self) -> Result<(), String> {
        if self.rows > 0 {
            self.send()?;
        }
        // SAFETY: the appender is live.
        let state = unsafe { (self.connection.symbols.duckdb_appender_flush)(self.appender) };
        if state == SUCCESS { Ok(()) } else { Err(self.error()) }
    }

    fn error(&self) -> String {
        // SAFETY: the appender is null or live, which the function allows; its text is copied at once.
        let said = unsafe { text((self.connection.symbols.duckdb_appender_error)(self.appender)) };
        said.unwrap_or_else(|| "the library does not append".to_owned())
    }
}

impl Drop for Appender<'_> {
    fn drop(&mut self) {
        let symbols = self.connection.symbols;
        // SAFETY: null or made by `new`, and destroyed once; the functions leave null alone.
        unsafe {
            (symbols.duckdb_destroy_data_chunk)(&raw mut self.chunk);
            (symbols.duckdb_appender_destroy)(&raw mut self.appender);
        }
    }
}
