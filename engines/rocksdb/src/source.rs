//! Libraries built here, with one compiler and one set of flags for every release, so that two of them differ
//! in their code only. Published libraries change compilers between releases, so a difference between them
//! may come from the compiler.
//!
//! Sources come with a crate that carries RocksDB's, one version for each release, by `cargo` itself:
//! `crates.tsv` beside this file has the versions and what they must hash to. lz4 comes with a crate too;
//! other compressions are left out. Libraries are kept with the other builds; an interrupted build continues
//! where it stopped.

mod compile;
mod compiler;
mod crates;

use std::fs;
use std::path::{Path, PathBuf};

use humdrum_contract::{BuildPlan, Dirs, Outcome, Progress, Update};
use humdrum_engine_kit::source as kit;
use humdrum_model::{Fault, Setting, SubjectFacts};
use humdrum_provision::{checksum, dirs, lock, tools};

use crate::recipe::RECIPE;
pub(crate) use compiler::Recipe;
use compiler::Unit;
pub(crate) use crates::{Entry, find};

/// In a build's folder once it is whole; holds the library's checksum.
const COMPLETE: &str = ".humdrum-complete";
const LIBRARY: &str = "librocksdb.so";
/// Digits of a hash that name a build.
const HASH_DIGITS: usize = 12;

/// The name of these sources after `src:`.
pub(crate) const CRATE: &str = "crate";

/// What a subject's settings say of its build; they are no options of the library.
pub(crate) const SETTINGS: [&str; 3] = ["cc", "compiler", "lto"];

/// Whether a setting is one of them.
pub(crate) fn is_ours(setting: &Setting) -> bool {
    matches!(setting, Setting::Value { key, .. } if SETTINGS.contains(&key.as_str()))
}

/// A library that was built here.
pub(crate) struct Built {
    pub(crate) file: PathBuf,
    pub(crate) facts: SubjectFacts,
    pub(crate) checksum: String,
}

/// The recipe that settings ask for.
///
/// # Errors
/// Usage, when there is no such compiler.
pub(crate) fn recipe(settings: &[Setting]) -> Outcome<Recipe> {
    let given = |name: &str| {
        settings.iter().rev().find_map(|setting| match setting {
            Setting::Value { key, value } if key == name => Some(value.as_str()),
            _ => None,
        })
    };
    let cc = given("cc").or_else(|| given("compiler")).unwrap_or("gcc");
    let is_of_c = !cc.ends_with("++") && ["gcc", "clang"].iter().any(|name| cc.contains(name));
    let program = if is_of_c { kit::Compiler::cxx(cc) } else { cc.to_owned() };
    let lto = match given("lto") {
        None | Some("off") => false,
        Some("on") => true,
        Some(other) => {
            return Err(Fault::usage(format!("`lto={other}` is for builds of the makers' own sources"))
                .hint("of a crate's sources it is on or off"));
        }
    };
    Ok(Recipe::new(&program, lto))
}

/// Refuses settings of a build that these sources, which come without their build system, do not have.
///
/// # Errors
/// Usage.
pub(crate) fn refuse_others(settings: &[Setting]) -> Outcome<()> {
    let others = kit::names(&RECIPE, settings).into_iter().find(|key| !SETTINGS.contains(key));
    others.map_or(Ok(()), |key| {
        Err(Fault::usage(format!("`{key}` is for builds of the makers' own sources"))
            .hint("name them: rocksdb@src:PATH#REVISION, or rocksdb@src:package#RELEASE"))
    })
}

