//! The table of an engine's patches against their files.

use std::fs;
use std::path::Path;

use crate::source::{Patch, Recipe};

/// What the first line of a patch begins with.
const REASON: &str = "Without it, ";

/// Checks that the recipe has every patch of the engine's folder, in order, with its reason and with a range of releases.
///
/// # Panics
/// When it does not.
pub fn patches_are_listed(recipe: &Recipe, engine: &Path) {
    let listed: Vec<&str> = recipe.patches.iter().map(|patch| patch.name).collect();
    assert_eq!(listed, files(&engine.join("patches")), "the recipe's table and the folder of patches");
    for patch in recipe.patches {
        let digits = |end: &str| end.starts_with(|c: char| c.is_ascii_digit());
        assert!(patch.range().split('-').all(digits), "{}: no range of releases", patch.name);
        assert!(has_reason(patch), "{}: the first line is `Without it, COMPILER: what fails`", patch.name);
    }
}

fn has_reason(patch: &Patch) -> bool {
    let rest = patch.reason().strip_prefix(REASON);
    rest.is_some_and(|rest| rest.contains(": "))
}

/// `RANGE/NAME.patch`, sorted; no folder, no patches.
fn files(folder: &Path) -> Vec<String> {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = Vec::new();
    for range in entries(folder) {
        for file in
            entries(&range.path()).filter(|file| file.path().extension().is_some_and(|e| e == "patch"))
        {
            names.push(format!("{}/{}", range.file_name().display(), file.file_name().display()));
        }
    }
    names.sort();
    names
}
