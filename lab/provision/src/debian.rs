//! Installs Debian packages of any suite into a folder: fetched from the mirror that apt on this host uses, unpacked
//! with every library they need down to the C library, and patched to start from that folder. The system itself is not
//! changed, and root is not needed.
//!
//! ```text
//!   pinned list of packages ──► fetch each ──────────────┐
//!   (else) the suite's index ──► resolve ──► fetch each ─┴─► unpack into one folder ──► patch the programs
//! ```
//!
//! Suites change: a mirror keeps only the newest version of a package. Pinned files are fetched as long as they are
//! served. When the package itself is no longer served, the fault names the version that replaced it. When only a
//! library is no longer served, the current library is used, checked by the suite's index, and that is recorded.

mod index;
mod mirror;
mod native;
mod package;
mod resolve;

use std::path::Path;

use humdrum_contract::{Dirs, Outcome, Progress, Update};
use humdrum_model::Fault;

use crate::checksum;
use crate::fetch::{self, Artifact, Fetched, Trust};
use crate::unpack::{self, Job};

pub use index::upstream;
pub use mirror::Mirror;
pub use package::Package;

/// Packages that make one build.
#[derive(Clone, Debug)]
pub struct Bundle<'a> {
    /// What it is called in messages (`mysql 9.7.4`).
    pub name: &'a str,
    /// Suites to look in: the main package in the first that has it, libraries from the last on.
    pub suites: &'a [&'a str],
    /// The package that the build is named after.
    pub package: &'a str,
    /// Its upstream version.
    pub version: &'a str,
    /// The suffix that a user types after its version.
    pub suffix: &'a str,
    /// All packages, pinned; empty where none were pinned.
    pub pinned: Vec<Package>,
    /// What to unpack besides libraries, as paths of an installed system (`usr/sbin/mysqld`).
    pub keep: fn(&Path) -> bool,
    /// Programs to patch so that they start from the folder, as paths below it.
    pub programs: &'a [&'a str],
}

impl Default for Bundle<'_> {
    fn default() -> Self {
        let (keep, pinned) = ((|_| false) as fn(&Path) -> bool, Vec::new());
        Self { name: "", suites: &[], package: "", version: "", suffix: "", pinned, keep, programs: &[] }
    }
}

/// What was unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provided {
    /// SHA-256 over the packages' own, in the order of their names.
    pub sha256: String,
    /// What they were checked against, for people.
    pub checked_by: String,
}

/// Fetches, unpacks and patches a bundle into `folder`, which appears only when it is complete.
///
/// # Errors
/// Usage, when the suite holds another version; environment for network, disk and checksums; interrupted.
pub fn get(bundle: &Bundle<'_>, folder: &Path, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Provided> {
    get_from(&mirror::find()?, bundle, folder, dirs, progress)
}

fn get_from(
    mirror: &Mirror,
    bundle: &Bundle<'_>,
    folder: &Path,
    dirs: &Dirs,
    progress: &dyn Progress,
) -> Outcome<Provided> {
    let pin = |package: &Package| Trust::Pinned(package.sha256.clone());
    let fetched = match fetch_all(&bundle.pinned, pin, mirror, dirs, progress) {
        Ok(fetched) if !fetched.is_empty() => fetched,
        // A package that is served and is another is no package that has moved on.
        Err(fault) if !fetch::was_not_there(&fault) => return Err(fault),
        Ok(_) | Err(_) => {
            let packages = moved_on(bundle, mirror, dirs, progress)?;
            let trust = |package: &Package| {
                let pinned = bundle.pinned.iter().find(|pinned| pinned.path == package.path);
                pinned.map_or_else(|| Trust::Listed(package.sha256.clone()), pin)
            };
            fetch_all(&packages, trust, mirror, dirs, progress)?
        }
    };
    progress.update(Update::Step(&format!("unpacking {}", bundle.name)));
    let unfinished = folder.with_extension("unpatched");
    let paths: Vec<_> = fetched.iter().map(|one| one.path.clone()).collect();
    let choose = |path: &Path| {
        let path = path.strip_prefix("./").unwrap_or(path);
        (native::is_wanted(path) || (bundle.keep)(path)).then(|| path.to_path_buf())
    };
    let job = Job { folder: &unfinished, choose: &choose, interrupt: &dirs.interrupt, progress };
    unpack::debs(&paths, &job)?;
    native::patch(&unfinished, folder, bundle.programs)?;
    Ok(provided(&fetched))
}

