//! How large the folder of a server is, read with the state of its data.

use std::path::Path;

use humdrum_contract::Server;
use humdrum_model::Quantity;

/// Bytes of everything that the server keeps, log included, where it can be seen.
pub(crate) fn folder_bytes(server: &dyn Server) -> Option<Quantity> {
    let folder = server.data_folder()?;
    Some(Quantity {
        name: "folder_bytes".into(),
        unit: "bytes".into(),
        description: "everything in the server's data folder, log included".into(),
        value: bytes_in(&folder) as f64,
    })
}

/// Blocks in use, so that files with holes count as what they take. What goes away meanwhile counts as nothing.
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
