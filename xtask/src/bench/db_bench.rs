//! Debian's db_bench and its library, unpacked with all that they need, without installing them.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use humdrum_contract::{Dirs, Silent};
use humdrum_model::Fault;
use humdrum_provision::debian::{self, Bundle, Package};
use humdrum_provision::dirs;

const VERSION: &str = "7.8.3";
const PROGRAM: &str = "usr/bin/db_bench";
const LIBRARY: &str = "librocksdb.so.7.8";
const LIBRARY_FOLDERS: [&str; 2] = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"];

/// Packages of rocksdb-tools in Debian 12 and of its libraries: path in the pool, SHA-256.
const PACKAGES: &str = include_str!("db_bench.tsv");

/// Libraries that it needs besides the C and C++ libraries, which our client has already.
const BESIDE: [&str; 6] =
    ["libbz2.so.1.0", "libgflags.so.2.2", "liblz4.so.1", "libsnappy.so.1", "libz.so.1", "libzstd.so.1"];

/// db_bench's options that equal our configuration `byrx`.
const FLAGS: [&str; 25] = [
    "--key_size=20",
    "--value_size=400",
    "--compression_type=none",
    "--compression_ratio=0.5",
    "--block_size=8192",
    "--cache_size=1073741824",
    "--cache_numshardbits=6",
    "--cache_index_and_filter_blocks=1",
    "--cache_high_pri_pool_ratio=0.5",
    "--pin_l0_filter_and_index_blocks_in_cache=1",
    "--bloom_bits=10",
    "--num_levels=8",
    "--level_compaction_dynamic_level_bytes=1",
    "--max_bytes_for_level_base=67108864",
    "--max_bytes_for_level_multiplier=8",
    "--target_file_size_base=16777216",
    "--write_buffer_size=16777216",
    "--max_write_buffer_number=8",
    "--max_background_jobs=2",
    "--level0_file_num_compaction_trigger=4",
    "--level0_slowdown_writes_trigger=20",
    "--level0_stop_writes_trigger=30",
    "--bytes_per_sync=1048576",
    "--sync=0",
    "--verify_checksum=1",
];

/// The program, and the folders that our client needs to load the same library.
pub(super) struct DbBench {
    program: PathBuf,
    /// Folder with the library and only those that it needs.
    pub(super) libraries: PathBuf,
    /// Folder for its stores.
    db: PathBuf,
}

impl DbBench {
    /// Fetches and unpacks it the first time.
    ///
    /// # Errors
    /// Environment: network, disk, checksums.
    pub(super) fn get(dirs: &Dirs) -> Result<Self, Fault> {
        let folder = dirs::builds(dirs).join(format!("db_bench-{}", VERSION.replace('.', "-")));
        let program = folder.join(PROGRAM);
        if !program.exists() {
            let package = |line: &str| {
                let (path, sha256) = line.split_once('\t')?;
                Some(Package { path: path.into(), sha256: sha256.into() })
            };
            let bundle = Bundle {
                name: &format!("db_bench {VERSION}"),
                suites: &["bookworm"],
                package: "rocksdb-tools",
                version: VERSION,
                pinned: PACKAGES.lines().filter_map(package).collect(),
                keep: |path| path == Path::new(PROGRAM),
                programs: &[PROGRAM],
                ..Bundle::default()
            };
            debian::get(&bundle, &folder, dirs, &Silent)?;
        }
        let libraries = folder.join("beside");
        link_beside(&folder, &libraries)
            .map_err(|error| Fault::environment(format!("cannot link {}: {error}", libraries.display())))?;
        let db = dirs.runs.join(format!("db_bench-{}", std::process::id()));
        Ok(Self { program, libraries, db })
    }

    /// The library that it is linked with.
    pub(super) fn linked_with(&self) -> PathBuf {
        self.libraries.join(LIBRARY)
    }

    /// Its name with its version.
    pub(super) fn name(&self) -> String {
        format!("db_bench {VERSION} of Debian 12")
    }

    /// Operations per second that the last benchmark of a run reports.
    pub(super) fn rate(&self, keys: u64, more: &[&str]) -> Result<f64, String> {
        std::fs::create_dir_all(&self.db).map_err(|error| format!("{}: {error}", self.db.display()))?;
        let (db, num) = (format!("--db={}", self.db.display()), format!("--num={keys}"));
        let mut command = Command::new(&self.program);
        command.args([db, num]).args(FLAGS).args(more);
        let output = command.output().map_err(|error| format!("db_bench cannot be started: {error}"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        last_rate(&said).ok_or_else(|| {
            format!("db_bench reports no rate: {said}{}", String::from_utf8_lossy(&output.stderr))
        })
    }
}

impl Drop for DbBench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.db);
    }
}

fn link_beside(folder: &Path, libraries: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(libraries)?;
    for name in BESIDE.iter().chain(&[LIBRARY]) {
        let link = libraries.join(name);
        let found =
            LIBRARY_FOLDERS.iter().map(|below| folder.join(below).join(name)).find(|file| file.exists());
        if let Some(file) = found.filter(|_| std::fs::symlink_metadata(&link).is_err()) {
            symlink(file, link)?;
        }
    }
    Ok(())
}

/// The rate in the last line like `readrandom   :       2.104 micros/op 475285 ops/sec 2.104 seconds …`.
fn last_rate(said: &str) -> Option<f64> {
    let rate = |line: &str| line.split_once(" ops/sec")?.0.split_whitespace().last()?.parse().ok();
    said.lines().filter_map(rate).next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rate_is_taken() {
        let said = "Keys: 20\nreadrandom   :       9.100 micros/op 109890 ops/sec 9.1 seconds\n\
                    readrandom   :       2.104 micros/op 475285 ops/sec 2.104 seconds 1000000 operations;\n";
        assert_eq!(last_rate(said), Some(475_285.0));
        assert_eq!(last_rate("no such benchmark"), None);
    }

    #[test]
    fn packages_are_pinned() {
        let lines: Vec<&str> = PACKAGES.lines().collect();
        assert!(lines.iter().any(|line| line.contains("/rocksdb-tools_7.8.3")));
        let whole = |line: &&str| {
            line.split_once('\t').is_some_and(|(path, sum)| path.starts_with("pool/") && sum.len() == 64)
        };
        assert!(lines.iter().all(whole));
    }
}
