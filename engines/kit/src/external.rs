//! An external server. It is never started, stopped, frozen or configured, and touched only in the schema
//! `humdrum`; every session but the first is restricted to that schema.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use humdrum_contract::{
    Clock, Connection, Dialect, HostClock, Installation, Outcome, Probe, Process, Progress, Server, Sizing,
    StatementCounter, Survey, Update,
};
use humdrum_model::{Fault, Link, LinkKind, SubjectFacts};
use humdrum_transport::Endpoint;

use crate::fingerprint::fingerprint;
use crate::kind::SqlKind;
use crate::login::{Login, SCHEMA};
use crate::profile::Profile;
use crate::version::Version;

const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// A sample of rows may take longer; servers are told to give up before this.
const COUNTS_WITHIN: Duration = Duration::from_secs(60);

/// How long a subject that was measured before may take to leave the schema, and how often that is asked.
const FREE_WITHIN: Duration = Duration::from_secs(2);
const ASK_EVERY: Duration = Duration::from_millis(100);

/// Round trips that are measured, and how long that may take: a server far away has fewer.
const ROUND_TRIPS: u32 = 101;
const ROUND_TRIPS_WITHIN: Duration = Duration::from_secs(2);

/// Takes the place of a build. Its facts are known only after the server is queried.
pub(crate) struct External<K: 'static> {
    kind: &'static K,
    login: Login,
}

impl<K: SqlKind> External<K> {
    pub(crate) fn new(kind: &'static K, login: Login) -> Self {
        Self { kind, login }
    }
}

impl<K: SqlKind> Installation for External<K> {
    fn facts(&self) -> SubjectFacts {
        let origin = "a running server, not started by humdrum".to_owned();
        SubjectFacts { origin, ..SubjectFacts::default() }
    }

    fn create(&self, _home: &Path, _sizing: &Sizing) -> Outcome<Box<dyn Server>> {
        let first = self.login.clone();
        let login = Login { schema: Some(SCHEMA), ..first.clone() };
        let (kind, facts, clock) = (self.kind, self.facts(), Arc::new(HostClock::new()));
        let dialect = kind.dialect(Version(0, 0, 0));
        Ok(Box::new(ExternalServer { kind, first, login, facts, dialect, clock, claim: None }))
    }
}

/// A first session on a running server, which is only read.
fn open<K: SqlKind>(kind: &K, login: &Login, within: Duration) -> Outcome<K::Session> {
    kind.connect(login, within).map_err(|fault| refused(kind, login, fault))
}

/// Asks a running server for what an upgrade needs to know. It makes no schema.
pub(crate) fn survey<K: SqlKind>(kind: &K, url: &str) -> Outcome<Survey> {
    let login = kind.read_url(url)?;
    let survey = kind.survey(&mut open(kind, &login, ANSWER_WITHIN)?)?;
    Ok(Survey { database: login.database, ..survey })
}

/// A session that asks a running server what it has counted. It makes no schema.
pub(crate) fn counter<K: SqlKind>(
    kind: &'static K,
    url: &str,
    progress: &dyn Progress,
) -> Outcome<Box<dyn StatementCounter>> {
    let login = kind.read_url(url)?;
    login.notes.iter().for_each(|note| progress.update(Update::Note(note)));
    let session = open(kind, &login, COUNTS_WITHIN)?;
    kind.counter(session, &login).map_err(|fault| fault.at(login.endpoint.to_string()))
}

struct ExternalServer<K: SqlKind> {
    kind: &'static K,
    /// As it was typed: before our schema is there.
    first: Login,
    login: Login,
    facts: SubjectFacts,
    /// Of the server's release, once it was asked for that.
    dialect: Box<dyn Dialect>,
    clock: Arc<HostClock>,
    /// The session that holds our schema there: two subjects in one schema would drop each other's tables.
    claim: Option<K::Session>,
}

impl<K: SqlKind> ExternalServer<K> {
    fn address(&self) -> String {
        self.login.endpoint.to_string()
    }

