//! The inputs, opened one after the other.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Opens an input by its name.
pub(crate) type Open<'o> = dyn Fn(&Path) -> io::Result<File> + Sync + 'o;

/// An input that is open.
pub(crate) struct Input {
    pub(crate) name: PathBuf,
    pub(crate) file: File,
}

/// Inputs that have not been opened.
pub(crate) struct Inputs<'o> {
    names: std::vec::IntoIter<PathBuf>,
    open: &'o Open<'o>,
}

impl<'o> Inputs<'o> {
    pub(crate) fn new(names: Vec<PathBuf>, open: &'o Open<'o>) -> Self {
        Inputs { names: names.into_iter(), open }
    }

    pub(crate) fn none() -> Self {
        Inputs::new(Vec::new(), &|name| File::open(name))
    }

    pub(crate) fn next(&mut self) -> Result<Option<Input>> {
        let Some(name) = self.names.next() else { return Ok(None) };
        opened(name, self.open).map(Some)
    }
}

/// Opens an input.
pub(crate) fn opened(name: PathBuf, open: &Open<'_>) -> Result<Input> {
    match open(&name) {
        Ok(file) => {
            // Advice only: pipes and terminals do not take it.
            let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::Sequential);
            Ok(Input { name, file })
        }
        Err(source) => Err(Error::Input { name, source }),
    }
}

/// Where the next byte of a file is and where the file ends, if all between can be read at any time. Standard input may
/// have been read from already.
pub(crate) fn reach(file: &File) -> Option<(u64, u64)> {
    let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((rustix::fs::tell(file).ok()?, metadata.len()))
}
