//! Sources, by cargo: from whichever registry or mirror the user's cargo is set up for, and checked against the
//! hash that is known here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use humdrum_contract::Outcome;
use humdrum_model::Fault;

/// Carries RocksDB's sources.
pub(super) const NAME: &str = "rust-librocksdb-sys";
/// Carries lz4's: name, version, hash.
pub(super) const LZ4: (&str, &str, &str) =
    ("lz4-sys", "1.11.1+lz4-1.10.0", "6bd8c0d6c6ed0cd30b3652886bb8711dc4bb01d637a68105a3d5158039b418e6");

/// A release whose sources can be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Of RocksDB.
    pub(crate) release: &'static str,
    /// Of the crate.
    pub(super) version: &'static str,
    /// Of the crate's file.
    pub(super) sha256: &'static str,
}

/// Folders of both crates.
pub(super) struct Sources {
    pub(super) rocksdb: PathBuf,
    pub(super) lz4: PathBuf,
}

fn entries() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        let lines = include_str!("crates.tsv").lines().filter(|line| !line.starts_with('#'));
        let entry = |line: &'static str| {
            let mut fields = line.split('\t');
            Some(Entry { release: fields.next()?, version: fields.next()?, sha256: fields.next()? })
        };
        lines.filter_map(entry).collect()
    });
    &ENTRIES
}

/// The release that a revision means: itself, or the newest of a series (`10`, `10.2`).
///
/// # Errors
/// Usage, with what there is.
pub(crate) fn find(revision: &str) -> Outcome<&'static Entry> {
    let exact = entries().iter().find(|entry| entry.release == revision);
    let of_series =
        |entry: &&Entry| entry.release.strip_prefix(revision).is_some_and(|rest| rest.starts_with('.'));
    exact.or_else(|| entries().iter().rfind(of_series)).ok_or_else(|| {
        let known: Vec<&str> = entries().iter().map(|entry| entry.release).collect();
        Fault::usage(format!("there are no sources of rocksdb {revision} in a crate"))
            .hint(format!("known are {}", known.join(", ")))
    })
}

/// The program that gets sources.
pub(super) fn cargo() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// Has cargo get both crates; `project` is a folder for a package that depends on them.
///
/// # Errors
/// Environment: no cargo, no network, another hash.
pub(super) fn fetch(entry: &Entry, project: &Path) -> Outcome<Sources> {
    let cannot =
        |error: std::io::Error| Fault::environment(format!("cannot write to {}: {error}", project.display()));
    fs::create_dir_all(project).map_err(cannot)?;
    fs::write(project.join("Cargo.toml"), manifest(entry)).map_err(cannot)?;
    fs::write(project.join("lib.rs"), "").map_err(cannot)?;
    let mut command = Command::new(cargo());
    command.args(["metadata", "--format-version", "1", "--quiet"]).current_dir(project);
    let output = command.output().map_err(|error| {
        Fault::environment(format!("cargo, which gets the sources, cannot be started: {error}"))
            .hint("install Rust's cargo, or name a library that is built: rocksdb@/path/librocksdb.so")
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Fault::environment(format!("cargo cannot get {NAME} {}: {said}", entry.version)));
    }
    check_hashes(entry, &fs::read_to_string(project.join("Cargo.lock")).map_err(cannot)?)?;
    let metadata = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let folder = |name: &str| {
        folder_of(&metadata, name)
            .ok_or_else(|| Fault::environment(format!("cargo does not say where it put {name}")))
    };
    Ok(Sources { rocksdb: folder(NAME)?, lz4: folder(LZ4.0)? })
}

/// Exact versions, and nothing that the sources alone do not need.
fn manifest(entry: &Entry) -> String {
    let exact = |version: &str| version.split('+').next().unwrap_or(version).to_owned();
    format!(
        "[package]\nname = \"sources\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n\n[lib]\npath = \"lib.rs\"\n\n\
         [dependencies]\n{NAME} = {{ version = \"={}\", default-features = false }}\n{} = \"={}\"\n",
        exact(entry.version),
        LZ4.0,
        exact(LZ4.1)
    )
}

/// cargo holds what it fetched against its lock file; this holds the lock file against what is known here.
fn check_hashes(entry: &Entry, lock: &str) -> Outcome<()> {
    for (name, version, sha256) in [(NAME, entry.version, entry.sha256), LZ4] {
        let section =
            lock.split("[[package]]").find(|section| section.contains(&format!("name = \"{name}\"")));
        let same = |section: &str| {
            section.contains(&format!("version = \"{version}\""))
                && section.contains(&format!("checksum = \"{sha256}\""))
        };
        if !section.is_some_and(same) {
            let what = format!("the registry's {name} is not the {version} with sha256 {sha256}");
            return Err(Fault::environment(what).hint("check which registry your cargo uses"));
        }
    }
    Ok(())
}

fn folder_of(metadata: &serde_json::Value, name: &str) -> Option<PathBuf> {
    let packages = metadata["packages"].as_array()?;
    let manifest = packages.iter().find(|package| package["name"] == name)?["manifest_path"].as_str()?;
    Path::new(manifest).parent().map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_found_by_name_or_series_and_each_has_a_hash() {
        assert_eq!(find("10.10.1").expect("known").version, "0.42.0+10.10.1");
        assert_eq!(find("9").expect("a series").release, "9.11.2");
        assert!(find("1.0").expect_err("unknown").hint.expect("hint").contains("10.2.1"));
        assert!(entries().len() > 20);
        for entry in entries() {
            assert!(entry.version.ends_with(entry.release) && entry.sha256.len() == 64, "{entry:?}");
            assert!(manifest(entry).contains("= { version = \"=0."));
        }
    }

    #[test]
    fn another_hash_is_refused() {
        let entry = find("10.10.1").expect("known");
        let package = |name: &str, version: &str, sum: &str| {
            format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nchecksum = \"{sum}\"\n")
        };
        let lz4 = package(LZ4.0, LZ4.1, LZ4.2);
        let lock = package(NAME, entry.version, entry.sha256) + &lz4;
        check_hashes(entry, &lock).expect("the same");
        let other = package(NAME, entry.version, LZ4.2) + &lz4;
        assert!(check_hashes(entry, &other).expect_err("another").what.contains(entry.sha256));
        assert!(check_hashes(entry, &lz4).is_err());
    }
}
