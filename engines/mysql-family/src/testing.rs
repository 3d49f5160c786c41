//! What tests of the two engines share: servers of a release in a folder of their own, and the life that every
//! release must be able to lead.

mod life;

use std::path::PathBuf;
use std::time::Duration;

use humdrum_contract::{
    Connection, Dirs, Engine, Installation, Interrupt, Outcome, Server, Silent, Sizing, SqlSession,
};
use humdrum_model::{Fault, FaultKind, Place, Setting, Subject};
use humdrum_provision::debian::{self, Bundle};
use humdrum_provision::dirs::{self, Surroundings};
use humdrum_provision::run_folder::RunFolder;

use crate::FamilyEngine;

pub use life::{configurations_start, lives_a_whole_life};

/// Small enough for every host that builds this.
pub const SIZING: Sizing = Sizing { memory_bytes: 512 << 20, cpus: 2, connections: 4 };
const PATIENCE: Duration = Duration::from_secs(60);

/// The folders, one for a server, and an engine.
pub struct Rig {
    /// The engine.
    pub engine: FamilyEngine,
    /// Builds are kept here.
    pub dirs: Dirs,
    /// Servers live here, until this is dropped.
    pub run: RunFolder,
}

impl Rig {
    /// In the folders of whoever runs the tests, so that a build is fetched once.
    ///
    /// # Panics
    /// When there is no place for it.
    pub fn new(engine: FamilyEngine) -> Self {
        let dirs = dirs::find(&Surroundings::read(), false, &Interrupt::new()).expect("folders");
        let run = RunFolder::new(&dirs).expect("run folder");
        Self { engine, dirs, run }
    }

    /// A subject of the engine.
    pub fn subject(&self, place: Place, settings: &[Setting]) -> Subject {
        let settings = settings.to_vec();
        Subject { label: "it".into(), engine: self.engine.name().into(), place, settings }
    }

    /// The build of a release.
    ///
    /// # Panics
    /// When it cannot be got.
    pub fn install(&self, version: &str, settings: &[Setting]) -> Box<dyn Installation> {
        let subject = self.subject(Place::Version(version.into()), settings);
        self.engine.install(&subject, &self.dirs, &Silent).expect("install")
    }

    /// A server of a release, not started.
    ///
    /// # Errors
    /// What the engine says.
    pub fn create(&self, name: &str, version: &str, settings: &[Setting]) -> Outcome<Box<dyn Server>> {
        self.install(version, settings).create(&self.run.home(name).expect("home"), &SIZING)
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

/// A setting of a subject.
pub fn value(key: &str, value: &str) -> Setting {
    Setting::Value { key: key.into(), value: value.into() }
}

/// A fault with all that it knows.
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

/// What the catalogue knows, and what its configurations come to, as text for a snapshot.
pub fn described(engine: FamilyEngine, versions: &[&str]) -> String {
    let cache = PathBuf::from("/nowhere");
    let dirs = Dirs {
        runs: cache.join("runs"),
        cache,
        run_as: None,
        allow_external: false,
        interrupt: Interrupt::new(),
    };
    let mut text = String::new();
    for release in engine.releases(&dirs) {
        let pinned = if release.pinned { "pinned" } else { "not pinned" };
        text.push_str(&format!("{:<10} {pinned}  {}\n", release.version, release.origin));
    }
    for configuration in engine.configurations() {
        text.push_str(&format!("{:<14} {}\n", configuration.name, configuration.about));
    }
    let sizing = Sizing { memory_bytes: 32 << 30, cpus: 8, connections: 40 };
    for version in versions {
        let given =
            crate::settings::resolve(engine.0, &[], crate::Version::of(version), &sizing).expect(version);
        text.push_str(&format!("\n[{version}]\n{}", crate::settings::as_text(&given)));
    }
    text
}

/// What a subject is refused with: usage, and what to type instead.
///
/// # Panics
/// When it is not refused so.
pub fn refused(engine: FamilyEngine, place: Place, settings: &[Setting], allow_external: bool) -> String {
    let cache = PathBuf::from("/nowhere");
    let dirs =
        Dirs { runs: cache.join("runs"), cache, run_as: None, allow_external, interrupt: Interrupt::new() };
    let name = engine.name().to_owned();
    let subject = Subject { label: "it".into(), engine: name, place, settings: settings.to_vec() };
    let fault = engine.check(&subject, &dirs).expect_err("refused");
    assert_eq!((fault.kind, fault.hint.is_some()), (FaultKind::Usage, true), "{fault}");
    format!("{fault} ({})", fault.hint.as_deref().unwrap_or_default())
}

/// A folder with a server that prints `says`.
///
/// # Panics
/// When it cannot be made.
pub fn pretended_build(says: &str) -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("bin/mysqld");
    std::fs::create_dir(folder.path().join("bin")).expect("bin");
    std::fs::write(&path, format!("#!/bin/sh\necho '{says}'\n")).expect("write");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("mode");
    folder
}

/// Prints the packages of each Debian release as the suites have them now, for the files in `debian/`.
///
/// # Panics
/// When a suite cannot be read.
pub fn print_pins(engine: FamilyEngine) {
    let rig = Rig::new(engine);
    for entry in (engine.0.releases)() {
        let Some((suites, package)) = entry.debian() else { continue };
        let (name, version) = (format!("{} {}", engine.name(), entry.version), entry.version.as_str());
        let bundle = Bundle { name: &name, suites, package, version, ..Bundle::default() };
        let (version, packages) = debian::resolve(&bundle, &rig.dirs, &Silent).expect("resolve");
        println!(
            "# {package} {version} of Debian {}, with the libraries it needs: path in the pool, SHA-256.",
            suites.join(", ")
        );
        packages.iter().for_each(|package| println!("{}\t{}", package.path, package.sha256));
    }
}
