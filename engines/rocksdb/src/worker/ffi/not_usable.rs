//! The reason why a file cannot be used as RocksDB's library.

/// Why a file cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotUsable {
    /// The loader refuses it, in its own words.
    NotALibrary(String),
    /// No function of RocksDB's C interface is in it.
    NotRocksdb,
    /// These are missing, which nothing works without.
    Missing(Vec<&'static str>),
}

impl std::fmt::Display for NotUsable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotALibrary(why) => write!(f, "it is not a shared library for this machine: {why}"),
            Self::NotRocksdb => f.write_str("it is not RocksDB: it has no function rocksdb_open"),
            Self::Missing(names) => write!(f, "it lacks {}", names.join(", ")),
        }
    }
}
