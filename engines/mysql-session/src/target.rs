//! Where a server listens, how to log in, and in which character set to talk.

use humdrum_transport::{Encryption, Endpoint, Spelling};

/// How users of MySQL and MariaDB write what they ask of encryption.
pub static SPELLING: Spelling = Spelling {
    never: "ssl-mode=DISABLED",
    if_offered: "ssl-mode=PREFERRED",
    unchecked: "ssl-mode=REQUIRED",
    authority: "ssl-mode=VERIFY_CA",
    root_file: "ssl-ca",
    identity: "ssl-cert=/path/of/client-cert.pem&ssl-key=/path/of/client-key.pem",
    server_setting: "ssl_cert and ssl_key, or ssl_ca of an authority; MySQL makes its own from 5.7 on",
};

/// Where a server listens and how to log in.
#[derive(Clone, Debug)]
pub struct Target {
    /// Socket or address.
    pub endpoint: Endpoint,
    /// Account.
    pub user: String,
    /// Its password; empty for none.
    pub password: String,
    /// Schema that the session begins in; empty for none.
    pub database: String,
    /// What is asked of encryption over TCP; `None` for none.
    pub encryption: Option<Encryption>,
    /// What texts are sent and received in.
    pub character_set: CharacterSet,
    /// The server is humdrum's own, of this host: its files tell its process where a connection over TCP does not, and nobody
    /// reads its binary log.
    pub is_ours: bool,
}

/// A character set with its collation. Only those that every release knows under the same name and number:
/// what the session asks for must be what it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharacterSet {
    name: &'static str,
    collation: &'static str,
    /// The collation's number, which log-in sends.
    number: u8,
}

impl CharacterSet {
    /// One byte per character: what the reference runs with, and the default.
    pub const LATIN1: Self = Self { name: "latin1", collation: "latin1_swedish_ci", number: 8 };
    /// Up to four bytes per character, with the collation that is its default in MySQL 5.x and MariaDB and that
    /// 8.0 still has.
    pub const UTF8MB4: Self = Self { name: "utf8mb4", collation: "utf8mb4_general_ci", number: 45 };

    /// The character set with this name, if it is one of those above.
    pub fn named(name: &str) -> Option<Self> {
        [Self::LATIN1, Self::UTF8MB4].into_iter().find(|set| set.name == name)
    }

    /// Its name, as in `SET NAMES`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Its collation, as in `SET NAMES … COLLATE`.
    pub fn collation(self) -> &'static str {
        self.collation
    }

    /// The collation's number in the protocol.
    pub(crate) fn number(self) -> u8 {
        self.number
    }
}

impl Default for CharacterSet {
    fn default() -> Self {
        Self::LATIN1
    }
}
