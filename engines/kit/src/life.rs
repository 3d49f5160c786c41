//! A server's process: started under guard until it answers, frozen and thawed, ended.

use std::time::{Duration, Instant};

use humdrum_contract::{Outcome, Process, Role};
use humdrum_model::Fault;
use humdrum_provision::guardian::{GuardSpec, Guarded, describe_exit};
use humdrum_provision::signal;

use crate::roles::threads_of;

/// How long a server may take, and how often it is asked.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For its first answer: a start after a crash replays the log first.
    pub start_within: Duration,
    /// Between two questions while it starts.
    pub ask_every: Duration,
    /// For its end; longer than this it hangs.
    pub stop_within: Duration,
}

/// Why a server that was started does not answer.
#[derive(Debug)]
pub enum NotStarted {
    /// It could not be started, or not be waited for.
    Fault(Fault),
    /// It ended, in words.
    Ended(String),
    /// It had no answer in time; what the last question came to.
    Silent(Fault),
}

/// A process under guard, or none.
#[derive(Debug, Default)]
pub struct Life {
    guard: Option<Guarded>,
    /// Processes that were stopped in place, parents first.
    frozen: Vec<u32>,
}

impl Life {
    /// Whether the main process runs.
    pub fn is_running(&self) -> bool {
        self.pid().is_some()
    }

