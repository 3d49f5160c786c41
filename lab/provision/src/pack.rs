//! One archive of several builds, for hosts without network. `sha256sum -c SHA256SUMS` checks it as well.
//!
//! ```text
//!   builds.tar
//!     SHA256SUMS                 of each file that follows
//!     postgres-17-7.tar.gz       a folder of the cache
//!     …
//! ```

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use humdrum_contract::{Dirs, Outcome, Progress, Update};
use humdrum_model::Fault;

use crate::checksum::sha256_of;
use crate::{dirs, lock, unpack as archives};

/// The first file.
const SUMS: &str = "SHA256SUMS";
/// What follows the name of a build.
const ENDING: &str = ".tar.gz";

/// SHA-256 and name of each build.
type Sums = Vec<(String, String)>;

/// The name of a build's folder in the cache, from any path in it; `None` for a path elsewhere.
pub fn name_in_cache(path: &Path, dirs: &Dirs) -> Option<String> {
    let builds = dirs::builds(dirs).canonicalize().ok()?;
    let path = path.canonicalize().ok()?;
    let first = path.strip_prefix(&builds).ok()?.components().next()?;
    first.as_os_str().to_str().map(str::to_owned)
}

/// Writes builds of the cache, by the names of their folders, into one archive.
///
/// # Errors
/// Usage: the file exists; environment: the disk refuses; interrupted.
pub fn pack(names: &[String], out: &Path, dirs: &Dirs, progress: &dyn Progress) -> Outcome<()> {
    if out.exists() {
        return Err(Fault::usage(format!("{} exists already", out.display()))
            .hint("give another file with --out, or remove it"));
    }
    let mut part = out.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let made = write(names, out, &part, dirs, progress);
    let _ = fs::remove_dir_all(&part);
    made
}

fn write(names: &[String], out: &Path, part: &Path, dirs: &Dirs, progress: &dyn Progress) -> Outcome<()> {
    let cannot =
        |error: std::io::Error| Fault::environment(format!("cannot write {}: {error}", out.display()));
    fs::create_dir_all(part).map_err(cannot)?;
    let mut sums = Sums::new();
    for (name, done) in names.iter().zip(0_u64..) {
        dirs.interrupt.check()?;
        let total = Some(names.len() as u64);
        progress.update(Update::Part { what: "packing", done, total, unit: "builds" });
        let file = part.join(format!("{name}{ENDING}"));
        compress(&dirs::builds(dirs).join(name), &file).map_err(cannot)?;
        sums.push((sha256_of(&file).map_err(cannot)?, name.clone()));
    }
    let whole = part.join("whole.tar");
    join(&sums, part, &whole).and_then(|()| fs::rename(&whole, out)).map_err(cannot)
}

fn compress(folder: &Path, file: &Path) -> std::io::Result<()> {
    let encoder = GzEncoder::new(BufWriter::new(File::create(file)?), Compression::fast());
    let mut builder = tar::Builder::new(encoder);
    builder.follow_symlinks(false);
    builder.append_dir_all("", folder)?;
    builder.into_inner()?.finish()?.flush()
}

fn join(sums: &Sums, part: &Path, whole: &Path) -> std::io::Result<()> {
    let mut builder = tar::Builder::new(BufWriter::new(File::create(whole)?));
    let text: String = sums.iter().map(|(sum, name)| format!("{sum}  {name}{ENDING}\n")).collect();
    let mut header = tar::Header::new_gnu();
    header.set_size(text.len() as u64);
    header.set_mode(0o644);
    builder.append_data(&mut header, SUMS, text.as_bytes())?;
    for (_, name) in sums {
        let file = format!("{name}{ENDING}");
        builder.append_path_with_name(part.join(&file), &file)?;
    }
    builder.into_inner()?.flush()
}

