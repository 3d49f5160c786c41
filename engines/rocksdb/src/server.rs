//! A worker process as a server: started under a guardian, frozen, stopped, and queried for its facts.
//!
//! ```text
//! <home>/data/main/      the store; LOG and OPTIONS in it are the library's own
//! <home>/data/scratch/   a store that some tests fill
//! <home>/s/              the socket, unless that path would be too long
//! <home>/LOG             the library's log of a store that was removed
//! <home>/library/        a copy of the library, made before every start, with links to what lies beside it
//! <home>/worker.log      what the worker says
//! ```

mod lifecycle;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Clock, Connection, Dialect, HostClock, KvSession, Outcome, Probe, Process, Server};
use humdrum_engine_kit::{Life, Patience, fingerprint};
use humdrum_model::{Fault, SubjectFacts};
use humdrum_provision::cgroup::{self, Limit};
use humdrum_provision::{logs, run_folder};

use crate::build::Build;
use crate::options::Chosen;
use crate::options_file;
use crate::probe::RocksdbProbe;
use crate::session::{Session, SharedCounts};
use crate::worker::Orders;

const SOCKET: &str = "worker";

const PATIENCE: Patience = Patience {
    // Opening a store after a crash replays its log first.
    start_within: Duration::from_secs(120),
    // The library loads in some 10 ms.
    ask_every: Duration::from_millis(5),
    // Closing waits for background work that cannot be stopped.
    stop_within: Duration::from_secs(60),
};
const LOG_LINES: usize = 20;

/// One instance.
pub(crate) struct RocksdbServer {
    build: Build,
    home: PathBuf,
    orders: Orders,
    given: Vec<(String, String)>,
    limit: Option<Limit>,
    fsync_delay: Option<Duration>,
    life: Life,
    counts: SharedCounts,
    clock: Arc<HostClock>,
}

impl RocksdbServer {
    /// Makes the folders in `home`; starts nothing.
    ///
    /// # Errors
    /// Environment.
    pub(crate) fn create(build: &Build, home: &Path, chosen: Chosen) -> Outcome<Self> {
        let data = home.join("data");
        let refused = |error| Fault::environment(format!("cannot make {}: {error}", data.display()));
        fs::create_dir(&data).map_err(refused)?;
        run_folder::give(&data, build.run_as)?;
        let socket = run_folder::socket_folder(home, SOCKET, build.run_as)?.join(SOCKET);
        let (cache_bytes, cache_percent) = chosen.cache();
        let orders = Orders {
            library: build.file.clone(),
            socket,
            data,
            options: chosen.text(false),
            bulk_options: chosen.text(true),
            level0_trigger: chosen.get("level0_file_num_compaction_trigger").to_owned(),
            cache: chosen.get("block_cache").to_owned(),
            cache_bytes,
            cache_percent,
            cache_bytes_max: chosen.cache_bytes_max(),
            limited: false,
            statistics: chosen.get("statistics") == "on",
            inspect: false,
        };
        let (build, home, given) = (build.clone(), home.to_path_buf(), chosen.0);
        let (counts, clock) = (SharedCounts::default(), Arc::new(HostClock::new()));
        Ok(Self {
            build,
            home,
            orders,
            given,
            limit: None,
            fsync_delay: None,
            life: Life::default(),
            counts,
            clock,
        })
    }

    fn running(&self) -> Outcome<u32> {
        self.life.pid().ok_or_else(|| {
            self.explain(Fault::crash(format!("the worker of rocksdb {} has ended", self.build.release)))
        })
    }

    fn open(&self, timeout: Duration) -> Outcome<Session> {
        Session::open(&self.orders.socket, timeout, Arc::clone(&self.counts))
    }

    fn store(&self) -> PathBuf {
        self.orders.data.join("main")
    }

    fn scratch(&self) -> PathBuf {
        self.orders.data.join("scratch")
    }

    fn worker_log(&self) -> PathBuf {
        self.home.join("worker.log")
    }

    fn said(&self) -> String {
        logs::whole(&self.worker_log())
    }
}

impl Server for RocksdbServer {
    fn start(&mut self) -> Outcome<()> {
        if self.is_running() {
            return Ok(());
        }
        self.life.forget();
        let said_before = self.said().len();
        self.orders.library = self.copied_library()?;
        let spec = self.spec();
        let ask = || Session::open(&self.orders.socket, PATIENCE.start_within, Arc::clone(&self.counts));
        match self.life.start(&spec, &PATIENCE, ask) {
            Ok((guard, _session)) => self.life.set(guard),
            Err(why) => return Err(self.did_not_start(why, said_before)),
        }
        Ok(())
    }

