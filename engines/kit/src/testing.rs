//! Common parts of the engines' tests: servers of a release in a folder of their own, and checks of them.

mod allocator;
mod commands;
mod patches;
mod toy;

use std::path::PathBuf;
use std::time::Duration;

use humdrum_contract::{
    Connection, Dirs, Engine, Installation, Interrupt, Outcome, Server, Silent, Sizing, SqlSession,
};
use humdrum_model::{Fault, FaultKind, Place, Setting, Subject, SubjectFacts};
use humdrum_provision::debian::{self, Bundle};
use humdrum_provision::dirs::{self, Surroundings};
use humdrum_provision::fetch::{self, Artifact, Trust};
use humdrum_provision::maven;
use humdrum_provision::run_folder::RunFolder;
use humdrum_transport::Endpoint;

use crate::build::Build;
use crate::catalogue::{Entry, Maven};
use crate::engine::SqlEngine;
use crate::instance::Instance;
use crate::kind::SqlKind;
use crate::login::{Login, SCHEMA};
use crate::version::Version;

pub use allocator::runs_with_another_allocator;
pub use commands::commands;
pub use patches::patches_are_listed;
pub use toy::installed;

/// Small enough for every host that builds this.
pub const SIZING: Sizing = Sizing { memory_bytes: 512 << 20, limit_bytes: None, cpus: 2, connections: 4 };
/// Time for one answer.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The folders, one for a server, and an engine.
pub struct Rig {
    /// The engine.
    pub engine: Box<dyn Engine>,
    /// Builds are kept here.
    pub dirs: Dirs,
    /// Servers are here, until this is dropped.
    pub run: RunFolder,
    /// What each server may use.
    pub sizing: Sizing,
}

impl Rig {
    /// Uses the folders of the user who runs the tests, so that a build is fetched once.
    ///
    /// # Panics
    /// When there is no place for it.
    pub fn new(engine: impl Engine + 'static) -> Self {
        let dirs = dirs::find(&Surroundings::read(), false, &Interrupt::new()).expect("folders");
        let run = RunFolder::new(&dirs).expect("run folder");
        Self { engine: Box::new(engine), dirs, run, sizing: SIZING }
    }

    /// The build of a release.
    ///
    /// # Panics
    /// When it cannot be got.
    pub fn install(&self, version: &str, settings: &[Setting]) -> Box<dyn Installation> {
        let subject = subject_of(self.engine.name(), Place::Version(version.into()), settings);
        self.engine.install(&subject, &self.dirs, &Silent).expect("install")
    }

    /// A server of a release, not started.
    ///
    /// # Errors
    /// What the engine says.
    pub fn create(&self, name: &str, version: &str, settings: &[Setting]) -> Outcome<Box<dyn Server>> {
        self.install(version, settings).create(&self.run.home(name).expect("home"), &self.sizing)
    }

    /// A server that answers.
    ///
    /// # Panics
    /// When it does not.
    pub fn started(&self, name: &str, version: &str) -> Box<dyn Server> {
        let mut server = self.create(name, version, &[]).unwrap_or_else(|fault| panic!("{}", shown(&fault)));
        server.start().unwrap_or_else(|fault| panic!("{}", shown(&fault)));
        server
    }
}

/// A subject of an engine.
pub fn subject(engine: impl Engine, place: Place, settings: &[Setting]) -> Subject {
    subject_of(engine.name(), place, settings)
}

fn subject_of(engine: &str, place: Place, settings: &[Setting]) -> Subject {
    Subject { label: "it".into(), engine: engine.into(), place, settings: settings.to_vec() }
}

/// A named configuration.
pub fn named(name: &str) -> Setting {
    Setting::Named(name.into())
}

/// A setting of a subject.
pub fn value(key: &str, value: &str) -> Setting {
    Setting::Value { key: key.into(), value: value.into() }
}

/// A fault with its places, hint and log.
pub fn shown(fault: &Fault) -> String {
    format!("{fault}\n{}", fault.log_tail.as_deref().unwrap_or_default())
}

/// A session on a server.
///
/// # Panics
/// When it cannot be had.
pub fn session(server: &dyn Server) -> Box<dyn SqlSession> {
    server
        .connect(PATIENCE)
        .and_then(Connection::into_sql)
        .unwrap_or_else(|fault| panic!("{}", shown(&fault)))
}

