//! Three parts. First `fillseq` and `readrandom` of the kv client and of db_bench in turns, with the same library and
//! options. Then the client over a library that does nothing. Then reads and writes that bypass all caches, as the
//! device, the process and the library count them.

use std::path::Path;

use humdrum_contract::KvOperation;
use humdrum_engine_rocksdb::{Launch, Rocksdb};
use humdrum_model::{Fault, Place};

use super::db_bench::DbBench;
use super::device::past_all_caches;
use super::median;
use super::null_library::over_nothing;
use super::rig::{Rig, against_bar, batch, fill, rate, restarted};

/// Holds all data of the default size.
const CACHE_BYTES: u64 = 1 << 30;
/// Bounds of our operations per second, relative to db_bench's. Below them our loop is too slow, above them it does less
/// work.
const RATIO_BAR: [f64; 2] = [0.95, 1.5];

/// `bench kv [KEYS [ROUNDS]]`.
pub fn main(args: &[&str]) -> Result<(), String> {
    let number = |index: usize, default: u64| args.get(index).map_or(Ok(default), |text| text.parse());
    let keys = number(0, 1_000_000).map_err(|error| error.to_string())?;
    let rounds = number(1, 5).map_err(|error| error.to_string())?;
    let rig = Rig::new().map_err(told)?;
    beside_db_bench(&rig, keys, rounds)?;
    over_nothing(&rig).map_err(told)?;
    past_all_caches(&rig, keys).map_err(told)
}

/// `bench kv-device [KEYS]`: only the last part. It counts bytes, so that a debug build gives the same result.
pub fn device(args: &[&str]) -> Result<(), String> {
    let keys = args.first().map_or(Ok(1_000_000), |text| text.parse());
    let keys = keys.map_err(|error: std::num::ParseIntError| error.to_string())?;
    Rig::new().and_then(|rig| past_all_caches(&rig, keys)).map_err(told)
}

fn told(fault: Fault) -> String {
    format!("{fault}{}", fault.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default())
}

fn beside_db_bench(rig: &Rig, keys: u64, rounds: u64) -> Result<(), String> {
    let theirs = DbBench::get(&rig.dirs).map_err(told)?;
    println!("{} and our client over its library, {keys} keys of 20 + 400 bytes, one thread", theirs.name());
    let engine = Rocksdb { launch: with_libraries(rig, &theirs.libraries).map_err(told)? };
    let cache = CACHE_BYTES.to_string();
    let settings = [("", "byrx"), ("block_cache_bytes", &*cache)];
    let place = Place::Folder(theirs.linked_with());
    let mut worker = rig.started(&engine, "ours", place, &settings).map_err(told)?;
    let (mut fills, mut reads) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        fills.push((fill(&mut *worker.0, keys).map_err(told)?, theirs.rate(keys, &FILL)?));
        // db_bench reads in a new process too.
        worker = restarted(worker).map_err(told)?;
        let session = &mut *worker.0;
        // This run warms the caches.
        let random = batch(KvOperation::Get, keys, keys, 99 + round);
        rate(session, &random).map_err(told)?;
        reads.push((rate(session, &random).map_err(told)?, theirs.rate(keys, &READ)?));
    }
    println!("{:<12} {:>12} {:>12} {:>8}   ratios of the rounds", "", "ours, ops/s", "db_bench", "ratio");
    for (name, turns) in [("fillseq", &fills), ("readrandom", &reads)] {
        let ratios: Vec<f64> = turns.iter().map(|(own, other)| own / other).collect();
        let of = |side: fn(&(f64, f64)) -> f64| median(turns.iter().map(side).collect());
        let all: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
        let ratio = median(ratios);
        println!(
            "{name:<12} {:>12.0} {:>12.0} {ratio:>8.2}   {}   {}",
            of(|turn| turn.0),
            of(|turn| turn.1),
            all.join(" "),
            against_bar(ratio, RATIO_BAR)
        );
    }
    Ok(())
}

/// db_bench's options for our load, and for reading every key twice, of which the first time warms the caches.
const FILL: [&str; 4] = [
    "--benchmarks=fillseq",
    "--disable_wal=1",
    "--memtablerep=vector",
    "--allow_concurrent_memtable_write=0",
];
const READ: [&str; 2] = ["--benchmarks=readrandom,readrandom", "--use_existing_db=1"];

/// Starts workers that find libraries in that folder. The program is copied to a folder that every user may enter.
fn with_libraries(rig: &Rig, libraries: &Path) -> Result<Launch, Fault> {
    let own = rig.folder("client")?.join("client");
    let made = std::env::current_exe().and_then(|program| std::fs::copy(program, &own));
    made.map_err(|error| Fault::environment(format!("cannot make {}: {error}", own.display())))?;
    let mut path = std::ffi::OsString::from("LD_LIBRARY_PATH=");
    path.push(libraries);
    let args = [path, own.into_os_string()].into_iter().chain(Launch::default().args).collect();
    Ok(Launch { program: "/usr/bin/env".into(), args })
}
