//! The loops over operations, in the library's process: only the operation, its key and value, one reading of
//! the clock and one count in a histogram.

use std::time::Instant;

use humdrum_contract::{KvBatch, KvDone, KvOperation};

use super::data::{Entries, Random, is_writers, mix};
use super::histogram::Histogram;
use super::kv::{Kv, MULTI_GET_MAX};

/// Why a batch ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// What the library said.
    Library(String),
    /// What was read is not what must be there.
    Wrong(String),
}

impl From<String> for Trouble {
    fn from(said: String) -> Self {
        Self::Library(said)
    }
}

/// All of a store, added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) rows: u64,
    /// Of a hash of each key number.
    pub(crate) keys: u64,
    /// The same with the seed that wrote the value, but for the keys of the writer beside reading steps.
    pub(crate) seeds: u64,
}

/// What a batch runs on.
pub(crate) struct Bench<'a, K> {
    pub(crate) kv: &'a K,
    pub(crate) entries: &'a Entries,
}

impl<K: Kv> Bench<'_, K> {
    /// Runs a batch.
    ///
    /// # Errors
    /// What the library says, or what was read and is wrong.
    pub(crate) fn run(&self, batch: &KvBatch, histogram: &mut Histogram) -> Result<KvDone, Trouble> {
        match batch.operation {
            KvOperation::PutNext => self.put_next(batch, histogram),
            KvOperation::Put => self.put(batch, histogram),
            _ if batch.checked => self.checked(batch, histogram),
            KvOperation::Get | KvOperation::GetNext => self.get(batch, histogram),
            KvOperation::MultiGet(keys) => self.multi_get(batch, keys as usize, histogram),
            KvOperation::Forwards(entries) => self.scan(batch, entries, false, histogram),
            KvOperation::Backwards(entries) => self.scan(batch, entries, true, histogram),
        }
    }

    fn put_next(&self, batch: &KvBatch, histogram: &mut Histogram) -> Result<KvDone, Trouble> {
        let (mut key, mut value) = (self.entries.key_buffer(), self.entries.value_buffer());
        let mut number = batch.first_number;
        repeat(batch, histogram, |_| {
            self.entries.key(number, &mut key);
            self.entries.value(number, self.entries.first_seed(number), &mut value);
            self.kv.put(&key, &value)?;
            number += 1;
            Ok(1)
        })
    }

    fn put(&self, batch: &KvBatch, histogram: &mut Histogram) -> Result<KvDone, Trouble> {
        let (mut key, mut value) = (self.entries.key_buffer(), self.entries.value_buffer());
        repeat(batch, histogram, |seed| {
            let number = Random::new(seed).below(batch.span);
            self.entries.key(number, &mut key);
            self.entries.value(number, seed, &mut value);
            self.kv.put(&key, &value)?;
            Ok(1)
        })
    }

    fn get(&self, batch: &KvBatch, histogram: &mut Histogram) -> Result<KvDone, Trouble> {
        let mut key = self.entries.key_buffer();
        let mut numbers = Numbers::of(batch);
        repeat(batch, histogram, |seed| {
            self.entries.key(numbers.next(&mut Random::new(seed)), &mut key);
            Ok(u64::from(self.kv.get(&key, touch)?))
        })
    }

    fn multi_get(&self, batch: &KvBatch, count: usize, histogram: &mut Histogram) -> Result<KvDone, Trouble> {
        let key_bytes = self.entries.data.key_bytes as usize;
        let mut keys = self.entries.key_buffer().repeat(count.clamp(1, MULTI_GET_MAX));
        repeat(batch, histogram, |seed| {
            let mut random = Random::new(seed);
            for key in keys.chunks_exact_mut(key_bytes) {
                self.entries.key(random.below(batch.span), key);
            }
            Ok(self.kv.multi_get(&keys, key_bytes, |_, value| touch(value))?)
        })
    }

    fn scan(
        &self,
        batch: &KvBatch,
        entries: u32,
        backwards: bool,
        histogram: &mut Histogram,
    ) -> Result<KvDone, Trouble> {
        let mut key = self.entries.key_buffer();
        repeat(batch, histogram, |seed| {
            self.entries.key(Random::new(seed).below(batch.span), &mut key);
            Ok(self.kv.scan(Some(&key), u64::from(entries), backwards, |_, value| touch(value))?)
        })
    }

    /// The same reads, with every byte checked.
    fn checked(&self, batch: &KvBatch, histogram: &mut Histogram) -> Result<KvDone, Trouble> {
        let key_bytes = self.entries.data.key_bytes as usize;
        let (mut sum, mut wrong) = (0_u64, None);
        let mut look = |key: &[u8], value: &[u8]| match self.entries.read(key, value) {
            Some((number, _)) => sum = sum.wrapping_add(mix(number + 1)),
            None => wrong = Some(describe(key, value)),
        };
        let mut numbers = Numbers::of(batch);
        let mut done = repeat(batch, histogram, |seed| {
            let mut random = Random::new(seed);
            let count = if let KvOperation::MultiGet(count) = batch.operation { count as usize } else { 1 };
            let mut keys = self.entries.key_buffer().repeat(count.clamp(1, MULTI_GET_MAX));
            for key in keys.chunks_exact_mut(key_bytes) {
                self.entries.key(numbers.next(&mut random), key);
            }
            let rows = match batch.operation {
                KvOperation::MultiGet(_) => self.kv.multi_get(&keys, key_bytes, |number, value| {
                    look(&keys[number * key_bytes..][..key_bytes], value);
                })?,
                KvOperation::Forwards(entries) => {
                    self.kv.scan(Some(&keys), u64::from(entries), false, &mut look)?
                }
                KvOperation::Backwards(entries) => {
                    self.kv.scan(Some(&keys), u64::from(entries), true, &mut look)?
                }
                _ => u64::from(self.kv.get(&keys, |value| look(&keys, value))?),
            };
            Ok(rows)
        })?;
        done.checksum = sum;
        wrong.map_or(Ok(done), |what| Err(Trouble::Wrong(what)))
    }

    /// Reads the whole store.
    ///
    /// # Errors
    /// As `run`.
    pub(crate) fn inspect(&self) -> Result<Sums, Trouble> {
        let (mut keys, mut seeds, mut wrong, mut last) = (0_u64, 0_u64, None, None);
        let rows = self.kv.scan(None, u64::MAX, false, |key, value| match self.entries.read(key, value) {
            Some((number, seed)) if last.is_none_or(|last| last < number) => {
                let hash = mix(number + 1);
                keys = keys.wrapping_add(hash);
                let seed = if is_writers(number) { 0 } else { seed };
                seeds = seeds.wrapping_add(mix(hash ^ seed));
                last = Some(number);
            }
            Some((number, _)) => wrong = Some(format!("key {number} comes after {last:?}")),
            None => wrong = Some(describe(key, value)),
        })?;
        wrong.map_or(Ok(Sums { rows, keys, seeds }), |what| Err(Trouble::Wrong(what)))
    }
}

