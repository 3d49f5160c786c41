//! Serves the lab with a thread per connection, which does the work itself.

use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use humdrum_contract::{KvBatch, KvStore};
use humdrum_engine_kit::frames;

use super::ffi::{Cache, Symbols};
use super::histogram::Histogram;
use super::steps::Trouble;
use super::store::{Manner, Store, stall_ms};
use super::writer::{Writer, WriterCounts};
use crate::examine::STATISTICS;
use crate::options::CACHE_LEAST_BYTES;
use crate::quantities::{LEVELS, WRITING_THREADS, levels_text};
use crate::wire::{Answer, Counts, Hello, Request};

/// A worker at work.
pub(crate) struct Worker {
    pub(crate) symbols: &'static Symbols,
    pub(crate) lost: Vec<String>,
    pub(crate) cache: Cache,
    pub(crate) cache_percent: u64,
    /// The most bytes that this share of the data may be.
    pub(crate) cache_bytes_max: Option<u64>,
    pub(crate) manner: Manner,
    pub(crate) main: Store,
    pub(crate) scratch: Store,
    pub(crate) put_bytes: Arc<AtomicU64>,
    pub(crate) got_bytes: AtomicU64,
    /// As the store that was last written to tells it.
    pub(crate) stall_ms: AtomicU64,
    pub(crate) writers: Arc<WriterCounts>,
}

/// Serves until it is told to stop, or the lab is gone and the guardian ends it.
pub(crate) fn serve(worker: Arc<Worker>, listener: &UnixListener) {
    for stream in listener.incoming().flatten() {
        let worker = Arc::clone(&worker);
        std::thread::spawn(move || Connection::new(worker).converse(stream));
    }
}

/// One connection's own things.
struct Connection {
    worker: Arc<Worker>,
    histogram: Histogram,
    /// Started when the connection begins, see `Writer::start`.
    writer: Option<Writer>,
}

impl Connection {
    fn new(worker: Arc<Worker>) -> Self {
        Self { worker, histogram: Histogram::new(), writer: None }
    }

    /// Answers until the other end is gone.
    fn converse(mut self, mut stream: UnixStream) {
        self.worker.symbols.leave_thread_uncounted();
        while let Ok(bytes) = frames::receive(&mut stream) {
            let Some(request) = Request::decode(&bytes) else { return };
            let stop = request == Request::Stop;
            let answer = self.answer(request);
            if stop {
                let _ = frames::send(&mut stream, &answer.encode());
                // Stores are closed; nothing else needs an end of its own.
                std::process::exit(0);
            }
            if frames::send(&mut stream, &answer.encode()).is_err() {
                return;
            }
        }
    }

    fn answer(&mut self, request: Request) -> Answer {
        let outcome = match request {
            Request::Hello => Ok(self.hello()),
            Request::Run(batch) => self.run(&batch),
            Request::Fit(bytes) => {
                self.fit(bytes);
                Ok(Answer::Done)
            }
            Request::Stop => {
                self.writer = None;
                self.worker.scratch.close();
                self.worker.main.close();
                Ok(Answer::Done)
            }
            other => self.manage(other),
        };
        outcome.unwrap_or_else(|trouble| match trouble {
            Trouble::Library(said) => Answer::Refused(said),
            Trouble::Wrong(what) => Answer::Wrong(what),
        })
    }

    /// What is done to whole stores.
    fn manage(&self, request: Request) -> Result<Answer, Trouble> {
        let manner = &self.worker.manner;
        Ok(match request {
            Request::Create(store, data, bulk) => {
                self.store(store).create(manner, data, bulk)?;
                Answer::Done
            }
            Request::EndBulk(store) => {
                self.store(store).end_bulk(manner)?;
                Answer::Done
            }
            Request::Remove(store) => {
                self.store(store).remove(manner)?;
                Answer::Done
            }
            Request::Inspect(store) if self.store(store).is_open() => {
                Answer::Contents(Some(self.store(store).inspect()?))
            }
            Request::Inspect(_) => Answer::Contents(None),
            Request::Settle(store, _) if !self.store(store).is_open() => Answer::Settled(0),
            Request::Settle(store, level0) => {
                let took = self.store(store).settle(manner, level0)?;
                Answer::Settled(took.as_nanos() as u64)
            }
            Request::Property(store, name) => Answer::Property(self.property(store, &name)?),
            Request::Hello | Request::Run(_) | Request::Fit(_) | Request::Stop => Answer::Done,
        })
    }

