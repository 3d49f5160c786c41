//! The lab's end of a connection to a worker.

use std::path::Path;
use std::time::Duration;

use humdrum_contract::{Outcome, SortBatch, SortDone, SortKeys, SortMade, SortSession};
use humdrum_engine_kit::WorkerLink;
use humdrum_model::{Fault, FaultKind};

use crate::wire::{self, Answer, Request};

/// A connection.
#[derive(Debug)]
pub(crate) struct Session {
    link: WorkerLink,
    thread: u32,
}

impl Session {
    /// Connects.
    ///
    /// # Errors
    /// Crash if no worker listens, timeout if there is no answer.
    pub(crate) fn open(socket: &Path, timeout: Duration) -> Outcome<Self> {
        let mut session = Self { link: WorkerLink::open(socket, timeout)?, thread: 0 };
        match session.ask(&Request::Hello)? {
            Answer::Hello(thread) => Ok(Self { thread, ..session }),
            other => Err(unexpected(&other)),
        }
    }

    /// Asks the worker to end.
    ///
    /// # Errors
    /// When it does not say that it does.
    pub(crate) fn stop(mut self) -> Outcome<()> {
        self.ask(&Request::Stop).and_then(done)
    }

    fn ask(&mut self, request: &Request) -> Outcome<Answer> {
        match self.link.ask(&wire::encode(request), wire::decode)? {
            Answer::Refused(what) => Err(Fault::usage(what)),
            Answer::Wrong(what) => Err(Fault::new(FaultKind::WrongAnswer, what)),
            answer => Ok(answer),
        }
    }
}

fn unexpected(answer: &Answer) -> Fault {
    Fault::crash(format!("the worker answers another question: {answer:?}"))
}

fn done(answer: Answer) -> Outcome<()> {
    if answer == Answer::Done { Ok(()) } else { Err(unexpected(&answer)) }
}

impl SortSession for Session {
    fn seed(&mut self, seed: u64) -> Outcome<()> {
        self.ask(&Request::Seed(seed)).and_then(done)
    }

    fn make(&mut self, keys: &SortKeys) -> Outcome<SortMade> {
        match self.ask(&keys.into())? {
            Answer::Made { rows, bytes, checksum } => Ok(SortMade { rows, bytes, checksum }),
            other => Err(unexpected(&other)),
        }
    }

    fn run(&mut self, batch: &SortBatch, latency: &mut dyn FnMut(u64, u64)) -> Outcome<SortDone> {
        match self.ask(&batch.into())? {
            Answer::Ran { rows, checksum, wall_ns, latencies_ns } => {
                latencies_ns.iter().for_each(|ns| latency(*ns, 1));
                Ok(SortDone { rows, checksum, wall_ns })
            }
            other => Err(unexpected(&other)),
        }
    }

    fn set_timeout(&mut self, timeout: Duration) -> Outcome<()> {
        self.link.set_timeout(timeout)
    }

    fn server_process(&self) -> Option<u32> {
        Some(self.thread)
    }
}