    /// The main process, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.guard.as_ref().filter(|guard| guard.is_running()).map(Guarded::server_pid)
    }

    /// Each of its threads, for a worker: one serves a connection, others work for the library, and the kernel counts each by
    /// itself.
    pub fn threads(&self) -> Vec<Process> {
        let ids = self.pid().map(threads_of).unwrap_or_default();
        ids.into_iter().map(|pid| Process { pid, role: Role::Background }).collect()
    }

    /// Ends what is left of an earlier process.
    pub fn forget(&mut self) {
        self.guard = None;
        self.frozen.clear();
    }

    /// Forgets an earlier process, starts one and asks it until it answers. The process is returned for `set`: until
    /// then dropping it ends it.
    ///
    /// # Errors
    /// What happened to it.
    pub fn start<T>(
        &mut self,
        spec: &GuardSpec,
        patience: &Patience,
        mut ask: impl FnMut() -> Outcome<T>,
    ) -> Result<(Guarded, T), NotStarted> {
        self.forget();
        let mut guard = Guarded::spawn(spec).map_err(NotStarted::Fault)?;
        let end = Instant::now() + patience.start_within;
        loop {
            if let Some(status) = guard.try_wait().map_err(NotStarted::Fault)? {
                return Err(NotStarted::Ended(describe_exit(status)));
            }
            match ask() {
                Ok(answer) => return Ok((guard, answer)),
                Err(fault) if Instant::now() >= end => return Err(NotStarted::Silent(fault)),
                Err(_) => std::thread::sleep(patience.ask_every),
            }
        }
    }

    /// Takes a process that was started.
    pub fn set(&mut self, guard: Guarded) {
        self.guard = Some(guard);
    }

    /// Ends it cleanly: `ask` tells it to, by its process id. Returns how it ended where that was not clean.
    ///
    /// # Errors
    /// When it was not told or did not end in time; it was killed then.
    pub fn stop(
        &mut self,
        within: Duration,
        ask: impl FnOnce(u32) -> Outcome<()>,
    ) -> Outcome<Option<String>> {
        self.thaw_all();
        let Some(mut guard) = self.guard.take() else { return Ok(None) };
        let ended = ask(guard.server_pid()).and_then(|()| guard.wait(within));
        match ended {
            Ok(status) => Ok((!status.success()).then(|| describe_exit(status))),
            Err(fault) => {
                let _ = guard.kill();
                Err(fault)
            }
        }
    }

    /// Ends it at once.
    ///
    /// # Errors
    /// Environment, when it cannot be waited for.
    pub fn kill(&mut self) -> Outcome<()> {
        self.frozen.clear();
        self.guard.take().map_or(Ok(()), |mut guard| guard.kill().map(drop))
    }

    /// Stops it in place with all its processes. Does nothing where it does not run.
    pub fn freeze(&mut self) {
        if let Some(pid) = self.pid() {
            self.frozen = signal::freeze_tree(pid);
        }
    }

    /// Stops the main process alone in place, for servers that have no others. Does nothing where it does not run.
    pub fn freeze_alone(&mut self) {
        if let Some(pid) = self.pid() {
            signal::freeze(&[pid]);
            self.frozen = vec![pid];
        }
    }

    /// Lets frozen processes go on, children first: a parent that wakes before them could start another while they cannot
    /// answer it.
    pub fn thaw_all(&mut self) {
        let mut frozen = std::mem::take(&mut self.frozen);
        frozen.reverse();
        signal::thaw(&frozen);
    }

    /// Lets it live on after this program; returns its process.
    ///
    /// # Errors
    /// Crash, when it has ended.
    pub fn detach(&mut self) -> Outcome<u32> {
        match self.guard.take() {
            Some(guard) => guard.detach(),
            None => Err(Fault::crash("the server is not running")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const PATIENCE: Patience = Patience {
        start_within: Duration::from_millis(300),
        ask_every: Duration::from_millis(5),
        stop_within: Duration::from_millis(300),
    };
    /// Ends cleanly on SIGTERM, once it has said that it is ready. It starts its only child before that: a shell that is
    /// stopped between the two steps of starting one waits for the child, which is not the state "stopped".
    const SERVER: &str = "sleep 60 & trap 'kill $!; exit 0' TERM; echo ready > ready; wait";

    fn spec(home: &Path, script: &str) -> GuardSpec {
        GuardSpec {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            cwd: home.into(),
            log_file: home.join("log"),
            run_as: None,
            limit: None,
            fsync_delay: None,
        }
    }

    fn ready(home: &Path) -> Outcome<()> {
        if home.join("ready").exists() { Ok(()) } else { Err(Fault::crash("it is not ready")) }
    }

    fn started(home: &Path, script: &str) -> Life {
        // An earlier server may have left it.
        let _ = std::fs::remove_file(home.join("ready"));
        let mut life = Life::default();
        let patience = Patience { start_within: Duration::from_secs(60), ..PATIENCE };
        let (guard, ()) = life.start(&spec(home, script), &patience, || ready(home)).expect("starts");
        assert!(!life.is_running(), "it is not taken over yet");
        life.set(guard);
        assert!(life.is_running());
        life
    }

    fn terminate(pid: u32) -> Outcome<()> {
        signal::send(pid, 15);
        Ok(())
    }

    #[test]
    fn a_server_that_does_not_start_says_how() {
        let home = tempfile::tempdir().expect("folder");
        let start = |script: &str| {
            let started = Life::default().start(&spec(home.path(), script), &PATIENCE, || ready(home.path()));
            started.map(drop).expect_err("has no answer")
        };
        assert!(matches!(start("exit 3"), NotStarted::Ended(how) if how == "exit status 3"));
        assert!(matches!(start("sleep 60"), NotStarted::Silent(fault) if fault.what == "it is not ready"));
        let missing = GuardSpec { program: "/no/such/program".into(), ..spec(home.path(), "") };
        let missing = Life::default().start(&missing, &PATIENCE, || ready(home.path()));
        assert!(matches!(missing, Err(NotStarted::Fault(_))));
    }

    #[test]
    fn a_server_is_ended_cleanly_or_by_force() {
        let home = tempfile::tempdir().expect("folder");
        let long = Duration::from_secs(60);
        let mut life = started(home.path(), SERVER);
        assert_eq!(life.stop(long, terminate), Ok(None));
        assert!(!life.is_running());
        assert_eq!(life.stop(long, terminate), Ok(None), "there is nothing to stop");
        let mut unclean = started(home.path(), &SERVER.replace("exit 0", "exit 7"));
        assert_eq!(unclean.stop(long, terminate), Ok(Some("exit status 7".into())));
        let mut deaf = started(home.path(), &SERVER.replace("'kill $!; exit 0'", "''"));
        let pid = deaf.pid().expect("runs");
        assert!(deaf.stop(PATIENCE.stop_within, terminate).is_err());
        assert!(!signal::is_alive(pid), "it was killed");
    }

    #[test]
    fn a_frozen_server_can_be_thawed_stopped_and_killed() {
        let home = tempfile::tempdir().expect("folder");
        let mut life = started(home.path(), SERVER);
        let pid = life.pid().expect("runs");
        let stands_still = || {
            (0..4000).any(|_| {
                std::thread::sleep(Duration::from_millis(1));
                signal::state(pid) == Some('T')
            })
        };
        life.freeze();
        assert!(stands_still());
        life.thaw_all();
        assert!(signal::state(pid) != Some('T'));
        life.freeze_alone();
        assert!(stands_still());
        assert_eq!(life.stop(Duration::from_secs(60), terminate), Ok(None), "it was thawed for that");
        let mut life = started(home.path(), SERVER);
        life.freeze();
        life.kill().expect("ends");
        assert!(!life.is_running() && life.detach().is_err());
    }
}
