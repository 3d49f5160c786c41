//! Opening and creating results files. Each way in which this can fail has its own fault.

use std::path::Path;
use std::time::Duration;

use humdrum_model::Fault;
use rusqlite::{Connection, OpenFlags};

use crate::faults::{damaged, foreign, reading, writing};
use crate::lock::Lock;
use crate::migrate::{self, SCHEMA, STEPS};

/// How long a reader waits for a writer's checkpoint.
const BUSY: Duration = Duration::from_secs(5);

/// Creates an empty results file and locks it.
pub(crate) fn create(path: &Path) -> Result<(Connection, Lock), Fault> {
    let lock = Lock::take(path)?;
    if path.exists() {
        return Err(Fault::usage(format!("{} exists already", path.display()))
            .hint("choose another folder with --out, or go on with `humdrum resume`"));
    }
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
        .map_err(|error| writing(path, &error))?;
    migrate::create(&mut connection).map_err(|error| writing(path, &error))?;
    Ok((connection, lock))
}

/// Opens a results file, brings an older schema up to date, and checks all pages.
pub(crate) fn open(path: &Path) -> Result<Connection, Fault> {
    let connection = open_quickly(path)?;
    check_pages(path, &connection)?;
    Ok(connection)
}

/// The same without the check, which reads the whole file.
pub(crate) fn open_quickly(path: &Path) -> Result<Connection, Fault> {
    if !path.exists() {
        return Err(Fault::usage(format!("there is no file {}", path.display())).hint(
            "name the results.sqlite of a run; runs are kept in humdrum-results/ unless --out says otherwise",
        ));
    }
    if path.is_dir() {
        return Err(Fault::usage(format!("{} is a folder, not a results file", path.display()))
            .hint("name the results.sqlite of a run, or the run's folder"));
    }
    let mut connection = open_either_way(path).map_err(|error| reading(path, &error))?;
    match migrate::schema_of(&connection).map_err(|error| reading(path, &error))? {
        None => return Err(foreign(path)),
        Some(newer) if newer > SCHEMA => return Err(too_new(path, newer)),
        Some(SCHEMA) => {}
        Some(older) => {
            let _lock = Lock::take(path)?;
            migrate::migrate(&mut connection, older, STEPS).map_err(|error| writing(path, &error))?;
        }
    }
    Ok(connection)
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
fn check_pages(path: &Path, connection: &Connection) -> Result<(), Fault> {
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