    fn stop(&mut self) -> Outcome<()> {
        let (socket, counts) = (&self.orders.socket, &self.counts);
        let ask = |_| Session::open(socket, PATIENCE.stop_within, Arc::clone(counts)).and_then(Session::stop);
        match self.life.stop(PATIENCE.stop_within, ask) {
            Ok(None) => Ok(()),
            Ok(Some(how)) => {
                Err(self.explain(Fault::crash(format!("the worker did not stop cleanly: {how}"))))
            }
            Err(fault) => Err(self.explain(fault)),
        }
    }

    fn discard_data(&mut self) -> Outcome<bool> {
        self.remove_stores().map(|()| true)
    }

    fn limit_memory(&mut self, bytes: u64) -> Outcome<()> {
        self.limit = Some(Limit { bytes, data: self.orders.data.clone() });
        self.orders.limited = true;
        Ok(())
    }

    fn delay_fsync(&mut self, by: Duration) -> Outcome<()> {
        self.fsync_delay = Some(by);
        Ok(())
    }

    fn killed(&self) -> Option<String> {
        cgroup::killed(&self.home, self.limit.as_ref())
    }

    /// A release that cannot count goes on as it was.
    fn count_more(&mut self, on: bool) -> Outcome<bool> {
        let counts_always = self.given.iter().any(|(key, value)| key == "statistics" && value == "on");
        let counts = on || counts_always;
        if counts == self.orders.statistics {
            return Ok(false);
        }
        self.stop()?;
        self.orders.statistics = counts;
        let mut started = self.start();
        if on && started.is_err() {
            self.orders.statistics = counts_always;
            started = self.start();
        }
        started.map(|()| true)
    }

    fn freeze(&mut self) -> Outcome<()> {
        self.running()?;
        self.life.freeze_alone();
        Ok(())
    }

    fn thaw(&mut self) -> Outcome<()> {
        self.running()?;
        self.life.thaw_all();
        Ok(())
    }

    fn is_running(&self) -> bool {
        self.life.is_running()
    }

    fn processes(&self) -> Vec<Process> {
        self.life.threads()
    }

    fn facts(&mut self) -> Outcome<SubjectFacts> {
        let missing =
            || self.explain(Fault::crash("the store has no OPTIONS file to read its settings from"));
        let in_force = options_file::read(&self.store()).ok_or_else(missing)?;
        let session = self.open(PATIENCE.start_within).map_err(|fault| self.explain(fault))?;
        let mut facts = self.build.facts.clone();
        facts.version = in_force.version;
        facts.settings = in_force.settings;
        facts.build.extend(session.lost().iter().cloned());
        facts.given = self.given.clone();
        facts.fingerprint = fingerprint(&self.build.checksum, &self.given);
        Ok(facts)
    }

    fn connect(&self, timeout: Duration) -> Outcome<Connection> {
        let session = self.open(timeout).map_err(|fault| self.explain(fault))?;
        Ok(Connection::Kv(Box::new(session) as Box<dyn KvSession>))
    }

    fn dialect(&self) -> Option<&dyn Dialect> {
        None
    }

    fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    fn probes(&self) -> Vec<Box<dyn Probe>> {
        let stores = [self.store(), self.scratch()];
        let pid = self.life.pid();
        vec![Box::new(RocksdbProbe::new(Arc::clone(&self.counts), &stores, pid))]
    }

    fn data_folder(&self) -> Option<PathBuf> {
        Some(self.orders.data.clone())
    }

    fn log_tail(&self) -> Option<String> {
        tail(&self.said()).or_else(|| {
            let log = fs::read(self.log_file()?).ok()?;
            tail(&String::from_utf8_lossy(&log))
        })
    }

    /// The library's own log tells more than the worker's.
    fn log_file(&self) -> Option<PathBuf> {
        [self.store().join("LOG"), self.log_of_removed()].into_iter().find(|log| log.exists())
    }

    fn how_to_connect(&self) -> String {
        let (pid, store) = (self.life.pid().unwrap_or(0), self.store());
        format!(
            "  the worker of rocksdb {} is process {pid}; it talks to humdrum only\n  its store is {}",
            self.build.release,
            store.display()
        )
    }

    fn detach(&mut self) -> Outcome<u32> {
        self.running()?;
        self.life.detach()
    }
}

/// The last lines of a log; `None` when there are none.
fn tail(log: &str) -> Option<String> {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    let tail = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
    (!tail.is_empty()).then_some(tail)
}
