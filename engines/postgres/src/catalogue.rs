//! Releases that can be fetched: `releases.tsv` beside this file, oldest first, Debian's last.
//!
//! `cargo test -p humdrum-engine-postgres pins -- --ignored --nocapture` fetches what is not pinned yet and prints the
//! checksums to put there.
//!
//! Builds of Debian are listed too: `18.6-debian` has io_uring, lz4 and zstd, and `19rc1` is not available
//! elsewhere. Their packages are pinned one by one in `debian/`.

use std::sync::LazyLock;

use humdrum_engine_kit::{Catalogue, Entry, parse_catalogue};

/// Tells Debian's build of a release from the other.
const DEBIAN: &str = "-debian";

/// Releases as the kit asks for them.
pub(crate) const CATALOGUE: Catalogue = Catalogue {
    releases,
    origin: "zonky embedded-postgres, linux-amd64",
    debian_suffix: DEBIAN,
    series: |version| vec![series(version)],
    is_newer,
    unknown,
};

fn releases() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> =
        LazyLock::new(|| parse_catalogue(include_str!("releases.tsv"), packages));
    &ENTRIES
}

/// The pinned packages of Debian's releases.
fn packages(release: &str) -> &'static str {
    match release {
        "18.6-debian" => include_str!("debian/18.6.tsv"),
        "19rc1" => include_str!("debian/19rc1.tsv"),
        _ => "",
    }
}

/// The first number of a version: 9 for 9.6.
pub(crate) fn major(version: &str) -> u32 {
    version.split(|c: char| !c.is_ascii_digit()).next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// `9.6` of 9.6.24, `17` of 17.7, `18-debian` of 18.6-debian, `19` of 19rc1.
fn series(version: &str) -> String {
    if let Some(bare) = version.strip_suffix(DEBIAN) {
        return format!("{}{DEBIAN}", major(bare));
    }
    let numbers =
        version.find(|c: char| !c.is_ascii_digit() && c != '.').map_or(version, |end| &version[..end]);
    numbers.rsplit_once('.').map_or(numbers, |(series, _)| series).to_owned()
}

/// `18.7-debian` after 18.6-debian, and any release after a pre-release (`19.0`).
fn is_newer(version: &str, pinned: &str) -> bool {
    let minor = |version: &str| {
        let (_, minor) = version.strip_suffix(DEBIAN).unwrap_or(version).split_once('.')?;
        minor.parse().ok().filter(|number: &u32| number.to_string() == minor)
    };
    minor(version).is_some_and(|new| minor(pinned).is_none_or(|old| new > old))
}

fn unknown(engine: &str, near: &[&str], all: &[Entry]) -> String {
    if !near.is_empty() {
        return format!("known are {}", near.join(", "));
    }
    let mut series: Vec<String> = all.iter().map(|entry| series(&entry.version)).collect();
    series.dedup();
    format!("known series are {}; `humdrum versions {engine}` lists all releases", series.join(", "))
}
