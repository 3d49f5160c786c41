//! The engine on real libraries. These tests fetch two releases when they are not cached yet; they need the network
//! once. The workers are this very test program, started again.

mod common;

use common::{KEYS, Rig, batch, data, fill, installed, session};
use humdrum_contract::{KvBatch, KvContents, KvOperation, KvStore, Probe, Server};
use humdrum_engine_rocksdb::play_worker_by_environment;
use humdrum_provision::signal;

const OLD: &str = "10.2.1";
const NEW: &str = "10.10.1";

/// Not a test: what the workers of the others run.
#[test]
fn plays_the_worker() {
    play_worker_by_environment();
}

/// Data is written, survives a restart, and nothing of the worker is left after it.
fn lives_a_whole_life(version: &str) {
    let rig = Rig::new();
    let mut server = rig.started(version, &[]);
    let before = fill(&mut *session(&*server));
    assert_eq!(before.rows, KEYS);
    let processes = server.processes();
    let own = session(&*server).server_process();
    assert!(processes.len() > 1 && own.is_some_and(|thread| thread != 0));
    server.stop().expect("stops");
    assert!(!server.is_running() && processes.iter().all(|process| !signal::is_alive(process.pid)));
    server.start().expect("starts again");
    let after = session(&*server).inspect(KvStore::Main).expect("inspects").expect("is there");
    assert_eq!((before.rows, before.checksum), (after.rows, after.checksum));
    facts_are_complete(&mut *server, version);
    let path = rig.run.path().to_path_buf();
    drop((server, rig));
    assert!(!path.exists());
}

fn facts_are_complete(server: &mut dyn Server, version: &str) {
    let facts = server.facts().expect("facts");
    assert!(version.starts_with(&facts.version), "{} of {version}", facts.version);
    assert!(facts.origin.contains("sha256 ") && facts.fingerprint.len() == 64 && !facts.build.is_empty());
    assert!(facts.settings.is_sorted() && facts.settings.len() > 100);
    let in_force = |name: &str| facts.settings.iter().find(|(key, _)| key == name).map(|(_, value)| &**value);
    assert_eq!(in_force("write_buffer_size"), Some("16777216"));
    assert_eq!(in_force("block_size"), Some("8192"));
    assert_eq!(in_force("num_levels"), Some("8"));
    assert!(facts.given.iter().any(|(key, value)| key == "compression" && value == "kNoCompression"));
    assert!(!server.how_to_connect().is_empty() && server.log_file().is_some_and(|log| log.exists()));
}

#[test]
fn release_10_2_lives_a_whole_life() {
    lives_a_whole_life(OLD);
}

#[test]
fn release_10_10_lives_a_whole_life() {
    lives_a_whole_life(NEW);
}

/// Everything that steps do, once, with every byte looked at.
fn everything(server: &dyn Server) -> (KvContents, Vec<(u64, u64)>) {
    let mut session = session(server);
    fill(&mut *session);
    let mut answers = Vec::new();
    let reads =
        [KvOperation::Get, KvOperation::MultiGet(10), KvOperation::Forwards(10), KvOperation::Backwards(10)];
    for operation in reads {
        let mut counted = 0;
        let plain = session.run(&batch(operation, 200), &mut |_, count| counted += count).expect("reads");
        assert_eq!(counted, 200, "every operation is in the histogram");
        let checked = KvBatch { checked: true, ..batch(operation, 200) };
        let checked = session.run(&checked, &mut |_, _| {}).expect("reads");
        assert!(plain.rows == checked.rows && plain.wall_ns > 0, "{operation:?}");
        answers.push((checked.rows, checked.checksum));
    }
    session.run(&batch(KvOperation::Put, 5_000), &mut |_, _| {}).expect("overwrites");
    let beside = KvBatch { writer_bytes_per_second: 2 << 20, ..batch(KvOperation::Get, 50_000) };
    session.run(&beside, &mut |_, _| {}).expect("reads beside a writer");
    session.settle(KvStore::Main, true).expect("settles");
    assert_eq!(
        session.property(KvStore::Main, "rocksdb.num-files-at-level0").expect("asks").as_deref(),
        Some("0")
    );
    let contents = session.inspect(KvStore::Main).expect("inspects").expect("is there");
    assert_eq!(contents.rows, KEYS);
    (KvContents { bytes: 0, levels: Vec::new(), ..contents }, answers)
}