/// Builds a release, or finds it built.
///
/// # Errors
/// Environment: cargo, the compiler, the disk; interrupted.
pub(crate) fn build(entry: &Entry, recipe: &Recipe, dirs: &Dirs, progress: &dyn Progress) -> Outcome<Built> {
    let name = format!("rocksdb {} from sources", entry.release);
    let folder = folder_of(entry, recipe, dirs);
    let _lock = lock::take(&folder.with_extension("lock"), &name, &dirs.interrupt, progress)?;
    dirs::make_folder(&folder)?;
    let file = folder.join(LIBRARY);
    if !folder.join(COMPLETE).exists() {
        make(entry, recipe, &folder, dirs, progress)?;
    }
    let checksum = fs::read_to_string(folder.join(COMPLETE)).map_err(|error| unusable(&folder, &error))?;
    let checksum = checksum.trim().to_owned();
    let facts = SubjectFacts {
        version: entry.release.to_owned(),
        origin: format!(
            "built here from crate {} {}, sha256 of the crate {}",
            crates::NAME,
            entry.version,
            entry.sha256
        ),
        build: vec![
            format!("compiled by {} with {}", recipe.compiler(), recipe.flags().join(" ")),
            "lz4 is the only compression inside".to_owned(),
            format!("hash of sources, compiler and commands {}", &hash(entry, recipe)[..HASH_DIGITS]),
        ],
        ..SubjectFacts::default()
    };
    Ok(Built { file, facts, checksum })
}

/// What a build takes.
pub(crate) fn plan(entry: &Entry, recipe: &Recipe, dirs: &Dirs) -> BuildPlan {
    let folder = folder_of(entry, recipe, dirs);
    BuildPlan {
        name: format!("rocksdb {}", entry.release),
        sources: format!("crate {} {}", crates::NAME, entry.version),
        compiler: recipe.compiler().to_owned(),
        flags: recipe.flags(),
        commands: commands(entry, recipe),
        missing: tools::missing(&recipe.tools(&crates::cargo())),
        hash: hash(entry, recipe),
        built: folder.join(COMPLETE).exists(),
        asked: recipe.asked(),
        folder,
        ..BuildPlan::default()
    }
}

/// The sources lie in cargo's own folders, which other hosts have elsewhere.
fn commands(entry: &Entry, recipe: &Recipe) -> Vec<String> {
    let (rocksdb, lz4) = (Path::new("CRATE"), Path::new("LZ4-CRATE"));
    let get = format!(
        "cargo metadata --format-version 1 --quiet, of a package that depends on {} {} and {} {}",
        crates::NAME,
        entry.version,
        crates::LZ4.0,
        crates::LZ4.1
    );
    std::iter::once(get).chain(recipe.commands(&include(rocksdb, lz4))).collect()
}

/// Folders of headers in those of both crates.
fn include(rocksdb: &Path, lz4: &Path) -> [PathBuf; 4] {
    let tree = rocksdb.join("rocksdb");
    [tree.join("include"), tree, rocksdb.to_owned(), lz4.join("liblz4/lib")]
}

fn hash(entry: &Entry, recipe: &Recipe) -> String {
    let parts = [entry.sha256, crates::LZ4.1, crates::LZ4.2, &recipe.identity()].join("\n");
    checksum::sha256_of_bytes(parts.as_bytes())
}

fn folder_of(entry: &Entry, recipe: &Recipe, dirs: &Dirs) -> PathBuf {
    let sum = hash(entry, recipe);
    dirs::builds(dirs).join(format!(
        "rocksdb-src-{}-{}",
        entry.release.replace('.', "-"),
        &sum[..HASH_DIGITS]
    ))
}

