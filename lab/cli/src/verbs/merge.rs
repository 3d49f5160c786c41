//! `humdrum merge`: the shards of one plan, from any number of hosts, as one result.

use std::path::Path;

use humdrum_analyse::{Merged, exit_code};
use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, Results};
use humdrum_record::{ResultsFolder, Store, shards_in};

use super::report::{present, summarise};
use crate::args::MergeOptions;
use crate::lab::Lab;

/// `humdrum merge RESULTS... -o DIR`. The folder has the merged record, and the shards, so that more can be merged with it.
///
/// # Errors
/// Usage: results that are no shards, shards of different plans, a folder that exists.
pub fn merge(lab: &Lab, options: &MergeOptions) -> Result<u8, Fault> {
    let mut all = Vec::new();
    for path in &options.results {
        all.extend(read(path).map_err(|fault| fault.at(path.display().to_string()))?);
    }
    let count = all.len();
    let merged = humdrum_analyse::merge(all)?;
    let out = ResultsFolder::create_whole(&options.out, |part| write(lab, part, &merged, count))?;
    let (first, further) = merged.hosts.split_first().ok_or_else(|| Fault::usage("there are no shards"))?;
    let summary = summarise(lab, first, further, None);
    present(lab, &out, options.json.as_deref(), &summary, first)?;
    Ok(exit_code(&summary, options.strict))
}

/// The shards of a folder: those that were merged there, or itself.
fn read(path: &Path) -> Result<Vec<Results>, Fault> {
    let out = ResultsFolder::open(path)?;
    let merged = shards_in(&out)?;
    if merged.is_empty() {
        return Ok(vec![Store::open(&out.results_at(path))?.read()?]);
    }
    merged.iter().map(|file| Store::open(file)?.read()).collect()
}

fn write(lab: &Lab, out: &ResultsFolder, merged: &Merged, count: usize) -> Result<(), Fault> {
    let records = merged.shards.len() + merged.hosts.len();
    let mut written = 0;
    let mut step = |what: &str| {
        written += 1;
        let what = format!("merging {count} shards: {what}");
        let (done, total) = (written, Some(records as u64));
        lab.console.update(Update::Part { what: &what, done, total, unit: "records" });
        lab.dirs.interrupt.check()
    };
    for shard in &merged.shards {
        let number = shard.plan.shard.map_or(0, |shard| shard.number);
        step(&format!("shard {number}"))?;
        Store::create(&out.shard(number)?, shard)?;
    }
    for (place, host) in merged.hosts.iter().enumerate() {
        step(&format!("host {}", place + 1))?;
        let folder = if place == 0 { out.clone() } else { out.add_run()? };
        Store::create(&folder.results(), host)?;
    }
    lab.console.clear();
    Ok(())
}
