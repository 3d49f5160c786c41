//! A server: one instance of a build with its own data; it runs, is stopped or is frozen.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use humdrum_model::{Fault, FaultKind, SubjectFacts};

use crate::{Clock, Dialect, KvSession, OrderSession, Outcome, Probe, Process, SortSession, SqlSession};

/// A connection, by its protocol.
pub enum Connection {
    /// SQL.
    Sql(Box<dyn SqlSession>),
    /// Keys and values.
    Kv(Box<dyn KvSession>),
    /// Sorts.
    Sort(Box<dyn SortSession>),
    /// Ordered queries.
    OrderBy(Box<dyn OrderSession>),
}

impl Connection {
    /// The SQL session, for workloads that asked for SQL.
    ///
    /// # Errors
    /// Never for a plan that was checked: `plan` refuses impossible pairs.
    pub fn into_sql(self) -> Outcome<Box<dyn SqlSession>> {
        match self {
            Self::Sql(session) => Ok(session),
            _ => Err(speaks_no("SQL")),
        }
    }

    /// The SQL session, without consuming the connection.
    ///
    /// # Errors
    /// As `into_sql`.
    pub fn sql(&mut self) -> Outcome<&mut dyn SqlSession> {
        match self {
            Self::Sql(session) => Ok(&mut **session),
            _ => Err(speaks_no("SQL")),
        }
    }

    /// Answers are due within this time from now on.
    ///
    /// # Errors
    /// Any fault of the connection.
    pub fn set_timeout(&mut self, timeout: Duration) -> Outcome<()> {
        match self {
            Self::Sql(session) => session.set_timeout(timeout),
            Self::Kv(session) => session.set_timeout(timeout),
            Self::Sort(session) => session.set_timeout(timeout),
            Self::OrderBy(session) => session.set_timeout(timeout),
        }
    }

    /// The session for keys and values, for workloads that asked for those.
    ///
    /// # Errors
    /// As `into_sql`.
    pub fn into_kv(self) -> Outcome<Box<dyn KvSession>> {
        match self {
            Self::Kv(session) => Ok(session),
            _ => Err(speaks_no("keys and values")),
        }
    }

    /// The session for keys and values, without consuming the connection.
    ///
    /// # Errors
    /// As `into_sql`.
    pub fn kv(&mut self) -> Outcome<&mut dyn KvSession> {
        match self {
            Self::Kv(session) => Ok(&mut **session),
            _ => Err(speaks_no("keys and values")),
        }
    }

    /// The session with a sort, for workloads that asked for one.
    ///
    /// # Errors
    /// As `into_sql`.
    pub fn into_sort(self) -> Outcome<Box<dyn SortSession>> {
        match self {
            Self::Sort(session) => Ok(session),
            _ => Err(speaks_no("sorting")),
        }
    }

    /// The session for ordered queries, for workloads that asked for one.
    ///
    /// # Errors
    /// As `into_sql`.
    pub fn into_orderby(self) -> Outcome<Box<dyn OrderSession>> {
        match self {
            Self::OrderBy(session) => Ok(session),
            _ => Err(speaks_no("ordered queries")),
        }
    }
}

fn speaks_no(what: &str) -> Fault {
    Fault::usage(format!("this engine's connections do not speak {what}"))
}

