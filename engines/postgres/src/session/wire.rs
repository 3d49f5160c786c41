//! The socket and the stream of server messages on it.
//!
//! Messages are walked where they lie in the read buffer: a tag, a length, a body. Counting rows needs only
//! the tags, so the hot path never copies or decodes a value.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use humdrum_contract::{Answer, Outcome};
use humdrum_model::{Fault, FaultKind};

use super::Endpoint;
use super::message::{hash_row, rows_changed, server_error, tags};

/// Room for a hundred rows of the sysbench table at once; longer answers are walked in pieces.
const BUFFER_BYTES: usize = 64 * 1024;

enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

pub(super) struct Wire {
    stream: Stream,
    buffer: Vec<u8>,
    /// `buffer[start..end]` is read but not walked.
    start: usize,
    end: usize,
    timeout: Duration,
}

impl Wire {
    pub(super) fn open(endpoint: &Endpoint, timeout: Duration) -> Outcome<Self> {
        let stream = match endpoint {
            Endpoint::Unix(path) => {
                let refused = |e| Fault::crash(format!("cannot connect to {}: {e}", path.display()));
                let stream = UnixStream::connect(path).map_err(refused)?;
                stream.set_read_timeout(Some(timeout)).map_err(broken)?;
                stream.set_write_timeout(Some(timeout)).map_err(broken)?;
                Stream::Unix(stream)
            }
            Endpoint::Tcp(host, port) => Stream::Tcp(open_tcp(host, *port, timeout)?),
        };
        Ok(Self { stream, buffer: vec![0; BUFFER_BYTES], start: 0, end: 0, timeout })
    }

    pub(super) fn send(&mut self, message: &[u8]) -> Outcome<()> {
        let sent = match &mut self.stream {
            Stream::Unix(stream) => stream.write_all(message),
            Stream::Tcp(stream) => stream.write_all(message),
        };
        sent.map_err(|error| self.lost(&error))
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

    /// The next message: tag and body.
    #[inline]
    pub(super) fn next(&mut self) -> Outcome<(u8, &[u8])> {
        loop {
            let waiting = &self.buffer[self.start..self.end];
            if let Some(&[tag, a, b, c, d]) = waiting.first_chunk::<5>() {
                let length = u32::from_be_bytes([a, b, c, d]) as usize + 1;
                if waiting.len() >= length {
                    let body = self.start + 5..self.start + length;
                    self.start += length;
                    return Ok((tag, &self.buffer[body]));
                }
                self.make_room(length)?;
            }
            self.fill()?;
        }
    }

    /// Makes room for a message that is longer than the buffer.
    fn make_room(&mut self, length: usize) -> Outcome<()> {
        const LONGEST: usize = 1 << 30;
        if !(5..=LONGEST).contains(&length) {
            return Err(Fault::crash(format!(
                "the server sent a message of {length} bytes: not a Postgres server?"
            )));
        }
        if length > self.buffer.len() {
            self.buffer.resize(length, 0);
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
        let free = &mut self.buffer[self.end..];
        let read = match &mut self.stream {
            Stream::Unix(stream) => stream.read(free),
            Stream::Tcp(stream) => stream.read(free),
        };
        match read {
            Ok(0) => Err(Fault::crash("the server closed the connection")),
            Ok(bytes) => {
                self.end += bytes;
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(self.lost(&error)),
        }
    }

    fn lost(&self, error: &std::io::Error) -> Fault {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                Fault::new(FaultKind::Timeout, format!("no answer within {} s", self.timeout.as_secs_f64()))
            }
            _ => broken_ref(error),
        }
    }
}

fn open_tcp(host: &str, port: u16, timeout: Duration) -> Outcome<TcpStream> {
    let refused = |error| Fault::crash(format!("cannot connect to {host}:{port}: {error}"));
    let address = (host, port).to_socket_addrs().map_err(refused)?.next();
    let address = address.ok_or_else(|| Fault::usage(format!("{host} has no address")))?;
    let stream = TcpStream::connect_timeout(&address, timeout).map_err(refused)?;
    stream.set_read_timeout(Some(timeout)).map_err(broken)?;
    stream.set_write_timeout(Some(timeout)).map_err(broken)?;
    stream.set_nodelay(true).map_err(broken)?;
    Ok(stream)
}

fn broken(error: std::io::Error) -> Fault {
    broken_ref(&error)
}

fn broken_ref(error: &std::io::Error) -> Fault {
    Fault::crash(format!("the connection broke: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that sends its answer byte by byte is read like any other.
    #[test]
    fn walks_messages_that_come_in_pieces() {
        let (ours, mut theirs) = UnixStream::pair().expect("pair");
        let mut wire = Wire {
            stream: Stream::Unix(ours),
            buffer: vec![0; 8],
            start: 0,
            end: 0,
            timeout: Duration::from_secs(1),
        };
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
