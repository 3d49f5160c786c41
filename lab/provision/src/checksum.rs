//! Checksums of files, to compare with those that catalogues pin and registries publish.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha1::Sha1;
use sha2::{Digest, Sha256};

/// Hexadecimal digits of a SHA-256.
pub const SHA256_DIGITS: usize = 64;

/// SHA-256 of a file, as lower-case hexadecimal.
///
/// # Errors
/// When it cannot be read.
pub fn sha256_of(path: &Path) -> std::io::Result<String> {
    digest::<Sha256>(path)
}

/// SHA-1 of a file, for registries that publish nothing better.
///
/// # Errors
/// When it cannot be read.
pub fn sha1_of(path: &Path) -> std::io::Result<String> {
    digest::<Sha1>(path)
}

/// SHA-256 of bytes, as lower-case hexadecimal.
pub fn sha256_of_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn digest<D: Digest>(path: &Path) -> std::io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = D::new();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&hasher.finalize())),
            read => hasher.update(&buffer[..read]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of FIPS 180.
    #[test]
    fn known_digests() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("abc");
        std::fs::write(&path, "abc").expect("write");
        assert_eq!(sha1_of(&path).expect("sha1"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256_of(&path).expect("sha256"), sha256);
        assert_eq!(sha256_of_bytes(b"abc"), sha256);
    }
}
