//! The socket of a session. It is opened with a time within which every answer is due. Each operation of the hot loop
//! writes to it once and reads from it once, so both do as little as they can.

use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use rustix::net::sockopt::{Timeout, set_socket_timeout};

use crate::bare::{Bare, Reach, broken};
use crate::encryption::Encryption;
use crate::endpoint::Endpoint;
use crate::overdue::Line;
use crate::tls::Tls;

/// A connected socket.
#[derive(Debug)]
pub struct Socket {
    bare: Bare,
    tls: Option<Box<Tls>>,
}

impl Socket {
    /// Connects; every answer is due within `timeout`.
    ///
    /// # Errors
    /// Crash if no server listens, usage if the host has no address.
    pub fn open(endpoint: &Endpoint, timeout: Duration) -> Outcome<Self> {
        match endpoint {
            Endpoint::Unix(path) => {
                let refused = |e| Fault::crash(format!("cannot connect to {}: {e}", path.display()));
                Self::of(UnixStream::connect(path).map_err(refused)?, timeout)
            }
            Endpoint::Tcp(host, port) => open_tcp(host, *port, timeout),
        }
    }

    /// Takes a connection that is open already.
    ///
    /// # Errors
    /// Crash, when it is broken.
    pub fn of(stream: UnixStream, timeout: Duration) -> Outcome<Self> {
        Self::watched(stream.into(), Reach::Private, timeout)
    }

    fn watched(file: OwnedFd, reach: Reach, timeout: Duration) -> Outcome<Self> {
        let line = Line::watched(file, timeout);
        let line = line.map_err(|error| {
            Fault::environment(format!("the thread for time limits cannot be started: {error}"))
        })?;
        let socket = Self { bare: Bare { line, reach, pieces: 0 }, tls: None };
        socket.limit_writes(timeout)?;
        Ok(socket)
    }

    /// Encrypts the connection from now on, with the server that was connected to as `host` and port.
    ///
    /// # Errors
    /// Usage for files that cannot be read, environment where no encryption comes about or a check fails, timeout or crash
    /// of the connection.
    pub fn encrypt(&mut self, host: (&str, u16), encryption: &Encryption) -> Outcome<()> {
        self.tls = Some(Box::new(Tls::agree(&mut self.bare, host, encryption)?));
        Ok(())
    }

    /// Version, cipher and what was checked; `None` without encryption.
    pub fn encryption(&self) -> Option<String> {
        self.tls.as_ref().map(|tls| tls.described())
    }

    /// The hash of the server's certificate that a password's proof can be bound to (RFC 5929); `None` without encryption,
    /// and for certificates that have none.
    pub fn end_point(&self) -> Option<Vec<u8>> {
        self.tls.as_ref()?.end_point()
    }

    /// Answers are due within this time from now on.
    ///
    /// # Errors
    /// Crash, when it is broken.
    pub fn set_timeout(&mut self, timeout: Duration) -> Outcome<()> {
        self.bare.line.set_timeout(timeout);
        self.limit_writes(timeout)
    }

    /// A write waits only where the other end reads nothing, which is rare; the kernel limits it.
    fn limit_writes(&self, timeout: Duration) -> Outcome<()> {
        let set = set_socket_timeout(&self.bare.line.file, Timeout::Send, Some(timeout));
        set.map_err(|error| broken(error.into()))
    }

    /// Whether no one else can listen in between.
    pub fn is_private(&self) -> bool {
        self.bare.reach == Reach::Private
    }

    /// Both ends are on this host.
    pub fn is_local(&self) -> bool {
        self.bare.reach != Reach::Remote
    }

    /// The process that listens at the other end, where the kernel says.
    pub fn peer_process(&self) -> Option<u32> {
        let private = self.is_private().then(|| self.bare.line.file.as_fd())?;
        let credentials = rustix::net::sockopt::socket_peercred(private).ok()?;
        u32::try_from(credentials.pid.as_raw_nonzero().get()).ok()
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// Timeout when the other end takes nothing, crash when it is gone.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> Outcome<()> {
        self.bare.pieces = 0;
        match &mut self.tls {
            None => self.bare.send(bytes),
            Some(tls) => tls.write(&mut self.bare, bytes),
        }
    }

