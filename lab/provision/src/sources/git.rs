//! Revisions, by `git`. Nothing is written to the repository: `git worktree` would note each copy there, so that files
//! are placed through an index beside the copy.

use std::path::{Path, PathBuf};
use std::process::Command;

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use super::{files, run, submodules};

/// A commit.
pub(super) struct Commit {
    pub(super) id: String,
    /// Hash of its files.
    pub(super) tree: String,
    /// `1a2b3c4 of 2026-01-02: Fix it`.
    pub(super) about: String,
}

/// git without what a shell or a hook around this program has set, for repositories of any owner.
pub(crate) fn command() -> Command {
    let mut command = Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"] {
        command.env_remove(name);
    }
    command.args(["-c", "safe.directory=*"]);
    command
}

pub(crate) fn of(repository: &Path) -> Command {
    let mut command = command();
    command.arg("--git-dir").arg(repository);
    command
}

/// A folder that is itself a repository of objects.
pub(super) fn is_bare(path: &Path) -> bool {
    path.join("HEAD").is_file() && path.join("objects").is_dir() && path.join("refs").is_dir()
}

/// The repository of a work tree or a bare one; `None`: the folder is no top folder of either.
pub(crate) fn repository(path: &Path) -> Option<PathBuf> {
    if !is_bare(path) && !path.join(".git").exists() {
        return None;
    }
    let said = run(command().arg("-C").arg(path).args(["rev-parse", "--absolute-git-dir"])).ok()?;
    Some(PathBuf::from(String::from_utf8(said).ok()?.trim_end()))
}

/// The branch that is checked out, or that a clone would begin with.
pub(crate) fn branch(repository: &Path) -> Option<String> {
    line(of(repository).args(["symbolic-ref", "--short", "HEAD"]))
}

/// The commit that a revision means.
///
/// # Errors
/// Usage, where there is none.
pub(super) fn commit(repository: &Path, revision: &str) -> Outcome<Commit> {
    let parse = |what: String| line(of(repository).args(["rev-parse", "--verify", "--quiet"]).arg(what));
    // Would be read as an option.
    let known = (!revision.starts_with('-')).then(|| parse(format!("{revision}^{{commit}}"))).flatten();
    let found = known.and_then(|commit| {
        let tree = parse(format!("{commit}^{{tree}}"))?;
        let about = line(of(repository).args(["log", "-1", "--format=%h of %as: %s"]).arg(&commit))?;
        Some(Commit { id: commit, tree, about })
    });
    found.ok_or_else(|| {
        let shown = repository.display();
        Fault::usage(format!("there is no revision `{revision}` in {shown}"))
            .hint(format!("`git --git-dir {shown} log --oneline --all` lists commits; fetch what is missing"))
    })
}

/// The text of a file of a tree.
pub(crate) fn read(repository: &Path, tree: &str, below: &str) -> Option<String> {
    let said = run(of(repository).args(["cat-file", "blob"]).arg(format!("{tree}:{below}"))).ok()?;
    Some(String::from_utf8_lossy(&said).into_owned())
}

/// Whether a tree has a file.
pub(super) fn has(repository: &Path, tree: &str, below: &str) -> bool {
    run(of(repository).args(["cat-file", "-e"]).arg(format!("{tree}:{below}"))).is_ok()
}

/// Writes the files of a tree to `to`, and those of the submodules that are on this host. Where an earlier tree was placed there,
/// only what differs is written, and is newer than the rest.
pub(super) fn place(repository: &Path, tree: &str, to: &Path) -> Outcome<()> {
    place_by(&to.with_extension("index"), repository, tree, to)
}

/// As [`place`]; `index` is beside the copy, and those of its submodules are beside it.
fn place_by(index: &Path, repository: &Path, tree: &str, to: &Path) -> Outcome<()> {
    place_one(index, repository, tree, to)?;
    for one in submodules::of(repository, tree) {
        let Some(own) = &one.repository else { continue };
        let to = to.join(&one.below);
        crate::dirs::make_folder(&to)?;
        let beside = format!("{}+{}", index.display(), one.below.replace('/', "+"));
        place_by(Path::new(&beside), own, &one.commit, &to)?;
    }
    Ok(())
}

fn place_one(index: &Path, repository: &Path, tree: &str, to: &Path) -> Outcome<()> {
    let is_new = !index.exists();
    let git = |args: &[&str]| {
        let mut command = of(repository);
        command.arg("--work-tree").arg(to).args(["-c", "core.sparseCheckout=false"]);
        command.args(args).current_dir(to).env("GIT_INDEX_FILE", index);
        run(&mut command).map(drop)
    };
    let placed = git(&["read-tree", "--reset", "-u", tree]).and_then(|()| {
        if !is_new {
            return Ok(());
        }
        files::same_time(to).map_err(|fault| fault.what)?;
        git(&["update-index", "-q", "--refresh"])
    });
    placed.map_err(|said| {
        Fault::environment(format!("cannot place the files of {}: {said}", repository.display()))
    })
}

/// Files of a work tree that belong to the sources: those that git knows, in submodules too, and new ones that it is not told to ignore.
pub(super) fn listed(work_tree: &Path) -> Option<Vec<PathBuf>> {
    repository(work_tree)?;
    let ask = |which: &[&str]| {
        let mut command = command();
        command.arg("-C").arg(work_tree).args(["ls-files", "-z"]).args(which);
        String::from_utf8(run(&mut command).ok()?).ok()
    };
    // git does not list new files and files of submodules at once.
    let known = ask(&["--cached", "--recurse-submodules"])?;
    let new = ask(&["--others", "--exclude-standard"])?;
    let names = known.split('\0').chain(new.split('\0')).filter(|name| !name.is_empty());
    Some(names.map(PathBuf::from).collect())
}

/// What a command prints; the error is what it complains of.
pub(crate) fn said(command: &mut Command) -> Result<String, String> {
    run(command).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn line(command: &mut Command) -> Option<String> {
    let text = String::from_utf8_lossy(&run(command).ok()?).trim().to_owned();
    (!text.is_empty()).then_some(text)
}
