//! The loops over a store in memory that is as simple as can be, and over one that does nothing.

use std::collections::BTreeMap;
use std::sync::Mutex;

use humdrum_contract::{KvData, KvStore};

use super::*;
use crate::worker::kv::Null;

/// The obvious store.
#[derive(Default)]
struct Oracle(Mutex<BTreeMap<Vec<u8>, Vec<u8>>>);

impl Kv for Oracle {
    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), String> {
        self.0.lock().expect("lock").insert(key.to_vec(), value.to_vec());
        Ok(())
    }

    fn get(&self, key: &[u8], see: impl FnOnce(&[u8])) -> Result<bool, String> {
        let found = self.0.lock().expect("lock").get(key).cloned();
        found.as_deref().map(see);
        Ok(found.is_some())
    }

    fn multi_get(
        &self,
        keys: &[u8],
        key_bytes: usize,
        mut see: impl FnMut(usize, &[u8]),
    ) -> Result<u64, String> {
        let mut found = 0;
        for (number, key) in keys.chunks_exact(key_bytes).enumerate() {
            found += u64::from(self.get(key, |value| see(number, value))?);
        }
        Ok(found)
    }

    fn scan(
        &self,
        from: Option<&[u8]>,
        entries: u64,
        backwards: bool,
        mut see: impl FnMut(&[u8], &[u8]),
    ) -> Result<u64, String> {
        let map = self.0.lock().expect("lock");
        let from = from.unwrap_or_default().to_vec();
        let Some((first, _)) = map.range(from..).next() else { return Ok(0) };
        let forwards = map.range(first.clone()..).take(if backwards { 0 } else { entries as usize });
        let back = map.range(..=first.clone()).rev().take(if backwards { entries as usize } else { 0 });
        let seen: Vec<_> = forwards.chain(back).collect();
        seen.iter().for_each(|(key, value)| see(key, value));
        Ok(seen.len() as u64)
    }
}

const KEYS: u64 = 500;

fn entries() -> Entries {
    Entries::new(KvData { keys: KEYS, seed: 3, key_bytes: 20, value_bytes: 400, compressed_percent: 50 })
}

fn batch(operation: KvOperation, count: u64, checked: bool) -> KvBatch {
    KvBatch {
        store: KvStore::Main,
        operation,
        first_number: 0,
        first_seed: 11,
        seed_step: 0xd134_2543_de82_ef95,
        count,
        span: KEYS,
        checked,
        writer_bytes_per_second: 0,
    }
}

fn run<K: Kv>(kv: &K, entries: &Entries, batch: &KvBatch) -> Result<KvDone, Trouble> {
    Bench { kv, entries }.run(batch, &mut Histogram::new())
}

fn filled() -> (Oracle, Entries) {
    let (oracle, entries) = (Oracle::default(), entries());
    run(&oracle, &entries, &batch(KvOperation::PutNext, KEYS, false)).expect("fills");
    (oracle, entries)
}

#[test]
fn filling_in_parts_is_filling_at_once() {
    let (whole, entries) = filled();
    let parts = Oracle::default();
    for (first_number, count) in [(0, 1), (1, 99), (100, 400)] {
        let part = KvBatch { first_number, ..batch(KvOperation::PutNext, count, false) };
        run(&parts, &entries, &part).expect("fills");
    }
    assert_eq!(*whole.0.lock().expect("lock"), *parts.0.lock().expect("lock"));
    let bench = Bench { kv: &whole, entries: &entries };
    assert_eq!(bench.inspect().expect("whole").rows, KEYS);
}

#[test]
fn every_reading_operation_reads_what_was_written() {
    let (oracle, entries) = filled();
    run(&oracle, &entries, &batch(KvOperation::Put, 200, false)).expect("overwrites");
    let expected = [
        (KvOperation::Get, 50..=50),
        (KvOperation::MultiGet(10), 500..=500),
        (KvOperation::Forwards(10), 450..=500),
        (KvOperation::Backwards(10), 450..=500),
    ];
    for (operation, rows) in expected {
        let plain = run(&oracle, &entries, &batch(operation, 50, false)).expect("reads");
        let checked = run(&oracle, &entries, &batch(operation, 50, true)).expect("reads");
        assert!(rows.contains(&plain.rows), "{operation:?}: {plain:?}");
        assert_eq!((plain.rows, plain.checksum), (checked.rows, 0));
        assert_ne!(checked.checksum, 0);
    }
    let bench = Bench { kv: &oracle, entries: &entries };
    assert_eq!(bench.inspect().expect("whole").rows, KEYS, "overwriting adds nothing");
}

#[test]
fn a_changed_byte_is_found() {
    let (oracle, entries) = filled();
    let mut key = entries.key_buffer();
    entries.key(77, &mut key);
    oracle.0.lock().expect("lock").get_mut(&key).expect("value")[200] ^= 1;
    let found = Bench { kv: &oracle, entries: &entries }.inspect();
    assert!(matches!(found, Err(Trouble::Wrong(what)) if what.contains("key 77 ")));
    let read = run(&oracle, &entries, &batch(KvOperation::Forwards(10), 2_000, true));
    assert!(matches!(read, Err(Trouble::Wrong(_))));
}

#[test]
fn a_missing_key_is_fewer_rows() {
    let (oracle, entries) = filled();
    oracle.0.lock().expect("lock").pop_first();
    let done = run(&oracle, &entries, &batch(KvOperation::Get, 5_000, true));
    assert!(done.expect("reads").rows < 5_000);
}

#[test]
fn the_same_seeds_do_the_same_on_any_split() {
    let (whole, entries) = filled();
    let (split, _) = filled();
    let all = batch(KvOperation::Put, 100, false);
    run(&whole, &entries, &all).expect("puts");
    for part in 0..4_u64 {
        let first_seed = all.first_seed.wrapping_add(all.seed_step.wrapping_mul(part * 25));
        run(&split, &entries, &KvBatch { first_seed, count: 25, ..all }).expect("puts");
    }
    assert_eq!(*whole.0.lock().expect("lock"), *split.0.lock().expect("lock"));
}

/// What the client itself costs per operation; CONTRIBUTING says how to run it. No time is asserted.
#[test]
#[ignore = "prints times, which mean something on a quiet host and an optimised build only"]
fn overhead() {
    let entries = entries();
    let operations = [
        KvOperation::PutNext,
        KvOperation::Put,
        KvOperation::Get,
        KvOperation::MultiGet(10),
        KvOperation::Forwards(10),
    ];
    for operation in operations {
        let best = (0..7)
            .map(|_| run(&Null, &entries, &batch(operation, 1_000_000, false)).expect("runs").wall_ns)
            .min();
        println!("{operation:?}: {:.1} ns", best.unwrap_or(0) as f64 / 1e6);
    }
}
