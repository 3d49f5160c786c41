//! Builds made on this host from sources. An engine brings a [`Recipe`]: which commands make it. Everything that goes
//! into a build has a part in its hash, and a build is kept under that hash: the same sources, patches, compiler and
//! commands are compiled once.
//!
//! ```text
//!   <cache>/builds/ENGINE-src-HASH.making/tree     a copy of the sources
//!                                        /staged   what the commands install
//!   <cache>/builds/ENGINE-src-HASH/                the build, moved here when it is whole
//!   <cache>/builds/ENGINE-src-HASH.log             what the commands said, also when they failed
//!   <cache>/builds/ENGINE-tree-HASH/tree           sources and objects of the last commit, where trees are reused
//! ```

mod ccache;
mod cmake;
mod compiler;
mod flags;
mod layout;
mod make;
mod making;
mod needs;
mod patches;
mod readable;
mod recipe;
mod tree;
mod unfinished;

use std::path::Path;

use humdrum_contract::{Dirs, Outcome, Progress};
use humdrum_model::{Fault, Place, Setting};
use humdrum_provision::sources::package::{self, SourcePackage};
use humdrum_provision::sources::{self, Sources};

pub use cmake::{CMake, tools as cmake_tools};
pub use compiler::Compiler;
pub use flags::{Flags, Lto};
pub use make::{Made, make, plan};
pub use needs::{Need, needed};
pub use patches::Patch;
pub use recipe::{Cost, Order, Recipe, release_in};

/// The name of a release's source package as a place of sources: `src:package#17.7`.
const PACKAGE: &str = "package";

/// A build that a subject asks for.
#[derive(Clone, Debug)]
pub struct Wanted {
    engine: &'static str,
    recipe: &'static Recipe,
    /// The release that the sources are of.
    pub release: String,
    /// Where the sources are, under a name that does not move on.
    pub place: Place,
    origin: Origin,
    /// What settings ask for.
    pub flags: Flags,
    /// Settings of the build, as typed.
    asked: Vec<String>,
    /// Settings that are the server's, as typed.
    others: Vec<String>,
}

#[derive(Clone, Debug)]
enum Origin {
    Here(Sources),
    Package(SourcePackage),
}

/// Where the sources of a release are.
pub fn place_of(release: &str) -> Place {
    Place::Source { path: PACKAGE.into(), revision: Some(release.to_owned()) }
}

/// Checks what a subject asks to be built, and returns the settings that are the server's.
///
/// # Errors
/// Usage: no such sources, sources of something else, flags that there are not.
pub fn check(
    engine: &'static str,
    recipe: &'static Recipe,
    (path, revision): (&Path, Option<&str>),
    settings: &[Setting],
) -> Outcome<(Wanted, Vec<Setting>)> {
    let (ours, servers) = flags::split(settings, recipe.switches);
    let flags = Flags::of(&ours)?;
    if flags.layout > 0 && recipe.linked.is_empty() {
        return Err(Fault::usage(format!("{engine} has no layouts: its program is linked in one order"))
            .hint("leave layout out; Postgres has them"));
    }
    let (origin, release, place) = if path == Path::new(PACKAGE) {
        let package = package_of(engine, recipe, revision)?;
        let release = package.release.clone();
        (Origin::Package(package), release.clone(), place_of(&release))
    } else {
        let sources = sources::find(path, revision)?;
        let release = release_of(engine, recipe, &sources)?;
        refuse_built(&sources, recipe)?;
        let place = Place::Source { path: path.into(), revision: sources.commit().map(str::to_owned) };
        (Origin::Here(sources), release, place)
    };
    let asked = ours.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let others = servers.iter().map(ToString::to_string).collect();
    Ok((Wanted { engine, recipe, release, place, origin, flags, asked, others }, servers))
}

fn package_of(engine: &str, recipe: &Recipe, revision: Option<&str>) -> Outcome<SourcePackage> {
    let release = revision.ok_or_else(|| {
        Fault::usage(format!("src:{PACKAGE} is the source package of a release, and none is named"))
            .hint(format!("type {engine}@src:{PACKAGE}#RELEASE; a folder of that name is ./{PACKAGE}"))
    })?;
    package::find(&(recipe.package)(release), release)
}

fn release_of(engine: &str, recipe: &Recipe, sources: &Sources) -> Outcome<String> {
    (recipe.release)(sources).ok_or_else(|| {
        Fault::usage(format!("{} are no sources of {engine}", sources.about))
            .hint(format!("name the top folder of its sources: {engine}@src:PATH#REVISION"))
    })
}

/// Objects that are there already would be taken for up to date, whatever flags they were compiled with.
fn refuse_built(sources: &Sources, recipe: &Recipe) -> Outcome<()> {
    match recipe.made.iter().find(|file| sources.has(file)) {
        Some(file) => Err(Fault::usage(format!("{} hold a build already ({file} is there)", sources.about))
            .hint("unpack the sources anew, name a revision of a git repository, or clean the folder")),
        None => Ok(()),
    }
}

/// Names of those settings that are of a build.
pub fn names<'a>(recipe: &Recipe, settings: &'a [Setting]) -> Vec<&'a str> {
    settings.iter().filter_map(|setting| flags::name(setting, recipe.switches)).collect()
}

/// Refuses settings of a build for a subject that is not built here.
///
/// # Errors
/// Usage.
pub fn refuse_flags(recipe: &Recipe, settings: &[Setting]) -> Outcome<()> {
    match names(recipe, settings).first() {
        Some(key) => Err(Fault::usage(format!("`{key}` is for builds from sources"))
            .hint("add --from source to build the release here, name sources (src:PATH), or leave it out")),
        None => Ok(()),
    }
}

impl Wanted {
    /// The engine and the release, for messages.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.engine, self.release)
    }

    /// The sources; a package is fetched.
    ///
    /// # Errors
    /// Environment: network, disk.
    fn sources(&self, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Sources> {
        match &self.origin {
            Origin::Here(sources) => Ok(sources.clone()),
            Origin::Package(package) => package.get(dirs, progress),
        }
    }
}

#[cfg(test)]
mod tests;
