//! Random order: lines by a hash of their keys, so that equal keys stay together.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::fault::{Fault, Result};

/// What makes one random order another.
pub(crate) type Seed = [u8; 16];

/// Bytes of the hash that are kept: that two of 2^32 different keys have the same is as likely as 1 in 2^33.
const KEPT: usize = 12;

/// Appends the hash of `text`.
pub(crate) fn encode(seed: &Seed, text: &[u8], into: &mut Vec<u8>) {
    let hash = Sha256::new().chain_update(seed).chain_update(text).finalize();
    into.extend_from_slice(&hash[..KEPT]);
}

/// A seed from the first bytes of a file, or else from the operating system.
pub(crate) fn seed(source: Option<&Path>) -> Result<Seed> {
    let path = source.unwrap_or(Path::new("/dev/urandom"));
    let mut seed = Seed::default();
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut seed));
    read.map(|()| seed).map_err(|error| {
        if error.kind() == std::io::ErrorKind::UnexpectedEof {
            Fault::new(format!("{}: end of file", path.display()))
                .hint(format!("--random-source takes a file of {} bytes or more", seed.len()))
        } else {
            Fault::reading(path, &error)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_is_the_order() {
        let hash = |seed: u8, text: &[u8]| {
            let mut bytes = Vec::new();
            encode(&[seed; 16], text, &mut bytes);
            bytes
        };
        assert_eq!(hash(1, b"a"), hash(1, b"a"));
        assert_ne!(hash(1, b"a"), hash(2, b"a"));
        assert_ne!(hash(1, b"a"), hash(1, b"b"));
    }
}