/// The first value of an answer.
///
/// # Panics
/// When there is none.
pub fn single(session: &mut dyn SqlSession, sql: &str) -> String {
    session.query(sql).expect(sql)[0][0].clone().expect("value")
}

/// Waits for what must come, however busy the host is.
pub fn until(mut holds: impl FnMut() -> bool) -> bool {
    (0..4_000).any(|_| {
        holds() || {
            std::thread::sleep(Duration::from_millis(5));
            false
        }
    })
}

/// The process whose threads all others are.
///
/// # Panics
/// When nothing runs.
pub fn main_process(server: &dyn Server) -> u32 {
    server.processes().iter().map(|process| process.pid).min().expect("it runs")
}

/// An instance of a release that was not made: for what is only written about one.
pub fn unmade(engine: &str, release: &str) -> Instance {
    let build = Build {
        name: format!("{engine} {release}"),
        release: release.to_owned(),
        version: Version::of(release),
        root: PathBuf::new(),
        program: PathBuf::new(),
        facts: SubjectFacts::default(),
        checksum: String::new(),
        preload: None,
        run_as: None,
    };
    let login = Login {
        is_ours: true,
        endpoint: Endpoint::Unix(PathBuf::new()),
        user: SCHEMA.to_owned(),
        password: String::new(),
        database: String::new(),
        schema: None,
        encryption: None,
        notes: Vec::new(),
        socket: None,
        client: Vec::new(),
    };
    let (home, given, asked) = (PathBuf::new(), Vec::new(), Vec::new());
    Instance { build, home, login, given, asked, limit: None, fsync_delay: None }
}

/// Folders that are not there: for what must not touch a disk.
pub fn nowhere() -> Dirs {
    let cache = PathBuf::from("/nowhere");
    let (runs, interrupt) = (cache.join("runs"), Interrupt::new());
    Dirs { runs, cache, run_as: None, allow_external: false, reuse_trees: false, interrupt }
}

/// What a subject is refused with: usage, and what to type instead.
///
/// # Panics
/// When it is not refused so.
pub fn refused(engine: impl Engine, place: Place, settings: &[Setting], allow_external: bool) -> String {
    let dirs = Dirs { allow_external, ..nowhere() };
    let subject = subject_of(engine.name(), place, settings);
    let fault = engine.check(&subject, &dirs).expect_err("refused");
    assert_eq!((fault.kind, fault.hint.is_some()), (FaultKind::Usage, true), "{fault}");
    format!("{fault} ({})", fault.hint.as_deref().unwrap_or_default())
}

/// Prints what goes into an engine's catalogue: lines with checksums of artifacts that are not pinned yet, checked by the
/// registry's, and the packages of each Debian release as the suites have them now, for the files in `debian/`.
///
/// # Panics
/// When a suite or the repository cannot be read.
pub fn print_pins<K: SqlKind>(engine: SqlEngine<K>) {
    let rig = Rig::new(engine);
    let catalogue = &engine.0.profile().catalogue;
    for entry in (catalogue.releases)() {
        match (entry.maven(), entry.debian()) {
            (Some(artifact), _) if !entry.pinned() => print_artifact(entry, artifact, &rig.dirs),
            (None, Some((suites, package))) => {
                let name = format!("{} {}", engine.name(), entry.version);
                let (version, _) = catalogue.makers_version(&entry.version);
                let bundle = Bundle { name: &name, suites, package, version, ..Bundle::default() };
                let (version, packages) = debian::resolve(&bundle, &rig.dirs, &Silent).expect("resolve");
                let suites = suites.join(", ");
                println!(
                    "# {package} {version} of Debian {suites}, with the libraries it needs: path in the pool, SHA-256."
                );
                packages.iter().for_each(|package| println!("{}\t{}", package.path, package.sha256));
            }
            _ => {}
        }
    }
}

fn print_artifact(entry: &Entry, artifact: &Maven, dirs: &Dirs) {
    let url = maven::repository().and_then(|repository| artifact.coordinates.url(&repository)).expect("url");
    let name = artifact.coordinates.file_name();
    match fetch::fetch(&Artifact { name, url, trust: Trust::Registry }, dirs, &Silent) {
        Ok(fetched) => println!("{}\t{}", entry.version, fetched.sha256),
        Err(fault) => println!("# {}\t{fault}", entry.version),
    }
}
