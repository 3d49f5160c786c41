//! Unpacks builds: a jar that holds a compressed tar, or the tar itself. An archive is somebody else's, so no
//! entry may leave the folder: not by its name, not through a link, not by pointing at a device.

use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use humdrum_contract::{Interrupt, Outcome, Progress, Update};
use humdrum_model::Fault;
use lzma_rust2::XzReader;
use tar::{Archive, Entry, EntryType};

/// Unpacks the `.txz` inside a jar into `folder`, which appears only when it is whole.
///
/// # Errors
/// Environment for a damaged or dishonest archive and for the disk; interrupted.
pub fn jar(jar: &Path, folder: &Path, interrupt: &Interrupt, progress: &dyn Progress) -> Outcome<()> {
    let damaged = |error: String| Fault::environment(format!("{} is damaged: {error}", jar.display()));
    let file = File::open(jar).map_err(|error| damaged(error.to_string()))?;
    let mut zip = zip::ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(error.to_string()))?;
    let mut names = zip.file_names().flatten().map(|name| name.into_owned());
    let inner = names.find(|name| name.ends_with(".txz"));
    drop(names);
    let inner = inner.ok_or_else(|| damaged("there is no .txz in it".into()))?;
    let reader = zip.by_name(&inner).map_err(|error| damaged(error.to_string()))?;
    txz(reader, folder, interrupt, progress).map_err(|fault| fault.at(jar.display().to_string()))
}

/// Unpacks a tar compressed by xz into `folder`, which appears only when it is whole.
///
/// # Errors
/// As `jar`.
pub fn txz(reader: impl Read, folder: &Path, interrupt: &Interrupt, progress: &dyn Progress) -> Outcome<()> {
    tar(XzReader::new(reader, true), folder, interrupt, progress)
}

/// Unpacks a tar into `folder`, which appears only when it is whole.
///
/// # Errors
/// As `jar`.
pub fn tar(reader: impl Read, folder: &Path, interrupt: &Interrupt, progress: &dyn Progress) -> Outcome<()> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let unfinished = folder.with_file_name(format!("{name}.tmp"));
    let _ = fs::remove_dir_all(&unfinished);
    crate::house::make_folder(&unfinished)?;
    let unpacked = entries(reader, &unfinished, &name, interrupt, progress);
    if unpacked.is_err() {
        let _ = fs::remove_dir_all(&unfinished);
    }
    unpacked?;
    let refused = |error| Fault::environment(format!("cannot put {} in place: {error}", folder.display()));
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(refused)?;
    }
    fs::rename(&unfinished, folder).map_err(refused)
}

fn entries(
    reader: impl Read,
    root: &Path,
    name: &str,
    interrupt: &Interrupt,
    progress: &dyn Progress,
) -> Outcome<()> {
    let damaged = |error: std::io::Error| Fault::environment(format!("the archive is damaged: {error}"));
    let mut archive = Archive::new(reader);
    let mut done = 0;
    for entry in archive.entries().map_err(damaged)? {
        interrupt.check()?;
        let mut entry = entry.map_err(damaged)?;
        let path = entry.path().map_err(damaged)?.into_owned();
        unpack_one(&mut entry, root, &path)?;
        done += entry.size();
        progress.update(Update::Part { what: name, done, total: None, unit: "bytes" });
    }
    Ok(())
}

fn unpack_one<R: Read>(entry: &mut Entry<'_, R>, root: &Path, path: &Path) -> Outcome<()> {
    let dishonest = || {
        Fault::environment(format!("the archive is not honest: `{}` would leave its folder", path.display()))
            .hint("do not use it; fetch it from somewhere else")
    };
    let unwritten = |error: std::io::Error| {
        Fault::environment(format!("cannot unpack {}: {error}", path.display()))
            .hint("`humdrum clean`, or HUMDRUM_CACHE on a disk with room")
    };
    let Some(parts) = parts_below(path) else { return Err(dishonest()) };
    let Some((own, above)) = parts.split_last() else { return Ok(()) };
    let parent = real_folder(root, above).map_err(unwritten)?.ok_or_else(dishonest)?;
    let target = parent.join(own);
    let link = entry.link_name().ok().flatten().map(|link| link.into_owned());
    let written = match entry.header().entry_type() {
        EntryType::Directory => {
            return real_folder(root, &parts).map_err(unwritten)?.map(drop).ok_or_else(dishonest);
        }
        EntryType::Regular | EntryType::Continuous => write_file(entry, &target),
        EntryType::Symlink => match link.filter(|link| stays_inside(link, above.len())) {
            Some(link) => symlink(link, &target),
            None => return Err(dishonest()),
        },
        EntryType::Link => match link.and_then(|link| existing_file(root, &link)) {
            Some(existing) => fs::hard_link(existing, &target),
            None => return Err(dishonest()),
        },
        EntryType::XGlobalHeader => Ok(()),
        _ => return Err(dishonest()),
    };
    written.map_err(unwritten)
}

/// A file that must be new: an archive that names one twice could swap a file for a link between.
fn write_file<R: Read>(entry: &mut Entry<'_, R>, target: &Path) -> std::io::Result<()> {
    let runnable = entry.header().mode().unwrap_or(0o644) & 0o111 != 0;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(target)?;
    std::io::copy(entry, &mut file)?;
    // The servers' user must be able to read it, and nobody's special bits are wanted.
    file.set_permissions(fs::Permissions::from_mode(if runnable { 0o755 } else { 0o644 }))
}

/// A name's parts, if it is relative and never goes up.
fn parts_below(path: &Path) -> Option<Vec<&std::ffi::OsStr>> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    parts.map(|part| if let Component::Normal(name) = part { Some(name) } else { None }).collect()
}

/// The folder below `root`, made where missing; `None` when a part of it is no folder (a link, say).
fn real_folder(root: &Path, parts: &[&std::ffi::OsStr]) -> std::io::Result<Option<PathBuf>> {
    let mut folder = root.to_path_buf();
    for part in parts {
        folder.push(part);
        match fs::symlink_metadata(&folder) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Ok(None),
            Err(_) => {
                fs::create_dir(&folder)?;
                fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))?;
            }
        }
    }
    Ok(Some(folder))
}

/// A file that was unpacked before, reached through real folders only.
fn existing_file(root: &Path, name: &Path) -> Option<PathBuf> {
    let parts = parts_below(name)?;
    let (own, above) = parts.split_last()?;
    let file = real_folder(root, above).ok()??.join(own);
    fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_file()).then_some(file)
}

/// Whether a symbolic link in a folder `depth` below the root stays below the root. `..` is allowed at its head
/// only: there it climbs real folders, later it could climb out of what another link leads to.
fn stays_inside(link: &Path, depth: usize) -> bool {
    let mut parts = link.components().filter(|part| *part != Component::CurDir).peekable();
    let mut ups = 0;
    while parts.next_if(|part| *part == Component::ParentDir).is_some() {
        ups += 1;
    }
    ups <= depth && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests;
