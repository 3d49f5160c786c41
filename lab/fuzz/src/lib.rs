//! What the fuzzers share: a folder in memory, and a server that says whatever bytes an input has.

use std::fs;
use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

use humdrum_contract::{Outcome, Param, ParamType, RowSource, SqlSession, Statement};

/// A folder of this process alone, in memory where the host has such a place.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let place = Path::new("/dev/shm");
        let place = if place.is_dir() { place.to_owned() } else { std::env::temp_dir() };
        let made = tempfile::Builder::new().prefix("humdrum-fuzz-").tempdir_in(place).expect("a folder");
        made.keep()
    })
}

/// Writes a file of the folder.
pub fn write(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    fs::write(&path, bytes).expect("written");
    path
}

/// Text of arbitrary bytes.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A server at a socket: it says the bytes of the next input and reads nothing.
pub struct Peer {
    inputs: Sender<Vec<u8>>,
    /// Where it listens.
    pub socket: PathBuf,
}

impl Peer {
    /// The one of this process.
    pub fn get() -> &'static Self {
        static PEER: OnceLock<Peer> = OnceLock::new();
        PEER.get_or_init(|| {
            let socket = folder().join("s");
            let listener = UnixListener::bind(&socket).expect("binds");
            let (inputs, received) = channel::<Vec<u8>>();
            std::thread::spawn(move || {
                for input in received {
                    let (mut client, _) = listener.accept().expect("a client");
                    // The client may be gone by then.
                    let _ = client.write_all(&input);
                    let _ = client.shutdown(Shutdown::Write);
                    // Held open until the client has hung up, so that its writes do not fail first.
                    let _ = std::io::copy(&mut client, &mut std::io::sink());
                }
            });
            Peer { inputs, socket }
        })
    }

    /// What the next client hears.
    pub fn say(&self, bytes: Vec<u8>) {
        self.inputs.send(bytes).expect("the peer lives");
    }
}

/// Everything that a workload does with a session, whatever the answers are; ends with the first one that is refused.
pub fn use_session(session: &mut dyn SqlSession) {
    let _ = use_until_refused(session);
}

fn use_until_refused(session: &mut dyn SqlSession) -> Result<(), ()> {
    fn done<T>(outcome: Outcome<T>) -> Result<T, ()> {
        outcome.map_err(drop)
    }
    done(session.query("SELECT 1"))?;
    done(session.run_text("SELECT 1"))?;
    done(session.run_text_checked("SELECT 1"))?;
    done(session.fetch_text("SELECT 1"))?;
    let none: Statement = done(session.prepare("SELECT 1", &[]))?;
    done(session.run(none, &[]))?;
    done(session.run_checked(none, &[]))?;
    done(session.fetch(none, &[]))?;
    let one = done(session.prepare("SELECT $1", &[ParamType::Int]))?;
    done(session.run(one, &[Param::Int(1)]))?;
    done(session.fetch(one, &[Param::Int(1)]))?;
    done(session.load("t", &["a"], &mut Nothing)).map(drop)
}

struct Nothing;

impl RowSource for Nothing {
    fn next_row(&mut self, _row: &mut Vec<u8>) -> bool {
        false
    }
}
