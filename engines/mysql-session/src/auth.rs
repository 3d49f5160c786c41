//! The ways to prove a password that accounts of MySQL and MariaDB commonly have.

use sha1::Sha1;
use sha2::{Digest, Sha256};

/// A way to authenticate, by the name that servers give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plugin {
    /// `mysql_native_password`: all accounts before MySQL 8, and MariaDB's.
    Native,
    /// `caching_sha2_password`: accounts of MySQL 8 and later.
    CachingSha2,
    /// `mysql_clear_password`: the password itself, over a Unix socket or encrypted.
    Clear,
}

impl Plugin {
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "mysql_native_password" => Some(Self::Native),
            "caching_sha2_password" => Some(Self::CachingSha2),
            "mysql_clear_password" => Some(Self::Clear),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Native => "mysql_native_password",
            Self::CachingSha2 => "caching_sha2_password",
            Self::Clear => "mysql_clear_password",
        }
    }

    /// The first answer to the server's salt. An empty password is an empty answer, but for the newer plugin,
    /// which tells "empty" from "not sent yet" by a zero.
    pub(crate) fn prove(self, password: &[u8], salt: &[u8]) -> Vec<u8> {
        let salt = &salt[..salt.len().min(SALT_BYTES)];
        match self {
            Self::Clear => zero_ended(password),
            Self::CachingSha2 if password.is_empty() => vec![0],
            Self::CachingSha2 => sha256_proof(password, salt),
            Self::Native if password.is_empty() => Vec::new(),
            Self::Native => sha1_proof(password, salt),
        }
    }
}

/// A zero may follow the salt; it does not belong to it.
const SALT_BYTES: usize = 20;

/// A password as it is sent when it is sent as such.
pub(crate) fn zero_ended(password: &[u8]) -> Vec<u8> {
    [password, &[0]].concat()
}

/// SHA1(p) XOR SHA1(salt, SHA1(SHA1(p))); the server keeps SHA1(SHA1(p)).
fn sha1_proof(password: &[u8], salt: &[u8]) -> Vec<u8> {
    let once = Sha1::digest(password);
    let twice = Sha1::digest(once);
    let mask = Sha1::new().chain_update(salt).chain_update(twice).finalize();
    xor(&once, &mask)
}

/// SHA256(p) XOR SHA256(SHA256(SHA256(p)), salt): the salt goes to the other end.
fn sha256_proof(password: &[u8], salt: &[u8]) -> Vec<u8> {
    let once = Sha256::digest(password);
    let twice = Sha256::digest(once);
    let mask = Sha256::new().chain_update(twice).chain_update(salt).finalize();
    xor(&once, &mask)
}

/// `left` with each byte flipped by `right`'s, which is repeated as needed.
pub(crate) fn xor(left: &[u8], right: &[u8]) -> Vec<u8> {
    left.iter().zip(right.iter().cycle()).map(|(left, right)| left ^ right).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SALT: &[u8] = b"abcdefghijklmnopqrst";

    /// As a server checks it: it knows SHA1(SHA1(p)) alone.
    #[test]
    fn a_server_accepts_the_native_proof() {
        let kept = Sha1::digest(Sha1::digest(b"secret"));
        let proof = Plugin::Native.prove(b"secret", &[SALT, &[0]].concat());
        let mask = Sha1::new().chain_update(SALT).chain_update(kept).finalize();
        assert_eq!(Sha1::digest(xor(&proof, &mask)), kept);
    }

    /// As a server with the hash in its cache checks it.
    #[test]
    fn a_server_accepts_the_newer_proof() {
        let kept = Sha256::digest(Sha256::digest(b"secret"));
        let proof = Plugin::CachingSha2.prove(b"secret", SALT);
        let mask = Sha256::new().chain_update(kept).chain_update(SALT).finalize();
        assert_eq!(Sha256::digest(xor(&proof, &mask)), kept);
    }

    #[test]
    fn empty_passwords_prove_nothing() {
        assert_eq!(Plugin::Native.prove(b"", SALT), b"");
        assert_eq!(Plugin::CachingSha2.prove(b"", SALT), b"\0");
    }

    #[test]
    fn names_are_the_servers() {
        for plugin in [Plugin::Native, Plugin::CachingSha2, Plugin::Clear] {
            assert_eq!(Plugin::named(plugin.name()), Some(plugin));
        }
        assert_eq!(Plugin::named("dialog"), None);
    }
}
