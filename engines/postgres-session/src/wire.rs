//! The stream of server messages on a socket.
//!
//! Messages are read in place in the buffer: a tag, a length, a body. Counting rows needs only the tags, so
//! the hot path never copies or decodes a value.

use std::time::Duration;

use humdrum_contract::{Answer, Column, Fetched, Outcome};
use humdrum_model::{Fault, FaultKind};
use humdrum_transport::{Encryption, Endpoint, Socket};

use crate::message::{columns, hash_row, rows_changed, server_error, tags, text_row};

/// Room for a hundred rows of the sysbench table at once; longer answers are walked in pieces.
const BUFFER_BYTES: usize = 64 * 1024;

/// A tag and a length, which counts itself: no message is shorter.
const HEADER_BYTES: usize = 5;

pub(super) struct Wire {
    socket: Socket,
    buffer: Vec<u8>,
    /// `buffer[start..end]` is read but not walked.
    start: usize,
    end: usize,
}

impl Wire {
    pub(super) fn open(endpoint: &Endpoint, timeout: Duration) -> Outcome<Self> {
        let socket = Socket::open(endpoint, timeout)?;
        Ok(Self { socket, buffer: vec![0; BUFFER_BYTES], start: 0, end: 0 })
    }

    pub(super) fn set_timeout(&mut self, timeout: Duration) -> Outcome<()> {
        self.socket.set_timeout(timeout)
    }

    pub(super) fn socket(&self) -> &Socket {
        &self.socket
    }

    /// The answer to the request for encryption: one byte and nothing behind it. What came behind it would be taken for
    /// an encrypted answer later.
    pub(super) fn lone_byte(&mut self) -> Outcome<u8> {
        self.fill()?;
        let byte = self.buffer[self.start];
        if self.end - self.start != 1 && byte != tags::ERROR {
            return Err(Fault::crash("the server sent more than its answer to the request for encryption"));
        }
        (self.start, self.end) = (0, 0);
        Ok(byte)
    }

    pub(super) fn encrypt(&mut self, host: (&str, u16), encryption: &Encryption) -> Outcome<()> {
        self.socket.encrypt(host, encryption)
    }

    pub(super) fn send(&mut self, message: &[u8]) -> Outcome<()> {
        self.socket.write(message)
    }

    pub(super) fn send_parts<const PARTS: usize>(&mut self, parts: [&[u8]; PARTS]) -> Outcome<()> {
        self.socket.write_parts(parts)
    }

    /// Walks messages up to and including ReadyForQuery; an error among them is returned at the end, when the
    /// session is usable again.
    pub(super) fn until_ready(&mut self, mut each: impl FnMut(u8, &[u8])) -> Outcome<()> {
        let mut fault = None;
        loop {
            let (tag, body) = self.next()?;
            match tag {
                tags::READY => return fault.map_or(Ok(()), Err),
                tags::ERROR => {
                    let said = server_error(body);
                    if said.kind == FaultKind::Crash {
                        return Err(said);
                    }
                    fault = Some(said);
                }
                _ => each(tag, body),
            }
        }
    }

    /// Walks messages up to one with `wanted`; an error instead of it is returned once the session is ready.
    pub(super) fn until(&mut self, wanted: u8) -> Outcome<()> {
        loop {
            let (tag, body) = self.next()?;
            if tag == wanted {
                return Ok(());
            }
            if tag == tags::ERROR {
                let said = server_error(body);
                self.until_ready(|_, _| {})?;
                return Err(said);
            }
        }
    }

    /// Counts rows up to ReadyForQuery: rows returned, or else the rows that the command says it changed.
    pub(super) fn count_rows(&mut self) -> Outcome<u64> {
        let (mut returned, mut changed) = (0, 0);
        self.until_ready(|tag, body| match tag {
            tags::DATA_ROW => returned += 1,
            tags::COMMAND_COMPLETE => changed = rows_changed(body),
            _ => {}
        })?;
        Ok(if returned > 0 { returned } else { changed })
    }

    /// Counts and hashes rows; the sum does not depend on their order.
    pub(super) fn hash_rows(&mut self) -> Outcome<Answer> {
        let (mut answer, mut changed) = (Answer::default(), 0);
        self.until_ready(|tag, body| match tag {
            tags::DATA_ROW => {
                answer.rows += 1;
                answer.checksum = answer.checksum.wrapping_add(hash_row(body));
            }
            tags::COMMAND_COMPLETE => changed = rows_changed(body),
            _ => {}
        })?;
        if answer.rows == 0 {
            answer.rows = changed;
        }
        Ok(answer)
    }

