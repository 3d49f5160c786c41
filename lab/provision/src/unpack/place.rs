//! Writes one entry of an archive below a folder, or refuses an entry that would leave the folder.

use std::fs::{self, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use humdrum_contract::Outcome;
use humdrum_model::Fault;

/// What is done with links that lead out of the folder, and with devices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Strangers {
    /// The archive is refused.
    Refused,
    /// The entry is left out.
    LeftOut,
}

/// What an entry is.
pub(super) enum Thing<'a> {
    Folder,
    /// `runnable` is what the archive says of it; where it says nothing, the first bytes do.
    File {
        content: &'a mut dyn Read,
        runnable: Option<bool>,
    },
    Symlink(PathBuf),
    HardLink(PathBuf),
    /// A device, a pipe, or something unheard of.
    Stranger,
}

pub(super) fn put(root: &Path, path: &Path, thing: Thing<'_>, strangers: Strangers) -> Outcome<()> {
    let dishonest = || {
        Fault::environment(format!("the archive is not honest: `{}` would leave its folder", path.display()))
            .hint("do not use it; fetch it from somewhere else")
    };
    let unwritten = |error: std::io::Error| {
        Fault::environment(format!("cannot unpack {}: {error}", path.display()))
            .hint("`humdrum clean`, or HUMDRUM_CACHE on a disk with room")
    };
    let stranger = || if strangers == Strangers::LeftOut { Ok(()) } else { Err(dishonest()) };
    let Some(parts) = parts_below(path) else { return Err(dishonest()) };
    let Some((own, above)) = parts.split_last() else { return Ok(()) };
    let parent = real_folder(root, above).map_err(unwritten)?.ok_or_else(dishonest)?;
    let target = parent.join(own);
    let written = match thing {
        Thing::Folder => {
            return real_folder(root, &parts).map_err(unwritten)?.map(drop).ok_or_else(dishonest);
        }
        Thing::File { content, runnable } => write_file(content, runnable, &target),
        Thing::Symlink(link) if stays_inside(&link, above.len()) => symlink(link, &target),
        Thing::HardLink(link) => match existing_file(root, &link) {
            Some(existing) => fs::hard_link(existing, &target),
            None => return Err(dishonest()),
        },
        Thing::Symlink(_) | Thing::Stranger => return stranger(),
    };
    written.map_err(unwritten)
}

/// A file that must be new: an archive that names one twice could swap a file for a link between.
fn write_file(content: &mut dyn Read, runnable: Option<bool>, target: &Path) -> std::io::Result<()> {
    let mut head = Vec::with_capacity(4);
    content.take(4).read_to_end(&mut head)?;
    let runnable = runnable.unwrap_or_else(|| head.starts_with(b"\x7fELF") || head.starts_with(b"#!"));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(target)?;
    std::io::copy(&mut head.as_slice().chain(content), &mut file)?;
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
pub(super) fn stays_inside(link: &Path, depth: usize) -> bool {
    let mut parts = link.components().filter(|part| *part != Component::CurDir).peekable();
    let mut ups = 0;
    while parts.next_if(|part| *part == Component::ParentDir).is_some() {
        ups += 1;
    }
    ups <= depth && parts.all(|part| matches!(part, Component::Normal(_)))
}
