//! The kv client beside db_bench, over the very library that db_bench is linked with, with the same options, taking turns:
//! `fillseq` and `readrandom`. Then what a device says of reads and writes past all caches, beside what the process and the
//! library say.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use humdrum_contract::{
    Engine, House, Interrupt, KvBatch, KvData, KvOperation, KvSession, KvStore, Server, Silent, Sizing,
};
use humdrum_engine_rocksdb::Rocksdb;
use humdrum_model::{Fault, Place, Setting, Subject};
use humdrum_provision::house::{self, Surroundings};
use humdrum_provision::run_folder::RunFolder;

use super::device::past_all_caches;
use super::peers::in_path;

const SIZING: Sizing = Sizing { memory_bytes: 2 << 30, cpus: 2, connections: 2 };
const PATIENCE: Duration = Duration::from_secs(120);
/// Holds all data of the default size.
const CACHE_BYTES: u64 = 1 << 30;
const DATA: KvData = KvData { keys: 0, seed: 7, key_bytes: 20, value_bytes: 400, compressed_percent: 50 };
const SEED_STEP: u64 = 0xd134_2543_de82_ef95;
/// The same for both, in db_bench's words; ours has them as its configuration `byrx`.
const FLAGS: [&str; 22] = [
    "--key_size=20",
    "--value_size=400",
    "--compression_type=none",
    "--compression_ratio=0.5",
    "--block_size=8192",
    "--cache_size=1073741824",
    "--cache_index_and_filter_blocks=1",
    "--cache_high_pri_pool_ratio=0.5",
    "--pin_l0_filter_and_index_blocks_in_cache=1",
    "--bloom_bits=10",
    "--num_levels=8",
    "--level_compaction_dynamic_level_bytes=1",
    "--max_bytes_for_level_base=67108864",
    "--max_bytes_for_level_multiplier=8",
    "--target_file_size_base=16777216",
    "--write_buffer_size=16777216",
    "--max_write_buffer_number=8",
    "--max_background_jobs=2",
    "--level0_file_num_compaction_trigger=4",
    "--bytes_per_sync=1048576",
    "--sync=0",
    "--verify_checksum=1",
];

/// `bench kv [KEYS [ROUNDS]]`.
pub fn main(args: &[&str]) -> Result<(), String> {
    let number = |index: usize, default: u64| args.get(index).map_or(Ok(default), |text| text.parse());
    let keys = number(0, 1_000_000).map_err(|error| error.to_string())?;
    let rounds = number(1, 5).map_err(|error| error.to_string())?;
    let rig = Rig::new().map_err(told)?;
    if in_path("db_bench") {
        beside_db_bench(&rig, keys, rounds)?;
    } else {
        println!("db_bench is not in PATH: nothing to stand beside");
    }
    past_all_caches(&rig, keys).map_err(told)
}

/// `bench kv-device [KEYS]`: the second half alone, which counts bytes and so says the same of any build.
pub fn device(args: &[&str]) -> Result<(), String> {
    let keys = args.first().map_or(Ok(1_000_000), |text| text.parse());
    let keys = keys.map_err(|error: std::num::ParseIntError| error.to_string())?;
    Rig::new().and_then(|rig| past_all_caches(&rig, keys)).map_err(told)
}

fn told(fault: Fault) -> String {
    format!("{fault}{}", fault.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default())
}

/// A session, and the worker behind it.
pub(super) type Worker = (Box<dyn KvSession>, Box<dyn Server>);

pub(super) struct Rig {
    house: House,
    run: RunFolder,
}

impl Rig {
    fn new() -> Result<Self, Fault> {
        let house = house::find(&Surroundings::read(), false, &Interrupt::new())?;
        let run = RunFolder::new(&house)?;
        Ok(Self { house, run })
    }

    /// A running worker with a session; the session goes first.
    pub(super) fn started(
        &self,
        name: &str,
        place: Place,
        settings: &[(&str, &str)],
    ) -> Result<Worker, Fault> {
        let setting = |(key, value): &(&str, &str)| match *key {
            "" => Setting::Named((*value).into()),
            key => Setting::Value { key: key.into(), value: (*value).into() },
        };
        let settings = settings.iter().map(setting).collect();
        let subject = Subject { label: name.into(), engine: "rocksdb".into(), place, settings };
        let installed = Rocksdb::default().install(&subject, &self.house, &Silent)?;
        let mut server = installed.create(&self.run.home(name)?, &SIZING)?;
        server.start()?;
        let session = server.connect(PATIENCE)?.into_kv()?;
        Ok((session, server))
    }
}

