//! Common parts of the kv benchmarks: workers of a store, and batches whose rate is measured.

use std::path::PathBuf;
use std::time::Duration;

use humdrum_contract::{
    Dirs, Engine, Interrupt, KvBatch, KvData, KvOperation, KvSession, KvStore, Server, Silent, Sizing,
};
use humdrum_engine_rocksdb::Rocksdb;
use humdrum_model::{Fault, Place, Setting, Subject};
use humdrum_provision::dirs::{self, Surroundings};
use humdrum_provision::run_folder::RunFolder;

const SIZING: Sizing = Sizing { memory_bytes: 2 << 30, limit_bytes: None, cpus: 2, connections: 2 };
const PATIENCE: Duration = Duration::from_secs(120);
pub(super) const DATA: KvData =
    KvData { keys: 0, seed: 7, key_bytes: 20, value_bytes: 400, compressed_percent: 50 };
const SEED_STEP: u64 = 0xd134_2543_de82_ef95;

/// A session and its worker.
pub(super) type Worker = (Box<dyn KvSession>, Box<dyn Server>);

/// The folders of a benchmark's workers.
pub(super) struct Rig {
    pub(super) dirs: Dirs,
    run: RunFolder,
}

impl Rig {
    pub(super) fn new() -> Result<Self, Fault> {
        let dirs = dirs::find(&Surroundings::read(), false, &Interrupt::new())?;
        let run = RunFolder::new(&dirs)?;
        Ok(Self { dirs, run })
    }

    /// Starts a worker with a session. A setting without a name is a named configuration.
    pub(super) fn started(
        &self,
        engine: &Rocksdb,
        name: &str,
        place: Place,
        settings: &[(&str, &str)],
    ) -> Result<Worker, Fault> {
        let setting = |(key, value): &(&str, &str)| match *key {
            "" => Setting::Named((*value).into()),
            key => Setting::Value { key: key.into(), value: (*value).into() },
        };
        let settings = settings.iter().map(setting).collect();
        let subject = Subject { label: name.into(), engine: "rocksdb".into(), place, settings };
        let installed = engine.install(&subject, &self.dirs, &Silent)?;
        let mut server = installed.create(&self.run.home(name)?, &SIZING)?;
        server.start()?;
        let session = server.connect(PATIENCE)?.into_kv()?;
        Ok((session, server))
    }

    /// A folder that every user may enter. It is removed after the run.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf, Fault> {
        self.run.home(name)
    }
}

pub(super) fn batch(operation: KvOperation, count: u64, keys: u64, first_seed: u64) -> KvBatch {
    KvBatch {
        store: KvStore::Main,
        operation,
        first_number: 0,
        first_seed,
        seed_step: SEED_STEP,
        count,
        span: keys,
        checked: false,
        writer_bytes_per_second: 0,
    }
}

/// Operations per second of one batch.
pub(super) fn rate(session: &mut dyn KvSession, batch: &KvBatch) -> Result<f64, Fault> {
    let done = session.run(batch, &mut |_, _| {})?;
    Ok(batch.count as f64 / (done.wall_ns.max(1) as f64 / 1e9))
}

pub(super) fn fill(session: &mut dyn KvSession, keys: u64) -> Result<f64, Fault> {
    fill_seen(session, keys, || Ok(()))
}

/// Operations per second of filling an empty store. `opened` runs when the store is open, to read the library's log
/// before it is opened again.
pub(super) fn fill_seen(
    session: &mut dyn KvSession,
    keys: u64,
    mut opened: impl FnMut() -> Result<(), Fault>,
) -> Result<f64, Fault> {
    session.create(KvStore::Main, &KvData { keys, ..DATA }, true)?;
    opened()?;
    let filled = rate(session, &batch(KvOperation::PutNext, keys, keys, 1))?;
    session.end_bulk(KvStore::Main)?;
    session.settle(KvStore::Main, false)?;
    Ok(filled)
}

/// Stops the worker's process and starts it again.
pub(super) fn restarted((session, mut server): Worker) -> Result<Worker, Fault> {
    drop(session);
    server.stop()?;
    server.start()?;
    Ok((server.connect(PATIENCE)?.into_kv()?, server))
}

/// `within 0.95 to 1.5`, or outside.
pub(super) fn against_bar(value: f64, [least, most]: [f64; 2]) -> String {
    let is = if (least..=most).contains(&value) { "within" } else { "OUTSIDE" };
    format!("{is} {least} to {most}")
}
