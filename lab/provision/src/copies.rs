//! Copies data folders: a folder is saved once and restored as often as needed.
//!
//! Restoring replaces the files that differ and leaves the others. A copied file keeps its time of last change, so any
//! later write makes it differ. Databases reserve much more space than they fill (for logs above all), so only pages
//! with content are copied; the rest is allocated, so that later writes need no allocation.

use std::fs::{self, File, FileTimes, Metadata};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use rustix::fs::{FallocateFlags, SeekFrom, fallocate, ioctl_ficlone, seek};

/// Bytes copied at once, and the smallest run of zeros that is left out.
const PIECE_BYTES: usize = 128 << 10;

/// Makes `to` equal to `from`: entries that `from` lacks are removed, files that differ in size or time of change are
/// replaced. All writes are on the device when this returns, so that no writeback disturbs the next measurement.
///
/// # Errors
/// Environment, with the file that could not be copied.
pub fn mirror(from: &Path, to: &Path) -> Outcome<()> {
    mirror_entry(from, to)
}

fn mirror_entry(from: &Path, to: &Path) -> Outcome<()> {
    let meta = fs::symlink_metadata(from).map_err(|error| refused("look at", from, &error))?;
    let there = fs::symlink_metadata(to).ok();
    if there.as_ref().is_some_and(|there| same(&meta, there)) && meta.is_file() {
        return Ok(());
    }
    if let Some(there) = there.filter(|there| !(there.is_dir() && meta.is_dir())) {
        let gone = if there.is_dir() { fs::remove_dir_all(to) } else { fs::remove_file(to) };
        gone.map_err(|error| refused("remove", to, &error))?;
    }
    if meta.is_dir() {
        mirror_folder(from, to, &meta)
    } else if meta.is_symlink() {
        let target = fs::read_link(from).map_err(|error| refused("read", from, &error))?;
        symlink(target, to).map_err(|error| refused("make", to, &error))
    } else if meta.is_file() {
        copy_file(from, to, &meta).map_err(|error| refused("copy", from, &error))
    } else {
        // Sockets and pipes belong to a process that is gone.
        Ok(())
    }
}

fn mirror_folder(from: &Path, to: &Path, meta: &Metadata) -> Outcome<()> {
    if !to.is_dir() {
        fs::create_dir(to).map_err(|error| refused("make", to, &error))?;
    }
    give(to, meta).map_err(|error| refused("give away", to, &error))?;
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        entries.map_err(|error| refused("read", folder, &error))
    };
    for entry in entries(to)? {
        if !from.join(entry.file_name()).exists() {
            let path = entry.path();
            let gone = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            gone.map_err(|error| refused("remove", &path, &error))?;
        }
    }
    entries(from)?.iter().try_for_each(|entry| mirror_entry(&entry.path(), &to.join(entry.file_name())))
}

/// A copy has the original's time of last change unless it was written to since.
fn same(one: &Metadata, other: &Metadata) -> bool {
    one.file_type() == other.file_type()
        && one.len() == other.len()
        && (one.mtime(), one.mtime_nsec()) == (other.mtime(), other.mtime_nsec())
}

fn copy_file(from: &Path, to: &Path, meta: &Metadata) -> std::io::Result<()> {
    let (source, target) = (File::open(from)?, File::create_new(to)?);
    // Where the file system can share blocks, that is all.
    if ioctl_ficlone(&target, &source).is_err() {
        target.set_len(meta.len())?;
        if meta.blocks() * 512 >= meta.len() && meta.len() > 0 {
            // Not every file system can; then room is found when it is needed.
            let _ = fallocate(&target, FallocateFlags::empty(), 0, meta.len());
        }
        copy_filled(&source, &target, meta.len())?;
    }
    give(to, meta)?;
    let modified = meta.modified()?;
    target.set_times(FileTimes::new().set_modified(modified))?;
    target.sync_data()
}

/// Copies the pieces that are not all zeros.
fn copy_filled(source: &File, target: &File, len: u64) -> std::io::Result<()> {
    let mut buffer = vec![0; PIECE_BYTES];
    let mut at = 0;
    while let Some((start, end)) = next_data(source, at, len) {
        at = start;
        while at < end {
            let piece = (end - at).min(PIECE_BYTES as u64) as usize;
            let read = source.read_at(&mut buffer[..piece], at)?;
            if read == 0 {
                return Ok(());
            }
            if buffer[..read].iter().any(|byte| *byte != 0) {
                target.write_all_at(&buffer[..read], at)?;
            }
            at += read as u64;
        }
    }
    Ok(())
}