/// Puts the builds of an archive into the cache; returns the names of those that were not there.
///
/// # Errors
/// Usage: no such archive, or a damaged one; environment: the disk refuses; interrupted.
pub fn unpack(file: &Path, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Vec<String>> {
    let damaged = |what: &str| {
        Fault::usage(format!("{} is damaged: {what}", file.display()))
            .hint("copy it again, or make it again with `humdrum pack`")
    };
    let io = |error: std::io::Error| damaged(&error.to_string());
    let opened = File::open(file).map_err(|error| {
        Fault::usage(format!("cannot read {}: {error}", file.display()))
            .hint("give an archive that `humdrum pack` made")
    })?;
    let mut archive = tar::Archive::new(BufReader::new(opened));
    let mut entries = archive.entries().map_err(io)?;
    let mut first = entries.next().ok_or_else(|| damaged("it is empty"))?.map_err(io)?;
    let sums = sums(&mut first).map_err(io)?.ok_or_else(|| damaged("it does not begin with its sums"))?;
    let mut new = Vec::new();
    for (sum, name) in &sums {
        dirs.interrupt.check()?;
        let mut entry = entries.next().ok_or_else(|| damaged("it is cut off"))?.map_err(io)?;
        if dirs::builds(dirs).join(name).exists() {
            continue;
        }
        put(name, &mut entry, dirs, progress, |copy| match sha256_of(copy) {
            Ok(found) if found == *sum => Ok(()),
            _ => Err(damaged(&format!("the sum of {name} is another"))),
        })?;
        new.push(name.clone());
    }
    Ok(new)
}

/// What the first file says; `None` if it is another file. A name is that of a folder, never a path.
fn sums(entry: &mut tar::Entry<'_, impl Read>) -> std::io::Result<Option<Sums>> {
    if entry.path()? != Path::new(SUMS) {
        return Ok(None);
    }
    let mut text = String::new();
    entry.read_to_string(&mut text)?;
    let line = |line: &str| {
        let (sum, file) = line.split_once("  ")?;
        let name = file.strip_suffix(ENDING)?;
        (!name.contains('/') && !name.starts_with('.')).then(|| (sum.to_owned(), name.to_owned()))
    };
    Ok(text.lines().map(line).collect())
}

/// One build, copied and checked before it is unpacked.
fn put(
    name: &str,
    entry: &mut impl Read,
    dirs: &Dirs,
    progress: &dyn Progress,
    check: impl FnOnce(&Path) -> Outcome<()>,
) -> Outcome<()> {
    let folder = dirs::builds(dirs).join(name);
    let _lock = lock::take(&folder.with_extension("lock"), name, &dirs.interrupt, progress)?;
    if folder.exists() {
        return Ok(());
    }
    let copy = dirs::downloads(dirs).join(format!("{name}{ENDING}"));
    let cannot = |error: std::io::Error| {
        Fault::environment(format!("cannot write {}: {error}", copy.display()))
            .hint("set HUMDRUM_CACHE to a folder on a disk with room")
    };
    let done = File::create(&copy)
        .and_then(|mut out| std::io::copy(entry, &mut out))
        .map_err(cannot)
        .and_then(|_| check(&copy))
        .and_then(|()| {
            let reader = MultiGzDecoder::new(BufReader::new(File::open(&copy).map_err(cannot)?));
            archives::tar(reader, &folder, &dirs.interrupt, progress)
        });
    let _ = fs::remove_file(&copy);
    done
}

#[cfg(test)]
mod tests {
    use humdrum_contract::{Interrupt, Silent};

    use super::*;

    fn cache(folder: &Path) -> Dirs {
        let surroundings = dirs::Surroundings { cache: Some(folder.to_path_buf()), ..Default::default() };
        dirs::find(&surroundings, false, &Interrupt::new()).unwrap()
    }

    /// A cache with a build, and an archive of it.
    fn packed(folder: &Path) -> (Dirs, PathBuf) {
        let dirs = cache(&folder.join("here"));
        let build = dirs::builds(&dirs).join("it-1-2");
        fs::create_dir_all(build.join("bin")).unwrap();
        fs::write(build.join("bin/server"), b"\x7fELF and more").unwrap();
        std::os::unix::fs::symlink("server", build.join("bin/link")).unwrap();
        fs::write(build.join(".humdrum-complete"), "a  b\n").unwrap();
        let archive = folder.join("builds.tar");
        pack(&["it-1-2".to_owned()], &archive, &dirs, &Silent).unwrap();
        (dirs, archive)
    }

    #[test]
    fn what_was_packed_is_in_another_cache() {
        let folder = tempfile::tempdir().unwrap();
        let (here, archive) = packed(folder.path());
        let there = cache(&folder.path().join("there"));
        assert_eq!(unpack(&archive, &there, &Silent).unwrap(), ["it-1-2"]);
        let build = dirs::builds(&there).join("it-1-2");
        assert_eq!(fs::read(build.join("bin/link")).unwrap(), b"\x7fELF and more");
        assert!(build.join(".humdrum-complete").exists());
        assert_eq!(name_in_cache(&build.join("bin/server"), &there).as_deref(), Some("it-1-2"));
        assert_eq!(name_in_cache(&build, &here), None);
        assert!(unpack(&archive, &there, &Silent).unwrap().is_empty(), "it is there already");
        assert!(!folder.path().join("builds.tar.part").exists());
        assert_eq!(fs::read_dir(dirs::downloads(&there)).unwrap().count(), 0);
    }

    #[test]
    fn a_damaged_archive_puts_nothing_into_the_cache() {
        let folder = tempfile::tempdir().unwrap();
        let (_, archive) = packed(folder.path());
        let there = cache(&folder.path().join("there"));
        let bytes = fs::read(&archive).unwrap();
        let flipped = |place: usize| {
            let mut bytes = bytes.clone();
            bytes[place] ^= 1;
            bytes
        };
        // The header of the build, its content, the end, and all of it.
        for (damaged, what) in [
            (flipped(1500), "damaged"),
            (flipped(1600), "the sum of it-1-2 is another"),
            (bytes[..1400].to_vec(), "damaged"),
            (Vec::new(), "empty"),
        ] {
            fs::write(&archive, damaged).unwrap();
            let fault = unpack(&archive, &there, &Silent).unwrap_err();
            assert!(fault.to_string().contains(what) && fault.hint.is_some(), "{fault}");
            assert!(!dirs::builds(&there).join("it-1-2").exists());
        }
        fs::remove_file(&archive).unwrap();
        assert_eq!(unpack(&archive, &there, &Silent).unwrap_err().exit_code(), 2);
    }

    #[test]
    fn an_archive_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let (here, archive) = packed(folder.path());
        assert_eq!(pack(&[], &archive, &here, &Silent).unwrap_err().exit_code(), 2);
    }
}
