//! A worker process as a server: started under a guardian, stopped in place, ended.
//!
//! ```text
//! <home>/data/         what the worker keeps: tables, what is spilled
//! <home>/program/      what is measured, copied before every start
//! <home>/s/            the socket, unless that path would be too long
//! <home>/worker.log    what the worker says
//! ```

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Clock, Connection, Dialect, HostClock, Outcome, Probe, Process, Server};
use humdrum_engine_kit::{Life, NotStarted, Patience, fingerprint};
use humdrum_engine_worker::orderby::{FAILED, Orders, REFUSED};
use humdrum_model::{Fault, FaultKind, SubjectFacts};
use humdrum_provision::guardian::GuardSpec;
use humdrum_provision::{logs, run_folder};

use crate::probe::WorkerProbe;
use crate::session::Session;

const SOCKET: &str = "orderby";

const PATIENCE: Patience = Patience {
    // A worker without its table on disk makes it again: ten million rows take most of a minute.
    start_within: Duration::from_secs(300),
    ask_every: Duration::from_millis(5),
    stop_within: Duration::from_secs(30),
};

/// What starts a worker.
pub struct Begin {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// More of its environment.
    pub env: Vec<(OsString, OsString)>,
}

/// Puts what is measured into the folder that it is given, and says how it is started.
pub type Beginning = dyn Fn(&Path) -> Outcome<Begin> + Send + Sync;

/// A build on this host.
#[derive(Clone)]
pub struct Build {
    /// The engine's name.
    pub engine: &'static str,
    /// What is known of it before it runs.
    pub facts: SubjectFacts,
    /// Names the build for a fingerprint.
    pub checksum: String,
    /// Settings, in the engine's own terms.
    pub settings: Vec<(String, String)>,
    /// Whom workers run as.
    pub run_as: Option<(u32, u32)>,
    /// Puts what is measured into a folder, and says how it is started.
    pub begin: Arc<Beginning>,
}

/// One instance.
pub struct OrderServer {
    build: Build,
    home: PathBuf,
    orders: Orders,
    life: Life,
    clock: Arc<HostClock>,
}

impl OrderServer {
    /// Makes the folders in `home`; starts nothing.
    ///
    /// # Errors
    /// Environment.
    pub fn create(build: Build, home: &Path) -> Outcome<Self> {
        let folder = home.join("data");
        let refused = |error| Fault::environment(format!("cannot make {}: {error}", folder.display()));
        fs::create_dir(&folder).map_err(refused)?;
        run_folder::give(&folder, build.run_as)?;
        let socket = run_folder::socket_folder(home, SOCKET, build.run_as)?.join(SOCKET);
        let orders = Orders { socket, folder, settings: build.settings.clone() };
        let clock = Arc::new(HostClock::new());
        Ok(Self { build, home: home.to_path_buf(), orders, life: Life::default(), clock })
    }

    /// As people would call it.
    fn title(&self) -> String {
        format!("{} {}", self.build.engine, self.build.facts.version)
    }

    fn running(&self) -> Outcome<u32> {
        let ended = || self.explain(Fault::crash(format!("the worker of {} has ended", self.title())));
        self.life.pid().ok_or_else(ended)
    }

    fn open(&self, timeout: Duration) -> Outcome<Session> {
        Session::open(self.build.engine, &self.orders.socket, timeout)
    }

    fn spec(&self) -> Outcome<GuardSpec> {
        let begin = (self.build.begin)(&self.home.join("program"))?;
        // A worker that was killed leaves its socket, at which nobody listens.
        let _ = fs::remove_file(&self.orders.socket);
        let mut env = self.orders.to_env();
        env.extend([("LC_ALL".into(), "C".into()), ("TZ".into(), "UTC".into())]);
        env.extend(begin.env);
        Ok(GuardSpec {
            program: begin.program,
            args: begin.args,
            env,
            cwd: self.home.clone(),
            log_file: self.worker_log(),
            run_as: self.build.run_as,
            limit: None,
            fsync_delay: None,
        })
    }

