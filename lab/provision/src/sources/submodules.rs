//! Submodules of a revision: repositories in it, of which it names a commit each. They are read where `git submodule update` put them,
//! and nothing is fetched.

use std::path::{Path, PathBuf};

use super::{git, run};

/// One of them.
pub(super) struct Submodule {
    /// Where it is in the tree.
    pub(super) below: String,
    /// Its commit.
    pub(super) commit: String,
    /// Where that commit is, if it is on this host.
    pub(super) repository: Option<PathBuf>,
}

/// The submodules of a tree, in order.
pub(super) fn of(repository: &Path, tree: &str) -> Vec<Submodule> {
    let listed =
        run(git::of(repository).args(["ls-tree", "-r", "-z", "--full-tree"]).arg(tree)).unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let named: Vec<(&str, &str)> = listed.split('\0').filter_map(gitlink).collect();
    if named.is_empty() {
        return Vec::new();
    }
    let names = names(repository, tree);
    let found = named.into_iter().map(|(commit, below)| {
        let name = names.iter().find(|(_, path)| path == below).map_or(below, |(name, _)| name);
        let places = [
            Some(repository.join("modules").join(name)),
            work_tree(repository).map(|top| top.join(below).join(".git")),
        ];
        let has = |place: &PathBuf| {
            place.is_dir()
                && run(git::of(place).args(["cat-file", "-e"]).arg(format!("{commit}^{{tree}}"))).is_ok()
        };
        let there = places.into_iter().flatten().find(has);
        Submodule { below: below.to_owned(), commit: commit.to_owned(), repository: there }
    });
    found.collect()
}

/// Paths of those whose commit is not on this host, and of those in them.
pub(super) fn missing(repository: &Path, tree: &str) -> Vec<String> {
    let missing = of(repository, tree).into_iter().flat_map(|one| match &one.repository {
        None => vec![one.below],
        Some(own) => missing(own, &one.commit).iter().map(|inner| format!("{}/{inner}", one.below)).collect(),
    });
    missing.collect()
}

/// Commit and path of `160000 commit ID\tPATH`.
fn gitlink(line: &str) -> Option<(&str, &str)> {
    let (about, path) = line.split_once('\t')?;
    Some((about.strip_prefix("160000 commit ")?, path))
}

/// Names and paths in `.gitmodules`; a repository of a submodule is called by its name.
fn names(repository: &Path, tree: &str) -> Vec<(String, String)> {
    let mut command = git::of(repository);
    command.args(["config", "-z", "--blob"]).arg(format!("{tree}:.gitmodules"));
    let said = run(command.args(["--get-regexp", r"^submodule\..*\.path$"])).unwrap_or_default();
    let said = String::from_utf8_lossy(&said).into_owned();
    let pairs = said.split('\0').filter_map(|pair| {
        let (key, path) = pair.split_once('\n')?;
        let name = key.strip_prefix("submodule.")?.strip_suffix(".path")?;
        // It becomes a part of a path below the repository.
        let leaves = name.split('/').any(|part| part == ".." || part.is_empty());
        (!leaves).then(|| (name.to_owned(), path.to_owned()))
    });
    pairs.collect()
}

/// The work tree of a repository that is called `.git` in it.
fn work_tree(repository: &Path) -> Option<&Path> {
    repository.ends_with(".git").then(|| repository.parent()).flatten()
}
