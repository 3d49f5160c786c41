//! Releases that can be fetched: `releases.tsv` beside this file, oldest first. Of a package, the library alone is unpacked.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use humdrum_provision::npm::Package;

/// The package that carries the library beside bindings for Node.
const PACKAGE: &str = "@duckdb/node-bindings-linux-x64";
/// Where releases come from, for people.
pub(crate) const ORIGIN: &str = "node-bindings-linux-x64";
/// What the library is called here.
pub(crate) const LIBRARY: &str = "libduckdb.so";

/// A release of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// As a user types it.
    pub version: &'static str,
    package: &'static str,
    sha256: &'static str,
}

impl Entry {
    pub(crate) fn package(&self) -> Package<'static> {
        Package { name: PACKAGE, version: self.package, sha256: self.sha256 }
    }
}

/// Where an entry of a package goes: the library, which one release calls `libduckdb.so.1.4`.
pub(crate) fn unpacked(entry: &Path) -> Option<PathBuf> {
    let name = entry.file_name()?.to_str()?;
    let is_library = name.strip_prefix(LIBRARY).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    is_library.then(|| LIBRARY.into())
}

/// All of them, oldest first.
pub(crate) fn entries() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        let lines = include_str!("releases.tsv").lines().filter(|line| !line.starts_with('#'));
        let entry = |line: &'static str| {
            let mut fields = line.split('\t');
            Some(Entry { version: fields.next()?, package: fields.next()?, sha256: fields.next()? })
        };
        lines.filter_map(entry).collect()
    });
    &ENTRIES
}

/// The release that a user's version means: itself, or the newest of a series (`1`, `1.4`).
///
/// # Errors
/// Usage, with what there is.
pub(crate) fn find(version: &str) -> Outcome<&'static Entry> {
    let exact = entries().iter().find(|entry| entry.version == version);
    let of_series =
        |entry: &&Entry| entry.version.strip_prefix(version).is_some_and(|rest| rest.starts_with('.'));
    exact.or_else(|| entries().iter().rfind(of_series)).ok_or_else(|| {
        let known: Vec<&str> = entries().iter().map(|entry| entry.version).collect();
        Fault::usage(format!("there is no release {version} of duckdb in the catalogue"))
            .hint(format!("known are {}", known.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_in_order_and_whole() {
        let key = |entry: &Entry| -> Vec<u32> {
            entry.version.split('.').map(|n| n.parse().expect("number")).collect()
        };
        assert!(entries().is_sorted_by(|a, b| key(a) < key(b)), "oldest first, none twice");
        let hex = |sum: &str| sum.len() == 64 && sum.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        for entry in entries() {
            assert!(hex(entry.sha256) && entry.package.starts_with(entry.version), "{entry:?}");
        }
        assert_eq!(entries().len(), 19);
    }

    #[test]
    fn a_series_stands_for_its_newest_and_unknown_releases_are_told() {
        assert_eq!(find("1.4").map(|entry| entry.version), Ok("1.4.5"));
        assert_eq!(find("1").map(|entry| entry.version), Ok("1.5.6"));
        assert_eq!(find("1.2.0").map(|entry| entry.version), Ok("1.2.0"));
        for none in ["", "0.9", "1.50", "latest"] {
            let fault = find(none).expect_err("no such release");
            assert!(fault.exit_code() == 2 && fault.hint.is_some_and(|hint| hint.contains("1.5.6")));
        }
    }

    #[test]
    fn the_library_alone_is_unpacked_whatever_its_name() {
        let to = |entry: &str| unpacked(Path::new(entry));
        assert_eq!(to("package/libduckdb.so"), Some(LIBRARY.into()));
        assert_eq!(to("package/libduckdb.so.1.4"), Some(LIBRARY.into()));
        assert_eq!(to("package/duckdb.node").or(to("package/libduckdb.solo")), None);
    }
}
