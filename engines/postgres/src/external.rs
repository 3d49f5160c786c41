//! A server that somebody else runs: never started, stopped, frozen or configured, and touched only in the schema
//! `humdrum`, which every session searches first and alone.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{
    Clock, Connection, Dialect, HostClock, Installation, Outcome, Probe, Process, Role, Server, Sizing,
    number_at,
};
use humdrum_model::{Fault, SubjectFacts};
use humdrum_provision::checksum;

use crate::session::{Endpoint, Target};
use crate::{dialect, facts, session, url};

const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// Stands for the build, of which nothing is known before the server is asked.
pub(crate) struct External {
    target: Target,
}

impl External {
    pub(crate) fn new(target: Target) -> Self {
        Self { target }
    }
}

impl Installation for External {
    fn facts(&self) -> SubjectFacts {
        SubjectFacts {
            origin: "a running server, not started by humdrum".to_owned(),
            ..SubjectFacts::default()
        }
    }

    fn create(&self, _home: &Path, _sizing: &Sizing) -> Outcome<Box<dyn Server>> {
        let server = ExternalServer {
            target: self.target.clone(),
            facts: self.facts(),
            dialect: dialect::Postgres { major: 0 },
            clock: Arc::new(HostClock::new()),
        };
        Ok(Box::new(server))
    }
}

struct ExternalServer {
    target: Target,
    facts: SubjectFacts,
    /// Known once the server was asked.
    dialect: dialect::Postgres,
    clock: Arc<HostClock>,
}

impl ExternalServer {
    fn address(&self) -> String {
        match &self.target.endpoint {
            Endpoint::Unix(path) => path.display().to_string(),
            Endpoint::Tcp(host, port) => format!("{host}:{port}"),
        }
    }

    fn not_ours(&self, verb: &str) -> Fault {
        Fault::usage(format!("cannot {verb} {}: humdrum did not start it", self.address()))
            .hint("give a release or a folder instead, so that humdrum runs the server itself")
    }
}

impl Server for ExternalServer {
    /// Only sees that it answers and that our schema is there.
    fn start(&mut self) -> Outcome<()> {
        let mut session =
            session::connect(&self.target, ANSWER_WITHIN).map_err(|fault| fault.at(self.address()))?;
        let number = session.query("SHOW server_version_num")?;
        let major = number_at(&number, 0).map_or(0, |number| number as u32 / 10_000);
        self.dialect = dialect::Postgres { major };
        session.query(&format!("CREATE SCHEMA IF NOT EXISTS {}", url::SCHEMA)).map(drop)
    }

    fn stop(&mut self) -> Outcome<()> {
        Ok(())
    }

    fn freeze(&mut self) -> Outcome<()> {
        Err(self.not_ours("freeze"))
    }

    fn thaw(&mut self) -> Outcome<()> {
        Err(self.not_ours("thaw"))
    }

    fn can_freeze(&self) -> bool {
        false
    }

    fn is_running(&self) -> bool {
        session::connect(&self.target, ANSWER_WITHIN).is_ok()
    }

    /// Backends of our own sessions, where they are on this host.
    fn processes(&self) -> Vec<Process> {
        let Endpoint::Unix(_) = self.target.endpoint else { return Vec::new() };
        let Ok(mut session) = session::connect(&self.target, ANSWER_WITHIN) else { return Vec::new() };
        let sql =
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'humdrum' AND pid <> pg_backend_pid()";
        let pids = session.query(sql).unwrap_or_default().into_iter().flatten().flatten();
        let here = pids.filter_map(|pid| pid.parse().ok()).filter(|pid| is_postgres(*pid));
        here.map(|pid| Process { pid, role: Role::Session }).collect()
    }

    fn facts(&mut self) -> Outcome<SubjectFacts> {
        let mut session = session::connect(&self.target, ANSWER_WITHIN)?;
        let mut facts = facts::ask(&mut *session, self.facts.clone())?;
        let settings: Vec<String> =
            facts.settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let named = format!("{} {}\n{}", self.address(), facts.version, settings.join("\n"));
        facts.fingerprint = checksum::sha256_of_bytes(named.as_bytes());
        Ok(facts)
    }

    fn connect(&self, timeout: Duration) -> Outcome<Connection> {
        session::connect(&self.target, timeout).map(Connection::Sql)
    }

    fn dialect(&self) -> Option<&dyn Dialect> {
        Some(&self.dialect)
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
        None
    }

    fn log_file(&self) -> Option<PathBuf> {
        None
    }

    fn how_to_connect(&self) -> String {
        format!("connect to {} as {}, schema {}", self.address(), self.target.user, url::SCHEMA)
    }

    fn detach(&mut self) -> Outcome<u32> {
        Err(self.not_ours("let go of"))
    }
}

/// Guards against process ids of another namespace.
fn is_postgres(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim().starts_with("postgres"))
}
