//! The lab's end of a connection to a worker.

use std::path::Path;
use std::time::Duration;

use humdrum_contract::{OrderBatch, OrderDone, OrderMade, OrderQuery, OrderSession, OrderTable, Outcome};
use humdrum_engine_kit::WorkerLink;
use humdrum_engine_worker::orderby::About;
use humdrum_engine_worker::orderby::wire::{self, PROTOCOL, Reply, Request};
use humdrum_model::{Fault, FaultKind};

/// A connection.
#[derive(Debug)]
pub(crate) struct Session {
    link: WorkerLink,
    /// What the engine is called in faults.
    engine: &'static str,
    thread: u32,
    about: About,
}

impl Session {
    /// Connects.
    ///
    /// # Errors
    /// Crash if no worker listens, timeout if there is no answer, usage for a worker that speaks otherwise.
    pub(crate) fn open(engine: &'static str, socket: &Path, timeout: Duration) -> Outcome<Self> {
        let link = WorkerLink::open(socket, timeout)?;
        let mut session = Self { link, engine, thread: 0, about: About::default() };
        match session.ask(&Request::Hello)? {
            Reply::Hello { protocol: PROTOCOL, thread, version, settings } => {
                Ok(Self { thread, about: About { version, settings }, ..session })
            }
            Reply::Hello { protocol, .. } => {
                let what =
                    format!("the worker of {engine} speaks protocol {protocol}, and humdrum {PROTOCOL}");
                Err(Fault::usage(what).hint("build the worker from the sources of this humdrum"))
            }
            other => Err(unexpected(&other)),
        }
    }

    /// What the engine says of itself.
    pub(crate) fn about(&self) -> &About {
        &self.about
    }

    /// Asks the worker to end.
    ///
    /// # Errors
    /// When it does not say that it does.
    pub(crate) fn stop(mut self) -> Outcome<()> {
        self.ask(&Request::Stop).and_then(done)
    }

    fn ask(&mut self, request: &Request) -> Outcome<Reply> {
        match self.link.ask(&wire::encode(request), wire::decode)? {
            Reply::Refused(said) => Err(refused(self.engine, &said)),
            Reply::Wrong(what) => Err(Fault::new(FaultKind::WrongAnswer, what)),
            reply => Ok(reply),
        }
    }
}

/// What the engine says, as a fault of its kind.
fn refused(engine: &str, said: &str) -> Fault {
    let what = format!("{engine} says: {said}");
    if said.contains("No space left on device") {
        return Fault::environment(what).hint("free some room, or take a smaller --scale");
    }
    Fault::crash(what)
}

fn unexpected(reply: &Reply) -> Fault {
    Fault::crash(format!("the worker answers another question: {reply:?}"))
}

fn done(reply: Reply) -> Outcome<()> {
    if reply == Reply::Done { Ok(()) } else { Err(unexpected(&reply)) }
}

impl OrderSession for Session {
    fn make(&mut self, table: &OrderTable) -> Outcome<OrderMade> {
        match self.ask(&table.into())? {
            Reply::Made { rows, bytes, checksum } => Ok(OrderMade { rows, bytes, checksum }),
            other => Err(unexpected(&other)),
        }
    }

    fn choose(&mut self, query: &OrderQuery) -> Outcome<()> {
        self.ask(&Request::Choose(query.into())).and_then(done)
    }

    fn run(&mut self, batch: &OrderBatch, latency: &mut dyn FnMut(u64, u64)) -> Outcome<OrderDone> {
        match self.ask(&batch.into())? {
            Reply::Ran { rows, checksum, wall_ns, latencies_ns } => {
                latencies_ns.iter().for_each(|ns| latency(*ns, 1));
                Ok(OrderDone { rows, checksum, wall_ns })
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

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use humdrum_engine_kit::frames;

    use super::*;

    #[test]
    fn what_the_engine_says_decides_the_kind_of_fault() {
        let full = refused("it", "IO Error: No space left on device");
        assert_eq!((full.kind, full.hint.is_some()), (FaultKind::Environment, true));
        assert_eq!(refused("it", "Out of Memory Error").kind, FaultKind::Crash);
    }

    #[test]
    fn a_worker_of_another_protocol_is_refused() {
        let folder = tempfile::tempdir().expect("folder");
        let socket = folder.path().join("s");
        let listener = UnixListener::bind(&socket).expect("bind");
        let worker = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            frames::receive(&mut stream).expect("a question");
            let hello =
                Reply::Hello { protocol: PROTOCOL + 1, thread: 1, version: "1".into(), settings: Vec::new() };
            frames::send(&mut stream, &wire::encode(&hello)).expect("sent");
        });
        let fault = Session::open("it", &socket, Duration::from_secs(60)).expect_err("another protocol");
        worker.join().expect("ends");
        assert!(fault.exit_code() == 2 && fault.hint.is_some(), "{fault}");
    }
}
