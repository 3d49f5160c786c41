//! Names of input files: operands, or a list of them in a file.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::fault::{Fault, Result, shown};

/// The input's names; standard input when there are none.
pub(crate) fn all(operands: Vec<OsString>, list: Option<&OsString>) -> Result<Vec<PathBuf>> {
    let names: Vec<PathBuf> = match (list, operands.first()) {
        (None, _) => operands.into_iter().map(PathBuf::from).collect(),
        (Some(list), None) => from_list(Path::new(list))?,
        (Some(_), Some(first)) => {
            let first = Path::new(first).display();
            return Err(Fault::new(format!(
                "extra operand {first}: file operands cannot be combined with --files0-from"
            ))
            .hint("put it into the list, or leave the list out"));
        }
    };
    if names.is_empty() && list.is_none() { Ok(vec![PathBuf::from("-")]) } else { Ok(names) }
}

fn from_list(list: &Path) -> Result<Vec<PathBuf>> {
    let mut bytes = Vec::new();
    let read = if list.as_os_str() == "-" {
        std::io::stdin().read_to_end(&mut bytes)
    } else {
        File::open(list).and_then(|mut file| file.read_to_end(&mut bytes))
    };
    read.map_err(|error| Fault::reading(list, &error))?;
    if bytes.last() == Some(&0) {
        bytes.pop();
    }
    if bytes.is_empty() {
        return Err(Fault::new(format!("no input from {}", shown(list)))
            .hint("it should hold file names, each ended by NUL, as find -print0 writes them"));
    }
    let name = |(at, name): (usize, &[u8])| match name {
        b"" => Err(Fault::new(format!("{}: name {} is empty", shown(list), at + 1))
            .hint("names are ended by one NUL each, as find -print0 writes them")),
        b"-" if list.as_os_str() == "-" => {
            Err(Fault::new("standard input cannot be both the list and a name in it")
                .hint("write the list to a file"))
        }
        name => Ok(PathBuf::from(OsString::from_vec(name.to_vec()))),
    };
    bytes.split(|byte| *byte == 0).enumerate().map(name).collect()
}

/// True when nothing more can be learned from the operating system than that the name can be opened.
pub(crate) fn check_readable(name: &Path) -> Result<()> {
    if name.as_os_str().as_bytes() == b"-" {
        return Ok(());
    }
    rustix::fs::access(name, rustix::fs::Access::READ_OK).map_err(|error| Fault::reading(name, &error.into()))
}
/// Leaves `-` out but for the first: what is named again is at its end by then.
pub(super) fn stdin_once(mut inputs: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = false;
    inputs.retain(|name| name.as_os_str() != "-" || !std::mem::replace(&mut seen, true));
    inputs
}
