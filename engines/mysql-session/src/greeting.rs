//! The server's first packet: its version, its capabilities, and the salt for the password.

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::cursor::Cursor;
use crate::reply::{ServerError, marks};

/// What client and server can agree on (protocol documentation, "Capabilities Flags").
pub(crate) mod capabilities {
    pub const LONG_PASSWORD: u32 = 1;
    pub const LONG_FLAG: u32 = 1 << 2;
    pub const CONNECT_WITH_DB: u32 = 1 << 3;
    pub const LOCAL_FILES: u32 = 1 << 7;
    pub const PROTOCOL_41: u32 = 1 << 9;
    pub const SSL: u32 = 1 << 11;
    pub const TRANSACTIONS: u32 = 1 << 13;
    pub const SECURE_CONNECTION: u32 = 1 << 15;
    pub const MULTI_STATEMENTS: u32 = 1 << 16;
    pub const MULTI_RESULTS: u32 = 1 << 17;
    pub const PLUGIN_AUTH: u32 = 1 << 19;
    pub const DEPRECATE_EOF: u32 = 1 << 24;
}

/// The only version of the protocol since MySQL 3.21.
const PROTOCOL: u8 = 10;

/// Replicas of old refused servers of two-digit major versions, so MariaDB put this in front of its own.
const MARIADB_PREFIX: &str = "5.5.5-";

/// What the server says of itself.
#[derive(Debug)]
pub(crate) struct Greeting {
    /// As `SELECT VERSION()` gives it.
    pub(crate) version: String,
    pub(crate) capabilities: u32,
    /// For the password; 20 bytes.
    pub(crate) salt: Vec<u8>,
    /// How it would like to authenticate.
    pub(crate) plugin: String,
}

impl Greeting {
    pub(crate) fn read(packet: &[u8]) -> Outcome<Self> {
        if packet.first() == Some(&marks::ERROR) {
            return Err(Fault::crash(format!("cannot log in: {}", ServerError::read(packet))));
        }
        let mut rest = Cursor::new(packet);
        let protocol = rest.u8()?;
        if protocol != PROTOCOL {
            let what = format!("what listens there speaks protocol {protocol}, not MySQL's {PROTOCOL}");
            return Err(Fault::crash(what));
        }
        let version = version(rest.until_zero());
        rest.u32()?; // number of the connection
        let mut salt = rest.bytes(8)?.to_vec();
        rest.u8()?;
        let low = rest.u16()?;
        rest.bytes(1 + 2)?; // the server's character set and status
        let capabilities = u32::from(low) | u32::from(rest.u16()?) << 16;
        rest.bytes(1 + 10)?; // length of the salt, reserved
        salt.extend_from_slice(rest.until_zero());
        let plugin = String::from_utf8_lossy(rest.until_zero()).into_owned();
        let needed = capabilities::PROTOCOL_41 | capabilities::SECURE_CONNECTION;
        if capabilities & needed != needed {
            return Err(Fault::crash(format!("server {version} is older than MySQL 4.1")));
        }
        Ok(Self { version, capabilities, salt, plugin })
    }

    /// It is MariaDB.
    pub(crate) fn is_mariadb(&self) -> bool {
        self.version.contains("MariaDB")
    }

    /// First number of the version.
    pub(crate) fn major(&self) -> u32 {
        let digits = self.version.split(|c: char| !c.is_ascii_digit()).next();
        digits.and_then(|digits| digits.parse().ok()).unwrap_or_default()
    }
}

fn version(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    match text.strip_prefix(MARIADB_PREFIX) {
        Some(own) if own.contains("MariaDB") => own.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Greeting of a server with all capabilities.
    fn greeting(version: &str, plugin: &str) -> Vec<u8> {
        let mut packet = vec![PROTOCOL];
        packet.extend_from_slice(version.as_bytes());
        packet.push(0);
        packet.extend_from_slice(&[9, 0, 0, 0]);
        packet.extend_from_slice(b"saltsalt\0");
        packet.extend_from_slice(&[0xff, 0xff, 8, 2, 0, 0xff, 0xff, 21]);
        packet.extend_from_slice(&[0; 10]);
        packet.extend_from_slice(b"saltsaltsalt\0");
        packet.extend_from_slice(plugin.as_bytes());
        packet.push(0);
        packet
    }

    #[test]
    fn says_who_the_server_is() {
        let read = Greeting::read(&greeting("8.0.33", "caching_sha2_password")).expect("reads");
        assert_eq!((read.version.as_str(), read.major(), read.is_mariadb()), ("8.0.33", 8, false));
        assert_eq!(
            (read.salt.as_slice(), read.plugin.as_str()),
            (&b"saltsaltsaltsaltsalt"[..], "caching_sha2_password")
        );
        let maria =
            Greeting::read(&greeting("5.5.5-10.11.5-MariaDB", "mysql_native_password")).expect("reads");
        assert_eq!(
            (maria.version.as_str(), maria.major(), maria.is_mariadb()),
            ("10.11.5-MariaDB", 10, true)
        );
        assert_eq!(Greeting::read(&greeting("5.5.5-m3", "")).expect("reads").version, "5.5.5-m3");
    }

    #[test]
    fn strangers_are_told_apart() {
        let full = Greeting::read(b"\xff\x10\x04Too many connections").expect_err("refused");
        assert_eq!(full.what, "cannot log in: ERROR 1040: Too many connections");
        assert!(Greeting::read(b"SSH-2.0").expect_err("not MySQL").what.contains("protocol 83"));
        assert!(Greeting::read(b"").is_err());
    }

    proptest! {
        #[test]
        fn any_greeting_is_read_without_a_panic(
            tail in prop::collection::vec(any::<u8>(), 0..80),
            length in 0usize..70,
        ) {
            let _ = Greeting::read(&[&[PROTOCOL], &tail[..]].concat());
            let whole = greeting("8.0.33", "x");
            let _ = Greeting::read(&whole[..length.min(whole.len())]);
        }
    }
}
