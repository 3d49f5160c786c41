//! Unpacks builds: tars inside jars, plain files of zips, Debian packages. Archives are not trusted: no entry may
//! leave the target folder, neither by its name, nor through a link, nor as a device.
//!
//! Nothing temporary is written to disk: a tar inside a jar is read through both formats at once, and only the chosen
//! files of a large distribution are written.

mod deb;
mod job;
mod place;
mod zips;

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use humdrum_contract::{Interrupt, Outcome, Progress, Update};
use humdrum_model::Fault;
use lzma_rust2::XzReader;
use tar::{Archive, EntryType};

use place::{Strangers, Thing, put};

pub use job::{Job, everything};

/// Unpacks the whole `.txz` inside a jar.
///
/// # Errors
/// Environment for a damaged or dishonest archive and for the disk; interrupted.
pub fn jar(jar: &Path, folder: &Path, interrupt: &Interrupt, progress: &dyn Progress) -> Outcome<()> {
    tar_inside(jar, ".txz", &Job { folder, choose: &everything, interrupt, progress })
}

/// Unpacks the compressed tar (`.txz`, `.tar.xz`, `.tar.gz`) inside a jar, whose name ends in `ending`.
///
/// # Errors
/// As `jar`.
pub fn tar_inside(jar: &Path, ending: &str, job: &Job<'_>) -> Outcome<()> {
    let damaged = |error: String| Fault::environment(format!("{} is damaged: {error}", jar.display()));
    let mut zip = open_zip(jar)?;
    let mut names = zip.file_names().flatten().map(|name| name.into_owned());
    let inner = names.find(|name| name.ends_with(ending));
    drop(names);
    let inner = inner.ok_or_else(|| damaged(format!("there is no {ending} in it")))?;
    let reader = zip.by_name(&inner).map_err(|error| damaged(error.to_string()))?;
    let reader = decompressed(&inner, reader).ok_or_else(|| damaged(format!("{inner} is no tar")))?;
    whole_or_nothing(job, |root, name| entries(reader, root, name, Strangers::Refused, job))
        .map_err(|fault| fault.at(jar.display().to_string()))
}

/// Unpacks the plain files of a zip or jar. Most zips lack permission bits; files that begin like a program are made
/// executable.
///
/// # Errors
/// As `jar`.
pub fn zip(path: &Path, job: &Job<'_>) -> Outcome<()> {
    let zip = open_zip(path)?;
    whole_or_nothing(job, |root, name| zips::files(zip, root, name, job))
        .map_err(|fault| fault.at(path.display().to_string()))
}

/// Unpacks Debian packages into one folder, laid out as the root of a system. Links that lead out of the folder
/// (`/etc/alternatives`) are left out.
///
/// # Errors
/// As `jar`.
pub fn debs(packages: &[PathBuf], job: &Job<'_>) -> Outcome<()> {
    whole_or_nothing(job, |root, name| {
        packages.iter().try_for_each(|path| {
            let at = |fault: Fault| fault.at(path.display().to_string());
            let (member, data) = deb::data(path).map_err(at)?;
            let reader = decompressed(&member, data).ok_or_else(|| {
                at(Fault::environment(format!("its {member} is compressed in a way that is not read here")))
            })?;
            entries(reader, root, name, Strangers::LeftOut, job).map_err(at)
        })
    })
}

/// Unpacks a tar compressed by xz into `folder`, which appears only when it is whole.
///
/// # Errors
/// As `jar`.
pub fn txz(reader: impl Read, folder: &Path, interrupt: &Interrupt, progress: &dyn Progress) -> Outcome<()> {
    tar(XzReader::new(reader, true), folder, interrupt, progress)
}