/// One instance. Dropping it stops it, at once and uncleanly if need be.
pub trait Server: Send {
    /// Starts it and waits until it answers.
    ///
    /// # Errors
    /// Crash with the log's tail, or usage when it rejects a setting.
    fn start(&mut self) -> Outcome<()>;
    /// Stops it cleanly; data stays.
    ///
    /// # Errors
    /// When it does not stop within its time and was killed.
    fn stop(&mut self) -> Outcome<()>;
    /// Ends it at once and uncleanly, in any state; data stays, and the next start recovers it. For servers
    /// that have failed, because they may never stop cleanly.
    ///
    /// # Errors
    /// When it cannot be ended.
    fn kill(&mut self) -> Outcome<()> {
        self.stop()
    }
    /// Keeps a copy of its data under a name, for `bring_back`; others stay. The server was stopped cleanly. Called only
    /// if the engine's timings say that data can be copied.
    ///
    /// # Errors
    /// Environment, when the copy cannot be made.
    fn keep(&mut self, _name: &str) -> Outcome<()> {
        Err(Fault::environment("this server's data cannot be copied"))
    }
    /// Replaces its data by the copy of that name. The server must not run; its next start finds the data of a clean stop.
    ///
    /// # Errors
    /// Environment, as `keep`.
    fn bring_back(&mut self, _name: &str) -> Outcome<()> {
        Err(Fault::environment("this server's data cannot be copied"))
    }
    /// Removes the data of a stopped server that is loaded anew before it is measured again, so that the page cache does
    /// not keep them. Returns whether it did: a server that cannot start without its data keeps them.
    ///
    /// # Errors
    /// Environment, when files cannot be removed.
    fn discard_data(&mut self) -> Outcome<bool> {
        Ok(false)
    }
    /// Limits the memory of its processes, page cache included, from its next start on.
    ///
    /// # Errors
    /// Usage, for a server that has no processes of ours.
    fn limit_memory(&mut self, _bytes: u64) -> Outcome<()> {
        Err(Fault::usage(
            "--memory limits servers that humdrum starts, and this subject has no process of its own",
        )
        .hint("leave --memory out, or name a release"))
    }
    /// Holds back each of its calls that sync a file, from its next start on, before the kernel does what they ask for.
    ///
    /// # Errors
    /// Usage, for a server that syncs no files, or has no processes of ours.
    fn delay_fsync(&mut self, _by: Duration) -> Outcome<()> {
        Err(Fault::usage("--fsync-delay is for servers that sync files, and this subject syncs none")
            .hint("leave --fsync-delay out, or name a release of a database"))
    }
    /// Why the kernel has killed processes of it since its last start; `None` if it has not.
    fn killed(&self) -> Option<String> {
        None
    }
    /// Stops all its processes in place.
    ///
    /// # Errors
    /// When it is not running.
    fn freeze(&mut self) -> Outcome<()>;
    /// Continues frozen processes.
    ///
    /// # Errors
    /// When it is not running.
    fn thaw(&mut self) -> Outcome<()>;
    /// Whether it can be stopped in place; false if its processes are not ours.
    fn can_freeze(&self) -> bool {
        true
    }
    /// Whether its main process runs.
    fn is_running(&self) -> bool;
    /// Its processes now; empty for external servers on other hosts.
    fn processes(&self) -> Vec<Process>;
    /// Version and effective settings, queried from the running server, with the build's facts.
    ///
    /// # Errors
    /// When it cannot be queried.
    fn facts(&mut self) -> Outcome<SubjectFacts>;
    /// Opens a connection; every answer on it is due within `timeout`.
    ///
    /// # Errors
    /// Crash or timeout.
    fn connect(&self, timeout: Duration) -> Outcome<Connection>;
    /// The SQL it understands, for engines that speak SQL.
    fn dialect(&self) -> Option<&dyn Dialect>;
    /// The clock of its sessions.
    fn clock(&self) -> Arc<dyn Clock>;
    /// Turns counters on or off that cost too much during measurements; for examinations. Returns whether the
    /// server was restarted for it, with empty caches.
    ///
    /// # Errors
    /// As `stop` and `start`.
    fn count_more(&mut self, _on: bool) -> Outcome<bool> {
        Ok(false)
    }
    /// Counts kinds of waits that it does not count while it is measured, or no longer, for `Dialect::waited`. Returns whether it
    /// counts them now: false where it counts all kinds anyway, or none, or belongs to somebody else.
    ///
    /// # Errors
    /// When it cannot be told to.
    fn count_waits(&mut self, _on: bool) -> Outcome<bool> {
        Ok(false)
    }
    /// The engine's own counters.
    fn probes(&self) -> Vec<Box<dyn Probe>>;
    /// Where its data is, for device counters.
    fn data_folder(&self) -> Option<PathBuf>;
    /// The last lines of its log.
    fn log_tail(&self) -> Option<String>;
    /// The whole log, for the results folder.
    fn log_file(&self) -> Option<PathBuf>;
    /// Lines that tell a person how to connect by hand.
    fn how_to_connect(&self) -> String;
    /// Keeps it running after this program ends (`humdrum up`); returns the process to end later.
    ///
    /// # Errors
    /// When it is not running or is not ours.
    fn detach(&mut self) -> Outcome<u32>;

    /// A fault of this server, with the kernel's reason where it killed the server, and with the last lines of its log,
    /// which tell why a server ended.
    fn explain(&self, mut fault: Fault) -> Fault {
        let lost = matches!(fault.kind, FaultKind::Crash | FaultKind::Timeout);
        if let Some(why) = self.killed().filter(|why| lost && !fault.what.starts_with(why.as_str())) {
            fault.what = format!("{why} ({})", fault.what);
            fault = fault.hint("give more --memory, or smaller caches: docs/memory.md");
        }
        match self.log_tail() {
            Some(tail) if fault.log_tail.is_none() => fault.log(tail),
            _ => fault,
        }
    }
}