/// The next range that is not a hole; the whole rest, where the file system does not report holes.
fn next_data(source: &File, at: u64, len: u64) -> Option<(u64, u64)> {
    if at >= len {
        return None;
    }
    match seek(source.as_fd(), SeekFrom::Data(at)) {
        Ok(start) => Some((start, seek(source.as_fd(), SeekFrom::Hole(start)).unwrap_or(len).min(len))),
        Err(rustix::io::Errno::NXIO) => None,
        Err(_) => Some((at, len)),
    }
}

/// Owner and permissions.
fn give(to: &Path, meta: &Metadata) -> std::io::Result<()> {
    let there = fs::symlink_metadata(to)?;
    if (there.uid(), there.gid()) != (meta.uid(), meta.gid()) {
        chown(to, Some(meta.uid()), Some(meta.gid()))?;
    }
    if there.mode() != meta.mode() {
        fs::set_permissions(to, fs::Permissions::from_mode(meta.mode()))
    } else {
        Ok(())
    }
}

fn refused(verb: &str, path: &Path, error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot {verb} {}: {error}", path.display()))
        .hint("`humdrum clean`, a smaller --scale, or HUMDRUM_CACHE on another disk")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> (tempfile::TempDir, std::path::PathBuf, std::path::PathBuf) {
        let root = tempfile::tempdir().expect("root");
        let (data, kept) = (root.path().join("data"), root.path().join("kept"));
        fs::create_dir_all(data.join("base/1")).expect("folders");
        fs::write(data.join("base/1/table"), "rows").expect("table");
        fs::write(data.join("empty"), "").expect("empty");
        symlink("base", data.join("link")).expect("link");
        fs::set_permissions(data.join("base"), fs::Permissions::from_mode(0o700)).expect("mode");
        (root, data, kept)
    }

    #[test]
    fn what_changed_is_put_back_and_what_came_goes() {
        let (_root, data, kept) = tree();
        mirror(&data, &kept).expect("kept");
        let untouched = fs::metadata(data.join("empty")).expect("there").ino();
        fs::write(data.join("base/1/table"), "wors").expect("changed, of the same length");
        fs::write(data.join("new"), "x").expect("new");
        fs::remove_file(data.join("link")).expect("gone");
        fs::create_dir(data.join("link")).expect("another kind");
        mirror(&kept, &data).expect("put back");
        assert_eq!(fs::read(data.join("base/1/table")).expect("table"), b"rows");
        assert!(!data.join("new").exists());
        assert_eq!(fs::read_link(data.join("link")).expect("link"), Path::new("base"));
        assert_eq!(fs::metadata(data.join("empty")).expect("there").ino(), untouched);
        assert_eq!(fs::metadata(kept.join("base")).expect("there").mode() & 0o777, 0o700);
        // And once more from the same copy.
        fs::remove_file(data.join("base/1/table")).expect("gone");
        mirror(&kept, &data).expect("put back");
        assert_eq!(fs::read(data.join("base/1/table")).expect("table"), b"rows");
    }

    #[test]
    fn zeros_are_reserved_and_not_copied() {
        let (_root, data, kept) = tree();
        let mut log = vec![0; 4 << 20];
        log[1 << 20] = 7;
        fs::write(data.join("log"), &log).expect("log");
        mirror(&data, &kept).expect("kept");
        assert_eq!(fs::read(kept.join("log")).expect("log"), log);
        let sparse = File::create(data.join("sparse")).expect("sparse");
        sparse.set_len(1 << 20).expect("long");
        mirror(&data, &kept).expect("kept");
        assert_eq!(fs::metadata(kept.join("sparse")).expect("there").len(), 1 << 20);
        assert_eq!(fs::metadata(kept.join("sparse")).expect("there").blocks(), 0);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let root = tempfile::tempdir().expect("root");
        let fault = mirror(&root.path().join("none"), &root.path().join("to")).expect_err("no folder");
        assert!(fault.what.contains("none"), "{fault}");
    }
}
