//! Links in another order: a script in front of the compiler, which gets its seed from the environment.

use std::fs;
use std::path::Path;

use humdrum_contract::Outcome;

use crate::cache::unusable;

/// The variable that tells the script its seed.
pub(super) const SEED: &str = "HUMDRUM_LAYOUT";
/// The script.
pub(super) const SCRIPT: &str = include_str!("layout.sh");

/// The command in front of the compiler. It is the same for all layouts, because it is in the makefiles of a tree that they
/// share; `build` is the folder of one of an engine's builds.
///
/// # Errors
/// Environment: the script cannot be written.
pub(super) fn launcher(engine: &str, build: &Path, ccache: &str) -> Outcome<String> {
    let script = build.with_file_name(format!("{engine}-layout.sh"));
    let beside = script.with_extension(format!("{}.new", std::process::id()));
    let written = fs::write(&beside, SCRIPT).and_then(|()| fs::rename(&beside, &script));
    written.map_err(|error| unusable(&script, &error))?;
    Ok(format!("sh {} {ccache}", script.display()).trim_end().to_owned())
}
