//! A store of a worker: the library's store, the data that it should hold, and the operations on it outside
//! slices.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use humdrum_contract::{KvContents, KvData};
use humdrum_engine_worker::heap;

use super::data::{Entries, Random, mix, writers_key};
use super::ffi::{Db, Options};
use super::kv::Kv;
use super::quiet;
use super::steps::{Bench, Trouble};

/// How stores are opened.
pub(crate) struct Manner {
    pub(crate) ordinary: Options,
    pub(crate) bulk: Options,
    pub(crate) level0_trigger: String,
    /// Memory is limited, and what is freed counts until the kernel has it.
    pub(crate) gives_back: bool,
}

/// A store, open or not.
pub(crate) struct Store {
    path: PathBuf,
    open: RwLock<Option<Open>>,
}

/// An open store.
pub(crate) struct Open {
    pub(crate) db: Db,
    /// `None` for a store that was never created by `create`.
    entries: Option<Entries>,
    /// Threads that have put entries into it.
    writing: Mutex<Vec<ThreadId>>,
}

impl Open {
    fn new(db: Db, entries: Option<Entries>) -> Self {
        Self { db, entries, writing: Mutex::default() }
    }

    /// Notes that this thread puts entries into it.
    pub(crate) fn note_writing(&self) {
        let (mut known, own) =
            (self.writing.lock().unwrap_or_else(PoisonError::into_inner), thread::current().id());
        if !known.contains(&own) {
            known.push(own);
        }
    }

    /// How many threads have put entries into it.
    pub(crate) fn writing_threads(&self) -> usize {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// What a batch runs on.
    ///
    /// # Errors
    /// When it is not known what should be in the store.
    pub(crate) fn bench(&self) -> Result<Bench<'_, Db>, Trouble> {
        let entries =
            self.entries.as_ref().ok_or_else(|| Trouble::Library("nothing was loaded yet".into()))?;
        Ok(Bench { kv: &self.db, entries })
    }
}

impl Store {
    pub(crate) fn closed(path: PathBuf) -> Self {
        Self { path, open: RwLock::new(None) }
    }

    /// The open store, for as long as it is held.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Option<Open>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Option<Open>> {
        self.open.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.read().is_some()
    }

    /// Calls `act` on the open store.
    ///
    /// # Errors
    /// Not open, or as `act`.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&Open) -> Result<T, Trouble>) -> Result<T, Trouble> {
        match self.read().as_ref() {
            Some(open) => act(open),
            None => Err(Trouble::Library("the store is not open".into())),
        }
    }

    /// Opens what is there, or an empty store.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn open(&self, manner: &Manner) -> Result<(), String> {
        let db = Db::open(&manner.ordinary, &self.path, true)?;
        let entries = read_data(&self.data_file()).map(Entries::new);
        *self.write() = Some(Open::new(db, entries));
        Ok(())
    }

    /// Makes it anew, empty.
    ///
    /// # Errors
    /// What the library or the disk says.
    pub(crate) fn create(&self, manner: &Manner, data: KvData, bulk: bool) -> Result<(), String> {
        self.remove(manner)?;
        write_data(&self.data_file(), &data)?;
        let options = if bulk { &manner.bulk } else { &manner.ordinary };
        let db = Db::open(options, &self.path, !bulk)?;
        *self.write() = Some(Open::new(db, Some(Entries::new(data))));
        Ok(())
    }

    /// Writes out what is in memory, closes, opens in the ordinary way.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn end_bulk(&self, manner: &Manner) -> Result<(), String> {
        if let Some(open) = self.write().take() {
            open.db.flush()?;
        }
        self.open(manner)
    }

    /// Closes, and removes the files.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn remove(&self, manner: &Manner) -> Result<(), String> {
        self.close();
        let _ = std::fs::remove_file(self.data_file());
        if self.path.exists() {
            Db::destroy(&manner.ordinary, &self.path)?;
            // The library leaves what is not its own, such as an old log.
            let _ = std::fs::remove_dir_all(&self.path);
        }
        Ok(())
    }

    /// Closes it; waits for its users.
    pub(crate) fn close(&self) {
        drop(self.write().take());
    }

    /// Writes out memory, merges the first level if asked to, and waits until the debt is paid. With a memory limit, what that
    /// and the writes before it have freed goes back to the kernel.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn settle(&self, manner: &Manner, level0: bool) -> Result<Duration, Trouble> {
        self.with(|open| {
            let began = Instant::now();
            open.db.flush()?;
            quiet::wait(&open.db, &self.path)?;
            if level0 {
                // The C interface has no way to compact files of one level; a trigger of one file has the same
                // effect, and the library's own picker decides how.
                open.db.set_option("level0_file_num_compaction_trigger", "1")?;
                quiet::wait(&open.db, &self.path)?;
                open.db.set_option("level0_file_num_compaction_trigger", &manner.level0_trigger)?;
                quiet::wait(&open.db, &self.path)?;
            }
            let took = began.elapsed();
            if manner.gives_back {
                heap::give_back();
            }
            Ok(took)
        })
    }

    /// Reads and checks all of it.
    ///
    /// # Errors
    /// What the library says, or what is wrong.
    pub(crate) fn inspect(&self) -> Result<KvContents, Trouble> {
        self.with(|open| {
            let sums = open.bench()?.inspect()?;
            let levels = open.db.levels();
            let bytes = levels.iter().map(|(_, bytes)| bytes).sum();
            let (rows, checksum, keys_checksum) = (sums.rows, sums.seeds, sums.keys);
            Ok(KvContents { rows, checksum, keys_checksum, bytes, levels })
        })
    }

    /// The `number`th write of a background writer; its bytes.
    ///
    /// # Errors
    /// What the library says.
    pub(crate) fn write_behind(&self, number: u64) -> Result<u64, String> {
        let outcome = self.with(|open| {
            let bench = open.bench()?;
            let entries = bench.entries;
            let seed = mix(entries.data.seed ^ !number);
            let key_number = writers_key(&mut Random::new(seed), entries.data.keys);
            let (mut key, mut value) = (entries.key_buffer(), entries.value_buffer());
            entries.key(key_number, &mut key);
            entries.value(key_number, seed, &mut value);
            open.db.put(&key, &value)?;
            Ok(entries.entry_bytes())
        });
        outcome.map_err(|trouble| match trouble {
            Trouble::Library(said) | Trouble::Wrong(said) => said,
        })
    }

    /// Beside the store's folder: what is meant to be in it, for a worker that is started again.
    fn data_file(&self) -> PathBuf {
        self.path.with_extension("data")
    }
}

