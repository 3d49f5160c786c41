//! The checksum of a file, read piece by piece.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use sha2::{Digest, Sha256};

/// SHA-256 of a file.
pub(crate) fn of_file(path: &Path) -> Outcome<String> {
    let mut hash = Sha256::new();
    let mut read = || -> std::io::Result<()> {
        let (mut file, mut piece) = (File::open(path)?, vec![0; 1 << 18]);
        loop {
            match file.read(&mut piece)? {
                0 => return Ok(()),
                read => hash.update(&piece[..read]),
            }
        }
    };
    read().map_err(|error| Fault::environment(error.to_string()).at(path.display().to_string()))?;
    Ok(in_hex(hash))
}

/// The checksum as it is written.
pub(crate) fn in_hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
