//! Starts a worker, removes the stores of one that was stopped, and makes the fault of one that does not answer.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use humdrum_contract::{Outcome, Server};
use humdrum_engine_kit::NotStarted;
use humdrum_model::{Fault, FaultKind};
use humdrum_provision::guardian::GuardSpec;
use humdrum_provision::program;

use super::RocksdbServer;
use crate::worker::{FAILED, REFUSED};

impl RocksdbServer {
    /// The library is what is measured: where it happens to lie in memory must not pass for its speed.
    pub(super) fn copied_library(&self) -> Outcome<PathBuf> {
        let file = &self.build.file;
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
            return Err(Fault::usage(format!("{} is no library", file.display())));
        };
        program::place(folder, Path::new(name), &self.home.join("library"))
    }

    /// The library's log of the latest store that was removed.
    pub(super) fn log_of_removed(&self) -> PathBuf {
        self.home.join("LOG")
    }

    /// Removes both stores, and keeps the log. The next start makes an empty one.
    pub(super) fn remove_stores(&self) -> Outcome<()> {
        if self.is_running() {
            return Err(Fault::environment("the stores of a running worker cannot be removed"));
        }
        // A store that was never opened has no log.
        let _ = fs::rename(self.store().join("LOG"), self.log_of_removed());
        for store in [self.store(), self.scratch()] {
            match fs::remove_dir_all(&store) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(Fault::environment(format!("cannot remove {}: {error}", store.display())));
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn spec(&self) -> GuardSpec {
        // A worker that was killed leaves its socket, at which nobody listens.
        let _ = fs::remove_file(&self.orders.socket);
        let mut env = self.orders.to_env();
        env.extend([("LC_ALL".into(), "C".into()), ("TZ".into(), "UTC".into())]);
        GuardSpec {
            program: self.build.launch.program.clone(),
            args: self.build.launch.args.clone(),
            env,
            cwd: self.home.clone(),
            log_file: self.worker_log(),
            run_as: self.build.run_as,
            limit: self.limit.clone(),
            fsync_delay: self.fsync_delay,
        }
    }

    pub(super) fn did_not_start(&self, why: NotStarted, said_before: usize) -> Fault {
        let how = match why {
            NotStarted::Fault(fault) => return fault,
            NotStarted::Silent(fault) => {
                let what = format!("the worker of rocksdb {} does not answer: {fault}", self.build.release);
                return self.explain(Fault::new(FaultKind::Timeout, what));
            }
            NotStarted::Ended(how) => how,
        };
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
