//! A server of ours: under guard, and reached over a socket that no other user can open.

use std::collections::HashSet;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Clock, Connection, Dialect, HostClock, Outcome, Probe, Process, Server, SqlSession};
use humdrum_model::{Fault, FaultKind, SubjectFacts};
use humdrum_provision::cgroup::{self, Limit};
use humdrum_provision::guardian::GuardSpec;
use humdrum_provision::{copies, logs, program, run_folder, secret, signal};
use humdrum_transport::Endpoint;

use crate::build::Build;
use crate::fingerprint::fingerprint;
use crate::instance::Instance;
use crate::kind::SqlKind;
use crate::life::{Life, NotStarted};
use crate::login::{Login, SCHEMA};
use crate::preload::Preload;
use crate::roles::{Sessions, threads_of};
use crate::settings;

/// Time that a question about the server itself may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// Time that one question may take while the server starts.
const STARTING_ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// One instance.
pub(crate) struct SqlServer<K: 'static> {
    kind: &'static K,
    instance: Instance,
    life: Life,
    /// Threads that were there before the first session.
    from_the_start: HashSet<u32>,
    /// It was told to count kinds of waits that it does not count while it is measured.
    counts_waits: bool,
    dialect: Box<dyn Dialect>,
    clock: Arc<HostClock>,
}

impl<K: SqlKind> SqlServer<K> {
    /// Makes data and configuration in `home`; leaves nothing running.
    ///
    /// # Errors
    /// Usage for a setting that the release does not take; environment or crash otherwise.
    pub(crate) fn create(
        kind: &'static K,
        build: &Build,
        home: &Path,
        given: Vec<(String, String)>,
        asked: Vec<String>,
    ) -> Outcome<Self> {
        let starting = &kind.profile().starting;
        let login = Login {
            is_ours: true,
            endpoint: Endpoint::Unix(PathBuf::new()),
            user: SCHEMA.to_owned(),
            password: String::new(),
            database: starting.database.to_owned(),
            schema: None,
            encryption: None,
            notes: Vec::new(),
            socket: None,
            client: settings::of_client(&kind.profile().options, &given),
        };
        let mut instance = Instance {
            build: build.clone(),
            home: home.to_path_buf(),
            login,
            given,
            asked,
            limit: None,
            fsync_delay: None,
        };
        instance.login.password = secret::make_password(&instance.password_file(), build.run_as)?;
        let sockets = run_folder::socket_folder(home, starting.socket, build.run_as)?;
        instance.login.endpoint = Endpoint::Unix(sockets.join(starting.socket));
        if settings::asks_for_tcp(&instance.login.client) {
            instance.login.socket = Some(std::mem::replace(&mut instance.login.endpoint, free_port()?));
        }
        kind.make(&instance)?;
        let (life, from_the_start) = (Life::default(), HashSet::new());
        let (dialect, clock) = (kind.dialect(build.version), Arc::new(HostClock::new()));
        Ok(Self { kind, instance, life, from_the_start, counts_waits: false, dialect, clock })
    }

    fn name(&self) -> &str {
        &self.instance.build.name
    }

    fn running(&self) -> Outcome<u32> {
        let pid = self.life.pid();
        pid.ok_or_else(|| self.explain(Fault::crash(format!("{} is not running", self.name()))))
    }

    fn session(&self, timeout: Duration) -> Outcome<K::Session> {
        self.kind.connect(&self.instance.login, timeout).map_err(|fault| self.explain(fault))
    }

    /// How the server is started, from a copy of its program that is made for this start.
    fn spec(&self) -> Outcome<GuardSpec> {
        let Build { root, program, preload, .. } = &self.instance.build;
        let program = program::place(root, program, &self.instance.program_copy())?;
        let mut command = self.kind.command(&self.instance);
        command.env.extend(preload.as_ref().map(Preload::variable));
        let spec = self.instance.spec(program, command, self.instance.log());
        let Instance { limit, fsync_delay, .. } = &self.instance;
        Ok(GuardSpec { limit: limit.clone(), fsync_delay: *fsync_delay, ..spec })
    }

    fn did_not_start(&self, why: NotStarted, said_before: usize) -> Fault {
        let what = match why {
            NotStarted::Fault(fault) => return fault,
            NotStarted::Silent(fault) => {
                let what = format!("{} does not answer: {fault}", self.name());
                return self.explain(Fault::new(FaultKind::Timeout, what));
            }
            NotStarted::Ended(how) => format!("{} ended while starting: {how}", self.name()),
        };
        match self.kind.complaint(&self.said_since(said_before), &self.instance.asked) {
            Some(complaint) => self.instance.refused(&complaint),
            None => self.explain(match &self.instance.build.preload {
                Some(preload) => preload.suspected(Fault::crash(what)),
                None => Fault::crash(what),
            }),
        }
    }

    fn said_since(&self, said_before: usize) -> String {
        logs::whole(&self.instance.log()).get(said_before..).unwrap_or_default().to_owned()
    }
}

/// A port of this host alone that nobody listens at now. A server that finds it taken says so when it starts.
fn free_port() -> Outcome<Endpoint> {
    const HOST: &str = "127.0.0.1";
    let address = TcpListener::bind((HOST, 0)).and_then(|listener| listener.local_addr());
    let address =
        address.map_err(|error| Fault::environment(format!("no port is free at {HOST}: {error}")))?;
    Ok(Endpoint::Tcp(HOST.to_owned(), address.port()))
}

