//! A server of ours: its data made by itself, guarded, reached over a socket that nobody else can open.

mod first_life;
pub(crate) mod layout;
mod lifecycle;

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use humdrum_contract::{Clock, Connection, Dialect, HostClock, Outcome, Probe, Process, Server};
use humdrum_model::{Fault, Setting, SubjectFacts};
use humdrum_mysql_session::{CharacterSet, Endpoint, InnoDb, Session, Target, connect};
use humdrum_provision::guardian::{GuardSpec, Guarded};
use humdrum_provision::{checksum, copies, logs, signal};

use crate::install::Build;
use crate::{facts, parts, threads};

/// Time that a question about the server itself may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// One instance.
pub(crate) struct FamilyServer {
    build: Build,
    home: PathBuf,
    target: Target,
    given: Vec<(String, String)>,
    /// Names of the settings that the user typed.
    asked: Vec<String>,
    guard: Option<Guarded>,
    frozen: Vec<u32>,
    /// Threads that were there before the first session.
    from_the_start: HashSet<u32>,
    clock: Arc<HostClock>,
}

impl FamilyServer {
    /// Makes data and configuration in `home`; leaves nothing running.
    ///
    /// # Errors
    /// Usage for a setting that the release does not take; environment or crash otherwise.
    pub(crate) fn create(
        build: &Build,
        home: &Path,
        given: Vec<(String, String)>,
        settings: &[Setting],
    ) -> Outcome<Self> {
        let asked = settings.iter().filter_map(|setting| match setting {
            Setting::Value { key, .. } => Some(key.to_ascii_lowercase().replace('-', "_")),
            Setting::Named(_) => None,
        });
        let asked: Vec<String> = asked.collect();
        let (password, socket) = layout::create(build, home, &given)?;
        first_life::begin(build, home, &asked)?;
        let target = Target {
            endpoint: Endpoint::Unix(socket),
            user: layout::USER.to_owned(),
            password,
            database: layout::DATABASE.to_owned(),
            character_set: CharacterSet::default(),
        };
        let (build, home, clock) = (build.clone(), home.to_path_buf(), Arc::new(HostClock::new()));
        let (frozen, from_the_start) = (Vec::new(), HashSet::new());
        Ok(Self { build, home, target, given, asked, guard: None, frozen, from_the_start, clock })
    }

    fn running(&self) -> Outcome<&Guarded> {
        let guard = self.guard.as_ref().filter(|guard| guard.is_running());
        guard.ok_or_else(|| self.explain(Fault::crash(format!("{} is not running", self.build.name))))
    }

    fn session(&self, timeout: Duration) -> Outcome<Session> {
        connect(&self.target, timeout)
    }
}

impl Server for FamilyServer {
    fn start(&mut self) -> Outcome<()> {
        self.start_and_wait()
    }

    fn stop(&mut self) -> Outcome<()> {
        self.stop_cleanly()
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

    fn thaw(&mut self) -> Outcome<()> {
        signal::thaw(&std::mem::take(&mut self.frozen));
        self.running().map(drop)
    }

    fn is_running(&self) -> bool {
        self.guard.as_ref().is_some_and(Guarded::is_running)
    }

    /// Threads: the kernel counts and schedules them as it does processes.
    fn processes(&self) -> Vec<Process> {
        let pid = self.running().map(Guarded::server_pid);
        pid.map(|pid| threads::with_roles(pid, &self.from_the_start)).unwrap_or_default()
    }

    fn facts(&mut self) -> Outcome<SubjectFacts> {
        let mut session = self.session(ANSWER_WITHIN).map_err(|fault| self.explain(fault))?;
        let known = self.build.facts.clone();
        let mut facts = facts::ask(&mut session, known).map_err(|fault| self.explain(fault))?;
        let named: Vec<String> = self.given.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let identity = format!("{}\n{}", self.build.checksum, named.join("\n"));
        facts.fingerprint = checksum::sha256_of_bytes(identity.as_bytes());
        facts.given = self.given.clone();
        Ok(facts)
    }

    fn connect(&self, timeout: Duration) -> Outcome<Connection> {
        let session = self.session(timeout).map_err(|fault| self.explain(fault))?;
        Ok(Connection::Sql(Box::new(session)))
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
        Some(layout::data(&self.home))
    }

    fn log_tail(&self) -> Option<String> {
        logs::tail(&layout::log(&self.home))
    }

    fn log_file(&self) -> Option<PathBuf> {
        Some(layout::log(&self.home))
    }

    fn how_to_connect(&self) -> String {
        let Endpoint::Unix(socket) = &self.target.endpoint else { return String::new() };
        let (socket, Target { user, password, database, .. }) = (socket.display(), &self.target);
        let name = self.build.flavour.name;
        format!(
            "  {name} --socket={socket} --user={user} {database}        (MYSQL_PWD={password})\n  \
             {name}://{user}:{password}@localhost/{database}?socket={socket}"
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

/// How a build's server is started: unprivileged, without our environment, under guard. The option file comes
/// first: servers look for it nowhere else, and so at no file of this host.
pub(crate) fn guard_spec(build: &Build, home: &Path, args: &[&str], log_file: &Path) -> GuardSpec {
    let mut all: Vec<OsString> = vec![format!("--defaults-file={}", layout::options(home).display()).into()];
    all.extend(args.iter().map(Into::into));
    let libraries = parts::library_path(&build.folder);
    let env = [("LC_ALL", "C"), ("TZ", "UTC"), ("PATH", "/usr/bin:/bin"), ("LD_LIBRARY_PATH", &libraries)];
    let env = env.into_iter().filter(|(_, value)| !value.is_empty());
    GuardSpec {
        program: build.folder.join(&build.program),
        args: all,
        env: env.map(|(key, value)| (key.into(), value.into())).collect(),
        cwd: home.to_path_buf(),
        log_file: log_file.to_path_buf(),
        run_as: build.run_as,
    }
}
