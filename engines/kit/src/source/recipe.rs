//! How an engine is built: data, and functions of plain data.

use std::path::{Path, PathBuf};

use humdrum_contract::Takes;
use humdrum_provision::building::Step;
use humdrum_provision::sources::Sources;
use humdrum_provision::tools::Tool;

use super::compiler::Compiler;
use super::flags::Flags;
use super::patches::Patch;

/// How an engine is built from its sources.
#[derive(Debug)]
pub struct Recipe {
    /// What the engine's own switches begin with (`with_`): settings of a build, not of a server.
    pub switches: &'static str,
    /// The source package of a release, as Debian calls it.
    pub package: fn(&str) -> String,
    /// The release that sources are of; `None`: they are not this engine's.
    pub release: fn(&Sources) -> Option<String>,
    /// Files that only a build makes among the sources.
    pub made: &'static [&'static str],
    /// Programs among the sources that are linked from objects, and whose layout matters; empty: there are no layouts.
    pub linked: &'static [&'static str],
    /// The files in the engine's folder of patches, sorted by name.
    pub patches: &'static [Patch],
    /// What a cold build took where it was measured; `None`: it was not.
    pub cost: Option<Cost>,
    /// An interrupted build goes on where it was. Ninja may: it trusts no object that it has not noted as made. `make` trusts
    /// whatever is newer than its source, half an object too.
    pub resumes: bool,
    /// What these sources and flags need beside the compiler.
    pub tools: fn(&Sources, &Flags) -> Vec<Tool>,
    /// The commands that build and install.
    pub steps: fn(&Order<'_>) -> Vec<Step>,
}

/// What a cold build by gcc at -O2 took, without ccache (docs/from-source.md).
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Minutes of processor time.
    pub processor_minutes: u32,
    /// MiB of the copy of the sources with its objects.
    pub disk_mib: u32,
}

impl Cost {
    /// The same on this host.
    pub fn here(self) -> Takes {
        let processors = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        Takes {
            seconds: u64::from(self.processor_minutes) * 60 / processors,
            disk_bytes: u64::from(self.disk_mib) << 20,
        }
    }
}

/// What a build is to be.
#[derive(Debug)]
pub struct Order<'a> {
    /// What is built; targets and files are called otherwise in others.
    pub release: &'a str,
    /// What settings ask for.
    pub flags: &'a Flags,
    /// Compiles.
    pub compiler: &'a Compiler,
    /// Started before the compiler, to keep what it made: `ccache`, or nothing.
    pub launcher: &'a str,
    /// Where commands are told that the build will be, the same for all of an engine. It is moved from there, so that its
    /// programs must find their libraries and files by their own place.
    pub prefix: &'a Path,
    /// Where it is installed to: the prefix is made below it.
    pub staged: &'a Path,
}

impl Order<'_> {
    /// The folder that becomes the build.
    pub fn destination(&self) -> PathBuf {
        self.staged.join(self.prefix.strip_prefix("/").unwrap_or(self.prefix))
    }
}

/// `9.7.2` of a file with a line each for `MAJOR`, `MINOR` and `PATCH`; `begins` is how the line of a part begins.
pub fn release_in(sources: &Sources, file: &str, begins: impl Fn(&str) -> String) -> Option<String> {
    let text = sources.read(file)?;
    let number = |part: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&begins(part)))?;
        line.trim().parse::<u32>().ok()
    };
    Some(format!("{}.{}.{}", number("MAJOR")?, number("MINOR")?, number("PATCH")?))
}
