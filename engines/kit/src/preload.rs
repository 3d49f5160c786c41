//! Another allocator in front of a build that was made elsewhere: its library is loaded before all others (`LD_PRELOAD`), as many
//! who operate these servers do. A build from sources is linked with one instead (`source/flags.rs`).

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use humdrum_contract::{Dirs, Outcome, Progress, Update};
use humdrum_model::{Fault, Setting};
use humdrum_provision::debian::{self, Package};

use crate::cache::{self, Note};

/// The setting's name.
const MALLOC: &str = "malloc";

/// A library with another `malloc`, from a pinned package of Debian 12 (x86-64).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allocator {
    /// As a user types it after `+malloc=`.
    name: &'static str,
    version: &'static str,
    file: &'static str,
    package: &'static str,
    sha256: &'static str,
}

const KNOWN: [Allocator; 2] = [
    Allocator {
        name: "jemalloc",
        version: "5.3.0",
        file: "libjemalloc.so.2",
        package: "pool/main/j/jemalloc/libjemalloc2_5.3.0-1_amd64.deb",
        sha256: "a4117c23c5c8acf6c9678a6cb086f000b79476369da7efe8a78a70826956ad3d",
    },
    Allocator {
        name: "tcmalloc",
        version: "2.10",
        file: "libtcmalloc_minimal.so.4",
        package: "pool/main/g/google-perftools/libtcmalloc-minimal4_2.10-1_amd64.deb",
        sha256: "464aa2e804b0d48300ad71edfe525599deed8765db4af7a8d9de60326dc8e4c7",
    },
];

/// An allocator whose library is on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preload {
    allocator: Allocator,
    library: PathBuf,
}

/// Divides the settings of a subject that is not built here: the allocator that they ask for, and all others. Of two, the later
/// is taken.
///
/// # Errors
/// Usage, with the values that there are.
pub(crate) fn split(settings: &[Setting]) -> Outcome<(Option<Allocator>, Vec<Setting>)> {
    let (mut wanted, mut others) = (None, Vec::new());
    for setting in settings {
        match setting {
            Setting::Value { key, value } if key == MALLOC => wanted = Some(named(value)?),
            other => others.push(other.clone()),
        }
    }
    Ok((wanted, others))
}

fn named(value: &str) -> Outcome<Allocator> {
    if !cfg!(target_arch = "x86_64") {
        return Err(Fault::usage("the libraries that malloc= puts before a build are for x86-64 alone")
            .hint("add --from source: a build from sources is linked with this host's library"));
    }
    KNOWN.into_iter().find(|known| known.name == value).ok_or_else(|| {
        let what = format!("`{value}` is no value of malloc for a build that was made elsewhere");
        Fault::usage(what).hint("malloc is jemalloc or tcmalloc; left out, it is what the build comes with")
    })
}

impl Allocator {
    /// Its library on this host; fetched and unpacked once.
    ///
    /// # Errors
    /// Environment: network, disk, checksums; interrupted.
    pub(crate) fn get(self, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Preload> {
        let title = format!("{} {}", self.name, self.version);
        let folder = cache::folder(self.name, self.version, dirs);
        cache::make_once(&folder, &title, dirs, progress, || {
            progress.update(Update::Step(&format!("fetching {title}")));
            let package = Package { path: self.package.into(), sha256: self.sha256.into() };
            debian::libraries(&[package], &folder, dirs, progress)?;
            Ok(Note { sha256: self.sha256.into(), checked_by: "the catalogue".into() })
        })?;
        let library = folder.join(self.file);
        // Servers start in folders of their own.
        let library = library.canonicalize().map_err(|error| cache::unusable(&library, &error))?;
        Ok(Preload { allocator: self, library })
    }
}

impl Preload {
    /// The setting, for facts and fingerprints: a server does not know of it.
    pub(crate) fn setting(&self) -> (String, String) {
        (MALLOC.to_owned(), self.allocator.name.to_owned())
    }

    /// For the facts of a build.
    pub(crate) fn about(&self) -> String {
        format!("{} {} of Debian 12 loaded before it", self.allocator.name, self.allocator.version)
    }

    /// What a server's environment has more.
    pub(crate) fn variable(&self) -> (OsString, OsString) {
        ("LD_PRELOAD".into(), self.library.clone().into_os_string())
    }

    /// The fault of a server that ended while it started: some builds have an allocator linked in that does not bear another.
    pub(crate) fn suspected(&self, fault: Fault) -> Fault {
        let hint = format!(
            "leave `+malloc={}` out: this build may have an allocator of its own linked in",
            self.allocator.name
        );
        fault.hint(hint)
    }

    /// Checks that a process that was started so has the library. The loader only warns where it cannot load it, and goes on.
    ///
    /// # Errors
    /// Environment, when it has not.
    pub(crate) fn check(&self, process: u32, said: &str) -> Outcome<()> {
        let name = self.library.file_name().unwrap_or_default().to_string_lossy();
        // Where the kernel keeps the map from us, what the loader said has to do.
        let loaded = fs::read_to_string(Path::new("/proc").join(process.to_string()).join("maps"))
            .map_or_else(|_| !said.contains("cannot be preloaded"), |map| map.contains(&*name));
        if loaded {
            return Ok(());
        }
        let what = format!("{} was not loaded before the server, which would run without it", self.about());
        Err(Fault::environment(what).hint("leave `+malloc=…` out for this release; its log says why"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(key: &str, value: &str) -> Setting {
        Setting::Value { key: key.into(), value: value.into() }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn an_allocator_is_told_from_settings_of_the_server() {
        let all = [value("malloc", "jemalloc"), value("work_mem", "1MB"), value("malloc", "tcmalloc")];
        let (wanted, others) = split(&all).expect("known");
        assert_eq!(wanted.map(|allocator| allocator.name), Some("tcmalloc"));
        assert_eq!(others, [value("work_mem", "1MB")]);
        assert_eq!(split(&others), Ok((None, others.clone())));
        for unknown in ["glibc", "mine", ""] {
            let fault = split(&[value("malloc", unknown)]).expect_err(unknown);
            assert!(fault.exit_code() == 2 && fault.hint.is_some(), "{fault}");
        }
    }

    #[test]
    fn what_is_not_among_a_process_libraries_is_not_loaded() {
        let library = Path::new("/nowhere/libjemalloc.so.2").to_path_buf();
        let fault = Preload { allocator: KNOWN[0], library }.check(std::process::id(), "");
        assert!(fault.expect_err("not loaded").to_string().contains("jemalloc 5.3.0"));
        let own = std::env::current_exe().expect("a program");
        assert_eq!(Preload { allocator: KNOWN[0], library: own }.check(std::process::id(), ""), Ok(()));
    }

    #[test]
    fn libraries_are_pinned() {
        let pinned = |known: &Allocator| known.package.starts_with("pool/main/") && known.sha256.len() == 64;
        assert!(KNOWN.iter().all(pinned));
    }
}
