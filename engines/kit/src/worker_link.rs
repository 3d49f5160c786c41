//! The lab's end of a connection to a worker process: one message out, one answer back, each within its time.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use humdrum_contract::Outcome;
use humdrum_model::{Fault, FaultKind};

use crate::frames;

/// A connection.
#[derive(Debug)]
pub struct WorkerLink {
    stream: UnixStream,
    timeout: Duration,
    /// An answer came too late: the next one would be taken for another's.
    out_of_step: bool,
}

impl WorkerLink {
    /// Connects.
    ///
    /// # Errors
    /// Crash if no worker listens; environment if the socket takes no timeout.
    pub fn open(socket: &Path, timeout: Duration) -> Outcome<Self> {
        let refused = |error: io::Error| Fault::crash(format!("the worker takes no connection: {error}"));
        let stream = UnixStream::connect(socket).map_err(refused)?;
        let mut link = Self { stream, timeout, out_of_step: false };
        link.set_timeout(timeout)?;
        Ok(link)
    }

    /// Sends a message and waits for its answer, which `decode` turns into what it means; `None`: it means nothing.
    ///
    /// # Errors
    /// Timeout; crash, if the worker is gone or the answer means nothing. After any of these the connection is given up.
    pub fn ask<T>(&mut self, message: &[u8], decode: impl FnOnce(&[u8]) -> Option<T>) -> Outcome<T> {
        if self.out_of_step {
            return Err(Fault::crash("the connection was given up after an answer that came too late"));
        }
        let answer = frames::send(&mut self.stream, message)
            .and_then(|()| frames::receive(&mut self.stream))
            .and_then(|bytes| decode(&bytes).ok_or_else(frames::malformed));
        answer.map_err(|error| {
            self.out_of_step = true;
            self.lost(&error)
        })
    }

    /// Answers are due within this time from now on.
    ///
    /// # Errors
    /// Environment, when the timeout cannot be set.
    pub fn set_timeout(&mut self, timeout: Duration) -> Outcome<()> {
        self.timeout = timeout;
        let set = self
            .stream
            .set_read_timeout(Some(timeout))
            .and_then(|()| self.stream.set_write_timeout(Some(timeout)));
        set.map_err(|error| Fault::environment(format!("a socket does not take a timeout: {error}")))
    }

    fn lost(&self, error: &io::Error) -> Fault {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                let what = format!("no answer from the worker within {} s", self.timeout.as_secs_f64());
                Fault::new(FaultKind::Timeout, what)
            }
            io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => {
                Fault::crash("the worker ended in the middle of its work")
            }
            _ => Fault::crash(format!("the connection to the worker broke: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_answer_ends_the_conversation() {
        let folder = tempfile::tempdir().expect("folder");
        let socket = folder.path().join("s");
        // Listens and never answers.
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("bind");
        let mut link = WorkerLink::open(&socket, Duration::from_millis(50)).expect("connected");
        let mut ask = || link.ask(b"x", |_| Some(())).expect_err("late");
        assert_eq!(ask().kind, FaultKind::Timeout);
        assert!(ask().what.contains("given up"));
        let nobody = WorkerLink::open(&folder.path().join("none"), Duration::from_secs(1));
        assert_eq!(nobody.map(drop).expect_err("nobody").kind, FaultKind::Crash);
    }
}
