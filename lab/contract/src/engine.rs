//! An engine: lists its releases, gets a build, and makes servers of it.

use std::path::{Path, PathBuf};

use humdrum_model::{Fault, Interface, Place, Subject, SubjectFacts, Timings};

use crate::{DumpProgram, Interrupt, Outcome, Progress, Server, StatementCounter, Survey, does_not_count};

/// A release that can be provisioned here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// As a user types it (`17.7`).
    pub version: String,
    /// Where it comes from, without an address (`zonky embedded-postgres, linux-amd64`).
    pub origin: String,
    /// Its SHA-256 is in the catalogue.
    pub pinned: bool,
    /// It is in the cache already.
    pub cached: bool,
}

/// A named configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// As a user types it after `+`.
    pub name: String,
    /// One line: what it is for, and for which releases.
    pub about: String,
}

/// Something that a build needs on its host, and the package of Debian that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// A program's name or path, a header in angle brackets (`<lz4.h>`), or a library as a linker takes it (`-ljemalloc`).
    pub name: String,
    /// What to install.
    pub package: String,
}

impl Tool {
    /// A tool and its package.
    pub fn new(name: &str, package: &str) -> Self {
        Self { name: name.to_owned(), package: package.to_owned() }
    }
}

/// What compiling takes on this host, as foretold for the default flags and for nothing compiled before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Takes {
    /// Seconds with all processors of this host.
    pub seconds: u64,
    /// Bytes of disk while it compiles: the copy of the sources with its objects.
    pub disk_bytes: u64,
}

/// What building a subject from sources takes, and whether it is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildPlan {
    /// The engine and the release (`postgres 17.7`).
    pub name: String,
    /// Where the sources come from, for people.
    pub sources: String,
    /// The compiler, as it says itself.
    pub compiler: String,
    /// Flags that the compiler is given.
    pub flags: Vec<String>,
    /// Commands, as a shell would take them.
    pub commands: Vec<String>,
    /// Patches, in order, with what fails without those that come with the engine.
    pub patches: Vec<String>,
    /// What this host lacks.
    pub missing: Vec<Tool>,
    /// SHA-256 over sources, patches, compiler and commands.
    pub hash: String,
    /// Where the build is, or will be.
    pub folder: PathBuf,
    /// It is there.
    pub built: bool,
    /// How long it takes and how much disk; `None` where nobody measured it.
    pub takes: Option<Takes>,
    /// An interrupted build of the same is there, and goes on where it was.
    pub begun: bool,
    /// Settings of the build, as typed.
    pub asked: Vec<String>,
    /// Settings that are the server's, and no part of the build, as typed.
    pub others: Vec<String>,
}

/// The folders of the lab on this host, and the user that servers run as.
#[derive(Clone, Debug)]
pub struct Dirs {
    /// Builds, shared by runs.
    pub cache: PathBuf,
    /// One folder per run, for data and sockets.
    pub runs: PathBuf,
    /// (uid, gid) to drop to, when started as root.
    pub run_as: Option<(u32, u32)>,
    /// External servers may be touched.
    pub allow_external: bool,
    /// Trees in which commits were built are kept, and the next commit is built in them.
    pub reuse_trees: bool,
    /// Set by Ctrl-C.
    pub interrupt: Interrupt,
}

/// The resources of one server, so that all subjects fit beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizing {
    /// Bytes of memory per server: what its caches and buffers are a share of.
    pub memory_bytes: u64,
    /// Bytes that the kernel lets the server have, page cache included; `None` without a limit.
    pub limit_bytes: Option<u64>,
    /// Processors of the host.
    pub cpus: u32,
    /// Connections the server must accept.
    pub connections: u32,
}

impl Sizing {
    /// Connections of the lab to each server beside those of its workload: for control, counters and examinations.
    pub const OWN_CONNECTIONS: u32 = 8;
}

/// Bytes of memory below which no server of any engine starts with its usual settings.
const LEAST_MEMORY_BYTES: u64 = 64 << 20;

