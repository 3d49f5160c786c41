//! SQLite's errors as faults.

use std::path::Path;

use humdrum_model::Fault;
use rusqlite::{Error, ErrorCode};

/// A failure while writing. It is an environment fault, unless the file is damaged.
pub(crate) fn writing(path: &Path, error: &Error) -> Fault {
    let shown = path.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => {
            let folder = path.parent().unwrap_or(path).display();
            Fault::environment(format!("no space left to write {shown}"))
                .hint(format!("make room, then: humdrum resume {folder} (what was measured is kept)"))
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => locked(path),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => damaged(path, error),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            Fault::usage(format!("cannot write {shown}: {error}")).hint("choose another folder with --out")
        }
        _ => Fault::environment(format!("cannot write {shown}: {error}")),
    }
}

/// A failure while reading. It is a usage fault: the user named a file that cannot be used.
pub(crate) fn reading(path: &Path, error: &Error) -> Fault {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => locked(path),
        Some(ErrorCode::NotADatabase) => foreign(path),
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            Fault::usage(format!("cannot read {}: {error}", path.display()))
                .hint("check its permissions, or copy it with its -wal file to a folder of yours")
        }
        _ => damaged(path, error),
    }
}

/// A file of an older schema that the steps to a newer one do not fit.
pub(crate) fn unfit(path: &Path, schema: i32, error: &Error) -> Fault {
    let what = match error {
        // Without the whole step.
        Error::SqlInputError { msg, .. } => msg.clone(),
        error => error.to_string(),
    };
    match error.sqlite_error_code() {
        // The step itself: a table that should not be there, or is not.
        Some(ErrorCode::Unknown) | None => Fault::usage(format!(
            "{} says that it is of schema {schema}, and has another: {what}",
            path.display()
        ))
        .hint("restore it from a copy, or measure it again to another folder"),
        _ => writing(path, error),
    }
}

/// Another humdrum is writing the file.
pub(crate) fn locked(path: &Path) -> Fault {
    Fault::usage(format!("another humdrum is writing {}", path.display()))
        .hint("wait until it ends, or choose another folder with --out")
}

/// The file is not a results file.
pub(crate) fn foreign(path: &Path) -> Fault {
    Fault::usage(format!("{} is not a results file of humdrum", path.display()))
        .hint("name the results.sqlite of a run, or the run's folder")
}

/// The file is a results file, but unreadable.
pub(crate) fn damaged(path: &Path, error: &dyn std::fmt::Display) -> Fault {
    Fault::usage(format!("{} is damaged: {error}", path.display()))
        .hint("restore it from a copy; the sqlite3 shell's `.recover` saves what is left")
}

/// The run was killed after it made the file and before it wrote its plan into it.
pub(crate) fn unbegun(path: &Path) -> Fault {
    Fault::usage(format!("{} holds nothing: the run ended before it began", path.display()))
        .hint("if it was copied, copy its results.sqlite-wal too; else remove its folder and start the comparison again")
}
