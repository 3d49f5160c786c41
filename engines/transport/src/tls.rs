//! An encrypted connection over a socket, by rustls. The socket waits and limits waits as it does without encryption.
//!
//! ```text
//!   tls/config.rs    files and wishes → rustls' configuration
//!   tls/verify.rs    what is checked of a server's certificate
//!   tls/binding.rs   the certificate's hash, which a password's proof is bound to
//!   tls/explain.rs   what went wrong, and what to type next
//! ```

mod binding;
mod config;
mod explain;
mod verify;

use std::io::{self, Read, Write};
use std::sync::Arc;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use rustls::pki_types::ServerName;
use rustls::{ClientConnection, ProtocolVersion};

use crate::encryption::{Check, Encryption};
use verify::Certificates;

/// Encrypted bytes that are read at once: two of the longest records.
const BUFFER_BYTES: usize = 32 * 1024;

/// The state of an encrypted connection.
#[derive(Debug)]
pub(crate) struct Tls {
    connection: ClientConnection,
    certificates: Arc<Certificates>,
    /// Host and port.
    place: String,
    encryption: Encryption,
    /// `encrypted[start..end]` was read from the socket, and not decrypted.
    encrypted: Vec<u8>,
    start: usize,
    end: usize,
}

impl Tls {
    /// Agrees on keys with the server at the other end of `socket`, and checks its certificate.
    ///
    /// # Errors
    /// Usage for files that cannot be read, environment where no encryption comes about or a check fails, timeout or crash
    /// of the socket.
    pub(crate) fn agree<S: Pieces>(
        socket: &mut S,
        (host, port): (&str, u16),
        encryption: &Encryption,
    ) -> Outcome<Self> {
        let place = format!("{host}:{port}");
        let name = ServerName::try_from(host.to_owned()).map_err(|_| {
            Fault::usage(format!("{host} is no name that a certificate can have"))
                .hint("write the host's name or its address")
        })?;
        let certificates = Certificates::new(encryption)?;
        let config = config::of(encryption, certificates.clone())?;
        let connection = ClientConnection::new(Arc::new(config), name)
            .map_err(|error| explain::explain(&error, &place, encryption))?;
        let mut tls = Self {
            connection,
            certificates,
            place,
            encryption: encryption.clone(),
            encrypted: vec![0; BUFFER_BYTES],
            start: 0,
            end: 0,
        };
        while tls.connection.is_handshaking() {
            tls.flush(socket)?;
            tls.take_in(socket, explain::explain)?;
        }
        tls.flush(socket)?;
        Ok(tls)
    }

    /// Version, cipher and what was checked, for the record.
    pub(crate) fn described(&self) -> String {
        let version = match self.connection.protocol_version() {
            Some(ProtocolVersion::TLSv1_3) => "TLS 1.3",
            _ => "TLS 1.2",
        };
        let cipher = self.connection.negotiated_cipher_suite().map(|suite| suite.suite());
        let cipher = cipher.and_then(|cipher| cipher.as_str()).unwrap_or("unknown cipher");
        let checked = match self.encryption.check {
            Check::Nothing => "certificate not checked",
            Check::Authority => "authority of the certificate checked",
            Check::Name => "certificate and name checked",
        };
        format!("{version}, {cipher}, {checked}")
    }

    /// The hash of the server's certificate for `tls-server-end-point` (RFC 5929); `None` where the certificate has none,
    /// or the server did not prove that it is its own.
    pub(crate) fn end_point(&self) -> Option<Vec<u8>> {
        let certificate = self.connection.peer_certificates()?.first()?;
        self.certificates.is_proven().then(|| binding::end_point(certificate)).flatten()
    }

    /// Encrypts and writes all of `bytes`.
    pub(crate) fn write<S: Pieces>(&mut self, socket: &mut S, mut bytes: &[u8]) -> Outcome<()> {
        while !bytes.is_empty() {
            let taken = self.connection.writer().write(bytes).map_err(lost)?;
            bytes = &bytes[taken..];
            self.flush(socket)?;
        }
        Ok(())
    }

    /// Reads at least one byte into `free`; 0 if the server has closed the connection.
    pub(crate) fn read<S: Pieces>(&mut self, socket: &mut S, free: &mut [u8]) -> Outcome<usize> {
        loop {
            match self.connection.reader().read(free) {
                Ok(bytes) => return Ok(bytes),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(lost(error)),
            }
            self.take_in(socket, explain::later)?;
            self.flush(socket)?;
        }
    }

    /// Decrypts what has come, or waits for more.
    fn take_in<S: Pieces>(
        &mut self,
        socket: &mut S,
        explain: fn(&rustls::Error, &str, &Encryption) -> Fault,
    ) -> Outcome<()> {
        if self.start == self.end {
            (self.start, self.end) = (0, socket.read_piece(&mut self.encrypted)?);
        }
        let mut rest = &self.encrypted[self.start..self.end];
        self.connection.read_tls(&mut rest).map_err(lost)?;
        self.start = self.end - rest.len();
        let done = self.connection.process_new_packets();
        done.map(drop).map_err(|error| {
            // Tells the server why, as far as it listens.
            let _ = self.flush(socket);
            explain(&error, &self.place, &self.encryption)
        })
    }

    fn flush<S: Pieces>(&mut self, socket: &mut S) -> Outcome<()> {
        while self.connection.wants_write() {
            let mut out = Outgoing { socket, fault: None };
            let written = self.connection.write_tls(&mut out);
            if let Some(fault) = out.fault {
                return Err(fault);
            }
            written.map_err(lost)?;
        }
        Ok(())
    }
}

/// A socket without encryption.
pub(crate) trait Pieces {
    /// Writes all of these.
    fn write_piece(&mut self, bytes: &[u8]) -> Outcome<()>;
    /// Reads at least one byte.
    fn read_piece(&mut self, free: &mut [u8]) -> Outcome<usize>;
}

/// Keeps the socket's own fault, which an `io::Error` cannot carry.
struct Outgoing<'s, S> {
    socket: &'s mut S,
    fault: Option<Fault>,
}

impl<S: Pieces> Write for Outgoing<'_, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.socket.write_piece(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(fault) => {
                self.fault = Some(fault);
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cold]
fn lost(error: io::Error) -> Fault {
    Fault::crash(format!("the encrypted connection broke: {error}"))
}
