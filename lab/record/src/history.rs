//! The history of this host: results of earlier runs for each test, from which the variance between runs is
//! computed. A small SQLite file in the cache folder, which several humdrum processes may use at the same
//! time.
//!
//! The history is optional: without it, intervals use a default. So a run never fails because of it. `keep`
//! and `recall` turn every fault into a remark; the functions of `History` return faults that say what to
//! type.

use std::path::{Path, PathBuf};
use std::time::Duration;

use humdrum_model::{Fault, Finding, HistoryEntry, Level};
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, Row, Transaction, TransactionBehavior, params};

/// The schema that this program reads and writes.
const SCHEMA: i32 = 2;

/// Marks the file as a history: "huhh".
const APPLICATION_ID: i32 = 0x6875_6868;

const SCHEMA_SQL: &str = include_str!("history.sql");

/// What schema 2 adds to schema 1.
const SELFTEST_SQL: &str = include_str!("selftest.sql");

/// How long a writer waits for others. Each holds the file for milliseconds.
const BUSY: Duration = Duration::from_secs(10);

/// Removes the file, whatever is in it.
const REMOVE: &str = "`humdrum clean --history` removes it; runs begin a new one";

/// The open history.
#[derive(Debug)]
pub struct History {
    connection: Connection,
    path: PathBuf,
}

/// Where the history of a cache folder is.
pub fn path_in(cache: &Path) -> PathBuf {
    cache.join("history.sqlite")
}

/// Appends a run's entries. Returns a remark instead of a fault.
pub fn keep(cache: &Path, entries: &[HistoryEntry]) -> Option<String> {
    let kept = History::open(cache).and_then(|mut history| history.append(entries));
    kept.err().map(|fault| remark("this run is not in the host's history", &fault))
}

/// Entries of a class, and a remark where they cannot be read.
pub fn recall(
    cache: &Path,
    generation: &str,
    engine: &str,
    class: &str,
) -> (Vec<HistoryEntry>, Option<String>) {
    let read = History::find(cache).and_then(|found| {
        found.map_or_else(|| Ok(Vec::new()), |history| history.class(generation, engine, class))
    });
    match read {
        Ok(entries) => (entries, None),
        Err(fault) => (Vec::new(), Some(remark("the host's history is not used", &fault))),
    }
}

/// What happened, why, and what to type.
pub(crate) fn remark(what: &str, fault: &Fault) -> String {
    let hint = fault.hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"));
    format!("{what}: {fault}{hint}")
}

/// Removes the history of a cache folder, whatever is in it.
///
/// # Errors
/// Environment, when it cannot be removed.
pub fn remove(cache: &Path) -> Result<(), Fault> {
    for path in [path_in(cache), path_in(cache).with_extension("sqlite-journal")] {
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Fault::environment(format!("cannot remove {}: {error}", path.display())));
            }
            _ => {}
        }
    }
    Ok(())
}

/// What `doctor` says of it.
pub fn finding(cache: &Path) -> Finding {
    let counted = History::find(cache).and_then(|found| found.map(|history| history.counts()).transpose());
    let (level, found, advice) = match counted {
        Ok(None | Some((0, _))) => (Level::Fine, "no runs yet".to_owned(), String::new()),
        Ok(Some((runs, entries))) => {
            let s = if runs == 1 { "" } else { "s" };
            (Level::Fine, format!("{runs} run{s} with {entries} results"), String::new())
        }
        Err(fault) => (Level::Warning, fault.what, fault.hint.unwrap_or_else(|| REMOVE.to_owned())),
    };
    Finding { name: "history".to_owned(), level, found, advice }
}

impl History {
    /// Opens the history of a cache folder; makes it where there is none.
    ///
    /// # Errors
    /// Environment: it is damaged, of a newer version, or cannot be made.
    pub fn open(cache: &Path) -> Result<Self, Fault> {
        let path = path_in(cache);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        Self::connect(path, flags)
    }

    /// Opens the history of a cache folder; `None` where there is none.
    ///
    /// # Errors
    /// As `open`.
    pub fn find(cache: &Path) -> Result<Option<Self>, Fault> {
        let path = path_in(cache);
        if !path.exists() {
            return Ok(None);
        }
        Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map(Some)
    }