    /// Writes all of these, one behind the other, without copying them together first: the place they would be copied to
    /// has left the processor's caches while the server ran.
    ///
    /// # Errors
    /// As `write`.
    pub fn write_parts<const PARTS: usize>(&mut self, parts: [&[u8]; PARTS]) -> Outcome<()> {
        self.bare.pieces = 0;
        match &mut self.tls {
            None => self.bare.send_parts(parts),
            Some(tls) => parts.iter().try_for_each(|part| tls.write(&mut self.bare, part)),
        }
    }

    /// Reads at least one byte into `free`, which is not empty.
    ///
    /// # Errors
    /// Timeout when nothing comes, crash when the other end is gone.
    #[inline]
    pub fn read(&mut self, free: &mut [u8]) -> Outcome<usize> {
        match &mut self.tls {
            None => self.bare.receive(free),
            Some(tls) => match tls.read(&mut self.bare, free)? {
                0 => Err(self.bare.closed()),
                bytes => Ok(bytes),
            },
        }
    }
}

fn open_tcp(host: &str, port: u16, timeout: Duration) -> Outcome<Socket> {
    let refused = |error| Fault::crash(format!("cannot connect to {host}:{port}: {error}"));
    let address = (host, port).to_socket_addrs().map_err(refused)?.next();
    let address = address.ok_or_else(|| Fault::usage(format!("{host} has no address")))?;
    let stream = TcpStream::connect_timeout(&address, timeout).map_err(refused)?;
    stream.set_nodelay(true).map_err(broken)?;
    let reach = if address.ip().is_loopback() { Reach::Local } else { Reach::Remote };
    Socket::watched(stream.into(), reach, timeout)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use humdrum_model::FaultKind;

    use super::*;

    fn pair() -> (Socket, UnixStream) {
        let (ours, theirs) = UnixStream::pair().expect("pair");
        (Socket::of(ours, Duration::from_millis(20)).expect("socket"), theirs)
    }

    #[test]
    fn what_is_written_arrives_however_long_it_is() {
        let (mut socket, mut theirs) = pair();
        socket.write(b"first").expect("written");
        let mut first = [0; 5];
        theirs.read_exact(&mut first).expect("read");
        assert_eq!(&first, b"first");
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|number| number as u8).collect();
        let expected = bytes.clone();
        let reader = std::thread::spawn(move || {
            let mut read = vec![0; expected.len()];
            theirs.read_exact(&mut read).expect("all of it");
            assert!(read == expected);
            theirs.write_all(b"thanks").expect("written");
        });
        let (head, rest) = bytes.split_at(10);
        let (middle, tail) = rest.split_at(2_000_000);
        socket.write_parts([head, middle, &[], tail]).expect("written");
        reader.join().expect("reader");
        let mut free = [0; 16];
        assert_eq!((socket.read(&mut free).expect("read"), &free[..6]), (6, b"thanks".as_slice()));
        assert_eq!(socket.read(&mut free).expect_err("closed").kind, FaultKind::Crash);
        assert_eq!(socket.write(b"more").expect_err("closed").kind, FaultKind::Crash);
    }

    #[test]
    fn silence_is_a_timeout() {
        let (mut socket, _theirs) = pair();
        let fault = socket.read(&mut [0; 16]).expect_err("nothing comes");
        assert_eq!((fault.kind, fault.what.as_str()), (FaultKind::Timeout, "no answer within 0.02 s"));
        // It is over; what comes later would be taken for the answer to another question.
        assert_eq!(socket.write(b"more").expect_err("shut").kind, FaultKind::Timeout);
    }

    #[test]
    fn knows_who_can_listen() {
        let (socket, _theirs) = pair();
        assert!(socket.is_private() && socket.is_local());
        assert_eq!(socket.peer_process(), Some(std::process::id()));
        let listener = TcpListener::bind("127.0.0.1:0").expect("listens");
        let port = listener.local_addr().expect("address").port();
        let tcp =
            Socket::open(&Endpoint::Tcp("127.0.0.1".into(), port), Duration::from_secs(1)).expect("open");
        assert!(!tcp.is_private() && tcp.is_local() && tcp.peer_process().is_none());
        let gone = Endpoint::Unix("/nowhere/socket".into());
        assert_eq!(Socket::open(&gone, Duration::from_secs(1)).expect_err("refused").kind, FaultKind::Crash);
    }
}
