//! Reads a Debian package: an `ar` archive of three members, of which `data.tar.…` holds the files.
//!
//! ```text
//!   "!<arch>\n"  { header of 60 bytes, content, a byte of padding where its length is odd } …
//!   header: name 16 │ time 12 │ owner 6 │ group 6 │ mode 8 │ size 10 │ "`\n"
//! ```

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use humdrum_contract::Outcome;
use humdrum_model::Fault;

const MAGIC: &[u8; 8] = b"!<arch>\n";
const HEADER_BYTES: usize = 60;

/// The name and the content of the member that holds the files.
pub(super) fn data(path: &Path) -> Outcome<(String, impl Read + use<>)> {
    let damaged = |why: String| Fault::environment(format!("it is no Debian package: {why}"));
    let mut file = BufReader::new(File::open(path).map_err(|error| damaged(error.to_string()))?);
    let found = find(&mut file).map_err(|error| damaged(error.to_string()))?;
    let (name, bytes) = found.ok_or_else(|| damaged("there is no data.tar in it".into()))?;
    Ok((name, file.take(bytes)))
}

/// Goes to the start of the member's content; returns its name and length.
fn find(file: &mut (impl Read + Seek)) -> io::Result<Option<(String, u64)>> {
    let mut magic = [0; 8];
    file.read_exact(&mut magic)?;
    if &magic != MAGIC {
        return Err(io::Error::other("it does not begin as one"));
    }
    loop {
        let mut header = [0; HEADER_BYTES];
        match file.read_exact(&mut header) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let text = |range: std::ops::Range<usize>| String::from_utf8_lossy(&header[range]).into_owned();
        let name = text(0..16).trim_end().trim_end_matches('/').to_owned();
        let bytes: u64 = text(48..58).trim().parse().map_err(io::Error::other)?;
        if name.starts_with("data.tar") {
            return Ok(Some((name, bytes)));
        }
        let padded = i64::try_from(bytes + bytes % 2).map_err(io::Error::other)?;
        file.seek(SeekFrom::Current(padded))?;
    }
}
