//! The size of a server's folder, read with the state of its data.

use std::path::Path;

use humdrum_contract::Server;
use humdrum_model::Quantity;

/// Bytes of all that the server stores, log included, if the folder can be read.
pub(crate) fn folder_bytes(server: &dyn Server) -> Option<Quantity> {
    let folder = server.data_folder()?;
    Some(Quantity {
        name: "folder_bytes".into(),
        unit: "bytes".into(),
        description: "everything in the server's data folder, log included".into(),
        value: bytes_in(&folder) as f64,
    })
}

/// Counts blocks in use, so that files with holes count at their size on disk. Files that are removed
/// meanwhile count as zero.
fn bytes_in(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(facts) if facts.is_dir() => bytes_in(&entry.path()),
        Ok(facts) => facts.blocks() * 512,
        Err(_) => 0,
    };
    entries.map(size).sum()
}
