//! One file: which reader it is for, and what that finds.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use humdrum_model::Fault;

use crate::Reader;
use crate::files::Given;
use crate::found::{Found, Options};
use crate::lines::{Lines, Watch};
use crate::recognise::{HEAD_BYTES, named, recognise, unknown};

/// Bytes read at once.
const BUFFER_BYTES: usize = 256 << 10;

/// A file that was read.
pub(crate) struct Source {
    pub given: Given,
    pub reader: &'static str,
    pub bytes: u64,
    /// Tells its content from others.
    pub content: u64,
    pub found: Found,
}

/// Reads a file; `None` for one of a folder that no reader knows.
///
/// # Errors
/// Usage: no reader fits, several do, or what the reader says. Environment: it cannot be read.
pub(crate) fn read(
    given: Given,
    format: Option<&str>,
    options: &Options,
    watch: Watch<'_>,
) -> Result<Option<Source>, Fault> {
    let path = given.path.clone();
    of(given, format, options, watch).map_err(|fault| at(fault, &path))
}

fn of(
    given: Given,
    format: Option<&str>,
    options: &Options,
    watch: Watch<'_>,
) -> Result<Option<Source>, Fault> {
    let mut file =
        File::open(&given.path).map_err(|error| Fault::usage(format!("cannot be read: {error}")))?;
    let mut head = Vec::new();
    let start = (&mut file).take(HEAD_BYTES as u64).read_to_end(&mut head);
    start.map_err(|error| Fault::usage(format!("cannot be read: {error}")))?;
    let reader: &dyn Reader = match format {
        Some(name) => named(name)?,
        None => match recognise(&head)? {
            Some(reader) => reader,
            None if given.in_folder => return Ok(None),
            None => return Err(unknown()),
        },
    };
    let mut input = BufReader::with_capacity(BUFFER_BYTES, head.chain(file));
    let mut lines = Lines::new(&mut input, watch);
    let mut found = Found::default();
    reader.read(&mut lines, options, &mut found)?;
    let (bytes, content) = (lines.bytes(), lines.content());
    Ok(Some(Source { given, reader: reader.name(), bytes, content, found }))
}

/// The fault with the file's name in front.
pub(crate) fn at(mut fault: Fault, path: &Path) -> Fault {
    let joint = if fault.what.starts_with("line ") { "," } else { "" };
    fault.what = format!("{}{joint} {}", path.display(), fault.what);
    fault
}
