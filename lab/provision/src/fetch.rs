//! Fetches a file into the cache. A download that breaks off is continued, a wrong file is removed, and a cached file
//! is checked again before it is used.

mod artifact;
mod transfer;

use std::fs;
use std::path::{Path, PathBuf};

use humdrum_contract::{Dirs, Interrupt, Outcome, Progress, Update};
use humdrum_model::Fault;
use ureq::http::StatusCode;

use crate::{checksum, dirs, lock};

pub use artifact::{Artifact, Trust};
pub use transfer::Patience;

/// A fetched file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Where it is now.
    pub path: PathBuf,
    /// Its SHA-256, lower-case hexadecimal.
    pub sha256: String,
    /// What it was checked against, for people.
    pub checked_by: String,
}

/// Gets a file from the cache, or fetches it.
///
/// # Errors
/// Environment for network and disk; usage for another file than was expected, since the mirror that gave it is the
/// user's choice; interrupted.
pub fn fetch(artifact: &Artifact, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Fetched> {
    fetch_with(artifact, dirs, progress, Patience::default())
}

/// A short text (a checksum, a suite's release file); `None` where the server says there is none.
///
/// # Errors
/// Environment for the network; interrupted.
pub fn text(url: &str, interrupt: &Interrupt) -> Outcome<Option<String>> {
    transfer::small_text(url, interrupt, Patience::default())
}

/// Whether a fault of `fetch` says that the server has no such file, rather than that it could not be reached or
/// gave something else.
pub fn was_not_there(fault: &Fault) -> bool {
    [StatusCode::NOT_FOUND, StatusCode::GONE]
        .iter()
        .any(|status| fault.what.ends_with(&format!(": {status}")))
}

/// `fetch` with other limits on attempts and pauses.
///
/// # Errors
/// As `fetch`.
pub fn fetch_with(
    artifact: &Artifact,
    dirs: &Dirs,
    progress: &dyn Progress,
    patience: Patience,
) -> Outcome<Fetched> {
    let path = dirs::downloads(dirs).join(&artifact.name);
    let lock_path = beside(&path, ".lock");
    let _lock = lock::take(&lock_path, &artifact.name, &dirs.interrupt, progress)?;
    if let Some(cached) = from_cache(artifact, &path, progress) {
        return Ok(cached);
    }
    let expected = Expected::of(artifact, dirs, patience)?;
    let part = beside(&path, ".part");
    let download =
        transfer::Transfer { artifact, part: &part, interrupt: &dirs.interrupt, progress, patience };
    // A part of an earlier run may be of another file: begin afresh once before giving up.
    let continued = part.exists();
    download.run()?;
    if continued && expected.check(&part).is_err() {
        remove(&part)?;
        download.run()?;
    }
    let checked_by = expected.check(&part).inspect_err(|_| drop(fs::remove_file(&part)))?;
    keep(&part, &path, checked_by)
}

/// The cached file, if its checksum still matches.
fn from_cache(artifact: &Artifact, path: &Path, progress: &dyn Progress) -> Option<Fetched> {
    if !path.exists() {
        return None;
    }
    let sha256 = checksum::sha256_of(path).ok()?;
    let note = fs::read_to_string(beside(path, ".sha256")).unwrap_or_default();
    let (noted, checked_by) = note.trim_end().split_once("  ").unwrap_or_default();
    let right = match &artifact.trust {
        Trust::Pinned(sum) | Trust::Listed(sum) => *sum == sha256,
        Trust::Registry => noted == sha256,
    };
    if !right {
        progress
            .update(Update::Note(&format!("{} in the cache is damaged: fetching it again", artifact.name)));
        let _ = fs::remove_file(path);
        return None;
    }
    let checked_by = match &artifact.trust {
        Trust::Pinned(_) => PINNED.to_owned(),
        Trust::Listed(_) => LISTED.to_owned(),
        Trust::Registry => checked_by.to_owned(),
    };
    Some(Fetched { path: path.to_path_buf(), sha256, checked_by })
}

const PINNED: &str = "SHA-256 of the catalogue";
const LISTED: &str = "SHA-256 of the registry's index, not pinned";

/// The checksum that the file must have.
enum Expected {
    Sha256 { sum: String, by: &'static str },
    Sha1(String),
}

impl Expected {
    fn of(artifact: &Artifact, dirs: &Dirs, patience: Patience) -> Outcome<Self> {
        match &artifact.trust {
            Trust::Pinned(sum) => return Ok(Self::Sha256 { sum: sum.clone(), by: PINNED }),
            Trust::Listed(sum) => return Ok(Self::Sha256 { sum: sum.clone(), by: LISTED }),
            Trust::Registry => {}
        }
        let published = |ending: &str| {
            let text = transfer::small_text(&format!("{}{ending}", artifact.url), &dirs.interrupt, patience)?;
            Ok(text.and_then(|text| text.split_ascii_whitespace().next().map(str::to_ascii_lowercase)))
        };
        if let Some(sum) = published(".sha256")?.filter(|sum| sum.len() == 64) {
            return Ok(Self::Sha256 { sum, by: "SHA-256 of the registry, not pinned" });
        }
        match published(".sha1")?.filter(|sum| sum.len() == 40) {
            Some(sum) => Ok(Self::Sha1(sum)),
            None => {
                Err(Fault::environment(format!("the registry publishes no checksum of {}", artifact.name))
                    .hint("use a release that `humdrum versions` shows as pinned"))
            }
        }
    }

    /// Returns what the file was checked against.
    fn check(&self, path: &Path) -> Outcome<String> {
        let unread = |error| Fault::environment(format!("cannot read {}: {error}", path.display()));
        let (found, wanted, by) = match self {
            Self::Sha256 { sum, by } => (checksum::sha256_of(path).map_err(unread)?, sum, *by),
            Self::Sha1(sum) => {
                (checksum::sha1_of(path).map_err(unread)?, sum, "SHA-1 of the registry, not pinned")
            }
        };
        if found == *wanted {
            return Ok(by.to_owned());
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let what = format!("{name} is not what was expected: its checksum is {found} and should be {wanted}");
        Err(Fault::usage(what).hint(
            "it was removed: run the command again; if it fails again, set HUMDRUM_MAVEN_REPOSITORY or \
             HUMDRUM_DEBIAN_MIRROR to another mirror",
        ))
    }
}

/// Moves a checked file to its place, its checksum first: a file without one is never trusted.
fn keep(part: &Path, path: &Path, checked_by: String) -> Outcome<Fetched> {
    let refused = |error| Fault::environment(format!("cannot keep {}: {error}", path.display()));
    let sha256 = checksum::sha256_of(part).map_err(refused)?;
    fs::write(beside(path, ".sha256"), format!("{sha256}  {checked_by}\n")).map_err(refused)?;
    fs::rename(part, path).map_err(refused)?;
    Ok(Fetched { path: path.to_path_buf(), sha256, checked_by })
}

fn remove(path: &Path) -> Outcome<()> {
    fs::remove_file(path)
        .map_err(|error| Fault::environment(format!("cannot remove {}: {error}", path.display())))
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests;