    fn store(&self, store: KvStore) -> &Store {
        match store {
            KvStore::Main => &self.worker.main,
            KvStore::Scratch => &self.worker.scratch,
        }
    }

    /// Also starts the writer: this thread is not tied to a processor yet.
    fn hello(&mut self) -> Answer {
        if self.writer.is_none() {
            let worker = Arc::clone(&self.worker);
            let write = move |number| {
                if number == 0 {
                    worker.symbols.leave_thread_uncounted();
                }
                let bytes = worker.main.write_behind(number)?;
                worker.put_bytes.fetch_add(bytes, Ordering::Relaxed);
                Ok(())
            };
            self.writer = Some(Writer::start(Arc::clone(&self.worker.writers), write));
        }
        let thread = rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned();
        Answer::Hello(Hello { thread, lost: self.worker.lost.clone() })
    }

    fn run(&mut self, batch: &KvBatch) -> Result<Answer, Trouble> {
        let worker = Arc::clone(&self.worker);
        let store = match batch.store {
            KvStore::Main => &worker.main,
            KvStore::Scratch => &worker.scratch,
        };
        let writer = self.writer.as_ref().filter(|_| batch.writer_bytes_per_second > 0);
        let histogram = &mut self.histogram;
        let (done, counts) = store.with(|open| {
            let bench = open.bench()?;
            let entry_bytes = bench.entries.entry_bytes();
            let every = entry_bytes as f64 / batch.writer_bytes_per_second.max(1) as f64;
            if let Some(writer) = writer {
                writer.begin(Duration::from_secs_f64(every));
            }
            if batch.operation.writes() {
                open.note_writing();
            }
            let outcome = bench.run(batch, histogram);
            writer.map_or(Ok(()), Writer::end)?;
            let done = outcome?;
            let (bytes, count) = match batch.operation.writes() {
                true => (&*worker.put_bytes, batch.count),
                false => (&worker.got_bytes, done.rows),
            };
            bytes.fetch_add(count * entry_bytes, Ordering::Relaxed);
            if writer.is_some() || batch.operation.writes() {
                worker.stall_ms.store(stall_ms(&open.db), Ordering::Relaxed);
            }
            Ok((done, worker.counts()))
        })?;
        Ok(Answer::Ran(done, self.histogram.take(), counts))
    }

    /// Gives the cache its share of the data, if it has one.
    fn fit(&self, data_bytes: u64) {
        let Worker { cache_percent, cache_bytes_max, .. } = *self.worker;
        if cache_percent > 0 {
            let bytes = share_of(data_bytes, cache_percent, cache_bytes_max);
            self.worker.cache.set_capacity(bytes as usize);
        }
    }

    fn property(&self, store: KvStore, name: &str) -> Result<Option<String>, Trouble> {
        match name {
            STATISTICS => Ok(self.worker.manner.ordinary.statistics()),
            "block-cache-usage" => Ok(Some(self.worker.cache.usage().to_string())),
            WRITING_THREADS => {
                Ok(self.store(store).read().as_ref().map(|open| open.writing_threads().to_string()))
            }
            LEVELS => Ok(self.store(store).read().as_ref().map(|open| levels_text(&open.db.levels()))),
            _ => Ok(self.store(store).read().as_ref().and_then(|open| open.db.property(name))),
        }
    }
}

/// Bytes of a cache for so many per cent of the data: no fewer than the smallest cache, and no more than `most`.
fn share_of(data_bytes: u64, percent: u64, most: Option<u64>) -> u64 {
    (data_bytes / 100 * percent).max(CACHE_LEAST_BYTES).min(most.unwrap_or(u64::MAX))
}

impl Worker {
    fn counts(&self) -> Counts {
        let now = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            put_bytes: now(&self.put_bytes),
            writer_writes: now(&self.writers.writes),
            writer_response_ns: now(&self.writers.response_ns),
            writer_due: now(&self.writers.due),
            got_bytes: now(&self.got_bytes),
            stall_ms: now(&self.stall_ms),
            cache_bytes: self.cache.usage() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_a_share_of_the_data_within_bounds() {
        const GIB: u64 = 1 << 30;
        assert_eq!(share_of(100 * GIB, 12, None), 12 * GIB);
        assert_eq!(share_of(100 * GIB, 12, Some(GIB)), GIB);
        assert_eq!(share_of(GIB, 0, None), CACHE_LEAST_BYTES);
        assert_eq!(share_of(0, 12, Some(1)), 1, "a bound that was typed holds");
    }
}