/// Fetches packages and unpacks only their libraries into `folder`.
///
/// # Errors
/// As `get`.
pub fn libraries(packages: &[Package], folder: &Path, dirs: &Dirs, progress: &dyn Progress) -> Outcome<()> {
    let pin = |package: &Package| Trust::Pinned(package.sha256.clone());
    let fetched = fetch_all(packages, pin, &mirror::find()?, dirs, progress)?;
    let paths: Vec<_> = fetched.into_iter().map(|one| one.path).collect();
    // Side by side in one folder, whatever folders they lie in at home: the loader is given that one.
    let choose = |path: &Path| native::is_library(path).then(|| path.file_name().map(Into::into)).flatten();
    unpack::debs(&paths, &Job { folder, choose: &choose, interrupt: &dirs.interrupt, progress })
}

/// Resolves the packages of a bundle against the current suites: to pin them in a catalogue, or when pinned files are no
/// longer served.
///
/// # Errors
/// As `get`.
pub fn resolve(bundle: &Bundle<'_>, dirs: &Dirs, progress: &dyn Progress) -> Outcome<(String, Vec<Package>)> {
    let mirror = mirror::find()?;
    let suites = index::read(bundle.suites, &mirror, dirs, progress)?;
    resolve::closure(&suites, bundle.package)
}

/// The version of a package in the first of these suites that has it, as its makers call it.
///
/// # Errors
/// As `get`.
pub fn current(
    suites: &[&str],
    package: &str,
    dirs: &Dirs,
    progress: &dyn Progress,
) -> Outcome<Option<String>> {
    let suites = index::read(suites, &mirror::find()?, dirs, progress)?;
    Ok(suites.iter().find_map(|suite| suite.find(package)).map(|listed| upstream(&listed.version)))
}

fn moved_on(
    bundle: &Bundle<'_>,
    mirror: &Mirror,
    dirs: &Dirs,
    progress: &dyn Progress,
) -> Outcome<Vec<Package>> {
    let suites = index::read(bundle.suites, mirror, dirs, progress)?;
    let (version, packages) = resolve::closure(&suites, bundle.package)?;
    let served = upstream(&version);
    if served != bundle.version {
        let (engine, _) = bundle.name.split_once(' ').unwrap_or((bundle.name, ""));
        let suite = bundle.suites.join(", ");
        let what = format!("{} is not served any more: Debian {suite} has moved on to {served}", bundle.name);
        return Err(Fault::usage(what).hint(format!("type {engine}@{served}{}", bundle.suffix)));
    }
    let note =
        format!("{}: packages are taken as Debian {} has them now", bundle.name, bundle.suites.join(", "));
    progress.update(Update::Note(&note));
    Ok(packages)
}

fn fetch_all(
    packages: &[Package],
    trust: impl Fn(&Package) -> Trust,
    mirror: &Mirror,
    dirs: &Dirs,
    progress: &dyn Progress,
) -> Outcome<Vec<Fetched>> {
    let one = |package: &Package| {
        let name = package.path.rsplit('/').next().unwrap_or(&package.path).to_owned();
        let (url, trust) = (mirror.url(&package.path), trust(package));
        fetch::fetch(&Artifact { name, url, trust }, dirs, progress)
    };
    packages.iter().map(one).collect()
}

fn provided(fetched: &[Fetched]) -> Provided {
    let mut lines: Vec<String> = fetched
        .iter()
        .map(|one| format!("{}  {}\n", one.sha256, one.path.file_name().unwrap_or_default().display()))
        .collect();
    lines.sort_by(|a, b| a[64..].cmp(&b[64..]));
    let mut by: Vec<&str> = fetched.iter().map(|one| one.checked_by.as_str()).collect();
    by.sort_unstable();
    by.dedup();
    Provided { sha256: checksum::sha256_of_bytes(lines.concat().as_bytes()), checked_by: by.join("; ") }
}

#[cfg(test)]
mod tests;
