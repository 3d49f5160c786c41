//! Starting a worker until it answers, and what is said of one that does not.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use humdrum_contract::{Outcome, Server};
use humdrum_model::{Fault, FaultKind};
use humdrum_provision::guardian::{GuardSpec, Guarded, describe_exit};
use humdrum_provision::program;

use super::{RocksdbServer, START_WITHIN};
use crate::worker::{FAILED, REFUSED};

/// The library loads in some 10 ms.
const ASK_EVERY: Duration = Duration::from_millis(5);

impl RocksdbServer {
    /// The library is what is measured: where it happens to lie in memory must not pass for its speed.
    pub(super) fn copied_library(&self) -> Outcome<PathBuf> {
        let file = &self.build.file;
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
            return Err(Fault::usage(format!("{} is no library", file.display())));
        };
        program::place(folder, Path::new(name), &self.home.join("library"))
    }

    pub(super) fn spawn(&self) -> Outcome<Guarded> {
        // A worker that was killed leaves its socket, at which nobody listens.
        let _ = fs::remove_file(&self.orders.socket);
        let mut env = self.orders.to_env();
        env.extend([("LC_ALL".into(), "C".into()), ("TZ".into(), "UTC".into())]);
        Guarded::spawn(&GuardSpec {
            program: self.build.launch.program.clone(),
            args: self.build.launch.args.clone(),
            env,
            cwd: self.home.clone(),
            log_file: self.worker_log(),
            run_as: self.build.run_as,
        })
    }

    pub(super) fn wait_for_answer(&self, guard: &mut Guarded, said_before: usize) -> Outcome<()> {
        let end = Instant::now() + START_WITHIN;
        loop {
            if let Some(status) = guard.try_wait()? {
                return Err(self.did_not_start(&describe_exit(status), said_before));
            }
            match self.open(START_WITHIN) {
                Ok(_) => return Ok(()),
                Err(fault) if Instant::now() >= end => {
                    let what =
                        format!("the worker of rocksdb {} does not answer: {fault}", self.build.release);
                    return Err(self.explain(Fault::new(FaultKind::Timeout, what)));
                }
                Err(_) => std::thread::sleep(ASK_EVERY),
            }
        }
    }

    fn did_not_start(&self, how: &str, said_before: usize) -> Fault {
        let said = self.said();
        let new = said.get(said_before..).unwrap_or_default();
        let line = |start: &str| new.lines().find_map(|line| line.strip_prefix(start)).map(str::to_owned);
        let release = &self.build.release;
        if let Some(refusal) = line(REFUSED) {
            return Fault::usage(format!("rocksdb {release}: {refusal}"))
                .hint("check the names and values of the settings, or leave them out");
        }
        let failure = line(FAILED).unwrap_or_else(|| format!("its worker ended while starting: {how}"));
        self.explain(Fault::crash(format!("rocksdb {release}: {failure}")))
    }
}
