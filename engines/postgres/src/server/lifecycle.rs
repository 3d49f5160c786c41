//! Starting until it answers, stopping until it is gone.

use std::time::{Duration, Instant};

use humdrum_contract::{Outcome, Server};
use humdrum_model::{Fault, FaultKind};
use humdrum_provision::guardian::{Guarded, describe_exit};
use humdrum_provision::{program, signal};

use crate::{log, session, settings_check};

use super::{PostgresServer, STOP_WITHIN, guard_spec, layout};

/// A start after a crash replays the log first.
const START_WITHIN: Duration = Duration::from_secs(120);
/// A first answer comes after about 0.1 s.
const ASK_EVERY: Duration = Duration::from_millis(5);

impl PostgresServer {
    pub(super) fn start_and_wait(&mut self) -> Outcome<()> {
        if self.is_running() {
            return Ok(());
        }
        self.guard = None;
        self.frozen.clear();
        let said_before = layout::whole_log(&self.home).len();
        let args = vec!["-D".into(), layout::data(&self.home).into_os_string()];
        let mut spec = guard_spec(&self.build, &self.home, "postgres", args, &self.log());
        let program = self.build.program("postgres");
        spec.program = program::place(&self.build.root, &program, &layout::program(&self.home))?;
        let mut guard = Guarded::spawn(&spec)?;
        self.wait_for_answer(&mut guard, said_before)?;
        self.guard = Some(guard);
        Ok(())
    }

    fn wait_for_answer(&self, guard: &mut Guarded, said_before: usize) -> Outcome<()> {
        let end = Instant::now() + START_WITHIN;
        loop {
            if let Some(status) = guard.try_wait()? {
                return Err(self.did_not_start(&describe_exit(status), said_before));
            }
            match session::connect(&self.target, Duration::from_secs(5)) {
                Ok(_) => return Ok(()),
                Err(fault) if Instant::now() >= end => {
                    let what = format!("postgres {} does not answer: {fault}", self.build.release);
                    return Err(self.explain(Fault::new(FaultKind::Timeout, what)));
                }
                Err(_) => std::thread::sleep(ASK_EVERY),
            }
        }
    }

    fn did_not_start(&self, how: &str, said_before: usize) -> Fault {
        let log = layout::whole_log(&self.home);
        match log::complaint(log.get(said_before..).unwrap_or_default()) {
            Some(complaint) => settings_check::refused(&self.build, &complaint),
            None => self.explain(Fault::crash(format!(
                "postgres {} ended while starting: {how}",
                self.build.release
            ))),
        }
    }

    /// SIGINT is Postgres' fast shutdown: clients are sent away, a checkpoint is written.
    pub(super) fn stop_fast(&mut self) -> Outcome<()> {
        let frozen = std::mem::take(&mut self.frozen);
        signal::thaw(&frozen);
        let Some(mut guard) = self.guard.take() else { return Ok(()) };
        signal::send(guard.server_pid(), libc::SIGINT);
        match guard.wait(STOP_WITHIN) {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => {
                let what = format!(
                    "postgres {} did not stop cleanly: {}",
                    self.build.release,
                    describe_exit(status)
                );
                Err(self.explain(Fault::crash(what)))
            }
            Err(fault) => {
                let _ = guard.kill();
                Err(self.explain(fault))
            }
        }
    }
}
