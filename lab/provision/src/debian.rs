//! Debian packages of any suite beside the system: fetched from the mirror that this host's apt is set to, unpacked
//! into a folder of their own with every library they need down to the C library, and made to start from there.
//! Nothing is installed, and no root is needed.
//!
//! ```text
//!   pinned list of packages ──► fetch each ──────────────┐
//!   (else) the suite's index ──► resolve ──► fetch each ─┴─► unpack into one folder ──► patch the programs
//! ```
//!
//! Suites move: a mirror keeps only the newest version of a package. What is pinned is fetched as long as it is
//! served; when the package itself has gone, the fault says which version has taken its place; when only a library
//! has, the library of today is taken, checked by the suite's index, and that is recorded.

mod index;
mod mirror;
mod native;
mod resolve;

use std::path::Path;

use humdrum_contract::{Dirs, Outcome, Progress, Update};
use humdrum_model::Fault;

use crate::checksum;
use crate::fetch::{self, Artifact, Fetched, Trust};
use crate::unpack::{self, Job};

pub use index::upstream;
pub use mirror::Mirror;

/// One package file of the pool, as a mirror serves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Where it is below the archive's root (`pool/main/liba/libaio/libaio1_0.3.113-4_amd64.deb`).
    pub path: String,
    /// Its SHA-256.
    pub sha256: String,
}

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
    /// What a user types after a version of it.
    pub suffix: &'a str,
    /// The whole list, pinned; empty when none was pinned.
    pub pinned: Vec<Package>,
    /// What to unpack besides libraries, as paths of an installed system (`usr/sbin/mysqld`).
    pub keep: fn(&Path) -> bool,
    /// Programs that are to start from the folder, as paths below it.
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

/// Fetches, unpacks and patches a bundle into `folder`, which appears only when it is whole.
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

/// Fetches packages for their libraries alone and unpacks those into `folder`.
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

/// The packages of a bundle by the suites as they are now: for a catalogue's pins, and for when pins are gone.
///
/// # Errors
/// As `get`.
pub fn resolve(bundle: &Bundle<'_>, dirs: &Dirs, progress: &dyn Progress) -> Outcome<(String, Vec<Package>)> {
    let mirror = mirror::find()?;
    let suites = index::read(bundle.suites, &mirror, dirs, progress)?;
    resolve::closure(&suites, bundle.package)
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