/// A database system, all its releases.
pub trait Engine: Send + Sync {
    /// The name in a subject, lower case.
    fn name(&self) -> &'static str;
    /// One line for `humdrum versions`.
    fn about(&self) -> &'static str;
    /// The interface of its servers.
    fn interface(&self) -> Interface;
    /// Whether its servers run on a virtual clock, so that the host does not matter.
    fn is_virtual(&self) -> bool {
        false
    }
    /// Whether its sessions have pipelines.
    fn pipelines(&self) -> bool {
        false
    }
    /// Whether servers of a release take the optimizer's statistics from a dump.
    fn imports_statistics(&self, _release: &str) -> bool {
        false
    }
    /// Releases of the catalogue, oldest first.
    fn releases(&self, dirs: &Dirs) -> Vec<Release>;
    /// Releases that the catalogue's origins offer now: those of the catalogue, then newer ones that can be provisioned although
    /// they are not pinned.
    ///
    /// # Errors
    /// Environment: an origin cannot be reached; interrupted.
    fn offered(&self, dirs: &Dirs, _progress: &dyn Progress) -> Outcome<Vec<Release>> {
        Ok(self.releases(dirs))
    }
    /// Named configurations, alphabetical.
    fn configurations(&self) -> Vec<Configuration>;
    /// The time that a server needs outside measurements, for the slowest release in common use. The command
    /// that measured it is beside each engine's definition.
    fn timings(&self) -> Timings;
    /// Bytes of data that a server of this size holds in its own cache, if a subject's settings do not change
    /// it.
    fn cache_bytes(&self, sizing: &Sizing) -> u64 {
        sizing.memory_bytes
    }
    /// The smallest memory limit, in bytes, with which a server works that must accept so many connections: what it needs
    /// beside its cache, and its smallest cache. One number for all releases and configurations, that of the one that needs
    /// most, because the subjects of a comparison have one limit.
    fn least_memory(&self, _connections: u32) -> u64 {
        LEAST_MEMORY_BYTES
    }
    /// Checks a subject without network or disk writes, and returns its release.
    ///
    /// # Errors
    /// Usage: unknown release, no such folder, folder without binaries, unknown configuration, malformed URL …
    fn check(&self, subject: &Subject, dirs: &Dirs) -> Outcome<String>;
    /// The place of a release's sources, for an engine that can be built here.
    fn sources_of(&self, _release: &str) -> Option<Place> {
        None
    }
    /// The place of a subject under a name that will mean the same later, where the one that was typed need not: a branch
    /// moves on, its present commit does not.
    ///
    /// # Errors
    /// As `check`.
    fn pinned(&self, _subject: &Subject, _dirs: &Dirs) -> Outcome<Option<Place>> {
        Ok(None)
    }
    /// What building a subject from sources takes. Sources that are not on this host are fetched.
    ///
    /// # Errors
    /// Usage for what `check` refuses, and for a subject that is not built; environment for network and disk.
    fn build_plan(&self, subject: &Subject, _dirs: &Dirs, _progress: &dyn Progress) -> Outcome<BuildPlan> {
        Err(not_built(subject))
    }
    /// Whether a subject can be built in several layouts: the setting `layout=SEED`.
    fn has_layouts(&self, _subject: &Subject) -> bool {
        false
    }
    /// Asks a running server, named by its URL, for what an upgrade needs to know. Nothing is changed there.
    ///
    /// # Errors
    /// Usage: this engine has no such servers, or the URL is malformed. Otherwise what the server says.
    fn survey(&self, _url: &str) -> Outcome<Survey> {
        Err(no_running_servers(self.name()))
    }
    /// The program that dumps the database of a running server, named by its URL.
    ///
    /// # Errors
    /// Usage, as `survey`.
    fn dump_program(&self, _url: &str) -> Outcome<DumpProgram> {
        Err(no_running_servers(self.name()))
    }
    /// Gets the build: from the cache, else by fetching and unpacking it, or by compiling sources.
    ///
    /// # Errors
    /// Usage for what `check` refuses; environment for network, disk and checksums.
    fn install(
        &self,
        subject: &Subject,
        dirs: &Dirs,
        progress: &dyn Progress,
    ) -> Outcome<Box<dyn Installation>>;
    /// Opens a session on the running server of a URL, to ask for what it has counted. Nothing is written there.
    ///
    /// # Errors
    /// Usage: a malformed URL, an engine that counts nothing; crash or timeout of the log-in.
    fn counter(&self, _url: &str, _progress: &dyn Progress) -> Outcome<Box<dyn StatementCounter>> {
        Err(does_not_count(self.name()))
    }
}

/// The fault for a subject that is not built from sources.
pub fn not_built(subject: &Subject) -> Fault {
    Fault::usage(format!("{subject} is not built from sources"))
        .hint("name sources, ENGINE@src:PATH#REVISION, or add --from source to a release")
}

fn no_running_servers(engine: &str) -> Fault {
    Fault::usage(format!("no server of {engine} can be running somewhere")).hint(
        "name a release and say what runs on it: humdrum upgrade ENGINE@RELEASE --to RELEASE --suite ./shop",
    )
}

/// A build that is ready to be used.
pub trait Installation: Send + Sync {
    /// Origin and build facts; settings are not known yet.
    fn facts(&self) -> SubjectFacts;
    /// A path of the build: its folder, or a file in it. `None` for one that is no files of this host.
    fn place(&self) -> Option<PathBuf> {
        None
    }
    /// Makes a server in `home`, an existing empty folder of its own. Does not start it.
    ///
    /// # Errors
    /// Usage for a setting the release does not know; environment otherwise.
    fn create(&self, home: &Path, sizing: &Sizing) -> Outcome<Box<dyn Server>>;
}