pub(super) fn batch(operation: KvOperation, count: u64, keys: u64, first_seed: u64) -> KvBatch {
    KvBatch {
        store: KvStore::Main,
        operation,
        first_number: 0,
        first_seed,
        seed_step: SEED_STEP,
        count,
        span: keys,
        checked: false,
        writer_bytes_per_second: 0,
    }
}

/// Operations per second of one batch.
pub(super) fn rate(session: &mut dyn KvSession, batch: &KvBatch) -> Result<f64, Fault> {
    let done = session.run(batch, &mut |_, _| {})?;
    Ok(batch.count as f64 / (done.wall_ns.max(1) as f64 / 1e9))
}

pub(super) fn fill(session: &mut dyn KvSession, keys: u64) -> Result<f64, Fault> {
    session.create(KvStore::Main, &KvData { keys, ..DATA }, true)?;
    let filled = rate(session, &batch(KvOperation::PutNext, keys, keys, 1))?;
    session.end_bulk(KvStore::Main)?;
    session.settle(KvStore::Main, false)?;
    Ok(filled)
}

fn beside_db_bench(rig: &Rig, keys: u64, rounds: u64) -> Result<(), String> {
    let library = linked_library()?;
    println!("db_bench and our client over {}, {keys} keys of 20 + 400 bytes, one thread", library.display());
    let cache = CACHE_BYTES.to_string();
    let settings = [("", "byrx"), ("block_cache_bytes", &*cache)];
    let (mut session, _server) = rig.started("ours", Place::Folder(library), &settings).map_err(told)?;
    let theirs = tempfile(&rig.house.runs)?;
    let (mut fills, mut reads) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let own = fill(&mut *session, keys).map_err(told)?;
        let other = db_bench(
            &theirs,
            keys,
            &[
                "--benchmarks=fillseq",
                "--disable_wal=1",
                "--memtablerep=vector",
                "--allow_concurrent_memtable_write=0",
            ],
        )?;
        fills.push((own, other));
        // Once to warm the caches.
        let random = batch(KvOperation::Get, keys, keys, 99 + round);
        rate(&mut *session, &random).map_err(told)?;
        let own = rate(&mut *session, &random).map_err(told)?;
        let other = db_bench(&theirs, keys, &["--benchmarks=readrandom,readrandom", "--use_existing_db=1"])?;
        reads.push((own, other));
    }
    let _ = std::fs::remove_dir_all(theirs);
    println!("{:<12} {:>12} {:>12} {:>8}   ratios of the rounds", "", "ours, ops/s", "db_bench", "ratio");
    for (name, turns) in [("fillseq", &fills), ("readrandom", &reads)] {
        let ratios: Vec<f64> = turns.iter().map(|(own, other)| own / other).collect();
        let of = |side: fn(&(f64, f64)) -> f64| median(turns.iter().map(side).collect());
        let all: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
        println!(
            "{name:<12} {:>12.0} {:>12.0} {:>8.2}   {}",
            of(|turn| turn.0),
            of(|turn| turn.1),
            median(ratios),
            all.join(" ")
        );
    }
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn tempfile(runs: &Path) -> Result<PathBuf, String> {
    let folder = runs.join(format!("db_bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    Ok(folder)
}

/// The library that db_bench is linked with.
fn linked_library() -> Result<PathBuf, String> {
    let found = Command::new("sh").args(["-c", "ldd \"$(command -v db_bench)\""]).output();
    let text = found.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let line = text.lines().find(|line| line.contains("librocksdb.so"));
    let path = line.and_then(|line| line.split_whitespace().nth(2)).map(PathBuf::from);
    path.ok_or_else(|| "db_bench is not linked with a librocksdb.so of its own".to_owned())
}

/// Operations per second that the last benchmark of a run reports.
fn db_bench(folder: &Path, keys: u64, more: &[&str]) -> Result<f64, String> {
    let (db, num) = (format!("--db={}", folder.display()), format!("--num={keys}"));
    let mut command = Command::new("db_bench");
    command.args([db, num]).args(FLAGS).args(more);
    let output = command.output().map_err(|error| format!("db_bench cannot be started: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut rates = text
        .lines()
        .filter_map(|line| line.split_once(" ops/sec")?.0.split_whitespace().last()?.parse().ok());
    rates
        .next_back()
        .ok_or_else(|| format!("db_bench reports no rate: {text}{}", String::from_utf8_lossy(&output.stderr)))
}
