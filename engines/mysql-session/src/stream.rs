//! The socket: opened with a time within which every answer is due.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use humdrum_contract::Outcome;
use humdrum_model::{Fault, FaultKind};

use crate::Endpoint;

/// A connected socket.
#[derive(Debug)]
pub(crate) struct Stream {
    socket: Socket,
    timeout: Duration,
}

#[derive(Debug)]
enum Socket {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Stream {
    pub(crate) fn open(endpoint: &Endpoint, timeout: Duration) -> Outcome<Self> {
        let socket = match endpoint {
            Endpoint::Unix(path) => {
                let refused = |e| Fault::crash(format!("cannot connect to {}: {e}", path.display()));
                let stream = UnixStream::connect(path).map_err(refused)?;
                stream.set_read_timeout(Some(timeout)).map_err(|error| broken(&error))?;
                stream.set_write_timeout(Some(timeout)).map_err(|error| broken(&error))?;
                Socket::Unix(stream)
            }
            Endpoint::Tcp(host, port) => Socket::Tcp(open_tcp(host, *port, timeout)?),
        };
        Ok(Self { socket, timeout })
    }

    #[cfg(test)]
    pub(crate) fn of_pair(stream: UnixStream) -> Self {
        Self { socket: Socket::Unix(stream), timeout: Duration::from_secs(1) }
    }

    /// Nobody else on the way can listen.
    pub(crate) fn is_private(&self) -> bool {
        matches!(self.socket, Socket::Unix(_))
    }

    /// Both ends are on this host.
    pub(crate) fn is_local(&self) -> bool {
        match &self.socket {
            Socket::Unix(_) => true,
            Socket::Tcp(stream) => stream.peer_addr().is_ok_and(|peer| peer.ip().is_loopback()),
        }
    }

    /// The process that listens at the other end, where the kernel says.
    pub(crate) fn peer_process(&self) -> Option<u32> {
        let Socket::Unix(stream) = &self.socket else { return None };
        let credentials = rustix::net::sockopt::socket_peercred(stream.as_fd()).ok()?;
        u32::try_from(credentials.pid.as_raw_nonzero().get()).ok()
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Outcome<()> {
        let sent = match &mut self.socket {
            Socket::Unix(stream) => stream.write_all(bytes),
            Socket::Tcp(stream) => stream.write_all(bytes),
        };
        sent.map_err(|error| self.lost(&error))
    }

    /// At least one byte, unless interrupted.
    pub(crate) fn read(&mut self, free: &mut [u8]) -> Outcome<usize> {
        let read = match &mut self.socket {
            Socket::Unix(stream) => stream.read(free),
            Socket::Tcp(stream) => stream.read(free),
        };
        match read {
            Ok(0) => Err(Fault::crash("the server closed the connection")),
            Ok(bytes) => Ok(bytes),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(0),
            Err(error) => Err(self.lost(&error)),
        }
    }

    fn lost(&self, error: &std::io::Error) -> Fault {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                Fault::new(FaultKind::Timeout, format!("no answer within {} s", self.timeout.as_secs_f64()))
            }
            _ => broken(error),
        }
    }
}

fn open_tcp(host: &str, port: u16, timeout: Duration) -> Outcome<TcpStream> {
    let refused = |error| Fault::crash(format!("cannot connect to {host}:{port}: {error}"));
    let address = (host, port).to_socket_addrs().map_err(refused)?.next();
    let address = address.ok_or_else(|| Fault::usage(format!("{host} has no address")))?;
    let stream = TcpStream::connect_timeout(&address, timeout).map_err(refused)?;
    stream.set_read_timeout(Some(timeout)).map_err(|error| broken(&error))?;
    stream.set_write_timeout(Some(timeout)).map_err(|error| broken(&error))?;
    stream.set_nodelay(true).map_err(|error| broken(&error))?;
    Ok(stream)
}

fn broken(error: &std::io::Error) -> Fault {
    Fault::crash(format!("the connection broke: {error}"))
}
