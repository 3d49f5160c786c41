//! Packets: three bytes of length, one of sequence, a payload. A payload of 16 MiB or more comes as several
//! packets, all but the last of them full.
//!
//! ```text
//!   buffer  │ walked …│ len seq payload │ len seq payl…│ free              │
//!                     ▲ start                          ▲ end
//! ```
//!
//! Payloads are read in place in the buffer. Counting rows needs only their first byte, so the hot path never
//! copies or decodes a value.

use std::ops::Range;
use std::time::Duration;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use humdrum_transport::{Encryption, Socket};

use crate::cursor::unreadable;

/// Bytes in front of a payload. Messages are built with room for them.
pub(crate) const HEADER_BYTES: usize = 4;

/// A packet of this length says that its payload goes on in the next one.
const FULL_PACKET_BYTES: usize = 0xff_ffff;

/// No server sends more: the largest `max_allowed_packet`.
const PAYLOAD_BYTES_MAX: usize = 1 << 30;

/// Room for a hundred rows of the sysbench table at once; longer answers are walked in pieces.
const BUFFER_BYTES: usize = 64 * 1024;

/// The stream of packets in both directions.
#[derive(Debug)]
pub(crate) struct Wire {
    socket: Socket,
    buffer: Vec<u8>,
    /// `buffer[start..end]` is read but not walked.
    start: usize,
    end: usize,
    /// A payload put together from several packets.
    joined: Vec<u8>,
    /// Of the last packet read.
    sequence: u8,
    /// Column lists have no packet at their end, and rows end with an OK packet.
    pub(crate) short_results: bool,
    /// The next bytes may belong to an earlier question, or the server is gone: the session is over.
    lost: bool,
}

impl Wire {
    pub(crate) fn new(socket: Socket) -> Self {
        let (buffer, joined) = (vec![0; BUFFER_BYTES], Vec::new());
        Self { socket, buffer, start: 0, end: 0, joined, sequence: 0, short_results: false, lost: false }
    }

    pub(crate) fn socket(&self) -> &Socket {
        &self.socket
    }

    /// Encrypts from now on. What came behind the greeting would be taken for an encrypted answer later.
    pub(crate) fn encrypt(&mut self, host: (&str, u16), encryption: &Encryption) -> Outcome<()> {
        if self.start != self.end {
            return Err(Fault::crash("the server sent more than its greeting before encryption"));
        }
        self.socket.encrypt(host, encryption)
    }

    pub(crate) fn set_timeout(&mut self, timeout: Duration) -> Outcome<()> {
        self.socket.set_timeout(timeout)
    }

    /// Sends a command: `message` is room for a header and the payload.
    pub(crate) fn send(&mut self, message: &mut [u8]) -> Outcome<()> {
        if self.lost {
            return Err(Fault::crash("this session was given up after an earlier fault"));
        }
        self.send_numbered(message, 0)
    }

    /// Sends an answer to the last packet read.
    pub(crate) fn answer(&mut self, message: &mut [u8]) -> Outcome<()> {
        self.send_numbered(message, self.sequence.wrapping_add(1))
    }

    fn send_numbered(&mut self, message: &mut [u8], sequence: u8) -> Outcome<()> {
        let length = message.len() - HEADER_BYTES;
        if length >= FULL_PACKET_BYTES {
            return self.send_in_pieces(&message[HEADER_BYTES..], sequence);
        }
        self.sequence = sequence;
        message[..HEADER_BYTES].copy_from_slice(&header(length, sequence));
        let sent = self.socket.write(message);
        self.given_up(sent)
    }

    /// The last piece is shorter than full, and empty if need be: it says that the payload ends.
    #[cold]
    fn send_in_pieces(&mut self, payload: &[u8], first: u8) -> Outcome<()> {
        let pieces = payload.chunks_exact(FULL_PACKET_BYTES);
        let last = pieces.remainder();
        self.sequence = first.wrapping_sub(1);
        for piece in pieces.chain([last]) {
            self.sequence = self.sequence.wrapping_add(1);
            let head = header(piece.len(), self.sequence);
            let sent = self.socket.write(&head).and_then(|()| self.socket.write(piece));
            self.given_up(sent)?;
        }
        Ok(())
    }

    /// The next payload.
    #[inline]
    pub(crate) fn next(&mut self) -> Outcome<&[u8]> {
        let packet = self.packet()?;
        if packet.len() == FULL_PACKET_BYTES {
            return self.join(packet);
        }
        Ok(&self.buffer[packet])
    }

    /// Where the next packet's payload lies in the buffer.
    #[inline]
    fn packet(&mut self) -> Outcome<Range<usize>> {
        loop {
            let waiting = &self.buffer[self.start..self.end];
            if let Some(&[a, b, c, sequence]) = waiting.first_chunk::<HEADER_BYTES>() {
                let length = u32::from_le_bytes([a, b, c, 0]) as usize;
                if waiting.len() >= HEADER_BYTES + length {
                    let first = self.start + HEADER_BYTES;
                    (self.start, self.sequence) = (first + length, sequence);
                    return Ok(first..first + length);
                }
                if HEADER_BYTES + length > self.buffer.len() {
                    self.buffer.resize(HEADER_BYTES + length, 0);
                }
            }
            self.fill()?;
        }
    }

