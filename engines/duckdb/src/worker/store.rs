//! A database with one table, and sessions that query it.
//!
//! The table is in a file, not compressed, so that a query reads its values as they are and the memory of a query is its own:
//! pages of a table in memory would count against `memory_limit`, and would be spilled first.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use humdrum_contract::{OrderColumn, OrderMade, OrderQuery, OrderTable};
use humdrum_engine_worker::orderby::{
    About, Answer, Note, Orders, Queries, Store, TABLE, Table, Timed, Trouble, select,
};

use super::ffi::{Connection, Database, Kind, Symbols};

/// What the lab sets, unless the user does: one thread, because the lab binds what serves a client to one processor; values as
/// they are; no extension is fetched.
const USUAL: [(&str, &str); 4] = [
    ("threads", "1"),
    ("force_compression", "uncompressed"),
    ("autoinstall_known_extensions", "false"),
    ("autoload_known_extensions", "false"),
];

const MEMORY: &str = "memory_limit";

/// The library ends a query whose stream was given up when the connection's next one begins. With this one, that is part of no
/// operation's time.
const NOTHING: &str = "SELECT 1";

/// Endings of settings that are left out of the record: those that name files differ between servers of one build, and what
/// profiling would count is a page of text.
const LEFT_OUT: [&str; 5] = ["custom_profiling_settings", "directory", "directories", "file", "path"];

/// A database.
pub(super) struct DuckStore {
    database: Arc<Database>,
    symbols: &'static Symbols,
    /// The limit that the user typed.
    memory_typed: Option<String>,
    /// The limit that a query has set; shared, because the library has one for all sessions.
    memory: Arc<Mutex<Option<u64>>>,
}

impl DuckStore {
    /// Opens the file of a server, which has a table if an earlier start made one.
    ///
    /// # Errors
    /// What the library says, about a setting above all.
    pub(super) fn open(symbols: &'static Symbols, orders: &Orders) -> Result<Self, String> {
        let spilled = orders.folder.join("spilled");
        let file = orders.folder.join("table.duckdb");
        // What a worker left that was killed while it made its table.
        if Note::of(orders).read().is_none() {
            for left in [&file, &with(&file, ".wal")] {
                let _ = fs::remove_file(left);
            }
        }
        let mut settings: Vec<(String, String)> =
            USUAL.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        settings.retain(|(key, _)| orders.settings.iter().all(|(typed, _)| typed != key));
        settings.extend(orders.settings.iter().cloned());
        settings.push(("temp_directory".to_owned(), spilled.display().to_string()));
        let database = Arc::new(Database::open(symbols, &file, &settings)?);
        let typed = orders.settings.iter().find(|(key, _)| key == MEMORY).map(|(_, value)| value.clone());
        Ok(Self { database, symbols, memory_typed: typed, memory: Arc::default() })
    }

    fn connect(&self) -> Result<Connection, Trouble> {
        Connection::open(&self.database).map_err(Trouble::Refused)
    }
}

fn with(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn kind(column: OrderColumn) -> Kind {
    match column {
        OrderColumn::Seen => Kind::Timestamp,
        column if column.is_text() => Kind::Text,
        _ => Kind::Integer,
    }
}

fn create() -> String {
    let column = |column: OrderColumn| format!("{} {} NOT NULL", column.name(), kind(column).name());
    let columns: Vec<String> = OrderColumn::ALL.into_iter().map(column).collect();
    format!("CREATE OR REPLACE TABLE {TABLE} ({})", columns.join(", "))
}

impl Store for DuckStore {
    fn about(&self) -> Result<About, Trouble> {
        let connection = self.connect()?;
        let question = "SELECT name, value FROM duckdb_settings() WHERE value IS NOT NULL";
        let mut settings = connection.pairs(question).map_err(Trouble::Refused)?;
        settings.retain(|(name, _)| !LEFT_OUT.iter().any(|ending| name.ends_with(ending)));
        settings.sort();
        Ok(About { version: self.symbols.release(), settings })
    }

    fn make(&self, table: OrderTable) -> Result<OrderMade, Trouble> {
        let connection = self.connect()?;
        let said = Trouble::Refused;
        connection.execute(&create()).map_err(said)?;
        let kinds = OrderColumn::ALL.map(kind);
        let mut appender = connection.appender(TABLE, &kinds).map_err(said)?;
        let made =
            Table::new(table).each(|row| appender.append(OrderColumn::ALL.map(|column| row.value(column))));
        let made = made.and_then(|made| appender.end().map(|()| made)).map_err(said)?;
        connection.execute("CHECKPOINT").map_err(said)?;
        Ok(made)
    }

    /// It is in the file.
    fn restore(&self, _table: OrderTable) -> Result<(), Trouble> {
        Ok(())
    }

    fn open(&self) -> Result<Box<dyn Queries>, Trouble> {
        Ok(Box::new(Session {
            connection: self.connect()?,
            memory: Arc::clone(&self.memory),
            memory_typed: self.memory_typed.clone(),
            wanted: None,
            sql: String::new(),
            query: OrderQuery::default(),
        }))
    }
}

struct Session {
    connection: Connection,
    memory: Arc<Mutex<Option<u64>>>,
    memory_typed: Option<String>,
    /// The limit of this session's query.
    wanted: Option<u64>,
    sql: String,
    query: OrderQuery,
}

impl Session {
    /// Sets the limit that this session's query has, unless it is set.
    fn limit(&self) -> Result<(), Trouble> {
        let mut now: MutexGuard<'_, _> = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if *now == self.wanted {
            return Ok(());
        }
        let statement = match (self.wanted, &self.memory_typed) {
            (Some(bytes), _) => format!("SET {MEMORY} = '{bytes}B'"),
            (None, Some(typed)) => format!("SET {MEMORY} = '{}'", typed.replace('\'', "''")),
            (None, None) => format!("RESET {MEMORY}"),
        };
        self.connection.execute(&statement).map_err(Trouble::Refused)?;
        *now = self.wanted;
        Ok(())
    }
}

impl Queries for Session {
    fn choose(&mut self, query: &OrderQuery, memory_bytes: Option<u64>) -> Result<(), Trouble> {
        (self.sql, self.query, self.wanted) = (select(query), query.clone(), memory_bytes);
        self.limit()
    }

    fn run(&mut self, mut answer: Option<&mut Answer>) -> Result<Timed, Trouble> {
        self.limit()?;
        let kinds: Vec<Kind> = self.query.columns.iter().copied().map(kind).collect();
        let mut rows = 0;
        let began = Instant::now();
        let mut stream = self.connection.stream(&self.sql).map_err(Trouble::Refused)?;
        while let Some(chunk) = stream.next_chunk().map_err(Trouble::Refused)? {
            rows += chunk.rows() as u64;
            if let Some(answer) = &mut answer {
                chunk.each(&kinds, |row| answer.take(row)).map_err(Trouble::Wrong)?;
            }
            if self.query.first_row {
                break;
            }
        }
        let ns = began.elapsed().as_nanos() as u64;
        drop(stream);
        if self.query.first_row {
            self.connection.execute(NOTHING).map_err(Trouble::Refused)?;
        }
        Ok(Timed { rows, ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_all_columns_with_their_types() {
        let text = create();
        assert!(text.starts_with("CREATE OR REPLACE TABLE t (id BIGINT NOT NULL, url VARCHAR NOT NULL"));
        assert!(text.contains("seen TIMESTAMP NOT NULL"), "{text}");
    }
}
