//! A table of releases, oldest first, one per line:
//!
//! ```text
//! release  maven   files    group:artifact:version[:packaging:classifier]  sha256 or -  how it was built
//! release  maven   .txz     group:artifact:version                         sha256 or -  how it was built
//! release  debian  suites   package                                        -            how it was built
//! ```
//!
//! `files` is a zip of plain files; any other word is the end of the name of a compressed tar inside the
//! artifact. An artifact without a checksum is checked by the registry's. The packages of a Debian release
//! are pinned one by one in `debian/<release>.tsv`: path in the pool and SHA-256. A release that is not in
//! the table is searched for in Debian if Debian serves its series; its packages are then checked by the
//! suite's index.

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use humdrum_provision::debian::Package;
use humdrum_provision::maven::Coordinates;

/// An engine's releases.
pub struct Catalogue {
    /// The table, oldest first.
    pub releases: fn() -> &'static [Entry],
    /// Where artifacts come from, for people; empty: by their own name.
    pub origin: &'static str,
    /// What tells Debian's build of a release from another; empty for nothing.
    pub debian_suffix: &'static str,
    /// Names under which the newest of several releases is found; the first is the series.
    pub series: fn(&str) -> Vec<String>,
    /// Whether a version is a whole release's, and newer than a release of the same series.
    pub is_newer: fn(&str, &str) -> bool,
    /// What to type instead of a release that there is not: engine, releases of its series, all releases.
    pub unknown: fn(&str, &[&str], &[Entry]) -> String,
}

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
    Maven(Maven),
    Debian { suites: Vec<&'static str>, package: &'static str, pinned: Vec<Package> },
}

/// An artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Maven {
    /// What it is called.
    pub coordinates: Coordinates,
    /// What it is.
    pub archive: Archive,
    /// Its checksum, once it is pinned.
    pub sha256: Option<&'static str>,
}

/// What an artifact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Archive {
    /// A zip of plain files.
    Files,
    /// A zip with one compressed tar whose name ends so.
    TarInside(&'static str),
}

impl Entry {
    /// Its checksums are in the catalogue.
    pub fn pinned(&self) -> bool {
        match &self.source {
            Source::Maven(artifact) => artifact.sha256.is_some(),
            Source::Debian { pinned, .. } => !pinned.is_empty(),
        }
    }

    /// Its artifact; `None` where it is Debian's.
    pub fn maven(&self) -> Option<&Maven> {
        match &self.source {
            Source::Maven(artifact) => Some(artifact),
            Source::Debian { .. } => None,
        }
    }

    /// Debian's list of packages for it: (the suites, the package); `None` where it is not Debian's.
    pub fn debian(&self) -> Option<(&[&'static str], &'static str)> {
        match &self.source {
            Source::Debian { suites, package, .. } => Some((suites, package)),
            Source::Maven(_) => None,
        }
    }

    /// All checksums that are pinned for it.
    pub fn checksums(&self) -> Vec<&str> {
        match &self.source {
            Source::Maven(artifact) => artifact.sha256.into_iter().collect(),
            Source::Debian { pinned, .. } => pinned.iter().map(|package| &*package.sha256).collect(),
        }
    }
}

impl Catalogue {
    /// Where a release comes from, for people.
    pub(crate) fn origin_of(&self, entry: &Entry) -> String {
        match &entry.source {
            Source::Maven(_) if !self.origin.is_empty() => self.origin.to_owned(),
            Source::Maven(Maven { coordinates, .. }) => {
                format!("{}:{}, Linux x86-64", coordinates.group, coordinates.artifact)
            }
            Source::Debian { suites, package, .. } => format!("Debian {}, {package}", suites[0]),
        }
    }

    /// A version as its makers call it, and what it is typed with beside.
    pub fn makers_version<'a>(&self, version: &'a str) -> (&'a str, &'static str) {
        match version.strip_suffix(self.debian_suffix) {
            Some(bare) => (bare, self.debian_suffix),
            None => (version, ""),
        }
    }

    /// The release that a user's version means: itself, the newest of a series, or one that Debian may serve
    /// by now.
    ///
    /// # Errors
    /// Usage, with releases that are near.
    pub fn find(&self, engine: &str, version: &str) -> Outcome<Entry> {
        let entries = (self.releases)();
        let exact = entries.iter().find(|entry| entry.version == version);
        let of_series = |entry: &&Entry| (self.series)(&entry.version).iter().any(|name| name == version);
        if let Some(entry) = exact.or_else(|| entries.iter().rfind(of_series)) {
            return Ok(entry.clone());
        }
        self.served_by_debian(version).ok_or_else(|| self.unknown(engine, version))
    }

    /// A release newer than what is pinned of a series that Debian serves.
    fn served_by_debian(&self, version: &str) -> Option<Entry> {
        let series = self.series_of(version);
        let mut of_debian = (self.releases)().iter().filter(|entry| entry.debian().is_some());
        let near = of_debian.rfind(|entry| self.series_of(&entry.version) == series)?;
        let Source::Debian { suites, package, .. } = &near.source else { return None };
        let source = Source::Debian { suites: suites.clone(), package, pinned: Vec::new() };
        (self.is_newer)(version, &near.version).then(|| Entry {
            version: version.to_owned(),
            source,
            build: near.build,
        })
    }

    fn unknown(&self, engine: &str, version: &str) -> Fault {
        let series = self.series_of(version);
        let entries = (self.releases)();
        let near = entries.iter().filter(|entry| self.series_of(&entry.version) == series);
        let near: Vec<&str> = near.map(|entry| entry.version.as_str()).collect();
        Fault::usage(format!("there is no release {version} of {engine} in the catalogue"))
            .hint((self.unknown)(engine, &near, entries))
    }

    fn series_of(&self, version: &str) -> String {
        (self.series)(version).swap_remove(0)
    }
}

/// Reads a table; `packages` gives the pinned packages of a Debian release, as text.
///
/// # Panics
/// When the table is malformed: it is part of the program.
pub fn parse(text: &'static str, packages: fn(&str) -> &'static str) -> Vec<Entry> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &'static str| {
        let fields: Vec<&'static str> = line.split('\t').collect();
        let [version, from, kind, what, sha256, build] = fields[..] else {
            panic!("six fields in each line: {line}")
        };
        let source = match from {
            "maven" => {
                let sha256 = (sha256 != "-").then_some(sha256);
                Source::Maven(Maven { coordinates: coordinates(what), archive: archive(kind), sha256 })
            }
            "debian" => Source::Debian {
                suites: kind.split(',').collect(),
                package: what,
                pinned: parse_packages(packages(version)),
            },
            other => panic!("releases come from maven or debian, not {other}"),
        };
        Entry { version: version.to_owned(), source, build }
    };
    lines.map(entry).collect()
}

/// Reads a list of pinned packages.
fn parse_packages(text: &str) -> Vec<Package> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let package = |line: &str| {
        let (path, sha256) = line.split_once('\t').expect("a path and a checksum in each line");
        Package { path: path.to_owned(), sha256: sha256.to_owned() }
    };
    lines.map(package).collect()
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

fn archive(text: &'static str) -> Archive {
    match text {
        "files" => Archive::Files,
        ending if ending.starts_with('.') || ending.contains(".tar.") => Archive::TarInside(ending),
        other => panic!("artifacts are files or a tar inside, not {other}"),
    }
}
