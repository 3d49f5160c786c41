//! Unpacks the plain files of a zip.

use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use humdrum_contract::{Outcome, Update};
use humdrum_model::Fault;
use zip::ZipArchive;

use super::job::Job;
use super::place::{Strangers, Thing, put};

/// Longest target of a symbolic link: the kernel's own limit.
const LINK_BYTES_MAX: u64 = 4096;

pub(super) fn files<R: Read + Seek>(
    mut zip: ZipArchive<R>,
    root: &Path,
    name: &str,
    job: &Job<'_>,
) -> Outcome<()> {
    let damaged = |error: String| Fault::environment(format!("the archive is damaged: {error}"));
    let mut done = 0;
    for index in 0..zip.len() {
        job.interrupt.check()?;
        let mut entry = zip.by_index(index).map_err(|error| damaged(error.to_string()))?;
        let own = entry.name().map_err(|error| damaged(error.to_string()))?.into_owned();
        let Some(path) = (job.choose)(Path::new(&own)) else { continue };
        done += entry.size();
        // Bits of programs that were zipped on a system without them say nothing.
        let runnable = entry.unix_mode().is_some_and(|mode| mode & 0o111 != 0).then_some(true);
        let thing = if entry.is_dir() {
            Thing::Folder
        } else if entry.is_symlink() {
            let mut link = String::new();
            let read = (&mut entry).take(LINK_BYTES_MAX).read_to_string(&mut link);
            read.map_err(|error| damaged(error.to_string()))?;
            Thing::Symlink(PathBuf::from(link))
        } else {
            Thing::File { content: &mut entry, runnable }
        };
        put(root, &path, thing, Strangers::Refused)?;
        job.progress.update(Update::Part { what: name, done, total: None, unit: "bytes" });
    }
    Ok(())
}
