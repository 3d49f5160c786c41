//! `humdrum fleet fetch`: the shards that there are, as one result.

use std::path::{Path, PathBuf};

use humdrum_model::Fault;
use humdrum_record::{Begun, Store};

use super::folder::{Fleet, merged_folder, shard_folder};
use crate::args::{FetchFleetOptions, MergeOptions};
use crate::lab::Lab;
use crate::verbs::merge::merge;

/// `humdrum fleet fetch FOLDER`.
///
/// # Errors
/// Usage: no shard has begun; else as `merge`.
pub fn fetch(lab: &Lab, options: &FetchFleetOptions) -> Result<u8, Fault> {
    let fleet = Fleet::read(&options.folder)?;
    let mut results = Vec::new();
    for number in 1..=fleet.shards {
        let folder = shard_folder(&options.folder, number);
        if Store::begun(&folder.join("results.sqlite"))? != Begun::No {
            results.push(folder);
        }
    }
    if results.is_empty() {
        return Err(Fault::usage(format!("no shard of {} has begun", options.folder.display()))
            .hint(format!("humdrum fleet status {}", options.folder.display())));
    }
    let of = |out: PathBuf| MergeOptions {
        results: results.clone(),
        out,
        json: None,
        strict: false,
        no_report: false,
    };
    match &options.out {
        Some(out) => merge(lab, &of(out.clone())),
        None => replacing(&merged_folder(&options.folder), |out| merge(lab, &of(out.to_path_buf()))),
    }
}

/// Makes a folder anew. If that fails, the earlier one is there again.
fn replacing(out: &Path, make: impl FnOnce(&Path) -> Result<u8, Fault>) -> Result<u8, Fault> {
    let earlier = out.with_extension("earlier");
    let had = out.exists();
    if had {
        std::fs::rename(out, &earlier)
            .map_err(|error| Fault::environment(format!("cannot rename {}: {error}", out.display())))?;
    }
    let made = make(out);
    match (had, out.exists()) {
        (true, true) => drop(std::fs::remove_dir_all(&earlier)),
        (true, false) => drop(std::fs::rename(&earlier, out)),
        _ => {}
    }
    made
}
