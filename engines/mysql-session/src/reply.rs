//! The packets that begin and end a reply: OK, ERR, EOF, and the count of columns.

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::cursor::Cursor;
use crate::wire::Wire;

/// First bytes of packets.
pub(crate) mod marks {
    pub const OK: u8 = 0x00;
    pub const MORE_AUTHENTICATION: u8 = 0x01;
    pub const SEND_FILE: u8 = 0xfb;
    /// Also: another way to authenticate.
    pub const END: u8 = 0xfe;
    pub const ERROR: u8 = 0xff;
}

/// More results of the same command follow.
const MORE_RESULTS: u16 = 0x0008;

/// A packet with this many bytes or more that begins like an end is a row whose first value is very long.
const END_BYTES: usize = 9;
const SHORT_RESULT_END_BYTES: usize = 0xff_ffff;

/// How a command began to answer.
#[derive(Debug)]
pub(crate) enum Reply {
    /// It is done.
    Done(Done),
    /// Rows of so many columns follow.
    Rows(u64),
    /// It asks for the file of a LOAD DATA LOCAL.
    SendFile,
    /// It failed.
    Failed(ServerError),
}

/// What a command says at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Done {
    /// Rows really changed, inserted or deleted.
    pub(crate) changed: u64,
    pub(crate) warnings: u16,
    pub(crate) more_results: bool,
}

/// An error as the server sent it.
#[derive(Debug)]
pub(crate) struct ServerError {
    pub(crate) code: u16,
    state: String,
    message: String,
}

impl Wire {
    /// The first packet of a reply.
    #[inline]
    pub(crate) fn reply(&mut self) -> Outcome<Reply> {
        let packet = self.next()?;
        match packet.first() {
            Some(&marks::OK) => Done::of_ok(packet).map(Reply::Done),
            Some(&marks::ERROR) => Ok(Reply::Failed(ServerError::read(packet))),
            Some(&marks::SEND_FILE) => Ok(Reply::SendFile),
            _ => Cursor::new(packet).length().map(Reply::Rows),
        }
    }

    /// Whether `packet` ends the rows of a result.
    #[inline]
    pub(crate) fn is_end(packet: &[u8], short_results: bool) -> bool {
        let longest = if short_results { SHORT_RESULT_END_BYTES } else { END_BYTES };
        packet.first() == Some(&marks::END) && packet.len() < longest
    }
}

impl Done {
    fn of_ok(packet: &[u8]) -> Outcome<Self> {
        let mut rest = Cursor::new(packet);
        rest.u8()?;
        let changed = rest.length()?;
        rest.length()?; // the last number that the server gave to a row
        let status = rest.u16()?;
        Ok(Self { changed, warnings: rest.u16()?, more_results: status & MORE_RESULTS != 0 })
    }

    /// Of the packet that ends rows: shaped like an OK packet in short results, else warnings and status.
    pub(crate) fn of_end(packet: &[u8], short_results: bool) -> Outcome<Self> {
        if short_results {
            return Self::of_ok(packet);
        }
        let mut rest = Cursor::new(packet);
        rest.u8()?;
        let warnings = rest.u16()?;
        Ok(Self { changed: 0, warnings, more_results: rest.u16()? & MORE_RESULTS != 0 })
    }
}

impl ServerError {
    /// Never fails: what cannot be read of an error is left out of it.
    pub(crate) fn read(packet: &[u8]) -> Self {
        let mut rest = Cursor::new(packet.get(1..).unwrap_or_default());
        let code = rest.u16().unwrap_or_default();
        let mut state = &[][..];
        if rest.rest().first() == Some(&b'#') {
            state = rest.bytes(6).map_or(&[][..], |state| &state[1..]);
        }
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Self { code, state: text(state), message: text(rest.rest()) }
    }

    /// As `mysql` prints it. Errors that end the session are crashes.
    pub(crate) fn fault(self) -> Fault {
        let what = self.to_string();
        match self.code {
            code if ENDS_THE_SESSION.contains(&code) => Fault::crash(what),
            code if RETRYABLE.contains(&code) => Fault::environment(what).retryable(),
            _ => Fault::environment(what),
        }
    }
}

impl std::fmt::Display for ServerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { code, state, message } = self;
        if state.is_empty() {
            return write!(f, "ERROR {code}: {message}");
        }
        write!(f, "ERROR {code} ({state}): {message}")
    }
}

/// The server shuts down or threw the session out: ER_SERVER_SHUTDOWN, ER_ABORTING_CONNECTION and the errors of
/// its network, ER_NEW_ABORTING_CONNECTION, ER_CONNECTION_KILLED (MariaDB), ER_SESSION_WAS_KILLED,
/// ER_CLIENT_INTERACTION_TIMEOUT (the servers' error reference).
const ENDS_THE_SESSION: [u16; 11] = [1053, 1152, 1156, 1158, 1159, 1160, 1161, 1184, 1927, 3169, 4031];

/// ER_LOCK_WAIT_TIMEOUT, which undoes the statement, and ER_LOCK_DEADLOCK, which undoes its transaction: the same where
/// every statement is one.
const RETRYABLE: [u16; 2] = [1205, 1213];

#[cfg(test)]
mod tests {
    use humdrum_model::FaultKind;

    use super::*;

    #[test]
    fn errors_keep_code_state_and_words() {
        let fault = ServerError::read(b"\xff\x28\x04#42000You have an error").fault();
        assert_eq!(fault.what, "ERROR 1064 (42000): You have an error");
        assert_eq!(fault.kind, FaultKind::Environment);
        let before_log_in = ServerError::read(b"\xff\x10\x04Too many connections");
        assert_eq!(before_log_in.to_string(), "ERROR 1040: Too many connections");
        assert_eq!(ServerError::read(b"\xff\x1d\x04#08S01Server shutdown").fault().kind, FaultKind::Crash);
        let deadlock = ServerError::read(b"\xff\xbd\x04#40001Deadlock found").fault();
        let waited = ServerError::read(b"\xff\xb5\x04#HY000Lock wait timeout exceeded").fault();
        assert!(deadlock.retryable && waited.retryable && !fault.retryable);
        assert_eq!(ServerError::read(b"\xff").code, 0);
        assert_eq!(ServerError::read(b"\xff\x01\x00#42").message, "#42");
    }

    #[test]
    fn ends_say_what_was_changed_and_what_follows() {
        let ok = Done::of_ok(&[0, 0xfc, 0x10, 0x27, 0, 0x0a, 0, 3, 0]).expect("reads");
        assert_eq!(ok, Done { changed: 10_000, warnings: 3, more_results: true });
        let end = Done::of_end(&[0xfe, 1, 0, 2, 0], false).expect("reads");
        assert_eq!(end, Done { changed: 0, warnings: 1, more_results: false });
        assert!(Done::of_end(&[0xfe], false).is_err() && Done::of_ok(&[0, 0xff]).is_err());
    }

    #[test]
    fn a_long_first_value_is_not_an_end() {
        let mut row = vec![0xfe, 0, 0, 0, 1, 0, 0, 0, 0];
        assert!(!Wire::is_end(&row, false) && Wire::is_end(&row, true));
        row.resize(SHORT_RESULT_END_BYTES, 0);
        assert!(!Wire::is_end(&row, true));
    }
}
