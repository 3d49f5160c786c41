//! Messages between the lab and a worker process: a length and that many bytes, in both directions.

use std::io::{self, Read, Write};

/// Longest message: a histogram or a library's statistics take some tens of kilobytes.
const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// Sends one message.
///
/// # Errors
/// As the socket.
pub fn send(stream: &mut impl Write, message: &[u8]) -> io::Result<()> {
    let mut framed = Vec::with_capacity(message.len() + 4);
    framed.extend((message.len() as u32).to_le_bytes());
    framed.extend(message);
    stream.write_all(&framed)
}

/// Receives one message; the end of the stream is an error.
///
/// # Errors
/// As the socket; invalid data for an impossible length.
pub fn receive(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MESSAGE_BYTES_MAX {
        return Err(malformed());
    }
    let mut message = vec![0; length];
    stream.read_exact(&mut message)?;
    Ok(message)
}

/// The error for bytes that mean nothing.
pub fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the other end says something that means nothing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart_and_impossible_lengths_refused() {
        let mut bytes = Vec::new();
        [&b"one"[..], b"", b"three"].iter().for_each(|message| send(&mut bytes, message).expect("sent"));
        let mut stream = &bytes[..];
        let received: Vec<Vec<u8>> = (0..3).map(|_| receive(&mut stream).expect("received")).collect();
        assert_eq!(received, [b"one".to_vec(), Vec::new(), b"three".to_vec()]);
        assert_eq!(receive(&mut stream).expect_err("the end").kind(), io::ErrorKind::UnexpectedEof);
        let huge = u32::MAX.to_le_bytes();
        assert_eq!(receive(&mut &huge[..]).expect_err("too long").kind(), io::ErrorKind::InvalidData);
    }
}