    #[cold]
    fn join(&mut self, mut packet: Range<usize>) -> Outcome<&[u8]> {
        self.joined.clear();
        loop {
            self.joined.extend_from_slice(&self.buffer[packet.clone()]);
            if packet.len() < FULL_PACKET_BYTES {
                return Ok(&self.joined);
            }
            if self.joined.len() > PAYLOAD_BYTES_MAX {
                self.give_up();
                return Err(unreadable("it is longer than any server's"));
            }
            packet = self.packet()?;
        }
    }

    fn fill(&mut self) -> Outcome<()> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let read = self.socket.read(&mut self.buffer[self.end..]);
        self.end += self.given_up(read)?;
        Ok(())
    }

    /// Nothing that is read from now on can be trusted to answer what is asked.
    pub(crate) fn give_up(&mut self) {
        self.lost = true;
    }

    fn given_up<T>(&mut self, result: Outcome<T>) -> Outcome<T> {
        self.lost |= result.is_err();
        result
    }
}

fn header(length: usize, sequence: u8) -> [u8; HEADER_BYTES] {
    let [a, b, c, _] = (length as u32).to_le_bytes();
    [a, b, c, sequence]
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;
    use std::thread::JoinHandle;

    use super::*;

    /// A wire on which `bytes` arrive, `step` at a time, after which the other end hangs up.
    pub(crate) fn wire_with(bytes: Vec<u8>, step: usize) -> (Wire, JoinHandle<()>) {
        let (ours, mut theirs) = UnixStream::pair().expect("pair");
        let writer = std::thread::spawn(move || {
            for piece in bytes.chunks(step) {
                // Nobody may be left to read.
                let _ = theirs.write_all(piece);
            }
        });
        (Wire::new(Socket::of(ours, Duration::from_secs(1)).expect("socket")), writer)
    }

    /// `payload` as one packet.
    pub(crate) fn packet(sequence: u8, payload: &[u8]) -> Vec<u8> {
        [&header(payload.len(), sequence)[..], payload].concat()
    }

    #[test]
    fn packets_may_come_in_pieces() {
        let (mut wire, writer) =
            wire_with([packet(1, b"one"), packet(2, b""), packet(3, b"three")].concat(), 1);
        assert_eq!(wire.next().expect("first"), b"one");
        assert_eq!(wire.next().expect("second"), b"");
        assert_eq!(wire.next().expect("third"), b"three");
        assert_eq!(wire.next().expect_err("closed").what, "the server closed the connection");
        assert!(wire.send(&mut [0; 5]).expect_err("over").what.contains("given up"));
        writer.join().expect("writer");
    }

    #[test]
    fn nothing_may_follow_the_greeting_before_encryption() {
        let (mut wire, writer) = wire_with([packet(0, b"greeting"), packet(1, b"more")].concat(), 64);
        writer.join().expect("writer");
        wire.next().expect("greeting");
        let encryption = Encryption::usual(&crate::SPELLING);
        let fault = wire.encrypt(("localhost", 1), &encryption).expect_err("refused");
        assert!(fault.what.contains("more than its greeting"), "{fault}");
    }

    #[test]
    fn long_payloads_are_joined_and_split() {
        let long: Vec<u8> = (0..FULL_PACKET_BYTES * 2 + 5).map(|at| (at % 251) as u8).collect();
        let pieces = long.chunks(FULL_PACKET_BYTES).zip(0..).map(|(piece, number)| packet(number, piece));
        let on_wire = pieces.collect::<Vec<_>>().concat();
        let (mut wire, writer) = wire_with(on_wire.clone(), 1 << 20);
        assert!(wire.next().expect("joined") == long);
        writer.join().expect("writer");

        let (ours, mut theirs) = UnixStream::pair().expect("pair");
        let reader = std::thread::spawn(move || {
            let mut all = Vec::new();
            theirs.read_to_end(&mut all).expect("reads");
            all
        });
        let mut wire = Wire::new(Socket::of(ours, Duration::from_secs(1)).expect("socket"));
        wire.send(&mut [vec![0; HEADER_BYTES], long].concat()).expect("sends");
        drop(wire);
        assert!(reader.join().expect("reader") == on_wire);
    }

    #[test]
    fn a_full_last_packet_is_followed_by_an_empty_one() {
        let exact = vec![7; FULL_PACKET_BYTES];
        let (mut wire, writer) = wire_with([packet(0, &exact), packet(1, b"")].concat(), 1 << 20);
        assert!(wire.next().expect("joined") == exact);
        writer.join().expect("writer");
    }
}
