//! Lines of other programs' files, in bounded memory whatever a file holds.

use std::io::{BufRead, ErrorKind, Result};

/// Reads a line without its end, of which the first `most` bytes are kept; returns the bytes that were read, 0 at the end of the
/// file. `seen` gets all of them, the line's end included.
///
/// # Errors
/// What the file's reader says.
pub fn read_line(
    input: &mut dyn BufRead,
    most: usize,
    line: &mut Vec<u8>,
    mut seen: impl FnMut(&[u8]),
) -> Result<u64> {
    line.clear();
    let mut read = 0;
    loop {
        let buffer = match input.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            buffer => buffer?,
        };
        if buffer.is_empty() {
            return Ok(read);
        }
        let end = memchr::memchr(b'\n', buffer);
        let taken = end.map_or(buffer.len(), |end| end + 1);
        let room = most.saturating_sub(line.len());
        line.extend_from_slice(&buffer[..end.unwrap_or(taken).min(room)]);
        seen(&buffer[..taken]);
        input.consume(taken);
        read += taken as u64;
        if end.is_some() {
            return Ok(read);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn a_line_is_read_whole_and_kept_up_to_its_limit() {
        // A buffer of three bytes: lines are in several of them.
        let mut input = BufReader::with_capacity(3, &b"abcdefgh\n\nij"[..]);
        let (mut line, mut all, mut found) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let read =
                read_line(&mut input, 5, &mut line, |bytes| all.extend_from_slice(bytes)).expect("reads");
            if read == 0 {
                break;
            }
            found.push((read, line.clone()));
        }
        assert_eq!(found, [(9, b"abcde".to_vec()), (1, Vec::new()), (2, b"ij".to_vec())]);
        assert_eq!(all, b"abcdefgh\n\nij");
    }
}
