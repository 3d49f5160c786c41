//! A table of releases, oldest first, one per line:
//!
//! ```text
//! release  maven   files   group:artifact:version[:packaging:classifier]  sha256   how it was built
//! release  maven   tar.gz  group:artifact:version                         sha256   how it was built
//! release  debian  suites  package                                        -        how it was built
//! ```
//!
//! `files` is a zip of plain files, `tar.gz` one inside. A Debian release's packages are pinned one by one in a
//! file of its own, `debian/<release>.tsv`: path in the pool and SHA-256. Where a release is not in the table but
//! of a series that Debian serves, it is looked for there: then its packages are checked by the suite's index.

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use humdrum_provision::debian::Package;
use humdrum_provision::maven::Coordinates;

use crate::flavour::Flavour;
use crate::version::Version;

/// A release of a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// As a user types it.
    pub version: String,
    /// Where it comes from.
    pub(crate) source: Source,
    /// Who built it and how, in a few words.
    pub(crate) build: &'static str,
}

/// Where a release comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Maven { coordinates: Coordinates, kind: Kind, sha256: &'static str },
    Debian { suites: Vec<&'static str>, package: &'static str, pinned: Vec<Package> },
}

/// What an artifact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Files,
    TarGz,
}

impl Entry {
    /// Its number.
    pub fn number(&self) -> Version {
        Version::of(&self.version)
    }

    /// Its checksums are in the catalogue.
    pub fn pinned(&self) -> bool {
        match &self.source {
            Source::Maven { .. } => true,
            Source::Debian { pinned, .. } => !pinned.is_empty(),
        }
    }

    /// Where it comes from, for people.
    pub(crate) fn origin(&self) -> String {
        match &self.source {
            Source::Maven { coordinates, .. } => {
                format!("{}:{}, Linux x86-64", coordinates.group, coordinates.artifact)
            }
            Source::Debian { suites, package, .. } => format!("Debian {}, {package}", suites[0]),
        }
    }

    /// Debian's list of packages for it: (the suites, the package); `None` where it is not Debian's.
    pub fn debian(&self) -> Option<(&[&'static str], &'static str)> {
        match &self.source {
            Source::Debian { suites, package, .. } => Some((suites, package)),
            Source::Maven { .. } => None,
        }
    }
}

/// Reads a table; `packages` gives the pinned packages of a Debian release, as text.
///
/// # Panics
/// When the table is malformed: it is part of the program.
pub fn parse(text: &'static str, packages: fn(&str) -> &'static str) -> Vec<Entry> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&'static str> = line.split('\t').collect();
            let [version, from, kind, what, sha256, build] = fields[..] else {
                panic!("six fields in each line: {line}")
            };
            let source = match from {
                "maven" => Source::Maven { coordinates: coordinates(what), kind: kind_of(kind), sha256 },
                "debian" => Source::Debian {
                    suites: kind.split(',').collect(),
                    package: what,
                    pinned: parse_packages(packages(version)),
                },
                other => panic!("releases come from maven or debian, not {other}"),
            };
            Entry { version: version.to_owned(), source, build }
        })
        .collect()
}

/// Reads a list of pinned packages.
///
/// # Panics
/// When it is malformed.
pub fn parse_packages(text: &str) -> Vec<Package> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (path, sha256) = line.split_once('\t').expect("a path and a checksum in each line");
            Package { path: path.to_owned(), sha256: sha256.to_owned() }
        })
        .collect()
}

/// The release that a user's version stands for: itself, the newest of a series (`8.0`, `10.11`, or `9` where that
/// has no other), or one that Debian may serve by now.
///
/// # Errors
/// Usage, with releases that are near.
pub(crate) fn find(flavour: &Flavour, version: &str) -> Outcome<Entry> {
    let entries = (flavour.releases)();
    let exact = entries.iter().find(|entry| entry.version == version);
    let newest = || entries.iter().rfind(|entry| is_of_series(entry, version));
    if let Some(entry) = exact.or_else(newest) {
        return Ok(entry.clone());
    }
    served_by_debian(entries, version).ok_or_else(|| unknown(flavour, entries, version))
}

fn is_of_series(entry: &Entry, version: &str) -> bool {
    let number = entry.number();
    version == number.series() || version == number.0.to_string()
}

/// A release newer than what is pinned of a series that Debian serves.
fn served_by_debian(entries: &[Entry], version: &str) -> Option<Entry> {
    let number = Version::of(version);
    // Three whole numbers, or it is a typing error.
    let whole = number.to_string() == version;
    let near = entries
        .iter()
        .rfind(|entry| entry.number().series() == number.series() && entry.debian().is_some())?;
    let Source::Debian { suites, package, .. } = &near.source else { return None };
    let source = Source::Debian { suites: suites.clone(), package, pinned: Vec::new() };
    (whole && number > near.number()).then(|| Entry {
        version: version.to_owned(),
        source,
        build: near.build,
    })
}

fn unknown(flavour: &Flavour, entries: &[Entry], version: &str) -> Fault {
    let series = Version::of(version).series();
    let near: Vec<&str> = entries
        .iter()
        .filter(|entry| entry.number().series() == series)
        .map(|entry| entry.version.as_str())
        .collect();
    let all: Vec<&str> = entries.iter().map(|entry| entry.version.as_str()).collect();
    let known = if near.is_empty() { all } else { near };
    let name = flavour.name;
    Fault::usage(format!("there is no release {version} of {name} in the catalogue")).hint(format!(
        "known are {}; or name the folder of a build of your own: {name}@/opt/{name}",
        known.join(", ")
    ))
}

fn coordinates(text: &str) -> Coordinates {
    match text.split(':').collect::<Vec<_>>()[..] {
        [group, artifact, version] => Coordinates::jar(group, artifact, version),
        [group, artifact, version, "zip", classifier] => {
            Coordinates::zip(group, artifact, version, classifier)
        }
        _ => panic!("no coordinates: {text}"),
    }
}

fn kind_of(text: &str) -> Kind {
    match text {
        "files" => Kind::Files,
        "tar.gz" => Kind::TarGz,
        other => panic!("artifacts are files or tar.gz, not {other}"),
    }
}