/// Time for which writes were held back or stopped, ms, from the library's own account of itself.
pub(crate) fn stall_ms(db: &Db) -> u64 {
    db.property("rocksdb.dbstats").and_then(|text| parse_stall_ms(&text)).unwrap_or(0)
}

/// Of `Cumulative stall: 00:01:2.345 H:M:S, 6.7 percent`.
fn parse_stall_ms(text: &str) -> Option<u64> {
    let (_, after) = text.split_once("Cumulative stall: ")?;
    let clock = after.split_ascii_whitespace().next()?;
    let mut parts = clock.split(':').map(|part| part.parse::<f64>().ok());
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    Some(((hours * 3600.0 + minutes * 60.0 + seconds) * 1000.0).round() as u64)
}

fn write_data(path: &Path, data: &KvData) -> Result<(), String> {
    let KvData { keys, seed, key_bytes, value_bytes, compressed_percent } = data;
    let text = format!("{keys} {seed} {key_bytes} {value_bytes} {compressed_percent}\n");
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn read_data(path: &Path) -> Option<KvData> {
    let text = std::fs::read_to_string(path).ok()?;
    let numbers: Vec<u64> = text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [keys, seed, key_bytes, value_bytes, percent] = numbers[..] else { return None };
    let small = |number: u64| u32::try_from(number).ok();
    let (key_bytes, value_bytes) = (small(key_bytes)?, small(value_bytes)?);
    Some(KvData { keys, seed, key_bytes, value_bytes, compressed_percent: small(percent)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stalls_are_read_from_the_librarys_own_words() {
        let text = "Cumulative WAL: 9\nCumulative stall: 01:02:3.456 H:M:S, 0.1 percent\nInterval stall: 9";
        assert_eq!(parse_stall_ms(text), Some(3_723_456));
        assert_eq!(parse_stall_ms("nothing of the kind"), None);
    }

    #[test]
    fn data_is_remembered() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("main.data");
        assert_eq!(read_data(&path), None);
        let data =
            KvData { keys: 5, seed: u64::MAX, key_bytes: 20, value_bytes: 400, compressed_percent: 50 };
        write_data(&path, &data).expect("writes");
        assert_eq!(read_data(&path), Some(data));
    }
}