#[test]
fn two_releases_hold_and_answer_the_same() {
    let rig = Rig::new();
    let [old, new] = [OLD, NEW].map(|version| everything(&*rig.started(version, &[("", "sixteenth")])));
    assert_eq!(old, new);
}

#[test]
#[ignore = "fetches all releases of the catalogue, a gigabyte"]
fn all_releases_hold_and_answer_the_same() {
    let rig = Rig::new();
    let mut first = None;
    for version in common::catalogue(&rig) {
        for configuration in ["byrx", "byos", "iobuf", "iodir"] {
            println!("{version} {configuration}");
            let server = rig.started(&version, &[("", configuration), ("", "sixteenth")]);
            let this = everything(&*server);
            assert_eq!(first.get_or_insert_with(|| this.clone()), &this, "{version} {configuration}");
            events_are_understood(&*server);
        }
    }
}

/// The library's log says what `everything` made it do, in words that are known.
fn events_are_understood(server: &dyn Server) {
    let mut probe = server.probes().remove(0);
    let mut readings = Vec::new();
    probe.read(&mut readings).expect("readings");
    let names: Vec<String> = probe.metrics().into_iter().map(|metric| metric.name).collect();
    let needed = [
        "put_bytes",
        "flush_written_bytes",
        "compactions",
        "compaction_read_bytes",
        "compaction_written_bytes",
        "compaction_wall_us",
        "compaction_cpu_us",
        "levels",
    ];
    for name in needed {
        let at = names.iter().position(|known| known == name).expect("a metric");
        assert!(readings[at] > 0, "{name}: {readings:?}");
    }
}

/// Scratch is apart from the store with the data, and counts by its operations' numbers.
#[test]
fn a_scratch_store_is_filled_and_removed() {
    let rig = Rig::new();
    let server = rig.started(NEW, &[]);
    let mut session = session(&*server);
    assert_eq!(session.inspect(KvStore::Scratch).expect("asks"), None);
    session.create(KvStore::Scratch, &data(), true).expect("creates");
    for (first_number, count) in [(0, 700), (700, 300)] {
        let part = KvBatch { store: KvStore::Scratch, first_number, ..batch(KvOperation::PutNext, count) };
        session.run(&part, &mut |_, _| {}).expect("fills");
    }
    session.settle(KvStore::Scratch, false).expect("settles");
    assert_eq!(session.inspect(KvStore::Scratch).expect("asks").expect("is there").rows, 1000);
    session.remove(KvStore::Scratch).expect("removes");
    assert_eq!(session.inspect(KvStore::Scratch).expect("asks"), None);
}

#[test]
fn options_are_the_librarys_own_and_take_effect() {
    let rig = Rig::new();
    let settings =
        [("", "iobuf"), ("block_cache", "hyper_clock"), ("write_buffer_size", "2M"), ("statistics", "on")];
    let mut server = rig.started(NEW, &settings);
    let facts = server.facts().expect("facts");
    let in_force = |name: &str| facts.settings.iter().find(|(key, _)| key == name).map(|(_, value)| &**value);
    assert_eq!(in_force("compression"), Some("kLZ4Compression"));
    assert_eq!(in_force("write_buffer_size"), Some("2097152"));
    let levels = in_force("compression_per_level").expect("levels");
    assert_eq!(levels.split(':').filter(|level| *level == "kLZ4Compression").count(), 5);
    let mut session = session(&*server);
    fill(&mut *session);
    session.run(&batch(KvOperation::Get, 1000), &mut |_, _| {}).expect("reads");
    let used = session.property(KvStore::Main, "block-cache-usage").expect("asks").expect("a number");
    assert!(
        used.parse::<u64>().expect("a number") > 100_000,
        "{used} bytes in the cache that was made for it"
    );
    let statistics = session.property(KvStore::Main, "statistics").expect("asks").expect("statistics");
    assert!(statistics.contains("rocksdb.block.cache.hit COUNT : "));
}

