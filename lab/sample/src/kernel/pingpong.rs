//! Sends a byte to another thread and back, through two pipes.
//!
//! The partner is a thread and not a process. The kernel does the same work for both, but for the change of address
//! space; a thread needs no guardian, always ends with the program, and needs no unsafe code.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::thread::JoinHandle;

/// Rounds of a batch: some tens of microseconds.
pub(super) const ROUNDS: u32 = 4;

/// The two ends that are ours, and the partner. Dropping it ends the partner.
#[derive(Debug)]
pub(super) struct PingPong {
    /// `None` once the partner was told to end: it reads the end of the pipe.
    to: Option<PipeWriter>,
    from: PipeReader,
    partner: Option<JoinHandle<()>>,
}

impl PingPong {
    /// Starts the partner, which waits for bytes and returns them.
    pub(super) fn start() -> io::Result<Self> {
        let ((mut there, to), (from, mut back)) = (io::pipe()?, io::pipe()?);
        let partner = std::thread::Builder::new().name("kernel-partner".into()).spawn(move || {
            let mut byte = [0];
            while there.read_exact(&mut byte).and_then(|()| back.write_all(&byte)).is_ok() {}
        })?;
        Ok(Self { to: Some(to), from, partner: Some(partner) })
    }

    /// Does a batch; returns how many rounds that was.
    pub(super) fn rounds(&mut self) -> io::Result<u32> {
        let to = self.to.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        for round in 0..ROUNDS {
            let sent = [round as u8];
            let mut received = [!sent[0]];
            to.write_all(&sent)?;
            self.from.read_exact(&mut received)?;
            if received != sent {
                return Err(io::Error::other("another byte came back"));
            }
        }
        Ok(ROUNDS)
    }
}

impl Drop for PingPong {
    fn drop(&mut self) {
        self.to = None;
        if let Some(partner) = self.partner.take() {
            let _ = partner.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_and_the_partner_ends() {
        let mut partner = PingPong::start().expect("starts");
        assert_eq!(partner.rounds().expect("answers"), ROUNDS);
        assert_eq!(partner.rounds().expect("answers again"), ROUNDS);
        // Would wait for ever, were the partner not told.
        drop(partner);
    }
}