    fn worker_log(&self) -> PathBuf {
        self.home.join("worker.log")
    }

    fn did_not_start(&self, why: NotStarted, said_before: usize) -> Fault {
        let title = self.title();
        let how = match why {
            NotStarted::Fault(fault) => return fault,
            NotStarted::Silent(fault) if fault.kind == FaultKind::Usage => return fault,
            NotStarted::Silent(fault) => {
                let what = format!("the worker of {title} does not answer: {fault}");
                return self.explain(Fault::new(FaultKind::Timeout, what));
            }
            NotStarted::Ended(how) => how,
        };
        let said = logs::whole(&self.worker_log());
        let new = said.get(said_before..).unwrap_or_default();
        let line = |start: &str| new.lines().find_map(|line| line.strip_prefix(start)).map(str::to_owned);
        if let Some(refusal) = line(REFUSED) {
            return Fault::usage(format!("{title}: {refusal}"))
                .hint("check the names and values of the settings, or leave them out");
        }
        let failure = line(FAILED).unwrap_or_else(|| format!("its worker ended while starting: {how}"));
        self.explain(Fault::crash(format!("{title}: {failure}")))
    }
}

impl Server for OrderServer {
    fn start(&mut self) -> Outcome<()> {
        if self.is_running() {
            return Ok(());
        }
        self.life.forget();
        let said_before = logs::whole(&self.worker_log()).len();
        let spec = self.spec()?;
        let (engine, socket) = (self.build.engine, &self.orders.socket);
        let started =
            self.life.start(&spec, &PATIENCE, || Session::open(engine, socket, PATIENCE.start_within));
        match started {
            Ok((guard, _session)) => {
                self.life.set(guard);
                Ok(())
            }
            Err(why) => Err(self.did_not_start(why, said_before)),
        }
    }

    fn stop(&mut self) -> Outcome<()> {
        let (engine, socket) = (self.build.engine, &self.orders.socket);
        let ask = |_| Session::open(engine, socket, PATIENCE.stop_within).and_then(Session::stop);
        match self.life.stop(PATIENCE.stop_within, ask) {
            Ok(None) => Ok(()),
            Ok(Some(how)) => {
                Err(self.explain(Fault::crash(format!("the worker did not stop cleanly: {how}"))))
            }
            Err(fault) => Err(self.explain(fault)),
        }
    }

    fn kill(&mut self) -> Outcome<()> {
        self.life.kill()
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
        let session = self.open(PATIENCE.start_within).map_err(|fault| self.explain(fault))?;
        let about = session.about().clone();
        Ok(SubjectFacts {
            version: about.version,
            settings: about.settings,
            given: self.build.settings.clone(),
            fingerprint: fingerprint(&self.build.checksum, &self.build.settings),
            ..self.build.facts.clone()
        })
    }

    fn connect(&self, timeout: Duration) -> Outcome<Connection> {
        let session = self.open(timeout).map_err(|fault| self.explain(fault))?;
        Ok(Connection::OrderBy(Box::new(session)))
    }

    fn dialect(&self) -> Option<&dyn Dialect> {
        None
    }

    fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    fn probes(&self) -> Vec<Box<dyn Probe>> {
        vec![Box::new(WorkerProbe::new(self.life.pid()))]
    }

    fn data_folder(&self) -> Option<PathBuf> {
        Some(self.orders.folder.clone())
    }

    fn log_tail(&self) -> Option<String> {
        let said = logs::whole(&self.worker_log());
        (!said.trim().is_empty()).then(|| said.trim_end().to_owned())
    }

    fn log_file(&self) -> Option<PathBuf> {
        Some(self.worker_log()).filter(|log| log.exists())
    }

    fn how_to_connect(&self) -> String {
        let pid = self.life.pid().unwrap_or(0);
        format!("  the worker of {} is process {pid}; it talks to humdrum only", self.title())
    }

    fn detach(&mut self) -> Outcome<u32> {
        self.running()?;
        self.life.detach()
    }
}
