//! A socket without encryption. It writes and reads with as little as a system call needs.
//!
//! The kernel is called directly. The C library's `send` and `recv` are cancellation points, and in a program with
//! several threads they prepare for cancellation on each call: a twelfth of what a point query costs its client.

use std::io::IoSlice;
use std::sync::Arc;

use humdrum_contract::Outcome;
use humdrum_model::{Fault, FaultKind};
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendFlags, send, sendmsg};

use crate::overdue::Line;
use crate::tls::Pieces;
use crate::waiting;

/// A connected socket.
#[derive(Debug)]
pub(crate) struct Bare {
    pub(crate) line: Arc<Line>,
    pub(crate) reach: Reach,
    /// Pieces that have come of the answer to what was written last.
    pub(crate) pieces: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// A socket file: no one else can listen in between.
    Private,
    /// This host.
    Local,
    Remote,
}

impl Bare {
    #[inline]
    pub(crate) fn send(&self, mut bytes: &[u8]) -> Outcome<()> {
        while !bytes.is_empty() {
            match send(&self.line.file, bytes, SendFlags::NOSIGNAL) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(Errno::INTR) => {}
                Err(error) => return Err(self.lost(error)),
            }
        }
        Ok(())
    }

    pub(crate) fn send_parts<const PARTS: usize>(&self, parts: [&[u8]; PARTS]) -> Outcome<()> {
        let slices = parts.map(IoSlice::new);
        let mut sent = loop {
            match sendmsg(&self.line.file, &slices, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL)
            {
                Ok(sent) => break sent,
                Err(Errno::INTR) => {}
                Err(error) => return Err(self.lost(error)),
            }
        };
        for part in parts {
            let done = sent.min(part.len());
            sent -= done;
            self.send(&part[done..])?;
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn receive(&mut self, free: &mut [u8]) -> Outcome<usize> {
        self.line.count_wait();
        self.pieces += 1;
        let read = waiting::read_piece(self.pieces, &self.line.file, free);
        self.line.count_wait();
        match read {
            Ok(0) => Err(self.closed()),
            Ok(bytes) => Ok(bytes),
            Err(error) => Err(self.lost(error)),
        }
    }

    #[cold]
    pub(crate) fn closed(&self) -> Fault {
        if self.line.is_overdue() { self.late() } else { Fault::crash("the server closed the connection") }
    }

    #[cold]
    fn lost(&self, error: Errno) -> Fault {
        match error {
            // The limit of a write, which a socket has by itself.
            Errno::AGAIN | Errno::TIMEDOUT => self.late(),
            _ if self.line.is_overdue() => self.late(),
            _ => broken(error.into()),
        }
    }

    fn late(&self) -> Fault {
        Fault::new(FaultKind::Timeout, format!("no answer within {} s", self.line.timeout().as_secs_f64()))
    }
}

impl Pieces for Bare {
    fn write_piece(&mut self, bytes: &[u8]) -> Outcome<()> {
        self.send(bytes)
    }

    fn read_piece(&mut self, free: &mut [u8]) -> Outcome<usize> {
        self.receive(free)
    }
}

pub(crate) fn broken(error: std::io::Error) -> Fault {
    Fault::crash(format!("the connection broke: {error}"))
}
