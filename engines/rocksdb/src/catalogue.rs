//! Releases that can be fetched: `releases.tsv` beside this file, oldest first.
//!
//! Each line is a release, the classifier of its jar (newer ones publish one jar for all platforms), and the jar's
//! SHA-256. Of the jar, only the library for this machine is unpacked. Between 9.8 and 10.10 every release that was
//! published is here; 10.3, 10.7 and others never were.

use std::sync::LazyLock;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use humdrum_provision::maven::Coordinates;

const GROUP: &str = "org.rocksdb";
const ARTIFACT: &str = "rocksdbjni";

/// Where releases come from, for people.
pub(crate) const ORIGIN: &str = "rocksdbjni, linux64";
/// The library inside the jar.
pub(crate) const LIBRARY: &str = "librocksdbjni-linux64.so";

/// A release of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// As a user types it.
    pub version: &'static str,
    classifier: Option<&'static str>,
    /// Of its jar.
    pub sha256: &'static str,
}

impl Entry {
    pub(crate) fn coordinates(&self) -> Coordinates {
        let classifier = self.classifier.map(str::to_owned);
        Coordinates { classifier, ..Coordinates::jar(GROUP, ARTIFACT, self.version) }
    }
}

/// All of them, oldest first.
pub(crate) fn entries() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| parse(include_str!("releases.tsv")));
    &ENTRIES
}

/// The release that a user's version means: itself, or the newest of a series (`10`, `10.2`).
///
/// # Errors
/// Usage, with releases that are near.
pub(crate) fn find(version: &str) -> Outcome<&'static Entry> {
    let exact = entries().iter().find(|entry| entry.version == version);
    let of_series = |entry: &&Entry| {
        let rest = entry.version.strip_prefix(version);
        rest.is_some_and(|rest| !version.is_empty() && rest.starts_with('.'))
    };
    exact.or_else(|| entries().iter().rfind(of_series)).ok_or_else(|| unknown(version))
}

fn unknown(version: &str) -> Fault {
    let major = |version: &str| version.split('.').next().unwrap_or_default().to_owned();
    let same = entries().iter().filter(|entry| major(entry.version) == major(version));
    let near: Vec<&str> = same.map(|entry| entry.version).collect();
    let hint = if near.is_empty() {
        let (first, last) = (entries()[0].version, entries()[entries().len() - 1].version);
        format!("known are {first} to {last}; `humdrum versions rocksdb` lists all releases")
    } else {
        format!("known are {}", near.join(", "))
    };
    Fault::usage(format!("there is no release {version} of rocksdb in the catalogue")).hint(hint)
}

fn parse(text: &'static str) -> Vec<Entry> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &'static str| {
        let mut fields = line.split('\t');
        let mut field = || fields.next().expect("three fields in each line of releases.tsv");
        let (version, classifier, sha256) = (field(), field(), field());
        Entry { version, classifier: (classifier != "-").then_some(classifier), sha256 }
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
        assert!(entries().len() >= 20);
        let hex = |sum: &str| sum.len() == 64 && sum.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        assert!(entries().iter().all(|entry| hex(entry.sha256)));
        for needed in [
            "6.29.5", "7.10.2", "8.11.4", "9.8.4", "9.9.3", "9.10.0", "9.11.2", "10.0.1", "10.1.3", "10.2.1",
            "10.4.2", "10.5.1", "10.6.2", "10.10.1", "11.8.1",
        ] {
            assert_eq!(find(needed).expect(needed).version, needed);
        }
    }

    #[test]
    fn a_series_stands_for_its_newest() {
        assert_eq!(find("10.2").expect("10.2").version, "10.2.1");
        assert_eq!(find("9").expect("9").version, "9.11.2");
        assert_eq!(find("6.29").expect("6.29").version, "6.29.5");
        let jar = find("10.2.1").expect("10.2.1").coordinates().file_name();
        assert_eq!(jar, "rocksdbjni-10.2.1-linux64.jar");
        assert_eq!(
            find("11.8.1").expect("11.8.1").coordinates().file_name(),
            "rocksdbjni-11.8.1.jar",
            "one jar for all platforms"
        );
    }

    #[test]
    fn unknown_releases_name_what_is_near() {
        assert!(find("10.3.0").expect_err("unknown").hint.expect("hint").contains("10.2.1"));
        assert!(find("5").expect_err("unknown").hint.expect("hint").contains("6.29.5 to 11.8.1"));
        assert!(find("").is_err() && find("latest").is_err() && find("1").is_err());
    }
}
