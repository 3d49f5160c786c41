//! A user's own workload beside those of the lab.

use std::path::Path;

use humdrum_contract::{Interrupt, Progress, Workload};
use humdrum_model::Fault;
use humdrum_record::ResultsFolder;
use humdrum_workload_script::{Folder, Given, Own};

use crate::suites::table;

/// The folder of a user's own workload, below that of the results.
const KEPT: &str = "suite";

/// Help of `--suite`.
pub fn help() -> String {
    let table = table();
    let names: Vec<&str> = table.iter().map(|workload| workload.name()).collect();
    let default = humdrum_plan::SUITE_DEFAULT;
    format!("Workload: {}, or the folder of your own, as ./shop [default: {default}]", names.join(", "))
}

/// The folder that `--suite` names: a path with a slash, or a folder that has no workload's name.
///
/// # Errors
/// Usage: it cannot be read, or has a mistake.
pub fn named(
    suite: Option<&str>,
    given: &Given,
    progress: &dyn Progress,
    interrupt: &Interrupt,
) -> Result<Option<Folder>, Fault> {
    let known = |name: &str| table().iter().any(|workload| workload.name() == name);
    match suite {
        Some(path) if path.contains('/') || (Path::new(path).is_dir() && !known(path)) => {
            let folder = Folder::read_with(Path::new(path), given, progress, interrupt)?;
            if known(&folder.name) {
                let what = format!("humdrum has a workload of its own called `{}`", folder.name);
                let place = folder.path.join("workload.toml").display().to_string();
                return Err(Fault::usage(what).at(place).hint("give it another `name`"));
            }
            Ok(Some(folder))
        }
        _ if given.is_silent() => Ok(None),
        _ => Err(Fault::usage("a dump is restored for a workload of your own alone")
            .hint("name its folder: --suite ./shop; `humdrum suite new shop` makes one")),
    }
}

/// The name of the workload that a folder is to hold: that of the folder.
///
/// # Errors
/// Usage, without a place or a hint: it cannot be one.
pub fn name_of(folder: &Path) -> Result<&str, Fault> {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let first = name.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    if first && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter)) {
        return Ok(name);
    }
    Err(Fault::usage(format!("`{name}` cannot be the name of a workload")))
}

/// A folder as `--suite` takes it, where a word without a slash may be a workload of the lab.
pub fn typed(folder: &Path) -> String {
    let shown = folder.display().to_string();
    if shown.contains('/') { shown } else { format!("./{shown}") }
}

/// The folder that a run was made with, from its results. `expected` is the hash of its files, if it was a user's own.
///
/// # Errors
/// Usage: it is not there, or was changed.
pub fn kept(
    (suite, expected): (&str, Option<&str>),
    out: &ResultsFolder,
    progress: &dyn Progress,
    interrupt: &Interrupt,
) -> Result<Option<Folder>, Fault> {
    let Some(expected) = expected else { return Ok(None) };
    let places = [out.folder.join(KEPT), out.whole().folder.join(KEPT)];
    let place = places.iter().find(|place| place.is_dir()).unwrap_or(&places[0]);
    let folder = Folder::read_with(place, &Given::default(), progress, interrupt)
        .map_err(|fault| fault.at(format!("the files of `{suite}`, which are kept with the results")))?;
    if folder.fingerprint() == expected {
        return Ok(Some(folder));
    }
    let what = format!("{} was changed since `{suite}` was measured", place.display());
    Err(Fault::usage(what).hint("put the files back as they were, or measure anew with `compare`"))
}

/// Keeps the files of a user's own workload with the results.
///
/// # Errors
/// Environment: they cannot be written.
pub fn keep(folder: Option<&Folder>, out: &ResultsFolder) -> Result<(), Fault> {
    folder.map_or(Ok(()), |folder| folder.copy_to(&out.folder.join(KEPT)))
}

/// A folder as a workload.
pub fn own(folder: Folder) -> Box<dyn Workload> {
    Box::new(Own::new(folder))
}