/// Unpacks the chosen files of a tar compressed by gzip.
///
/// # Errors
/// As `jar`.
pub fn tgz(path: &Path, job: &Job<'_>) -> Outcome<()> {
    let unread = |error| Fault::environment(format!("cannot read {}: {error}", path.display()));
    let reader = MultiGzDecoder::new(BufReader::new(File::open(path).map_err(unread)?));
    whole_or_nothing(job, |root, name| entries(reader, root, name, Strangers::Refused, job))
        .map_err(|fault| fault.at(path.display().to_string()))
}

/// Unpacks a tar into `folder`, which appears only when it is whole.
///
/// # Errors
/// As `jar`.
pub fn tar(reader: impl Read, folder: &Path, interrupt: &Interrupt, progress: &dyn Progress) -> Outcome<()> {
    let job = Job { folder, choose: &everything, interrupt, progress };
    whole_or_nothing(&job, |root, name| entries(reader, root, name, Strangers::Refused, &job))
}

fn open_zip(path: &Path) -> Outcome<zip::ZipArchive<BufReader<File>>> {
    let damaged = |error: String| Fault::environment(format!("{} is damaged: {error}", path.display()));
    let file = File::open(path).map_err(|error| damaged(error.to_string()))?;
    zip::ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(error.to_string()))
}

/// A reader of the tar itself, by the ending of its name; `None` for an ending that is not known.
fn decompressed<'a>(name: &str, reader: impl Read + 'a) -> Option<Box<dyn Read + 'a>> {
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&[".txz", ".tar.xz"]) {
        Some(Box::new(XzReader::new(reader, true)))
    } else if ends(&[".tgz", ".tar.gz"]) {
        Some(Box::new(MultiGzDecoder::new(reader)))
    } else {
        ends(&[".tar"]).then(|| Box::new(reader) as Box<dyn Read>)
    }
}

/// Fills a temporary folder beside the target and renames it when it is complete.
fn whole_or_nothing(job: &Job<'_>, fill: impl FnOnce(&Path, &str) -> Outcome<()>) -> Outcome<()> {
    let folder = job.folder;
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let unfinished = folder.with_file_name(format!("{name}.tmp"));
    let _ = fs::remove_dir_all(&unfinished);
    crate::dirs::make_folder(&unfinished)?;
    let filled = fill(&unfinished, &name);
    if filled.is_err() {
        let _ = fs::remove_dir_all(&unfinished);
    }
    filled?;
    let refused = |error| Fault::environment(format!("cannot put {} in place: {error}", folder.display()));
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(refused)?;
    }
    fs::rename(&unfinished, folder).map_err(refused)
}

fn entries(reader: impl Read, root: &Path, name: &str, strangers: Strangers, job: &Job<'_>) -> Outcome<()> {
    let damaged = |error: std::io::Error| Fault::environment(format!("the archive is damaged: {error}"));
    let mut archive = Archive::new(reader);
    let mut done = 0;
    for entry in archive.entries().map_err(damaged)? {
        job.interrupt.check()?;
        let mut entry = entry.map_err(damaged)?;
        let own = entry.path().map_err(damaged)?.into_owned();
        done += entry.size();
        job.progress.update(Update::Part { what: name, done, total: None, unit: "bytes" });
        let Some(path) = (job.choose)(&own) else { continue };
        let link = entry.link_name().ok().flatten().map(|link| link.into_owned());
        let runnable = entry.header().mode().unwrap_or(0o644) & 0o111 != 0;
        let thing = match (entry.header().entry_type(), link) {
            (EntryType::Directory, _) => Thing::Folder,
            (EntryType::Regular | EntryType::Continuous, _) => {
                Thing::File { content: &mut entry, runnable: Some(runnable) }
            }
            (EntryType::Symlink, Some(link)) => Thing::Symlink(link),
            (EntryType::Link, Some(link)) => Thing::HardLink((job.choose)(&link).unwrap_or(link)),
            (EntryType::XGlobalHeader, _) => continue,
            _ => Thing::Stranger,
        };
        put(root, &path, thing, strangers)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
