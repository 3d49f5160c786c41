//! Patches that come with an engine, for sources that newer compilers refuse. They are files, so that git and people read
//! them as such:
//!
//! ```text
//!   engines/ENGINE/patches/RANGE/NAME.patch    RANGE: 8.0 (8.0.x), 8.0.30-8.0.32, 5.7-8.0; both ends with their series
//! ```
//!
//! The first line says what fails without it and with which compiler. A patch is applied whatever the compiler is, so that
//! subjects which differ in it have the same sources.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use humdrum_contract::Outcome;
use humdrum_model::FaultKind;
use humdrum_provision::{checksum, sources};

use super::Wanted;
use crate::cache::unusable;

/// A patch that comes with an engine.
#[derive(Debug)]
pub struct Patch {
    /// Its place below the engine's folder of patches: `5.7-8.0/cstdint.patch`.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

impl Patch {
    /// Its first line: what fails without it, and with which compiler.
    pub(crate) fn reason(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }

    /// The releases that it is for, as the name of its folder has them.
    pub(crate) fn range(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// Whether it is for a release.
    fn covers(&self, release: &str) -> bool {
        let (first, last) = self.range().split_once('-').unwrap_or((self.range(), self.range()));
        let [first, last, release] = [first, last, release].map(numbers);
        let of_series = &release[..release.len().min(last.len())];
        release >= first && *of_series <= *last
    }
}

/// `19beta1` and `17.7` as 19 and 17, 7.
fn numbers(release: &str) -> Vec<u64> {
    let leading = |part: &str| {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        part[..end].parse().unwrap_or(0)
    };
    release.split('.').map(leading).collect()
}

impl Wanted {
    /// Patches of the engine that its release needs.
    fn bundled(&self) -> impl Iterator<Item = &'static Patch> + '_ {
        let covers = |patch: &&Patch| self.flags.bundled && patch.covers(&self.release);
        self.recipe.patches.iter().filter(covers)
    }

    pub(super) fn is_patched(&self) -> bool {
        self.bundled().next().is_some() || !self.flags.patches.is_empty()
    }

    /// All patches, in order, for people.
    pub(super) fn patches_shown(&self) -> Vec<String> {
        let bundled =
            self.bundled().map(|patch| format!("{}'s {}: {}", self.engine, patch.name, patch.reason()));
        let users = self.flags.patches.iter();
        let users = users.map(|patch| patch.file_name().unwrap_or_default().display().to_string());
        bundled.chain(users).collect()
    }

    /// All patches as a part of what a build is made of.
    pub(super) fn patch_ingredients(&self) -> Outcome<String> {
        let mut text = String::new();
        for patch in self.bundled() {
            let sum = checksum::sha256_of_bytes(patch.text.as_bytes());
            let _ = writeln!(text, "patch of the engine {} {sum}", patch.name);
        }
        for patch in &self.flags.patches {
            let sum = checksum::sha256_of(patch).map_err(|error| unusable(patch, &error))?;
            let _ = writeln!(text, "patch {sum}");
        }
        Ok(text)
    }

    /// Changes placed sources: first by the engine's patches, then by the user's. Returns the names of those that the sources
    /// have already: a commit between two releases may be behind the repair.
    ///
    /// # Errors
    /// Usage, with the patch that does not fit; environment, for the disk.
    pub(super) fn apply_patches(&self, tree: &Path) -> Outcome<Vec<&'static str>> {
        let file = tree.with_extension("patch");
        let mut had = Vec::new();
        for patch in self.bundled() {
            fs::write(&file, patch.text).map_err(|error| unusable(&file, &error))?;
            match sources::patch(tree, &file) {
                Ok(()) => {}
                Err(_) if sources::has_patch(tree, &file) => had.push(patch.name),
                Err(fault) if fault.kind == FaultKind::Usage => {
                    let hint =
                        "+patches=off builds without the engine's patches; +patch=FILE adds one of yours";
                    return Err(fault.hint(hint).at(format!("{}'s {}", self.engine, patch.name)));
                }
                Err(fault) => return Err(fault),
            }
        }
        let _ = fs::remove_file(&file);
        self.flags.patches.iter().try_for_each(|patch| sources::patch(tree, patch))?;
        Ok(had)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(range: &'static str, release: &str) -> bool {
        Patch { name: range, text: "" }.covers(release)
    }

    #[test]
    fn a_range_has_both_ends_with_their_series() {
        for release in ["7.8", "7.8.3", "7.10.2", "8.0.0", "8.0.9"] {
            assert!(covers("7.8-8.0/x.patch", release), "{release}");
        }
        for release in ["7.7.9", "7", "8.1.0", "10.0.1"] {
            assert!(!covers("7.8-8.0/x.patch", release), "{release}");
        }
        assert!(covers("19/x.patch", "19beta1") && covers("17/x.patch", "17.7"));
        assert!(!covers("17/x.patch", "18.1") && !covers("17.7/x.patch", "17.8"));
        assert!(covers("8.0.30-8.0.32/x.patch", "8.0.31") && !covers("8.0.30-8.0.32/x.patch", "8.0.33"));
    }

    #[test]
    fn the_first_line_is_the_reason() {
        let patch = Patch { name: "1/x.patch", text: "Without it, gcc 13: x\n--- a\n" };
        assert_eq!(patch.reason(), "Without it, gcc 13: x");
    }
}
