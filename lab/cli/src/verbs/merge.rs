//! `humdrum merge`: the shards of one plan, from any number of hosts, as one result.

use std::path::Path;

use humdrum_analyse::{Merged, exit_code};
use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, ShardRecord};
use humdrum_record::{ResultsFolder, Store, shards_in};

use super::report::{Shown, present};
use crate::args::MergeOptions;
use crate::judged::{Wanted, judged};
use crate::reader::Reader;

/// `humdrum merge RESULTS... -o DIR`. The folder has the shards, so that more can be merged with it, and a record for each
/// host that refers to them. No block is read before the result is judged.
///
/// # Errors
/// Usage: results that are no shards, shards of different plans, a folder that exists.
pub fn merge(reader: &Reader, options: &MergeOptions) -> Result<u8, Fault> {
    let mut all = Vec::new();
    for path in &options.results {
        all.extend(read(path).map_err(|fault| fault.at(path.display().to_string()))?);
    }
    let merged = humdrum_analyse::merge(all)?;
    let mut found = None;
    let out = ResultsFolder::create_whole(&options.out, |part| {
        write(reader, part, &merged)?;
        if !options.no_report {
            found = Some(judged(reader, part, &part.folder, Wanted::default())?);
        }
        Ok(())
    })?;
    let Some(found) = found else {
        anstream::println!("results: {}", out.folder.display());
        return Ok(0);
    };
    present(reader, &out, Shown::of(options.json.as_deref()), &found)?;
    Ok(exit_code(&found.summary, options.strict))
}

/// The shards of a folder: those that were merged there, or itself.
fn read(path: &Path) -> Result<Vec<ShardRecord>, Fault> {
    let out = ResultsFolder::open(path)?;
    let mut files = shards_in(&out)?;
    if files.is_empty() {
        files.push(out.results_at(path));
    }
    files.iter().map(|file| Store::open_quickly(file)?.read_shard()).collect()
}

fn write(reader: &Reader, out: &ResultsFolder, merged: &Merged) -> Result<(), Fault> {
    let total = Some(merged.shards.len() as u64);
    for (shard, done) in merged.shards.iter().zip(1..) {
        reader.console.update(Update::Part { what: "merging", done, total, unit: "shards" });
        reader.interrupt.check()?;
        let number = shard.record.plan.shard.map_or(0, |shard| shard.number);
        out.keep_shard(number, &shard.file, shard.record.finished)?;
    }
    for (place, host) in merged.hosts.iter().enumerate() {
        let folder = if place == 0 { out.clone() } else { out.add_run()? };
        Store::create_pooled(&folder.results(), &host.record, &host.shards)?;
    }
    reader.console.clear();
    Ok(())
}
