//! A worker process as a server: started under a guardian, stopped in place, ended.
//!
//! ```text
//! <home>/s/            the socket, unless that path would be too long
//! <home>/worker.log    what the worker says
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Clock, Connection, Dialect, HostClock, Outcome, Probe, Process, Server};
use humdrum_engine_kit::{Life, NotStarted, Patience};
use humdrum_model::{Fault, FaultKind, SubjectFacts};
use humdrum_provision::guardian::GuardSpec;
use humdrum_provision::{logs, run_folder};
use skipsort_rivals::Rival;

use crate::session::Session;
use crate::worker;

const SOCKET: &str = "sort";

const PATIENCE: Patience = Patience {
    start_within: Duration::from_secs(30),
    ask_every: Duration::from_millis(5),
    stop_within: Duration::from_secs(30),
};

/// One instance.
pub(crate) struct SortServer {
    rival: &'static Rival,
    home: PathBuf,
    socket: PathBuf,
    run_as: Option<(u32, u32)>,
    life: Life,
    clock: Arc<HostClock>,
}

impl SortServer {
    /// Makes the socket's folder in `home`; starts nothing.
    ///
    /// # Errors
    /// Environment.
    pub(crate) fn create(rival: &'static Rival, home: &Path, run_as: Option<(u32, u32)>) -> Outcome<Self> {
        let socket = run_folder::socket_folder(home, SOCKET, run_as)?.join(SOCKET);
        let clock = Arc::new(HostClock::new());
        Ok(Self { rival, home: home.to_path_buf(), socket, run_as, life: Life::default(), clock })
    }

    fn running(&self) -> Outcome<u32> {
        let ended = || self.explain(Fault::crash(format!("the worker of {} has ended", self.rival.name)));
        self.life.pid().ok_or_else(ended)
    }

    fn spec(&self) -> GuardSpec {
        // A worker that was killed leaves its socket, at which nobody listens.
        let _ = fs::remove_file(&self.socket);
        GuardSpec {
            // By the kernel's own name for it: workers run as another user, who may not be able to walk to the file.
            program: "/proc/self/exe".into(),
            args: vec![worker::ARGUMENT.into()],
            env: vec![
                (worker::SOCKET.into(), self.socket.clone().into()),
                (worker::SORT.into(), self.rival.name.into()),
            ],
            cwd: self.home.clone(),
            log_file: self.worker_log(),
            run_as: self.run_as,
            limit: None,
            fsync_delay: None,
        }
    }

    fn worker_log(&self) -> PathBuf {
        self.home.join("worker.log")
    }
}

impl Server for SortServer {
    fn start(&mut self) -> Outcome<()> {
        if self.is_running() {
            return Ok(());
        }
        let spec = self.spec();
        let started =
            self.life.start(&spec, &PATIENCE, || Session::open(&self.socket, PATIENCE.start_within));
        let fault = match started {
            Ok((guard, _session)) => {
                self.life.set(guard);
                return Ok(());
            }
            Err(NotStarted::Fault(fault)) => return Err(fault),
            Err(NotStarted::Silent(fault)) => {
                Fault::new(FaultKind::Timeout, format!("the worker does not answer: {fault}"))
            }
            Err(NotStarted::Ended(how)) => Fault::crash(format!("the worker ended while starting: {how}")),
        };
        Err(self.explain(fault))
    }

    fn stop(&mut self) -> Outcome<()> {
        let socket = &self.socket;
        let ask = |_| Session::open(socket, PATIENCE.stop_within).and_then(Session::stop);
        match self.life.stop(PATIENCE.stop_within, ask) {
            Ok(None) => Ok(()),
            Ok(Some(how)) => {
                Err(self.explain(Fault::crash(format!("the worker did not stop cleanly: {how}"))))
            }
            Err(fault) => Err(self.explain(fault)),
        }
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
        self.running()?;
        Ok(crate::facts(self.rival))
    }

    fn connect(&self, timeout: Duration) -> Outcome<Connection> {
        let session = Session::open(&self.socket, timeout).map_err(|fault| self.explain(fault))?;
        Ok(Connection::Sort(Box::new(session)))
    }

    fn dialect(&self) -> Option<&dyn Dialect> {
        None
    }

    fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    fn probes(&self) -> Vec<Box<dyn Probe>> {
        Vec::new()
    }

    fn data_folder(&self) -> Option<PathBuf> {
        None
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
        format!("  the worker of {} is process {pid}; it talks to humdrum only", self.rival.name)
    }

    fn detach(&mut self) -> Outcome<u32> {
        self.running()?;
        self.life.detach()
    }
}
