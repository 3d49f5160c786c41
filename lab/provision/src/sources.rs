//! Sources to build from: a revision of a git repository, the present files of a folder, or an unpacked archive.
//!
//! The user's files are read only. What is compiled is a copy: of a revision by `git` with an index of its own, of
//! files one by one, sharing blocks where the file system can. A name for the content (`identity`) is found without
//! making the copy.

mod files;
pub(crate) mod git;
pub mod package;
mod submodules;

use std::path::{Path, PathBuf};
use std::process::Command;

use humdrum_contract::{Interrupt, Outcome};
use humdrum_model::Fault;

use crate::program;

/// Sources that were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    from: From,
    /// For people: `/src/pg, commit 1a2b3c4 of 2026-01-02: Fix it`.
    pub about: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum From {
    /// The files of a commit, whose hash is `tree`.
    Tree { repository: PathBuf, commit: String, tree: String },
    /// The files in a folder.
    Files(PathBuf),
    /// A folder that was unpacked here from an archive with this checksum.
    Unpacked { folder: PathBuf, sha256: String },
}

/// Finds the sources that a subject names; writes nothing.
///
/// # Errors
/// Usage: no such folder, no repository, no such revision.
pub fn find(path: &Path, revision: Option<&str>) -> Outcome<Sources> {
    let shown = path.display();
    if !path.is_dir() {
        return Err(Fault::usage(format!("there is no folder {shown}"))
            .hint("name a repository of git or a folder with sources: ENGINE@src:../sources"));
    }
    match (git::repository(path), revision) {
        (Some(repository), Some(revision)) => {
            let commit = git::commit(&repository, revision)?;
            let missing = submodules::missing(&repository, &commit.tree);
            let without = if missing.is_empty() {
                String::new()
            } else {
                format!(", without its submodules {}", missing.join(", "))
            };
            let about = format!("{shown}, commit {}{without}", commit.about);
            Ok(Sources { from: From::Tree { repository, commit: commit.id, tree: commit.tree }, about })
        }
        (None, Some(revision)) => Err(Fault::usage(format!("{shown} is no repository of git"))
            .hint(format!("leave #{revision} out to build the files as they are"))),
        (Some(repository), None) if git::is_bare(path) => {
            let branch = git::branch(&repository).unwrap_or_else(|| "BRANCH".into());
            Err(Fault::usage(format!("{shown} is a bare repository: it has no files of its own"))
                .hint(format!("name a revision: src:{shown}#{branch}")))
        }
        (repository, None) => {
            let commit = repository.and_then(|repository| git::commit(&repository, "HEAD").ok());
            let after = commit.map_or(String::new(), |commit| format!(", after commit {}", commit.about));
            Ok(Sources {
                from: From::Files(path.to_path_buf()),
                about: format!("{shown}, its present files{after}"),
            })
        }
    }
}

impl Sources {
    /// Sources in a folder that was unpacked here and is not changed.
    pub fn unpacked(folder: PathBuf, sha256: String, about: String) -> Self {
        Self { from: From::Unpacked { folder, sha256 }, about }
    }

    /// The whole id of the commit that was named.
    pub fn commit(&self) -> Option<&str> {
        match &self.from {
            From::Tree { commit, .. } => Some(commit),
            From::Files(_) | From::Unpacked { .. } => None,
        }
    }

    /// A name for the content: equal names mean equal sources.
    ///
    /// # Errors
    /// Environment, when files cannot be read.
    pub fn identity(&self) -> Outcome<String> {
        match &self.from {
            From::Tree { repository, tree, .. } => {
                let missing = submodules::missing(repository, tree);
                let without = if missing.is_empty() {
                    String::new()
                } else {
                    format!(" without {}", missing.join(" "))
                };
                Ok(format!("tree {tree}{without}"))
            }
            From::Files(folder) => files::hash(folder).map(|hash| format!("files {hash}")),
            From::Unpacked { sha256, .. } => Ok(format!("archive {sha256}")),
        }
    }

    /// The text of one file; `None` where there is none.
    pub fn read(&self, below: &str) -> Option<String> {
        match &self.from {
            From::Tree { repository, tree, .. } => git::read(repository, tree, below),
            From::Files(folder) | From::Unpacked { folder, .. } => {
                let bytes = std::fs::read(folder.join(below)).ok()?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
        }
    }

    /// Whether there is such a file.
    pub fn has(&self, below: &str) -> bool {
        match &self.from {
            From::Tree { repository, tree, .. } => git::has(repository, tree, below),
            From::Files(folder) => files::has(folder, below),
            From::Unpacked { folder, .. } => folder.join(below).is_file(),
        }
    }

    /// Makes a copy in `to`, an empty folder.
    ///
    /// # Errors
    /// Environment, for the disk and for git; interrupted.
    pub fn place(&self, to: &Path, interrupt: &Interrupt) -> Outcome<()> {
        match &self.from {
            // Ctrl-C reaches git too, and is no fault of its.
            From::Tree { repository, tree, .. } => {
                git::place(repository, tree, to).map_err(|fault| interrupt.check().err().unwrap_or(fault))
            }
            From::Files(folder) | From::Unpacked { folder, .. } => files::place(folder, to, interrupt),
        }
    }
}

/// Changes placed sources by a patch, as `git diff` and `diff -u` write them.
///
/// # Errors
/// Usage, with what does not fit.
pub fn patch(tree: &Path, patch: &Path) -> Outcome<()> {
    run(apply(tree).arg(patch)).map(drop).map_err(|said| {
        Fault::usage(format!("the patch {} does not fit these sources: {said}", patch.display()))
            .hint("a patch is made with `git diff` in the sources' top folder, from the same revision")
    })
}

/// Whether placed sources are as a patch would leave them.
pub fn has_patch(tree: &Path, patch: &Path) -> bool {
    run(apply(tree).args(["--reverse", "--check"]).arg(patch)).is_ok()
}

fn apply(tree: &Path) -> Command {
    let mut command = git::command();
    // Without this, git takes a repository around the tree for the one to be changed, and skips all files.
    command.env("GIT_CEILING_DIRECTORIES", tree.parent().unwrap_or(tree)).current_dir(tree);
    command.args(["apply", "--whitespace=nowarn"]);
    command
}

/// Standard output of a command that ended well.
fn run(command: &mut Command) -> Result<Vec<u8>, String> {
    let name = command.get_program().display().to_string();
    let output = program::output(command).map_err(|error| format!("cannot start {name}: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(if said.is_empty() { format!("{name}: {}", output.status) } else { said })
}

#[cfg(test)]
mod tests;
