//! A worker process as a server: started under guard, frozen, stopped, asked about itself.
//!
//! ```text
//! <home>/data/main/      the store; LOG and OPTIONS in it are the library's own
//! <home>/data/scratch/   a store that some tests fill
//! <home>/s/              the socket, unless that path would be too long
//! <home>/library/        a copy of the library, made before every start, with links to what lies beside it
//! <home>/worker.log      what the worker says
//! ```

mod lifecycle;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{
    Clock, Connection, Dialect, HostClock, KvSession, Outcome, Probe, Process, Role, Server,
};
use humdrum_model::{Fault, SubjectFacts};
use humdrum_provision::guardian::{Guarded, describe_exit};
use humdrum_provision::{checksum, run_folder, signal};

use crate::install::Build;
use crate::options::Chosen;
use crate::options_file;
use crate::probe::RocksdbProbe;
use crate::session::{Session, SharedCounts};
use crate::worker::Orders;

const SOCKET: &str = "worker";

/// Opening a store after a crash replays its log first.
const START_WITHIN: Duration = Duration::from_secs(120);
/// Closing waits for background work that cannot be stopped.
const STOP_WITHIN: Duration = Duration::from_secs(60);
const LOG_LINES: usize = 20;

/// One instance.
pub(crate) struct RocksdbServer {
    build: Build,
    home: PathBuf,
    orders: Orders,
    given: Vec<(String, String)>,
    guard: Option<Guarded>,
    frozen: bool,
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
            statistics: chosen.get("statistics") == "on",
            inspect: false,
        };
        let (build, home, given) = (build.clone(), home.to_path_buf(), chosen.0);
        let (counts, clock) = (SharedCounts::default(), Arc::new(HostClock::new()));
        Ok(Self { build, home, orders, given, guard: None, frozen: false, counts, clock })
    }

    fn running(&self) -> Outcome<&Guarded> {
        let guard = self.guard.as_ref().filter(|guard| guard.is_running());
        guard.ok_or_else(|| {
            self.explain(Fault::crash(format!("the worker of rocksdb {} has ended", self.build.release)))
        })
    }

    fn open(&self, timeout: Duration) -> Outcome<Session> {
        Session::open(&self.orders.socket, timeout, Arc::clone(&self.counts))
    }

    fn store(&self) -> PathBuf {
        self.orders.data.join("main")
    }

    fn worker_log(&self) -> PathBuf {
        self.home.join("worker.log")
    }

    fn said(&self) -> String {
        fs::read(self.worker_log())
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }
}

impl Server for RocksdbServer {
    fn start(&mut self) -> Outcome<()> {
        if self.is_running() {
            return Ok(());
        }
        self.guard = None;
        self.frozen = false;
        let said_before = self.said().len();
        self.orders.library = self.copied_library()?;
        let mut guard = self.spawn()?;
        self.wait_for_answer(&mut guard, said_before)?;
        self.guard = Some(guard);
        Ok(())
    }

    fn stop(&mut self) -> Outcome<()> {
        if self.frozen && self.is_running() {
            self.thaw()?;
        }
        let Some(mut guard) = self.guard.take() else { return Ok(()) };
        let asked = self.open(STOP_WITHIN).and_then(Session::stop);
        let ended = asked.and_then(|()| guard.wait(STOP_WITHIN));
        match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => {
                let what = format!("the worker did not stop cleanly: {}", describe_exit(status));
                Err(self.explain(Fault::crash(what)))
            }
            Err(fault) => {
                let _ = guard.kill();
                Err(self.explain(fault))
            }
        }
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
        signal::freeze(&[self.running()?.server_pid()]);
        self.frozen = true;
        Ok(())
    }

    fn thaw(&mut self) -> Outcome<()> {
        signal::thaw(&[self.running()?.server_pid()]);
        self.frozen = false;
        Ok(())
    }

    fn is_running(&self) -> bool {
        self.guard.as_ref().is_some_and(Guarded::is_running)
    }

    /// Each thread: one serves a connection, others flush and compact, and the kernel counts each by itself.
    fn processes(&self) -> Vec<Process> {
        let Ok(guard) = self.running() else { return Vec::new() };
        let threads = fs::read_dir(format!("/proc/{}/task", guard.server_pid()));
        let names = threads.into_iter().flatten().flatten().map(|entry| entry.file_name());
        let ids = names.filter_map(|name| name.to_str()?.parse().ok());
        ids.map(|pid| Process { pid, role: Role::Background }).collect()
    }

    fn facts(&mut self) -> Outcome<SubjectFacts> {
        let missing =
            || self.explain(Fault::crash("the store has no OPTIONS file to read its settings from"));
        let in_force = options_file::read(&self.store()).ok_or_else(missing)?;
        let session = self.open(START_WITHIN).map_err(|fault| self.explain(fault))?;
        let mut facts = self.build.facts.clone();
        facts.version = in_force.version;
        facts.settings = in_force.settings;
        facts.build.extend(session.lost().iter().cloned());
        facts.given = self.given.clone();
        let named: Vec<String> = self.given.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let identity = format!("{}\n{}", self.build.checksum, named.join("\n"));
        facts.fingerprint = checksum::sha256_of_bytes(identity.as_bytes());
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
        let stores = [self.store(), self.orders.data.join("scratch")];
        let pid = self.guard.as_ref().map(Guarded::server_pid);
        vec![Box::new(RocksdbProbe::new(Arc::clone(&self.counts), &stores, pid))]
    }

    fn data_folder(&self) -> Option<PathBuf> {
        Some(self.orders.data.clone())
    }

    fn log_tail(&self) -> Option<String> {
        tail(&self.said()).or_else(|| {
            let log = fs::read(self.store().join("LOG")).ok()?;
            tail(&String::from_utf8_lossy(&log))
        })
    }

    /// The library's own log tells more than the worker's.
    fn log_file(&self) -> Option<PathBuf> {
        Some(self.store().join("LOG"))
    }

    fn how_to_connect(&self) -> String {
        let (pid, store) = (self.guard.as_ref().map_or(0, Guarded::server_pid), self.store());
        format!(
            "  the worker of rocksdb {} is process {pid}; it talks to humdrum only\n  its store is {}",
            self.build.release,
            store.display()
        )
    }

    fn detach(&mut self) -> Outcome<u32> {
        self.running()?;
        match self.guard.take() {
            Some(guard) => guard.detach(),
            None => Err(Fault::crash("the worker has ended")),
        }
    }
}

/// The last lines of a log; `None` when there are none.
fn tail(log: &str) -> Option<String> {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    let tail = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
    (!tail.is_empty()).then_some(tail)
}