    fn connect(path: PathBuf, flags: OpenFlags) -> Result<Self, Fault> {
        let opened = Connection::open_with_flags(&path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
        let mut connection = opened.map_err(|error| refused(&path, &error))?;
        match prepare(&mut connection).map_err(|error| refused(&path, &error))? {
            Prepared::Ready => Ok(Self { connection, path }),
            Prepared::Newer(schema) => Err(newer(&path, schema)),
            Prepared::Foreign => Err(damaged(&path, "it is no history of humdrum's")),
            Prepared::Damaged(what) => Err(damaged(&path, &what)),
        }
    }

    /// Appends entries, all or none. An entry of the same run, pair and test is replaced, so that a run which is resumed
    /// counts once. Entries whose numbers are not finite are left out.
    ///
    /// # Errors
    /// Environment: damaged, full disk, or another process writes for more than ten seconds.
    pub fn append(&mut self, entries: &[HistoryEntry]) -> Result<(), Fault> {
        let usable = entries.iter().filter(|entry| entry.ln_ratio.is_finite() && entry.se.is_finite());
        self.change(|connection| insert(connection, usable))
    }

    /// Writes; an error becomes a fault that says what to type.
    pub(crate) fn change<T>(
        &mut self,
        by: impl FnOnce(&mut Connection) -> Result<T, Error>,
    ) -> Result<T, Fault> {
        by(&mut self.connection).map_err(|error| refused(&self.path, &error))
    }

    /// Reads; an error becomes a fault that says what to type.
    pub(crate) fn ask<T>(&self, by: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Fault> {
        by(&self.connection).map_err(|error| refused(&self.path, &error))
    }

    /// Entries of one class, in the order of their runs' beginnings.
    ///
    /// # Errors
    /// Environment: damaged.
    pub fn class(&self, generation: &str, engine: &str, class: &str) -> Result<Vec<HistoryEntry>, Fault> {
        let sql = "SELECT run, started, generation, engine, class, test, pair, ln_ratio, se FROM entry \
                   WHERE generation = ?1 AND engine = ?2 AND class = ?3 ORDER BY started, run, pair, test";
        self.ask(|connection| {
            connection.prepare(sql)?.query_map(params![generation, engine, class], entry)?.collect()
        })
    }

    /// Runs and entries.
    ///
    /// # Errors
    /// Environment: damaged.
    pub fn counts(&self) -> Result<(u64, u64), Fault> {
        let sql = "SELECT COUNT(DISTINCT run), COUNT(*) FROM entry";
        let counted = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let (runs, entries) = self.ask(|connection| connection.query_row(sql, [], counted))?;
        Ok((runs.unsigned_abs(), entries.unsigned_abs()))
    }
}

/// What a file turned out to be.
enum Prepared {
    Ready,
    Newer(i32),
    Foreign,
    Damaged(String),
}

/// Makes the tables of a new file. The check and the making are one transaction that others wait for, so that of two
/// processes only one makes them.
fn prepare(connection: &mut Connection) -> Result<Prepared, Error> {
    connection.busy_timeout(BUSY)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let id: i32 = transaction.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let schema: i32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = transaction.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (id, schema) {
        (0, 0) if tables == 0 => {
            transaction.execute_batch(SCHEMA_SQL)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            return with_selftests(transaction);
        }
        (APPLICATION_ID, 1..=SCHEMA) => {}
        (APPLICATION_ID, newer) if newer > SCHEMA => return Ok(Prepared::Newer(newer)),
        _ => return Ok(Prepared::Foreign),
    }
    let check: String = transaction.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if check != "ok" {
        return Ok(Prepared::Damaged(check));
    }
    if schema < SCHEMA { with_selftests(transaction) } else { Ok(Prepared::Ready) }
}

/// From schema 1 to 2.
fn with_selftests(transaction: Transaction<'_>) -> Result<Prepared, Error> {
    transaction.execute_batch(SELFTEST_SQL)?;
    transaction.pragma_update(None, "user_version", SCHEMA)?;
    transaction.commit()?;
    Ok(Prepared::Ready)
}

fn insert<'a>(
    connection: &mut Connection,
    entries: impl Iterator<Item = &'a HistoryEntry>,
) -> Result<(), Error> {
    // A transaction that reads first and writes later can be refused at once; this one waits for its turn.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let sql = "INSERT OR REPLACE INTO entry (run, started, generation, engine, class, test, pair, ln_ratio, se) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let mut statement = transaction.prepare(sql)?;
        for one in entries {
            statement.execute(params![
                one.run,
                one.started,
                one.generation,
                one.engine,
                one.class,
                one.test,
                one.pair,
                one.ln_ratio,
                one.se
            ])?;
        }
    }
    transaction.commit()
}

fn entry(row: &Row<'_>) -> Result<HistoryEntry, Error> {
    Ok(HistoryEntry {
        run: row.get(0)?,
        started: row.get(1)?,
        generation: row.get(2)?,
        engine: row.get(3)?,
        class: row.get(4)?,
        test: row.get(5)?,
        pair: row.get(6)?,
        ln_ratio: row.get(7)?,
        se: row.get(8)?,
    })
}

fn refused(path: &Path, error: &Error) -> Fault {
    let shown = path.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Fault::environment(format!("another humdrum has held {shown} for {} s", BUSY.as_secs()))
                .hint("type the same again once it has ended")
        }
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            Fault::environment(format!("cannot write {shown}: {error}"))
                .hint("set HUMDRUM_CACHE to a folder that you may write to")
        }
        Some(ErrorCode::DiskFull) => Fault::environment(format!("no space left to write {shown}"))
            .hint("`humdrum clean --all`, or HUMDRUM_CACHE on a disk with room"),
        _ => damaged(path, &error.to_string()),
    }
}

fn damaged(path: &Path, why: &str) -> Fault {
    Fault::environment(format!("the host's history {} is damaged: {why}", path.display())).hint(REMOVE)
}

fn newer(path: &Path, schema: i32) -> Fault {
    Fault::environment(format!(
        "{} was made by a newer humdrum (schema {schema}, this one knows {SCHEMA})",
        path.display()
    ))
    .hint(format!("use that humdrum; or {REMOVE}"))
}