    /// Keeps rows; `known` are their columns, unless the server sends them.
    pub(super) fn fetch_rows(&mut self, known: Vec<Column>) -> Outcome<Fetched> {
        let mut fetched = Fetched { columns: known, rows: Vec::new() };
        self.until_ready(|tag, body| match tag {
            tags::ROW_DESCRIPTION => fetched = Fetched { columns: columns(body), rows: Vec::new() },
            tags::DATA_ROW => fetched.rows.push(text_row(body)),
            _ => {}
        })?;
        Ok(fetched)
    }

    /// The next message: tag and body.
    #[inline]
    pub(super) fn next(&mut self) -> Outcome<(u8, &[u8])> {
        loop {
            let waiting = &self.buffer[self.start..self.end];
            if let Some(&[tag, a, b, c, d]) = waiting.first_chunk::<5>() {
                let length = u32::from_be_bytes([a, b, c, d]) as usize + 1;
                if length >= HEADER_BYTES && waiting.len() >= length {
                    let body = self.start + 5..self.start + length;
                    self.start += length;
                    return Ok((tag, &self.buffer[body]));
                }
                self.make_room(length)?;
            }
            self.fill()?;
        }
    }

    /// Makes room for a message that is longer than the buffer: as its bytes arrive, because a header may announce what never
    /// comes.
    fn make_room(&mut self, length: usize) -> Outcome<()> {
        const LONGEST: usize = 1 << 30;
        const STEP_BYTES: usize = 64 << 10;
        if !(HEADER_BYTES..=LONGEST).contains(&length) {
            return Err(Fault::crash(format!(
                "the server sent a message of {length} bytes: not a Postgres server?"
            )));
        }
        let is_full = self.end - self.start == self.buffer.len();
        if is_full && length > self.buffer.len() {
            self.buffer.resize(length.min(2 * self.buffer.len().max(STEP_BYTES)), 0);
        }
        Ok(())
    }

    fn fill(&mut self) -> Outcome<()> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        self.end += self.socket.read(&mut self.buffer[self.end..])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    use super::*;

    fn wire_with(bytes: &[u8]) -> Wire {
        let (ours, mut theirs) = UnixStream::pair().expect("pair");
        theirs.write_all(bytes).expect("written");
        let socket = Socket::of(ours, Duration::from_secs(1)).expect("socket");
        Wire { socket, buffer: vec![0; 64], start: 0, end: 0 }
    }

    #[test]
    fn a_header_alone_takes_no_memory_and_a_long_message_is_read_whole() {
        let mut wire = wire_with(&[b'D', 0x20, 0, 0, 0, 1, 2, 3]);
        assert!(wire.next().is_err());
        assert!(wire.buffer.len() <= 256 << 10, "{}", wire.buffer.len());
        let body = vec![7_u8; 150 << 10];
        let length = (body.len() as u32 + 4).to_be_bytes();
        let message = [b"D", &length[..], &body].concat();
        let (ours, mut theirs) = UnixStream::pair().expect("pair");
        let written = std::thread::spawn(move || theirs.write_all(&message));
        let socket = Socket::of(ours, Duration::from_secs(5)).expect("socket");
        let mut wire = Wire { socket, buffer: vec![0; 64], start: 0, end: 0 };
        assert_eq!(wire.next().map(|(tag, got)| (tag, got == body)), Ok((b'D', true)));
        written.join().expect("ended").expect("written");
    }

    #[test]
    fn a_message_shorter_than_its_header_is_refused() {
        for length in 0..4 {
            let fault = wire_with(&[b'D', 0, 0, 0, length, b'Z']).next().map(drop).expect_err("refused");
            assert!(fault.what.contains("not a Postgres server?"), "{fault}");
        }
    }

    #[test]
    fn nothing_may_follow_the_answer_to_the_request_for_encryption() {
        assert_eq!(wire_with(b"S").lone_byte().expect("alone"), b'S');
        let fault = wire_with(b"SZ\0\0\0\x05I").lone_byte().expect_err("refused");
        assert!(fault.what.contains("more than its answer"), "{fault}");
    }

    /// A server that sends its answer byte by byte is read like any other.
    #[test]
    fn walks_messages_that_come_in_pieces() {
        let (ours, mut theirs) = UnixStream::pair().expect("pair");
        let socket = Socket::of(ours, Duration::from_secs(1)).expect("socket");
        let mut wire = Wire { socket, buffer: vec![0; 8], start: 0, end: 0 };
        let answer = b"D\0\0\0\x0a\0\x01\0\0\0\0D\0\0\0\x0a\0\x01\0\0\0\0C\0\0\0\x0dSELECT 2\0Z\0\0\0\x05I";
        let writer = std::thread::spawn(move || {
            for byte in answer {
                theirs.write_all(&[*byte]).expect("write");
            }
        });
        assert_eq!(wire.count_rows().expect("rows"), 2);
        writer.join().expect("writer");
        assert_eq!(wire.count_rows().expect_err("closed").what, "the server closed the connection");
    }
}
