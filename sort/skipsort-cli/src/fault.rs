//! What went wrong, where, and what to type next.

use std::fmt;
use std::io;
use std::path::Path;

use skipsort_external::Error;

/// An error on its way to standard error and exit code 2.
#[derive(Debug)]
pub(crate) struct Fault {
    what: String,
    hint: Option<String>,
    closed_pipe: bool,
}

pub(crate) type Result<T> = std::result::Result<T, Fault>;

impl Fault {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Fault { what: what.into(), hint: None, closed_pipe: false }
    }

    /// What the user may do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn reading(name: &Path, error: &io::Error) -> Self {
        let name = shown(name);
        let fault = Fault::new(format!("cannot read {name}: {}", said(error)));
        match error.kind() {
            io::ErrorKind::IsADirectory => fault.hint("name the files in it, for instance with a glob"),
            io::ErrorKind::NotFound => fault.hint("check the name; `-` is standard input"),
            io::ErrorKind::PermissionDenied => fault.hint("nothing was written; ask for read permission"),
            _ => fault,
        }
    }

    pub(crate) fn writing(name: &str, error: &io::Error) -> Self {
        let fault = Fault::new(format!("cannot write {name}: {}", said(error)));
        let closed_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        match error.kind() {
            io::ErrorKind::StorageFull => {
                fault.hint("the output is incomplete; free some space and sort again")
            }
            _ => Fault { closed_pipe, ..fault },
        }
    }

    pub(crate) fn spilling(folder: &Path, error: &io::Error) -> Self {
        let fault =
            Fault::new(format!("cannot write a temporary file in {}: {}", shown(folder), said(error)));
        fault.hint("name a folder with room by -T, or allow more memory by -S")
    }

    /// An error of the sort; `output` makes those of writing to the output.
    pub(crate) fn sorting(error: Error, output: impl FnOnce(&io::Error) -> Fault) -> Self {
        match error {
            Error::Input { name, source } => {
                source.downcast().unwrap_or_else(|error| Fault::reading(&name, &error))
            }
            Error::InputShrank { name } => {
                Fault::new(format!("{} became shorter while it was read", shown(&name)))
                    .hint("sort it again when nobody writes to it")
            }
            Error::InputCut { name, more, size } => {
                Fault::new(format!("{} ends with {more} bytes of a record of {size}", shown(&name)))
                    .hint("check --record-size, or cut the file to whole records")
            }
            Error::Output(error) => output(&error),
            Error::Write { run, source } => {
                source.downcast().unwrap_or_else(|error| Fault::spilling(run.place.as_ref(), &error))
            }
            Error::Read { run, source } => {
                source.downcast().unwrap_or_else(|error| Fault::reading(run.place.as_ref(), &error))
            }
            Error::Corrupt { .. } => Fault::new(format!("a temporary file has changed: {error}"))
                .hint("check the disk, or name a folder on another one by -T; the output is incomplete"),
            Error::Memory { .. } => Fault::new("there is less address space than -S asks for")
                .hint("give less, or raise `ulimit -v`"),
            Error::TooLong => Fault::new("a line of 4 GiB or more").hint("sort it without keys"),
            other => Fault::new(other.to_string()),
        }
    }

    /// The reader of standard output has gone, which is no error worth a message.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        self.closed_pipe
    }
}

/// Takes the way through a library as an error of the system.
impl From<Fault> for io::Error {
    fn from(fault: Fault) -> Self {
        io::Error::other(fault)
    }
}

impl std::error::Error for Fault {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "skipsort: {}", self.what)?;
        match &self.hint {
            Some(hint) => write!(f, "\n  {hint}"),
            None => Ok(()),
        }
    }
}

/// A file's name as people know it.
pub(crate) fn shown(name: &Path) -> String {
    if name.as_os_str() == "-" { "standard input".into() } else { name.display().to_string() }
}

/// The system's words without the number behind them.
fn said(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}
