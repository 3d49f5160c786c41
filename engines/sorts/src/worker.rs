//! The worker: this very program, started again as `humdrum sorts-worker`, which `--help` does not show. A thread serves
//! each connection and sorts in it, so that every subject has memory and threads of its own.

use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use humdrum_contract::SortBatch;
use humdrum_engine_kit::frames;
use skipsort_rivals::Rival;

use crate::find;
use crate::keys::{Draws, Trouble};
use crate::wire::{self, Answer, Request};

/// The first argument that makes `humdrum` a worker.
pub(crate) const ARGUMENT: &str = "sorts-worker";
/// Where to listen.
pub(crate) const SOCKET: &str = "HUMDRUM_SORTS_SOCKET";
/// Which sort it is.
pub(crate) const SORT: &str = "HUMDRUM_SORTS_SORT";

/// Serves until it is told to stop, or the lab is gone and the guardian ends it. Returns the exit code.
pub(crate) fn main() -> u8 {
    // Seen in lists of processes; the program's own name would be that of the lab.
    let _ = rustix::thread::set_name(c"humdrum-sorts");
    let Err(what) = work();
    eprintln!("humdrum-worker fails: {what}");
    1
}

fn work() -> Result<std::convert::Infallible, String> {
    let socket = std::env::var_os(SOCKET).map(PathBuf::from).ok_or("no socket was named")?;
    let name = std::env::var(SORT).map_err(|_| "no sort was named".to_owned())?;
    let rival = find(&name).ok_or_else(|| format!("there is no sort `{name}`"))?;
    let listener = UnixListener::bind(&socket)
        .map_err(|error| format!("cannot listen at {}: {error}", socket.display()))?;
    let seed = Arc::new(AtomicU64::new(1));
    loop {
        let (stream, _) = listener.accept().map_err(|error| format!("cannot take a connection: {error}"))?;
        let seed = Arc::clone(&seed);
        std::thread::spawn(move || Connection { rival, seed, draws: Draws::default() }.serve(stream));
    }
}

struct Connection {
    rival: &'static Rival,
    /// Of the keys of all connections.
    seed: Arc<AtomicU64>,
    draws: Draws,
}

impl Connection {
    /// Answers until the other end is gone.
    fn serve(mut self, mut stream: UnixStream) {
        while let Ok(bytes) = frames::receive(&mut stream) {
            let Some(request) = wire::decode(&bytes) else { return };
            let stop = request == Request::Stop;
            let answer = self.answer(request).unwrap_or_else(|trouble| match trouble {
                Trouble::Refused(what) => Answer::Refused(what),
                Trouble::Wrong(what) => Answer::Wrong(what),
            });
            let sent = frames::send(&mut stream, &wire::encode(&answer));
            if stop {
                std::process::exit(0);
            }
            if sent.is_err() {
                return;
            }
        }
    }

    fn answer(&mut self, request: Request) -> Result<Answer, Trouble> {
        Ok(match request {
            Request::Hello => Answer::Hello(rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()),
            Request::Seed(seed) => {
                self.seed.store(seed, Ordering::Relaxed);
                Answer::Done
            }
            Request::Make { set, rows, draws } => {
                self.draws = Draws::default();
                self.draws = Draws::make(&set, rows, draws, self.seed.load(Ordering::Relaxed))?;
                self.draws.facts().into()
            }
            Request::Run { first_seed, seed_step, count, checked } => {
                let batch = SortBatch { first_seed, seed_step, count, checked };
                let (done, latencies) = self.draws.run(self.rival, &batch)?;
                Answer::ran(done, latencies)
            }
            Request::Stop => Answer::Done,
        })
    }
}
