//! Key-value stores in virtual time; they keep key numbers and the seeds that wrote them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use humdrum_contract::{
    Clock, KvBatch, KvContents, KvData, KvDone, KvOperation, KvSession, KvStore, Outcome,
};
use humdrum_model::{Fault, Quantity};

use crate::noise::Key;
use crate::state::State;
use crate::stores::Store;
use crate::work::Work;

const POINT_NS: f64 = 2_000.0;
const SEEK_NS: f64 = 4_000.0;
const ENTRY_NS: f64 = 200.0;
const CHORE_NS: f64 = 100_000.0;
/// Of so many neighbouring keys one is the background writer's.
const WRITERS_EVERY: u64 = 4;

pub(crate) struct FakeKvSession {
    state: Arc<State>,
    start: u64,
    timeout: Duration,
}

impl FakeKvSession {
    pub(crate) fn new(state: Arc<State>, timeout: Duration) -> Self {
        let start = state.starts();
        Self { state, start, timeout }
    }

    /// Work outside the measured path.
    fn chore(&self) -> Outcome<()> {
        self.state.answers(self.start, self.timeout)?;
        self.state.spend(&Work { ns: CHORE_NS, ..Work::default() }, 1.0, false);
        Ok(())
    }

    /// One operation: rows, and the sum of its keys' hashes.
    fn operate(&self, batch: &KvBatch, number: u64, seed: u64) -> Outcome<(u64, u64)> {
        let mut stores = self.state.stores();
        let Store { entries, .. } = stores.open(batch.store)?;
        let key = |draw: u64| key_below(seed, draw, batch.span);
        let shown = |found: &mut dyn Iterator<Item = u64>| {
            found.fold((0, 0_u64), |(rows, sum), number| (rows + 1, sum.wrapping_add(hash(number))))
        };
        let held = |number: &u64| entries.contains_key(number);
        Ok(match batch.operation {
            KvOperation::PutNext | KvOperation::Put => {
                let next = batch.operation == KvOperation::PutNext;
                if self.state.is_done() {
                    entries.insert(if next { number } else { key(0) }, if next { number } else { seed });
                }
                (1, 0)
            }
            KvOperation::Get => shown(&mut Some(key(0)).into_iter().filter(held)),
            KvOperation::GetNext => shown(&mut Some(number).into_iter().filter(held)),
            KvOperation::MultiGet(keys) => shown(&mut (0..u64::from(keys)).map(key).filter(held)),
            KvOperation::Forwards(most) => {
                shown(&mut entries.range(key(0)..).map(|(number, _)| *number).take(most as usize))
            }
            KvOperation::Backwards(most) => {
                shown(&mut entries.range(..=key(0)).rev().map(|(number, _)| *number).take(most as usize))
            }
        })
    }

    /// What the writer did beside a batch that took so long.
    fn write_beside(&self, batch: &KvBatch, ns: u64) -> Outcome<()> {
        let mut stores = self.state.stores();
        let first = stores.writer_number;
        let store = stores.open(batch.store)?;
        let entry_bytes = u64::from(store.data.key_bytes + store.data.value_bytes);
        let due =
            (ns as f64 / 1e9 * batch.writer_bytes_per_second as f64 / entry_bytes as f64).round() as u64;
        let writes = (due as f64 * self.state.script.writer_keeps.unwrap_or(1.0)) as u64;
        for number in first..first + writes {
            let seed = Key::of("writer").and(number).number();
            let groups = (store.data.keys / WRITERS_EVERY).max(1);
            let key = key_below(seed, 0, groups) * WRITERS_EVERY + WRITERS_EVERY - 1;
            store.entries.insert(key.min(store.data.keys.saturating_sub(1)), seed);
        }
        stores.writer_number += writes;
        self.state.writer.writes.fetch_add(writes, Ordering::Relaxed);
        self.state.writer.due.fetch_add(due, Ordering::Relaxed);
        Ok(())
    }
}

fn key_below(seed: u64, draw: u64, span: u64) -> u64 {
    Key::of("key").and(seed).and(draw).number() % span.max(1)
}

fn hash(number: u64) -> u64 {
    Key::of("entry").and(number).number()
}

fn nanoseconds(operation: KvOperation) -> f64 {
    match operation {
        KvOperation::PutNext | KvOperation::Put | KvOperation::Get | KvOperation::GetNext => POINT_NS,
        KvOperation::MultiGet(keys) => POINT_NS * f64::from(keys),
        KvOperation::Forwards(entries) | KvOperation::Backwards(entries) => {
            SEEK_NS + ENTRY_NS * f64::from(entries)
        }
    }
}