    fn link(&self, session: &mut K::Session) -> Outcome<Link> {
        let begun = Instant::now();
        let mut times: Vec<u64> = Vec::new();
        while times.len() < ROUND_TRIPS as usize && begun.elapsed() < ROUND_TRIPS_WITHIN {
            let start = Instant::now();
            self.kind.round_trip(session)?;
            times.push(start.elapsed().as_nanos() as u64);
        }
        times.sort_unstable();
        let socket = self.kind.socket(session);
        let kind = match (socket.is_private(), socket.is_local()) {
            (true, _) => LinkKind::Socket,
            (false, true) => LinkKind::Loopback,
            (false, false) => LinkKind::Network,
        };
        let round_trip_ns_p50 = times[times.len() / 2];
        Ok(Link { kind, encryption: socket.encryption(), round_trip_ns_p50, round_trips: times.len() as u32 })
    }

    /// Takes our schema for this subject alone.
    fn take(&self, mut session: K::Session) -> Outcome<K::Session> {
        let begun = Instant::now();
        while !self.kind.claim(&mut session)? {
            if begun.elapsed() > FREE_WITHIN {
                let (address, Profile { touches, apart, .. }) = (self.address(), self.kind.profile());
                let what = format!(
                    "{touches} on {address} is in use by another subject, or by another run of humdrum"
                );
                return Err(Fault::usage(what).hint(*apart));
            }
            thread::sleep(ASK_EVERY);
        }
        Ok(session)
    }

    fn not_ours(&self, verb: &str) -> Fault {
        Fault::usage(format!("cannot {verb} {}: humdrum did not start it", self.address()))
            .hint("give a release or a folder instead, so that humdrum runs the server itself")
    }
}

/// A log-in that failed, with what the user should know of the password.
fn refused<K: SqlKind>(kind: &K, login: &Login, fault: Fault) -> Fault {
    let fault = fault.at(login.endpoint.to_string());
    match (&fault.hint, login.notes.first()) {
        (None, Some(note)) => fault.hint(note.clone()),
        (None, None) if login.password.is_empty() => fault.hint(kind.profile().passwords),
        _ => fault,
    }
}

impl<K: SqlKind> Server for ExternalServer<K> {
    /// Checks that it answers and that it is what the subject says, makes our schema, and takes it.
    fn start(&mut self) -> Outcome<()> {
        let mut session = open(self.kind, &self.first, ANSWER_WITHIN)?;
        self.dialect = self.kind.dialect(self.kind.adopt(&mut session, &self.address())?);
        self.claim = None;
        self.claim = Some(self.take(session)?);
        Ok(())
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
        self.kind.connect(&self.login, ANSWER_WITHIN).is_ok()
    }

    /// Those of our sessions, where they are on this host. Its other processes also work for other clients.
    fn processes(&self) -> Vec<Process> {
        match self.login.endpoint {
            Endpoint::Unix(_) => self.kind.processes_of_others(&self.login),
            Endpoint::Tcp(..) => Vec::new(),
        }
    }

    fn facts(&mut self) -> Outcome<SubjectFacts> {
        let mut session = self.kind.connect(&self.login, ANSWER_WITHIN)?;
        let mut facts = self.kind.facts(&mut session, self.facts.clone())?;
        facts.link = Some(self.link(&mut session)?);
        facts.fingerprint = fingerprint(&format!("{} {}", self.address(), facts.version), &facts.settings);
        Ok(facts)
    }

    fn connect(&self, timeout: Duration) -> Outcome<Connection> {
        self.kind.connect(&self.login, timeout).map(|session| Connection::Sql(Box::new(session)))
    }

    fn dialect(&self) -> Option<&dyn Dialect> {
        Some(&*self.dialect)
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
        format!("connect to {} as {}, schema {}", self.address(), self.login.user, SCHEMA)
    }

    fn detach(&mut self) -> Outcome<u32> {
        Err(self.not_ours("let go of"))
    }
}
