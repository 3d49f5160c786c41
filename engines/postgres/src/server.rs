//! A Postgres server of ours: made by initdb, guarded, reached over a socket that nobody else can open.

pub(crate) mod layout;
mod lifecycle;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Clock, Connection, Dialect, HostClock, Outcome, Probe, Process, Role, Server};
use humdrum_model::{Fault, SubjectFacts};
use humdrum_provision::guardian::{GuardSpec, Guarded};
use humdrum_provision::{checksum, copies, logs, signal};

use crate::install::Build;
use crate::session::{Endpoint, Target};
use crate::{catalogue, dialect, facts, session};

/// Time that a question about the server itself may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// A fast shutdown writes a checkpoint; longer than this it hangs.
const STOP_WITHIN: Duration = Duration::from_secs(60);

/// One instance.
pub(crate) struct PostgresServer {
    build: Build,
    home: PathBuf,
    target: Target,
    given: Vec<(String, String)>,
    guard: Option<Guarded>,
    dialect: dialect::Postgres,
    frozen: Vec<u32>,
    clock: Arc<HostClock>,
}

impl PostgresServer {
    /// Makes data and configuration in `home`; starts nothing.
    ///
    /// # Errors
    /// Environment.
    pub(crate) fn create(build: &Build, home: &Path, given: Vec<(String, String)>) -> Outcome<Self> {
        let (password, sockets) = layout::create(build, home, &given)?;
        let target = Target {
            endpoint: Endpoint::Unix(sockets.join(layout::SOCKET)),
            user: layout::USER.to_owned(),
            password,
            database: layout::DATABASE.to_owned(),
            options: Vec::new(),
        };
        let dialect = dialect::Postgres { major: catalogue::major(&build.release) };
        let (build, home, clock) = (build.clone(), home.to_path_buf(), Arc::new(HostClock::new()));
        Ok(Self { build, home, target, given, guard: None, dialect, frozen: Vec::new(), clock })
    }

    fn running(&self) -> Outcome<&Guarded> {
        let guard = self.guard.as_ref().filter(|guard| guard.is_running());
        guard.ok_or_else(|| {
            self.explain(Fault::crash(format!("postgres {} is not running", self.build.release)))
        })
    }

    fn log(&self) -> PathBuf {
        layout::log(&self.home)
    }
}

impl Server for PostgresServer {
    fn start(&mut self) -> Outcome<()> {
        self.start_and_wait()
    }

    fn stop(&mut self) -> Outcome<()> {
        self.stop_fast()
    }

    fn kill(&mut self) -> Outcome<()> {
        self.frozen.clear();
        self.guard.take().map_or(Ok(()), |mut guard| guard.kill().map(drop))
    }

    fn keep(&mut self) -> Outcome<()> {
        copies::mirror(&layout::data(&self.home), &layout::kept(&self.home))
    }

    fn bring_back(&mut self) -> Outcome<()> {
        copies::mirror(&layout::kept(&self.home), &layout::data(&self.home))
    }

    fn freeze(&mut self) -> Outcome<()> {
        let root = self.running()?.server_pid();
        self.frozen = signal::freeze_tree(root);
        Ok(())
    }

    /// Children first: a postmaster that wakes before them could fork while they cannot answer it.
    fn thaw(&mut self) -> Outcome<()> {
        let mut frozen = std::mem::take(&mut self.frozen);
        frozen.reverse();
        signal::thaw(&frozen);
        self.running().map(drop)
    }

    fn is_running(&self) -> bool {
        self.guard.as_ref().is_some_and(Guarded::is_running)
    }

    fn processes(&self) -> Vec<Process> {
        let Ok(guard) = self.running() else { return Vec::new() };
        let root = guard.server_pid();
        let below = signal::children(root).into_iter().map(|pid| Process { pid, role: role(pid) });
        let mut all: Vec<Process> = below.chain([Process { pid: root, role: Role::Background }]).collect();
        all.sort_by_key(|process| process.role == Role::Background);
        all
    }

    fn facts(&mut self) -> Outcome<SubjectFacts> {
        let mut session =
            session::connect(&self.target, ANSWER_WITHIN).map_err(|fault| self.explain(fault))?;
        let mut facts =
            facts::ask(&mut *session, self.build.facts.clone()).map_err(|fault| self.explain(fault))?;
        let named: Vec<String> = self.given.iter().map(|(key, value)| format!("{key}={value}")).collect();
        facts.fingerprint =
            checksum::sha256_of_bytes(format!("{}\n{}", self.build.checksum, named.join("\n")).as_bytes());
        facts.given = self.given.clone();
        Ok(facts)
    }

    fn connect(&self, timeout: Duration) -> Outcome<Connection> {
        let session = session::connect(&self.target, timeout).map_err(|fault| self.explain(fault))?;
        Ok(Connection::Sql(session))
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
        Some(layout::data(&self.home))
    }

    fn log_tail(&self) -> Option<String> {
        logs::tail(&self.log())
    }

    fn log_file(&self) -> Option<PathBuf> {
        Some(self.log())
    }

    fn how_to_connect(&self) -> String {
        let Endpoint::Unix(socket) = &self.target.endpoint else { return String::new() };
        let folder = socket.parent().unwrap_or(Path::new("/")).display();
        let Target { user, password, database, .. } = &self.target;
        format!(
            "  psql -h {folder} -U {user} {database}        (PGPASSWORD={password})\n  \
             postgres://{user}:{password}@/{database}?host={folder}&port={}",
            layout::PORT
        )
    }

    fn detach(&mut self) -> Outcome<u32> {
        self.running()?;
        match self.guard.take() {
            Some(guard) => guard.detach(),
            None => Err(Fault::crash("the server is not running")),
        }
    }
}

/// How a program of the build is started: unprivileged, without our environment, under guard.
pub(crate) fn guard_spec(
    build: &Build,
    home: &Path,
    program: &str,
    args: Vec<OsString>,
    log_file: &Path,
) -> GuardSpec {
    let root = build.root.canonicalize().unwrap_or_else(|_| build.root.clone());
    let env = [("LC_ALL", "C"), ("TZ", "UTC"), ("PATH", "/usr/bin:/bin")];
    GuardSpec {
        program: root.join(build.program(program)),
        args,
        env: env.map(|(key, value)| (key.into(), value.into())).to_vec(),
        cwd: home.to_path_buf(),
        log_file: log_file.to_path_buf(),
        run_as: build.run_as,
    }
}

/// Backends of local clients show `[local]` in their title; everything else works for itself.
fn role(pid: u32) -> Role {
    let title = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    if title.windows(7).any(|part| part == b"[local]") { Role::Session } else { Role::Background }
}
