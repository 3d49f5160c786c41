//! The lab's end of a connection to a worker.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use humdrum_contract::{KvBatch, KvContents, KvData, KvDone, KvSession, KvStore, Outcome};
use humdrum_engine_kit::WorkerLink;
use humdrum_model::{Fault, FaultKind, Quantity};

use crate::examine;
use crate::quantities;
use crate::wire::{Answer, Counts, Hello, Request};

/// The last counts that a worker told, for probes: reading them costs the worker nothing.
pub(crate) type SharedCounts = Arc<Mutex<Counts>>;

/// A connection.
pub(crate) struct Session {
    link: WorkerLink,
    hello: Hello,
    counts: SharedCounts,
}

impl Session {
    /// Connects.
    ///
    /// # Errors
    /// Crash if no worker listens, timeout if there is no answer.
    pub(crate) fn open(socket: &Path, timeout: Duration, counts: SharedCounts) -> Outcome<Self> {
        let link = WorkerLink::open(socket, timeout)?;
        let mut session = Self { link, hello: Hello::default(), counts };
        match session.ask(&Request::Hello)? {
            Answer::Hello(hello) => Ok(Self { hello, ..session }),
            other => Err(unexpected(&other)),
        }
    }

    /// What the library lacks, and what that costs.
    pub(crate) fn lost(&self) -> &[String] {
        &self.hello.lost
    }

    /// Asks the worker to close its stores and end.
    ///
    /// # Errors
    /// When it does not say that it did.
    pub(crate) fn stop(mut self) -> Outcome<()> {
        self.ask(&Request::Stop).and_then(done)
    }

    fn ask(&mut self, request: &Request) -> Outcome<Answer> {
        match self.link.ask(&request.encode(), Answer::decode)? {
            Answer::Refused(said) => Err(refused(&said)),
            Answer::Wrong(what) => Err(Fault::new(FaultKind::WrongAnswer, what)),
            answer => Ok(answer),
        }
    }
}

/// What the library says, as a fault of its kind.
fn refused(said: &str) -> Fault {
    let what = format!("rocksdb says: {said}");
    if said.contains("No space left on device") {
        return Fault::environment(what).hint("free some room, or take a smaller --scale");
    }
    if said.starts_with("Corruption") {
        return Fault::crash(format!("{what} (a file of the store is damaged)"));
    }
    Fault::crash(what)
}

fn unexpected(answer: &Answer) -> Fault {
    Fault::crash(format!("the worker answers another question: {answer:?}"))
}

fn done(answer: Answer) -> Outcome<()> {
    match answer {
        Answer::Done => Ok(()),
        other => Err(unexpected(&other)),
    }
}

impl KvSession for Session {
    fn create(&mut self, store: KvStore, data: &KvData, bulk: bool) -> Outcome<()> {
        self.ask(&Request::Create(store, *data, bulk)).and_then(done)
    }

    fn end_bulk(&mut self, store: KvStore) -> Outcome<()> {
        self.ask(&Request::EndBulk(store)).and_then(done)
    }

    fn remove(&mut self, store: KvStore) -> Outcome<()> {
        self.ask(&Request::Remove(store)).and_then(done)
    }

    fn fit(&mut self, data_bytes: u64) -> Outcome<()> {
        self.ask(&Request::Fit(data_bytes)).and_then(done)
    }

    fn run(&mut self, batch: &KvBatch, latency: &mut dyn FnMut(u64, u64)) -> Outcome<KvDone> {
        match self.ask(&Request::Run(*batch))? {
            Answer::Ran(done, latencies, counts) => {
                latencies.iter().for_each(|(ns, count)| latency(*ns, *count));
                *self.counts.lock().unwrap_or_else(PoisonError::into_inner) = counts;
                Ok(done)
            }
            other => Err(unexpected(&other)),
        }
    }

    fn settle(&mut self, store: KvStore, level0: bool) -> Outcome<Duration> {
        match self.ask(&Request::Settle(store, level0))? {
            Answer::Settled(ns) => Ok(Duration::from_nanos(ns)),
            other => Err(unexpected(&other)),
        }
    }

    fn inspect(&mut self, store: KvStore) -> Outcome<Option<KvContents>> {
        match self.ask(&Request::Inspect(store))? {
            Answer::Contents(contents) => Ok(contents),
            other => Err(unexpected(&other)),
        }
    }

    fn property(&mut self, store: KvStore, name: &str) -> Outcome<Option<String>> {
        match self.ask(&Request::Property(store, name.to_owned()))? {
            Answer::Property(text) => Ok(text),
            other => Err(unexpected(&other)),
        }
    }

    fn state(&mut self, store: KvStore) -> Outcome<Vec<Quantity>> {
        quantities::ask(self, store)
    }

    fn counters(&mut self) -> Outcome<Vec<(String, f64)>> {
        let text = self.property(KvStore::Main, examine::STATISTICS)?;
        Ok(text.map(|text| examine::counters(&text)).unwrap_or_default())
    }

    fn set_timeout(&mut self, timeout: Duration) -> Outcome<()> {
        self.link.set_timeout(timeout)
    }

    fn server_process(&self) -> Option<u32> {
        Some(self.hello.thread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_library_says_decides_the_kind_of_fault() {
        let full = refused("IO error: No space left on device: While appending to file: /x/000012.sst");
        assert_eq!((full.kind, full.hint.is_some()), (FaultKind::Environment, true));
        let damaged = refused("Corruption: block checksum mismatch in /x/000012.sst offset 7");
        assert!(damaged.kind == FaultKind::Crash && damaged.what.contains("damaged"));
    }
}
