//! Opening inputs.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens an input; `-` is standard input.
pub(crate) fn open(name: &Path) -> io::Result<File> {
    if name.as_os_str() == "-" { Ok(crate::standard::input()?) } else { File::open(name) }
}

/// Asks for as many open files as the system allows.
pub(crate) fn allow_many() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}
