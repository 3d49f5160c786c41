//! `humdrum merge`: the shards of one plan, from any number of hosts, as one result.

use std::path::Path;

use humdrum_analyse::{Merged, exit_code};
use humdrum_contract::{Progress, Update};
use humdrum_model::{Fault, FaultKind, Measurement, MergeFacts, ShardRecord};
use humdrum_record::{ResultsFolder, Store, shards_in};
use humdrum_report::printable;

use super::report::{Shown, present};
use crate::args::MergeOptions;
use crate::judged::{Judged, Wanted, judged};
use crate::reader::Reader;

/// `humdrum merge RESULTS... -o DIR`. The folder has the shards, so that more can be merged with it, and a record for each
/// host that refers to them. No block is read before the result is judged.
///
/// # Errors
/// Usage: results that are no shards, shards of different plans, a damaged record, a folder that exists.
pub fn merge(reader: &Reader, options: &MergeOptions) -> Result<u8, Fault> {
    let mut found = Found::default();
    for path in &options.results {
        found.add(reader, path)?;
    }
    put_together(reader, options, &found)
        .map_err(|Failed { fault, damaged }| damaged.into_iter().next().map_or(*fault, |(_, damage)| damage))
}

/// The same with the shards whose records can be read; `left_out` hears of each other one, by its place among the results.
///
/// # Errors
/// Usage: no record can be read; else as `merge`.
#[cfg_attr(not(feature = "measure"), expect(dead_code, reason = "fleets are measured"))]
pub fn merge_whole(
    reader: &Reader,
    options: &MergeOptions,
    left_out: impl Fn(&Path, &Fault),
) -> Result<u8, Fault> {
    let mut found = Found::default();
    let mut last = None;
    for path in &options.results {
        if let Err(fault) = found.add(reader, path) {
            left_out(path, &fault);
            last = Some(fault);
        }
    }
    while !found.shards.is_empty() {
        let Failed { fault, damaged } = match put_together(reader, options, &found) {
            Ok(code) => return Ok(code),
            Err(failed) => failed,
        };
        if damaged.is_empty() {
            return Err(*fault);
        }
        for (shard, damage) in damaged {
            left_out(Path::new(&shard.named), &damage);
            found.shards.retain(|one| one.file != shard.file);
            last = Some(damage);
        }
    }
    Err(last.unwrap_or_else(|| Fault::usage("there are no shards to merge")))
}

/// Shards, and what earlier merges left out of those that were merged before.
#[derive(Default)]
struct Found {
    shards: Vec<ShardRecord>,
    passed_over: Vec<Measurement>,
}

impl Found {
    /// Adds what a user named: a shard, with the further runs that `extend` added to it, or the shards that were merged there.
    fn add(&mut self, reader: &Reader, path: &Path) -> Result<(), Fault> {
        let named = path.display().to_string();
        let out = ResultsFolder::open(path)?;
        let file = out.results_at(path);
        let Some(kept) = shards_in(&out, &file)? else {
            self.read(&file, &named)?;
            // Of a file that was named itself, nothing else is meant.
            let further = if path.is_dir() { out.further_runs()? } else { Vec::new() };
            return further
                .iter()
                .try_for_each(|run| self.read(&run.results(), &run.folder.display().to_string()));
        };
        for (number, file) in &kept.files {
            self.read(file, &format!("{named} (its shard {number})"))?;
        }
        self.passed_over.extend(kept.passed_over);
        let runs = out.further_runs()?.len() + 1;
        if kept.hosts > 0 && runs > kept.hosts {
            let what = format!(
                "{named} was extended: its last {} runs are of the whole plan and no shards, so that they are not taken",
                runs - kept.hosts
            );
            reader.console.update(Update::Note(&what));
        }
        Ok(())
    }

    fn read(&mut self, file: &Path, named: &str) -> Result<(), Fault> {
        let shard = Store::open_unchanged(file).and_then(|store| store.read_shard(named));
        self.shards.push(shard?);
        Ok(())
    }
}

/// Why a merge failed, and which records cannot be read, each with its own fault.
struct Failed {
    fault: Box<Fault>,
    damaged: Vec<(ShardRecord, Fault)>,
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Self { fault: fault.into(), damaged: Vec::new() }
    }
}

/// Which records cannot be read. What was read is a copy that is gone by now; here the user's own files are read whole, so that
/// their names are told.
fn damaged(shards: &[ShardRecord]) -> Vec<(ShardRecord, Fault)> {
    let read = |shard: &ShardRecord| Store::open_unchanged(&shard.file).and_then(|store| store.read());
    shards.iter().filter_map(|shard| Some((shard.clone(), read(shard).err()?))).collect()
}

fn put_together(reader: &Reader, options: &MergeOptions, found: &Found) -> Result<u8, Failed> {
    let merged = humdrum_analyse::merge(found.shards.clone(), found.passed_over.clone())?;
    let mut judgement: Option<Judged> = None;
    let mut has_begun = false;
    let made = ResultsFolder::create_whole(&options.out, |part| {
        has_begun = true;
        write(reader, part, &merged)?;
        if !options.no_report {
            judgement = Some(judged(reader, part, &part.folder, Wanted::default())?);
        }
        Ok(())
    });
    let out = made.map_err(|fault| {
        let is_of_files = has_begun && fault.kind == FaultKind::Usage;
        let damaged = if is_of_files { damaged(&merged.shards) } else { Vec::new() };
        Failed { fault: fault.into(), damaged }
    })?;
    let Some(judgement) = judgement else {
        let shown = out.folder.display();
        anstream::println!("results: {shown} (no block was read yet: `humdrum report` does that)");
        merged.remarks.iter().for_each(|remark| anstream::println!("warning: {}", printable(remark)));
        return Ok(0);
    };
    present(reader, &out, Shown::of(options.json.as_deref()), &judgement)?;
    Ok(exit_code(&judgement.summary, options.strict))
}

fn write(reader: &Reader, out: &ResultsFolder, merged: &Merged) -> Result<(), Fault> {
    let total = Some(merged.shards.len() as u64);
    let mut shards = Vec::new();
    for (shard, done) in merged.shards.iter().zip(1..) {
        reader.console.update(Update::Part { what: "merging", done, total, unit: "shards" });
        reader.interrupt.check()?;
        let number = shard.record.plan.shard.map_or(0, |shard| shard.number);
        out.keep_shard(number, &shard.file, shard.record.finished)?;
        shards.push(number);
    }
    let facts = MergeFacts { hosts: merged.hosts.len(), shards, passed_over: merged.passed_over.clone() };
    for (place, host) in merged.hosts.iter().enumerate() {
        let (folder, facts) = if place == 0 { (out.clone(), Some(&facts)) } else { (out.add_run()?, None) };
        Store::create_pooled(&folder.results(), &host.record, &host.shards, facts)?;
    }
    reader.console.clear();
    Ok(())
}
