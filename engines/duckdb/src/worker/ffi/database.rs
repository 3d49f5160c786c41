//! An open database, its connections, and answers as streams of chunks.

use std::ffi::CString;
use std::marker::PhantomData;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use humdrum_engine_worker::orderby::Value;

use super::appender::Appender;
use super::chunk::{Chunk, Kind};
use super::symbols::{RawConnection, RawDatabase, RawResult, RawStatement, SUCCESS, Symbols, text};

/// A text for the library.
pub(super) fn c_text(text: &str) -> Result<CString, String> {
    CString::new(text).map_err(|_| format!("`{}` holds a NUL", text.replace('\0', "\\0")))
}

/// An open database.
pub(crate) struct Database {
    symbols: &'static Symbols,
    database: *mut RawDatabase,
}

// SAFETY: the library's databases may be used from any thread at once (connections may not), and this holds nothing else.
unsafe impl Send for Database {}
// SAFETY: as above.
unsafe impl Sync for Database {}

impl Database {
    /// Opens a file with settings, or makes it.
    ///
    /// # Errors
    /// A setting that the library does not take; a file that it cannot open.
    pub(crate) fn open(
        symbols: &'static Symbols,
        file: &Path,
        settings: &[(String, String)],
    ) -> Result<Self, String> {
        let file = c_text(&file.display().to_string())?;
        let mut config = ptr::null_mut();
        let (mut database, mut error) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: `config` is made, filled and destroyed here; texts live until the call that takes them returns, and the
        // library copies them. An error is the library's own text, which is ours to free with its function.
        unsafe {
            if (symbols.duckdb_create_config)(&raw mut config) != SUCCESS {
                return Err("the library makes no configuration".to_owned());
            }
            let refused = settings.iter().find_map(|(key, value)| {
                let (Ok(name), Ok(option)) = (c_text(key), c_text(value)) else { return Some(key) };
                let state = (symbols.duckdb_set_config)(config, name.as_ptr(), option.as_ptr());
                (state != SUCCESS).then_some(key)
            });
            let opened = match refused {
                Some(key) => Err(format!("the library does not take the setting `{key}` with this value")),
                None => {
                    Ok((symbols.duckdb_open_ext)(file.as_ptr(), &raw mut database, config, &raw mut error))
                }
            };
            (symbols.duckdb_destroy_config)(&raw mut config);
            let said = text(error);
            (symbols.duckdb_free)(error.cast());
            match opened? {
                SUCCESS => Ok(Self { symbols, database }),
                _ => Err(said.unwrap_or_else(|| "the library does not open its file".to_owned())),
            }
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: opened by `open`, dropped once; connections hold it, so none is left.
        unsafe { (self.symbols.duckdb_close)(&raw mut self.database) }
    }
}

/// A connection. It stays in the thread that opened it.
pub(crate) struct Connection {
    pub(super) symbols: &'static Symbols,
    pub(super) connection: *mut RawConnection,
    _database: Arc<Database>,
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn open(database: &Arc<Database>) -> Result<Self, String> {
        let symbols = database.symbols;
        let mut connection = ptr::null_mut();
        // SAFETY: the database is open as long as the connection, which holds it.
        let state = unsafe { (symbols.duckdb_connect)(database.database, &raw mut connection) };
        if state != SUCCESS {
            return Err("the library makes no connection".to_owned());
        }
        Ok(Self { symbols, connection, _database: Arc::clone(database) })
    }

    /// Runs a statement that answers nothing.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn execute(&self, sql: &str) -> Result<(), String> {
        let mut stream = self.stream(sql)?;
        while stream.next_chunk()?.is_some() {}
        Ok(())
    }

    /// Runs a query whose answer has two columns of text.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn pairs(&self, sql: &str) -> Result<Vec<(String, String)>, String> {
        let mut pairs = Vec::new();
        let mut stream = self.stream(sql)?;
        while let Some(chunk) = stream.next_chunk()? {
            chunk.each(&[Kind::Text, Kind::Text], |row| {
                if let [Value::Text(name), Value::Text(value)] = row {
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    pairs.push((text(name), text(value)));
                }
                Ok::<(), String>(())
            })?;
        }
        Ok(pairs)
    }

    /// Begins a query. Its rows are computed as they are asked for, as far as the query allows.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn stream(&self, sql: &str) -> Result<Stream<'_>, String> {
        let symbols = self.symbols;
        let sql = c_text(sql)?;
        let mut statement = Statement { symbols, statement: ptr::null_mut() };
        // SAFETY: an open connection; the text lives until the call returns. A statement is made even where it fails, and
        // has the error; `Statement` destroys it.
        unsafe {
            let state = (symbols.duckdb_prepare)(self.connection, sql.as_ptr(), &raw mut statement.statement);
            if state != SUCCESS {
                let said = text((symbols.duckdb_prepare_error)(statement.statement));
                return Err(said.unwrap_or_else(|| "the library does not take the query".to_owned()));
            }
        }
        let mut stream = Stream { symbols, result: RawResult::empty(), statement, _connection: PhantomData };
        // SAFETY: the statement is prepared; the result is empty, and `Stream` destroys it whatever came of the call.
        let state = unsafe {
            (symbols.duckdb_execute_prepared_streaming)(stream.statement.statement, &raw mut stream.result)
        };
        if state == SUCCESS { Ok(stream) } else { Err(stream.error().unwrap_or_else(unsaid)) }
    }

    /// Begins to append rows to a table whose columns are of these kinds.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn appender(&self, table: &str, kinds: &[Kind]) -> Result<Appender<'_>, String> {
        Appender::new(self, table, kinds)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: opened by `open`, dropped once; streams and appenders borrow it, so none is left.
        unsafe { (self.symbols.duckdb_disconnect)(&raw mut self.connection) }
    }
}

fn unsaid() -> String {
    "the query failed".to_owned()
}

struct Statement {
    symbols: &'static Symbols,
    statement: *mut RawStatement,
}

impl Drop for Statement {
    fn drop(&mut self) {
        // SAFETY: null or made by `duckdb_prepare`, and destroyed once.
        unsafe { (self.symbols.duckdb_destroy_prepare)(&raw mut self.statement) }
    }
}

/// An answer that is being read.
pub(crate) struct Stream<'a> {
    symbols: &'static Symbols,
    result: RawResult,
    statement: Statement,
    _connection: PhantomData<&'a Connection>,
}

impl Stream<'_> {
    /// The next rows; `None` behind the last.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn next_chunk(&mut self) -> Result<Option<Chunk<'_>>, String> {
        // SAFETY: the result is live until `drop`; the function does not keep the copy of it that it gets.
        let chunk = unsafe { (self.symbols.duckdb_fetch_chunk)(self.result) };
        if !chunk.is_null() {
            let chunk = Chunk::new(self.symbols, chunk);
            // An empty chunk ends an answer, too.
            return Ok((chunk.rows() > 0).then_some(chunk));
        }
        self.error().map_or(Ok(None), Err)
    }

    fn error(&mut self) -> Option<String> {
        // SAFETY: the result is live; its text is copied before it can change.
        unsafe { text((self.symbols.duckdb_result_error)(&raw mut self.result)) }
    }
}

impl Drop for Stream<'_> {
    fn drop(&mut self) {
        // SAFETY: the result was filled by the library, and is destroyed once. Rows that nobody read go with it.
        unsafe { (self.symbols.duckdb_destroy_result)(&raw mut self.result) }
    }
}