impl<K: SqlKind> Server for SqlServer<K> {
    fn start(&mut self) -> Outcome<()> {
        if self.is_running() {
            return Ok(());
        }
        self.life.forget();
        self.counts_waits = false;
        let starting = &self.kind.profile().starting;
        let said_before = logs::whole(&self.instance.log()).len();
        let spec = self.spec()?;
        let ask = || self.kind.connect(&self.instance.login, STARTING_ANSWER_WITHIN);
        let (guard, session) = match self.life.start(&spec, &starting.patience, ask) {
            Ok(started) => started,
            Err(why) => return Err(self.did_not_start(why, said_before)),
        };
        if let Sessions::Threads = starting.sessions {
            self.from_the_start = threads_of(guard.server_pid()).into_iter().collect();
            session.server_process().map(|thread| self.from_the_start.remove(&thread));
        }
        let said = self.said_since(said_before);
        if let Some(preload) = &self.instance.build.preload {
            preload.check(guard.server_pid(), &said).map_err(|fault| self.explain(fault))?;
        }
        self.kind.answered(&self.instance, &said)?;
        self.life.set(guard);
        self.kind.started(&self.instance)
    }

    fn stop(&mut self) -> Outcome<()> {
        let starting = &self.kind.profile().starting;
        let ask = |pid| {
            signal::send(pid, starting.stop_signal);
            Ok(())
        };
        match self.life.stop(starting.patience.stop_within, ask) {
            Ok(None) => Ok(()),
            Ok(Some(how)) => {
                let what = format!("{} did not stop cleanly: {how}", self.name());
                Err(self.explain(Fault::crash(what)))
            }
            Err(fault) => Err(self.explain(fault)),
        }
    }

    fn limit_memory(&mut self, bytes: u64) -> Outcome<()> {
        self.instance.limit = Some(Limit { bytes, data: self.instance.data() });
        Ok(())
    }

    fn delay_fsync(&mut self, by: Duration) -> Outcome<()> {
        self.instance.fsync_delay = Some(by);
        Ok(())
    }

    fn killed(&self) -> Option<String> {
        cgroup::killed(&self.instance.home, self.instance.limit.as_ref())
    }

    fn kill(&mut self) -> Outcome<()> {
        self.life.kill()
    }

    fn keep(&mut self, name: &str) -> Outcome<()> {
        copies::mirror(&self.instance.data(), &self.instance.kept(name))
    }

    fn bring_back(&mut self, name: &str) -> Outcome<()> {
        copies::mirror(&self.instance.kept(name), &self.instance.data())
    }

    fn freeze(&mut self) -> Outcome<()> {
        self.running()?;
        self.life.freeze();
        Ok(())
    }

    fn thaw(&mut self) -> Outcome<()> {
        self.life.thaw_all();
        self.running().map(drop)
    }

    fn is_running(&self) -> bool {
        self.life.is_running()
    }

    fn processes(&self) -> Vec<Process> {
        let sessions = self.kind.profile().starting.sessions;
        self.life.pid().map(|pid| sessions.with_roles(pid, &self.from_the_start)).unwrap_or_default()
    }

    fn facts(&mut self) -> Outcome<SubjectFacts> {
        let mut session = self.session(ANSWER_WITHIN)?;
        let Instance { build, given, .. } = &self.instance;
        let facts = self.kind.facts(&mut session, build.facts.clone());
        let mut facts = facts.map_err(|fault| self.explain(fault))?;
        facts.given = given.clone();
        // The server does not know of these, and they may be all that two subjects differ in.
        let malloc = build.preload.as_ref().map(Preload::setting);
        facts.given.extend(malloc.iter().cloned());
        facts.settings.extend(malloc);
        facts.settings.extend(self.instance.login.client.iter().cloned());
        facts.fingerprint = fingerprint(&build.checksum, &facts.given);
        facts.settings.sort();
        Ok(facts)
    }

    fn connect(&self, timeout: Duration) -> Outcome<Connection> {
        Ok(Connection::Sql(Box::new(self.session(timeout)?)))
    }

    fn dialect(&self) -> Option<&dyn Dialect> {
        Some(&*self.dialect)
    }

    fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    fn count_waits(&mut self, on: bool) -> Outcome<bool> {
        if on != self.counts_waits {
            let mut session = self.session(ANSWER_WITHIN)?;
            self.counts_waits = self.kind.count_waits(&mut session, on)?;
        }
        Ok(self.counts_waits)
    }

    fn probes(&self) -> Vec<Box<dyn Probe>> {
        Vec::new()
    }

    fn data_folder(&self) -> Option<PathBuf> {
        Some(self.instance.data())
    }

    fn log_tail(&self) -> Option<String> {
        logs::tail(&self.instance.log())
    }

    fn log_file(&self) -> Option<PathBuf> {
        Some(self.instance.log())
    }

    fn how_to_connect(&self) -> String {
        self.kind.how_to_connect(&self.instance.login)
    }

    fn detach(&mut self) -> Outcome<u32> {
        self.running()?;
        self.life.detach()
    }
}