fn make(entry: &Entry, recipe: &Recipe, folder: &Path, dirs: &Dirs, progress: &dyn Progress) -> Outcome<()> {
    tools::require(&format!("rocksdb {}", entry.release), &recipe.tools(&crates::cargo()))?;
    progress.update(Update::Step(&format!("fetching the sources of rocksdb {}", entry.release)));
    let sources = crates::fetch(entry, &folder.join("sources"))?;
    let what = format!("rocksdb {}", entry.release);
    let units = units(&sources)?;
    progress.update(Update::Step(&format!(
        "building {what}: {} files with {} (a processor takes some 20 minutes)",
        units.len(),
        recipe.compiler()
    )));
    let objects = folder.join("objects");
    let compiled = compile::objects(recipe, &units, &objects, &what, &dirs.interrupt, progress)?;
    progress.update(Update::Step(&format!("linking {what}")));
    let file = folder.join(LIBRARY);
    compile::link(recipe, &compiled, &file).or_else(|fault| dirs.interrupt.check().and(Err(fault)))?;
    let sum = checksum::sha256_of(&file).map_err(|error| unusable(&file, &error))?;
    // Written whole or not at all: an empty one would make a build that has no checksum.
    let part = folder.join("complete.part");
    let written = fs::write(&part, sum).and_then(|()| fs::rename(&part, folder.join(COMPLETE)));
    written.map_err(|error| unusable(folder, &error))?;
    let _ = fs::remove_dir_all(objects);
    let _ = fs::remove_dir_all(folder.join("sources"));
    Ok(())
}

/// Every file that belongs into the library: the crate lists RocksDB's, and brings the one with the version.
fn units(sources: &crates::Sources) -> Outcome<Vec<Unit>> {
    let list = sources.rocksdb.join("rocksdb_lib_sources.txt");
    let text = fs::read_to_string(&list).map_err(|error| unusable(&list, &error))?;
    let names =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "util/build_version.cc");
    let tree = sources.rocksdb.join("rocksdb");
    let lz4 = sources.lz4.join("liblz4/lib");
    let include = include(&sources.rocksdb, &sources.lz4);
    let cpp = |file: PathBuf| Unit { file, include: include.to_vec(), is_c: false };
    let mut units: Vec<Unit> = names.map(|name| cpp(tree.join(name))).collect();
    units.push(cpp(sources.rocksdb.join("build_version.cc")));
    let c = |name: &str| Unit { file: lz4.join(name), include: vec![lz4.clone()], is_c: true };
    units.extend(["lz4.c", "lz4hc.c"].map(c));
    Ok(units)
}

fn unusable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::environment(format!("cannot use {}: {error}", path.display()))
        .hint("`humdrum clean`, then try again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_choose_the_recipe_and_the_rightmost_wins() {
        let value = |key: &str, value: &str| Setting::Value { key: key.into(), value: value.into() };
        let plain = recipe(&[]).expect("a recipe");
        let lto = recipe(&[value("lto", "off"), value("lto", "on")]).expect("a recipe");
        assert_ne!(plain.identity(), lto.identity());
        let optimises = |recipe: &Recipe| recipe.flags().iter().any(|flag| flag.starts_with("-flto"));
        assert!(optimises(&lto) && !optimises(&plain));
        let fault = recipe(&[value("lto", "thin")]).map(|_| ()).expect_err("another system's");
        assert!(fault.exit_code() == 2 && fault.what.contains("lto=thin"), "{}", fault.what);
        let other = recipe(&[value("compiler", "clang")]).expect("a recipe");
        assert_eq!(other.tools("cargo")[0].name, "clang++");
    }

    #[test]
    fn a_plan_has_the_commands_and_what_is_missing() {
        let folder = tempfile::tempdir().expect("folder");
        let dirs = Dirs {
            cache: folder.path().into(),
            runs: folder.path().join("runs"),
            run_as: None,
            allow_external: false,
            reuse_trees: false,
            interrupt: humdrum_contract::Interrupt::new(),
        };
        let entry = find("10.10.1").expect("known");
        let value = Setting::Value { key: "cc".into(), value: "no-such-g++".into() };
        let plan = plan(entry, &recipe(&[value]).expect("a recipe"), &dirs);
        assert_eq!((plan.commands.len(), plan.built), (4, false));
        assert!(
            plan.commands[0].contains(entry.version) && plan.commands[1].contains("-ICRATE/rocksdb/include")
        );
        assert_eq!(plan.missing[0].name, "no-such-g++");
        assert!(plan.folder.ends_with(format!("rocksdb-src-10-10-1-{}", &plan.hash[..HASH_DIGITS])));
    }
}
