//! Opening and creating results files. Each way in which this can fail has its own fault.

use std::path::Path;
use std::time::Duration;

use humdrum_model::Fault;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use tempfile::TempPath;

use crate::faults::{damaged, foreign, locked, reading, unfit, writing};
use crate::lock::{Lock, NotTaken};
use crate::migrate::{self, SCHEMA, STEPS};

/// How long a reader waits for a writer's checkpoint.
const BUSY: Duration = Duration::from_secs(5);

/// Creates an empty results file and locks it.
pub(crate) fn create(path: &Path) -> Result<(Connection, Lock), Fault> {
    let lock = Lock::take(path).map_err(|error| error.fault(path))?;
    if path.exists() {
        return Err(Fault::usage(format!("{} exists already", path.display()))
            .hint("choose another folder with --out, or go on with `humdrum resume`"));
    }
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
        .map_err(|error| writing(path, &error))?;
    migrate::create(&mut connection).map_err(|error| writing(path, &error))?;
    Ok((connection, lock))
}

/// An opened file.
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    /// The copy that is read instead, where the file has an older schema and stays as it is; removed with this value.
    pub(crate) copy: Option<TempPath>,
}

/// What is done to a file of an older schema.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Older {
    /// It is brought up to date; where it cannot be written, a copy is.
    UpToDate,
    /// It stays as it is, and a copy is brought up to date.
    Unchanged,
}

/// Opens a results file, brings an older schema up to date, and checks all pages.
pub(crate) fn open(path: &Path) -> Result<Opened, Fault> {
    let opened = open_quickly(path, Older::UpToDate)?;
    check_pages(path, &opened.connection)?;
    Ok(opened)
}

/// The same without the check, which reads the whole file.
pub(crate) fn open_quickly(path: &Path, older: Older) -> Result<Opened, Fault> {
    let connection = as_it_is(path)?;
    match migrate::schema_of(&connection).map_err(|error| reading(path, &error))? {
        Some(schema) if schema < SCHEMA => up_to_date(path, connection, schema, older),
        _ => Ok(Opened { connection, copy: None }),
    }
}

/// Opens a results file whatever its schema, unless that is one of a newer program.
pub(crate) fn as_it_is(path: &Path) -> Result<Connection, Fault> {
    exists(path)?;
    let connection = open_either_way(path).map_err(|error| reading(path, &error))?;
    match migrate::schema_of(&connection).map_err(|error| reading(path, &error))? {
        None => Err(foreign(path)),
        Some(newer) if newer > SCHEMA => Err(too_new(path, newer)),
        Some(_) => Ok(connection),
    }
}

fn up_to_date(path: &Path, mut connection: Connection, schema: i32, older: Older) -> Result<Opened, Fault> {
    let is_writable = older == Older::UpToDate && connection.is_readonly("main") == Ok(false);
    let lock = if is_writable { Lock::take(path) } else { Err(NotTaken::Unwritable) };
    match lock {
        Ok(_lock) => {
            migrate::migrate(&mut connection, schema, STEPS).map_err(|error| unfit(path, schema, &error))?;
            Ok(Opened { connection, copy: None })
        }
        Err(NotTaken::Held) => Err(locked(path)),
        Err(NotTaken::Unwritable) => {
            let copy = copied(path, &connection)?;
            let mut connection =
                connect(&copy, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(|error| reading(path, &error))?;
            migrate::migrate(&mut connection, schema, STEPS).map_err(|error| unfit(path, schema, &error))?;
            Ok(Opened { connection, copy: Some(copy) })
        }
    }
}

/// A copy in the folder for temporary files.
fn copied(path: &Path, connection: &Connection) -> Result<TempPath, Fault> {
    let folder = std::env::temp_dir();
    let cannot = |error: &dyn std::fmt::Display| {
        Fault::environment(format!("cannot copy {} to {}: {error}", path.display(), folder.display()))
            .hint("it has an older schema, so that a copy is brought up to date: make room there, or name another folder in TMPDIR")
    };
    let file = tempfile::Builder::new().prefix("humdrum-").suffix(".sqlite").tempfile_in(&folder);
    let copy = file.map_err(|error| cannot(&error))?.into_temp_path();
    let into = connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()]);
    into.map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => damaged(path, &error),
        _ => cannot(&error),
    })?;
    Ok(copy)
}

fn exists(path: &Path) -> Result<(), Fault> {
    if !path.exists() {
        return Err(Fault::usage(format!("there is no file {}", path.display())).hint(
            "name the results.sqlite of a run; runs are kept in humdrum-results/ unless --out says otherwise",
        ));
    }
    if path.is_dir() {
        return Err(Fault::usage(format!("{} is a folder, not a results file", path.display()))
            .hint("name the results.sqlite of a run, or the run's folder"));
    }
    Ok(())
}

/// Opens a file for writing, or for reading where writing is not allowed.
fn open_either_way(path: &Path) -> rusqlite::Result<Connection> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .or_else(|_| connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY))
}

fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}

/// Checks all pages, so that damage is found before a report is half written.
pub(crate) fn check_pages(path: &Path, connection: &Connection) -> Result<(), Fault> {
    let found: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| reading(path, &error))?;
    if found == "ok" { Ok(()) } else { Err(damaged(path, &found.trim_start_matches("*** "))) }
}

fn too_new(path: &Path, schema: i32) -> Fault {
    Fault::usage(format!(
        "{} was made by a newer humdrum (schema {schema}, this one knows {SCHEMA})",
        path.display()
    ))
    .hint("read it with that humdrum, or bring this one up to date")
}
