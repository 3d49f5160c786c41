//! A rig of real workers, and ways to damage them.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use humdrum_contract::{
    Dirs, Engine, Installation, Interrupt, KvBatch, KvContents, KvData, KvOperation, KvSession, KvStore,
    Outcome, Server, Silent, Sizing,
};
use humdrum_engine_rocksdb::{Launch, Rocksdb};
use humdrum_model::{Place, Setting, Subject};
use humdrum_provision::dirs::{self, Surroundings};
use humdrum_provision::run_folder::RunFolder;

const SIZING: Sizing = Sizing { memory_bytes: 256 << 20, limit_bytes: None, cpus: 2, connections: 4 };
const PATIENCE: Duration = Duration::from_secs(60);
/// Some 8 MB of data.
pub const KEYS: u64 = 20_000;

pub struct Rig {
    pub dirs: Dirs,
    pub run: RunFolder,
    engine: Rocksdb,
    homes: std::cell::Cell<u32>,
}

impl Rig {
    pub fn new() -> Self {
        let dirs = dirs::find(&Surroundings::read(), false, &Interrupt::new()).expect("folders");
        let run = RunFolder::new(&dirs).expect("run folder");
        // This program again; its first test then plays the worker. Two threads, or the test's name would be printed
        // in front of what the worker says.
        let args =
            ["plays_the_worker", "--exact", "--nocapture", "--test-threads=2"].map(Into::into).to_vec();
        let engine = Rocksdb { launch: Launch { program: "/proc/self/exe".into(), args } };
        Self { dirs, run, engine, homes: 0.into() }
    }

    fn home(&self) -> PathBuf {
        self.homes.set(self.homes.get() + 1);
        self.run.home(&format!("h{}", self.homes.get())).expect("home")
    }

    fn install(&self, place: Place, settings: &[(&str, &str)]) -> Outcome<Box<dyn Installation>> {
        self.engine.install(&subject(place, settings), &self.dirs, &Silent)
    }

    pub fn create(&self, version: &str, settings: &[(&str, &str)]) -> Outcome<Box<dyn Server>> {
        self.install(Place::Version(version.into()), settings)?.create(&self.home(), &SIZING)
    }

    pub fn started(&self, version: &str, settings: &[(&str, &str)]) -> Box<dyn Server> {
        let mut server = self.create(version, settings).expect("create");
        server.start().expect("start");
        server
    }

    pub fn of_folder(&self, folder: &Path) -> Box<dyn Server> {
        self.of_place(Place::Folder(folder.into()), &[("", "sixteenth")])
    }

    pub fn of_place(&self, place: Place, settings: &[(&str, &str)]) -> Box<dyn Server> {
        let installed = self.install(place, settings).expect("install");
        installed.create(&self.home(), &SIZING).expect("create")
    }
}

/// A setting without a name is a named configuration.
fn subject(place: Place, settings: &[(&str, &str)]) -> Subject {
    let setting = |(key, value): &(&str, &str)| match *key {
        "" => Setting::Named((*value).into()),
        key => Setting::Value { key: key.into(), value: (*value).into() },
    };
    let settings = settings.iter().map(setting).collect();
    Subject { label: "it".into(), engine: "rocksdb".into(), place, settings }
}

pub fn session(server: &dyn Server) -> Box<dyn KvSession> {
    server.connect(PATIENCE).and_then(|connection| connection.into_kv()).expect("connect")
}

pub fn data() -> KvData {
    KvData { keys: KEYS, seed: 7, key_bytes: 20, value_bytes: 400, compressed_percent: 50 }
}

pub fn batch(operation: KvOperation, count: u64) -> KvBatch {
    KvBatch {
        store: KvStore::Main,
        operation,
        first_number: 0,
        first_seed: 99,
        seed_step: 0xd134_2543_de82_ef95,
        count,
        span: KEYS,
        checked: false,
        writer_bytes_per_second: 0,
    }
}

/// Fills the store and reads it through.
pub fn fill(session: &mut dyn KvSession) -> KvContents {
    session.create(KvStore::Main, &data(), true).expect("creates");
    session.run(&batch(KvOperation::PutNext, KEYS), &mut |_, _| {}).expect("fills");
    session.end_bulk(KvStore::Main).expect("ends the load");
    session.settle(KvStore::Main, false).expect("settles");
    session.inspect(KvStore::Main).expect("every byte is right").expect("is there")
}

pub fn catalogue(rig: &Rig) -> Vec<String> {
    rig.engine.releases(&rig.dirs).into_iter().map(|release| release.version).collect()
}

/// What a library is refused with; always with a hint, always the user's to mend.
pub fn refused(rig: &Rig, library: &Path) -> String {
    let subject = subject(Place::Folder(library.into()), &[]);
    let fault = rig.engine.check(&subject, &rig.dirs).expect_err("is refused");
    assert_eq!((fault.exit_code(), fault.hint.is_some()), (2, true), "{fault}");
    fault.what
}

/// The library of a release.
pub fn installed(rig: &Rig, version: &str) -> PathBuf {
    rig.install(Place::Version(version.into()), &[]).expect("install");
    let folder = format!("rocksdb-{}", version.replace('.', "-"));
    dirs::builds(&rig.dirs).join(folder).join("librocksdbjni-linux64.so")
}

/// The C library of this very process: a shared library that is certainly not RocksDB.
pub fn c_library() -> PathBuf {
    mapped(std::process::id(), "/libc.so")
}

/// The file with `part` in its path that a process or thread has in its memory.
pub fn mapped(process: u32, part: &str) -> PathBuf {
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).expect("maps");
    let mut files = maps.lines().filter_map(|line| line.split_ascii_whitespace().last());
    files.find(|file| file.contains(part)).expect(part).into()
}

/// A copy of a library in which one function has another name, so that it is not found under its own.
pub fn copy_without(library: &Path, copy: &Path, function: &str) {
    let mut bytes = std::fs::read(library).expect("read");
    let name = format!("\0{function}\0").into_bytes();
    let mut renamed = 0;
    for at in 0..bytes.len() - name.len() {
        if bytes[at..at + name.len()] == name[..] {
            bytes[at + name.len() - 2] ^= 0x01;
            renamed += 1;
        }
    }
    assert!(renamed > 0, "{function} is in the library");
    std::fs::write(copy, bytes).expect("write");
    std::fs::set_permissions(copy, std::fs::Permissions::from_mode(0o755)).expect("mode");
}

/// The workers' user must be able to walk into it.
pub fn open_to_all(folder: &Path) {
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).expect("mode");
}

/// Changes a byte in each block of each table file, but for the end, where the file says what it is.
pub fn damage_tables(store: &Path) {
    let mut damaged = 0;
    for entry in std::fs::read_dir(store).expect("store").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "sst") {
            continue;
        }
        let mut bytes = std::fs::read(&path).expect("read");
        let end = bytes.len() / 2;
        (0..end).step_by(4096).for_each(|at| bytes[at] ^= 0xff);
        std::fs::write(&path, bytes).expect("write");
        damaged += 1;
    }
    assert!(damaged > 0, "there are table files");
}
