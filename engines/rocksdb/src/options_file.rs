//! Reads a store's options from the newest OPTIONS file in its folder, which the library writes whenever it
//! opens a store. Every option in force is in it, the defaults included.

use std::fs;
use std::path::Path;

/// Left out: they say where a store is, which differs between any two.
const LEFT_OUT: [&str; 4] = ["db_log_dir", "options_file_version", "rocksdb_version", "wal_dir"];

/// Version and options of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InForce {
    /// The library's own version.
    pub(crate) version: String,
    /// Sorted by name.
    pub(crate) settings: Vec<(String, String)>,
}

/// Of the store in `folder`; `None` where there is no such file.
pub(crate) fn read(folder: &Path) -> Option<InForce> {
    let names = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name());
    let names = names.filter_map(|name| name.into_string().ok());
    let number = |name: &str| name.strip_prefix("OPTIONS-")?.parse::<u64>().ok();
    let newest = names.filter_map(|name| Some((number(&name)?, name))).max()?;
    Some(parse(&fs::read_to_string(folder.join(newest.1)).ok()?))
}

/// Sections begin with a name in brackets; lines in them are `name=value`. Only one of the two tables' formats is in
/// use, so that names need no section before them.
fn parse(text: &str) -> InForce {
    let mut in_force = InForce::default();
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '[']));
    for (name, value) in lines.filter_map(|line| line.split_once('=')) {
        if name == "rocksdb_version" {
            value.clone_into(&mut in_force.version);
        }
        if !LEFT_OUT.contains(&name) {
            in_force.settings.push((name.to_owned(), value.to_owned()));
        }
    }
    in_force.settings.sort();
    in_force
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# This is a RocksDB option file.\n[Version]\n  rocksdb_version=10.10.1\n  \
        options_file_version=1.1\n\n[DBOptions]\n  wal_dir=/x\n  max_background_jobs=2\n\n\
        [CFOptions \"default\"]\n  compression=kLZ4Compression\n  \
        compression_opts={level=32767;checksum=false;}\n[TableOptions/BlockBasedTable \"default\"]\n  \
        block_size=8192\n";

    #[test]
    fn the_newest_file_is_read() {
        let folder = tempfile::tempdir().expect("folder");
        assert_eq!(read(folder.path()), None);
        fs::write(folder.path().join("OPTIONS-000009"), "rocksdb_version=1").expect("write");
        fs::write(folder.path().join("OPTIONS-000011"), TEXT).expect("write");
        fs::write(folder.path().join("OPTIONS-000012.dbtmp"), "rocksdb_version=2").expect("write");
        let in_force = read(folder.path()).expect("options");
        assert_eq!(in_force.version, "10.10.1");
        let names: Vec<&str> = in_force.settings.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["block_size", "compression", "compression_opts", "max_background_jobs"]);
        assert_eq!(in_force.settings[2].1, "{level=32767;checksum=false;}");
    }
}