impl KvSession for FakeKvSession {
    fn create(&mut self, store: KvStore, data: &KvData, _bulk: bool) -> Outcome<()> {
        self.chore()?;
        if self.state.script.load_fails {
            return Err(Fault::environment("the server refused to make a store"));
        }
        *self.state.stores().slot(store) = Some(Store { data: *data, entries: BTreeMap::new() });
        Ok(())
    }

    fn end_bulk(&mut self, store: KvStore) -> Outcome<()> {
        self.chore()?;
        self.state.stores().open(store).map(drop)
    }

    fn remove(&mut self, store: KvStore) -> Outcome<()> {
        self.chore()?;
        *self.state.stores().slot(store) = None;
        Ok(())
    }

    fn fit(&mut self, _data_bytes: u64) -> Outcome<()> {
        self.chore()
    }

    fn run(&mut self, batch: &KvBatch, latency: &mut dyn FnMut(u64, u64)) -> Outcome<KvDone> {
        self.state.answers(self.start, self.timeout)?;
        self.state.know_run(batch.first_seed);
        let script = &self.state.script;
        let luck = Key::of("session").and(batch.first_seed).and(self.state.key.number());
        let luck = luck.normal_factor(script.session_noise);
        let work = Work { ns: nanoseconds(batch.operation), ..Work::default() };
        let began = self.state.clock.now_ns();
        let mut done = KvDone::default();
        let mut seed = batch.first_seed;
        for number in batch.first_number..batch.first_number + batch.count {
            let extra_rows = self.state.count_operation(self.start, self.timeout)?;
            let (rows, sum) = self.operate(batch, number, seed)?;
            let own = Key::of("operation").and(seed).and(self.state.key.number());
            let before = self.state.clock.now_ns();
            self.state.spend(&work, luck * own.heavy_factor(script.noise), batch.operation.writes());
            latency(self.state.clock.now_ns() - before, 1);
            done.rows += rows + extra_rows;
            done.checksum = done.checksum.wrapping_add(if batch.checked { sum } else { 0 });
            seed = seed.wrapping_add(batch.seed_step);
        }
        done.wall_ns = self.state.clock.now_ns() - began;
        if batch.writer_bytes_per_second > 0 {
            self.write_beside(batch, done.wall_ns)?;
        }
        Ok(done)
    }

    fn settle(&mut self, store: KvStore, _level0: bool) -> Outcome<Duration> {
        self.state.answers(self.start, self.timeout)?;
        if self.state.stores().slot(store).is_none() {
            return Ok(Duration::ZERO);
        }
        let owed = self.state.owed_ns();
        self.state.settle();
        Ok(Duration::from_nanos(owed))
    }

    fn inspect(&mut self, store: KvStore) -> Outcome<Option<KvContents>> {
        self.chore()?;
        let mut stores = self.state.stores();
        let Some(store) = stores.slot(store) else { return Ok(None) };
        let mut found = KvContents { rows: store.entries.len() as u64, ..KvContents::default() };
        for (number, seed) in &store.entries {
            let seed = if number % WRITERS_EVERY == WRITERS_EVERY - 1 { 0 } else { *seed };
            found.keys_checksum = found.keys_checksum.wrapping_add(hash(*number));
            found.checksum = found.checksum.wrapping_add(Key::of("value").and(*number).and(seed).number());
        }
        found.bytes = found.rows * u64::from(store.data.key_bytes + store.data.value_bytes);
        found.levels = vec![(1, found.bytes)];
        Ok(Some(found))
    }

    fn property(&mut self, _store: KvStore, _name: &str) -> Outcome<Option<String>> {
        self.chore()?;
        Ok(None)
    }

    fn state(&mut self, store: KvStore) -> Outcome<Vec<Quantity>> {
        let Some(found) = self.inspect(store)? else { return Ok(Vec::new()) };
        let quantity = |name: &str, unit: &str, description: &str, value: f64| Quantity {
            name: name.into(),
            unit: unit.into(),
            description: description.into(),
            value,
        };
        Ok(vec![
            quantity("table_bytes", "bytes", "size of the store", found.bytes as f64),
            quantity("owed_ns", "ns", "work that writes have put off", self.state.owed_ns() as f64),
        ])
    }

    fn set_timeout(&mut self, timeout: Duration) -> Outcome<()> {
        self.timeout = timeout;
        Ok(())
    }

    fn server_process(&self) -> Option<u32> {
        None
    }
}
