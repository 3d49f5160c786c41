//! A server that somebody else runs: never started, stopped, frozen or configured, and touched only in the schema
//! `humdrum`, in which every session but the first begins.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{
    Clock, Connection, Dialect, HostClock, Installation, Outcome, Probe, Process, Server, Sizing, SqlSession,
};
use humdrum_model::{Fault, SubjectFacts};
use humdrum_mysql_session::{Endpoint, InnoDb, Target, connect};
use humdrum_provision::checksum;

use crate::flavour::Flavour;
use crate::{facts, url};

const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// Stands for the build, of which nothing is known before the server is asked.
pub(crate) struct External {
    flavour: &'static Flavour,
    target: Target,
}

impl External {
    pub(crate) fn new(flavour: &'static Flavour, target: Target) -> Self {
        Self { flavour, target }
    }
}

impl Installation for External {
    fn facts(&self) -> SubjectFacts {
        let origin = "a running server, not started by humdrum".to_owned();
        SubjectFacts { origin, ..SubjectFacts::default() }
    }

    fn create(&self, _home: &Path, _sizing: &Sizing) -> Outcome<Box<dyn Server>> {
        let first = self.target.clone();
        let target = Target { database: url::SCHEMA.to_owned(), ..first.clone() };
        let (flavour, facts, clock) = (self.flavour, self.facts(), Arc::new(HostClock::new()));
        Ok(Box::new(ExternalServer { flavour, first, target, facts, clock }))
    }
}

struct ExternalServer {
    flavour: &'static Flavour,
    /// As it was typed: before our schema is there.
    first: Target,
    target: Target,
    facts: SubjectFacts,
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
    /// Only sees that it answers, that it is what the subject says, and that our schema is there.
    fn start(&mut self) -> Outcome<()> {
        let mut session = connect(&self.first, ANSWER_WITHIN).map_err(|fault| fault.at(self.address()))?;
        let version = session.server_version().to_owned();
        if !(self.flavour.is_of)(&version) {
            let what = format!("{} is not {}: it says {version}", self.address(), self.flavour.title);
            return Err(
                Fault::usage(what).hint("MySQL is written mysql@mysql://…, MariaDB mariadb@mariadb://…")
            );
        }
        session.query(&format!("CREATE DATABASE IF NOT EXISTS {}", url::SCHEMA)).map(drop)
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
        connect(&self.target, ANSWER_WITHIN).is_ok()
    }

    /// Sessions know their own threads, where those are on this host; what else the server does is not ours to see.
    fn processes(&self) -> Vec<Process> {
        Vec::new()
    }

    fn facts(&mut self) -> Outcome<SubjectFacts> {
        let mut session = connect(&self.target, ANSWER_WITHIN)?;
        let mut facts = facts::ask(&mut session, self.facts.clone())?;
        let settings: Vec<String> =
            facts.settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let named = format!("{} {}\n{}", self.address(), facts.version, settings.join("\n"));
        facts.fingerprint = checksum::sha256_of_bytes(named.as_bytes());
        Ok(facts)
    }

    fn connect(&self, timeout: Duration) -> Outcome<Connection> {
        connect(&self.target, timeout).map(|session| Connection::Sql(Box::new(session)))
    }

    fn dialect(&self) -> Option<&dyn Dialect> {
        Some(&InnoDb)
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
