//! Starting until it answers, stopping until it is gone.

use std::fs;
use std::time::{Duration, Instant};

use humdrum_contract::{Outcome, Server, SqlSession};
use humdrum_model::{Fault, FaultKind};
use humdrum_provision::guardian::{Guarded, describe_exit};
use humdrum_provision::{logs, program, signal};

use crate::{complaint, threads};

use super::{FamilyServer, guard_spec, layout};

/// A start after a crash replays the log first, and reads pages back for that.
const START_WITHIN: Duration = Duration::from_secs(300);
/// A first answer comes after 0.3 to 3 s.
const ASK_EVERY: Duration = Duration::from_millis(10);
/// All dirty pages are flushed on the way out; longer than this it hangs.
const STOP_WITHIN: Duration = Duration::from_secs(180);

impl FamilyServer {
    pub(super) fn start_and_wait(&mut self) -> Outcome<()> {
        if self.is_running() {
            return Ok(());
        }
        self.guard = None;
        self.frozen.clear();
        let log = layout::log(&self.home);
        let said_before = logs::whole(&log).len();
        let first = layout::first_statements(&self.home);
        let init = format!("--init-file={}", first.display());
        let args = if first.exists() { vec![init.as_str()] } else { Vec::new() };
        let mut spec = guard_spec(&self.build, &self.home, &args, &log);
        spec.program = program::place(&self.build.folder, &self.build.program, &layout::program(&self.home))?;
        let mut guard = Guarded::spawn(&spec)?;
        self.wait_for_answer(&mut guard, said_before)?;
        self.guard = Some(guard);
        if first.exists() {
            fs::remove_file(&first)
                .map_err(|error| Fault::environment(format!("cannot remove {}: {error}", first.display())))?;
        }
        Ok(())
    }

    fn wait_for_answer(&mut self, guard: &mut Guarded, said_before: usize) -> Outcome<()> {
        let end = Instant::now() + START_WITHIN;
        loop {
            if let Some(status) = guard.try_wait()? {
                return Err(self.did_not_start(&describe_exit(status), said_before));
            }
            match self.session(Duration::from_secs(5)) {
                Ok(session) => {
                    self.from_the_start = threads::of(guard.server_pid()).into_iter().collect();
                    session.server_process().map(|thread| self.from_the_start.remove(&thread));
                    return self.hear_complaints(said_before);
                }
                Err(fault) if Instant::now() >= end => {
                    let what = format!("{} does not answer: {fault}", self.build.name);
                    return Err(self.explain(Fault::new(FaultKind::Timeout, what)));
                }
                Err(_) => std::thread::sleep(ASK_EVERY),
            }
        }
    }

    /// A server that runs with another value than it was given does not measure what was asked for.
    fn hear_complaints(&self, said_before: usize) -> Outcome<()> {
        match complaint::complaint(&self.said_since(said_before), &self.asked) {
            Some(complaint) => Err(complaint::refused(&self.build.name, &complaint)),
            None => Ok(()),
        }
    }

    fn did_not_start(&self, how: &str, said_before: usize) -> Fault {
        match complaint::complaint(&self.said_since(said_before), &self.asked) {
            Some(complaint) => complaint::refused(&self.build.name, &complaint),
            None => self.explain(Fault::crash(format!("{} ended while starting: {how}", self.build.name))),
        }
    }

    fn said_since(&self, said_before: usize) -> String {
        let log = logs::whole(&layout::log(&self.home));
        log.get(said_before..).unwrap_or_default().to_owned()
    }

    /// SIGTERM is the clean shutdown: clients are sent away, pages flushed.
    pub(super) fn stop_cleanly(&mut self) -> Outcome<()> {
        signal::thaw(&std::mem::take(&mut self.frozen));
        let Some(mut guard) = self.guard.take() else { return Ok(()) };
        signal::send(guard.server_pid(), libc::SIGTERM);
        match guard.wait(STOP_WITHIN) {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => {
                let what = format!("{} did not stop cleanly: {}", self.build.name, describe_exit(status));
                Err(self.explain(Fault::crash(what)))
            }
            Err(fault) => {
                let _ = guard.kill();
                Err(self.explain(fault))
            }
        }
    }
}