/// A user's own library is found by its path, and optional functions that it lacks are named with what is lost.
#[test]
fn a_users_own_library_runs_without_what_is_optional() {
    let rig = Rig::new();
    let folder = tempfile::tempdir().expect("folder");
    common::open_to_all(folder.path());
    let own = folder.path().join("librocksdb.so");
    common::copy_without(&installed(&rig, OLD), &own, "rocksdb_batched_multi_get_cf");
    let mut server = rig.of_folder(folder.path());
    server.start().expect("starts");
    let facts = server.facts().expect("facts");
    assert_eq!(facts.version, OLD);
    assert!(
        facts.build.iter().any(|line| line.contains("rocksdb_batched_multi_get_cf")),
        "{:?}",
        facts.build
    );
    let (contents, _) = everything(&*server);
    assert_eq!(contents.rows, KEYS);
}

#[test]
fn probes_count_what_was_written_once() {
    let rig = Rig::new();
    let server = rig.started(NEW, &[("", "sixteenth")]);
    let mut session = session(&*server);
    fill(&mut *session);
    let mut probe: Box<dyn Probe> = server.probes().remove(0);
    let names: Vec<String> = probe.metrics().into_iter().map(|metric| metric.name).collect();
    let mut read = || {
        let mut readings = Vec::new();
        probe.read(&mut readings).expect("readings");
        readings
    };
    let before = read();
    session.run(&batch(KvOperation::Put, 20_000), &mut |_, _| {}).expect("overwrites");
    session.settle(KvStore::Main, true).expect("settles");
    let after = read();
    let grown = |name: &str| {
        let at = names.iter().position(|known| known == name).expect("a metric");
        after[at] - before[at]
    };
    assert_eq!(grown("put_bytes"), 20_000 * 420);
    // Memtables hold every version, so that flushes write about what was put; compactions then drop most of it.
    let flushed = grown("flush_written_bytes") as f64 / 8.4e6;
    assert!((0.3..1.3).contains(&flushed), "{flushed} of what was put was flushed");
    assert!(grown("compactions") > 0 && grown("compaction_written_bytes") > 0);
    assert!(grown("compaction_read_bytes") >= grown("compaction_written_bytes"));
    assert!(grown("compaction_wall_us") > 0 && grown("compaction_cpu_us") > 0);
    assert!(grown("compaction_cpu_us") <= grown("compaction_wall_us") * 3 / 2);
}

#[test]
fn the_state_is_the_trees_shape() {
    let rig = Rig::new();
    let server = rig.started(NEW, &[("", "sixteenth")]);
    let mut session = session(&*server);
    let contents = fill(&mut *session);
    let state = session.state(KvStore::Main).expect("asks");
    let value = |name: &str| state.iter().find(|one| one.name == name).map(|one| one.value);
    assert_eq!(value("table_bytes"), Some(contents.bytes as f64));
    assert_eq!(value("keys_estimated"), Some(KEYS as f64));
    let levels = state.iter().filter(|one| one.name.starts_with("level")).map(|one| one.value).sum::<f64>();
    assert_eq!(levels, contents.bytes as f64);
    assert!(session.state(KvStore::Scratch).expect("asks").is_empty());
}

#[test]
fn conforms() {
    let rig = Rig::new();
    for version in [OLD, NEW] {
        humdrum_contract::conformance::kv(&mut *rig.create(version, &[("", "sixteenth")]).expect("create"));
    }
}