/// Numbers of the keys that a batch reads: at random, or one after another.
struct Numbers {
    span: u64,
    next: Option<u64>,
}

impl Numbers {
    fn of(batch: &KvBatch) -> Self {
        let next = (batch.operation == KvOperation::GetNext).then_some(batch.first_number);
        Self { span: batch.span, next }
    }

    #[inline]
    fn next(&mut self, random: &mut Random) -> u64 {
        match &mut self.next {
            Some(next) => {
                *next += 1;
                *next - 1
            }
            None => random.below(self.span),
        }
    }
}

/// Calls `operation` for each seed of a batch and counts how long each took. One look at the clock ends an
/// operation and begins the next.
#[inline]
fn repeat(
    batch: &KvBatch,
    histogram: &mut Histogram,
    mut operation: impl FnMut(u64) -> Result<u64, Trouble>,
) -> Result<KvDone, Trouble> {
    let (mut seed, mut rows, mut last_ns) = (batch.first_seed, 0, 0);
    let start = Instant::now();
    for _ in 0..batch.count {
        rows += operation(seed)?;
        seed = seed.wrapping_add(batch.seed_step);
        let now_ns = start.elapsed().as_nanos() as u64;
        histogram.record(now_ns - last_ns);
        last_ns = now_ns;
    }
    Ok(KvDone { rows, checksum: 0, wall_ns: last_ns })
}

/// Reads the first and the last byte, because a library need not fetch a value that is never read.
#[inline]
fn touch(value: &[u8]) {
    std::hint::black_box((value.first().copied(), value.last().copied()));
}

fn describe(key: &[u8], value: &[u8]) -> String {
    let number = key.first_chunk().map(|bytes| u64::from_be_bytes(*bytes));
    match number {
        Some(number) => {
            format!("the value of key {number} ({} bytes) is not what was written", value.len())
        }
        None => format!("there is a key of {} bytes that nobody wrote", key.len()),
    }
}

#[cfg(test)]
mod tests;
