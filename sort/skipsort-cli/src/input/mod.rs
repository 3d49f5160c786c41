//! Reading: all inputs as one stream of whole records (`feed.rs`) or in pieces that threads read side by side
//! (`pieces.rs`), one input as a sorted source (`lines.rs`), bytes from a place or a pipe (`fetch.rs`).

pub(crate) mod ends;
pub(crate) mod feed;
pub(crate) mod fetch;
pub(crate) mod lines;
pub(crate) mod pieces;

use std::fs::File;
use std::path::Path;

use crate::fault::{Fault, Result};

/// Opens an input; `-` is standard input.
pub(crate) fn open(name: &Path) -> Result<File> {
    let file = if name.as_os_str() == "-" {
        crate::standard::input()?
    } else {
        File::open(name).map_err(|error| Fault::reading(name, &error))?
    };
    // Advice only: pipes and terminals do not take it.
    let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::Sequential);
    Ok(file)
}

/// Where the next byte of a file is and where the file ends, if all between can be read at any time. Standard input may
/// have been read from already.
pub(crate) fn reach(file: &File) -> Option<(u64, u64)> {
    let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((rustix::fs::tell(file).ok()?, metadata.len()))
}
