//! The commits between two revisions of a git repository, oldest first. Only the first parent of a merge is followed, so
//! that each commit holds all that the ones before it hold.

use std::path::Path;

use humdrum_model::{Fault, FaultKind};

use crate::sources::git;

/// One commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its whole id.
    pub id: String,
    /// Author date and subject line.
    pub about: String,
    /// Lines that it adds and removes; of a merge, against its first parent.
    pub lines: u64,
}

/// Refuses a folder that is not the top of a git repository. `typed` is what the user typed, and `spelled` how the same is typed
/// of another folder.
///
/// # Errors
/// Usage: no repository, or a folder in one. Environment: there is no git.
pub fn check_top(path: &Path, typed: &str, spelled: impl Fn(&Path) -> String) -> Result<(), Fault> {
    if git::repository(path).is_some() {
        return Ok(());
    }
    let top = match (Git { repository: path }).run(&["rev-parse", "--show-toplevel"]) {
        Err(fault) if fault.kind != FaultKind::Usage => return Err(fault),
        said => said.ok().flatten(),
    };
    Err(match top.as_deref().map(str::trim_end).filter(|top| !top.is_empty()) {
        Some(top) => Fault::usage(format!("{typed} is not the top of a git repository"))
            .hint(format!("type {}", spelled(Path::new(top)))),
        None => Fault::usage(format!("{typed} is no git repository"))
            .hint("name the folder of one: ENGINE@src:FOLDER, or FOLDER with --run"),
    })
}

/// The good commit, all after it that touch `path` (any, without one), and the bad one.
///
/// # Errors
/// Usage: no repository, an unknown revision, a good one that the bad one does not hold, nothing between.
pub fn commits(repository: &Path, good: &str, bad: &str, path: Option<&str>) -> Result<Vec<Commit>, Fault> {
    let git = Git { repository };
    let ends = [good, bad].map(|revision| git.resolve(revision));
    let [good_id, bad_id] =
        ends.into_iter().collect::<Result<Vec<_>, Fault>>()?.try_into().unwrap_or_default();
    if !git.is_ancestor(&good_id, &bad_id)? {
        return Err(Fault::usage(format!(
            "{bad} is not made from {good}, so that no commit leads from one to the other"
        ))
        .hint(format!("give an older good revision: git merge-base {good} {bad}")));
    }
    let range = format!("{good_id}..{bad_id}");
    let mut found = git.log(&["-1", &good_id])?;
    found.extend(git.log(&[&[range.as_str(), "--"][..], path.as_slice()].concat())?);
    if found.len() < 2 {
        let touching = path.map_or_else(String::new, |path| format!(" that touches {path}"));
        return Err(Fault::usage(format!("there is no commit from {good} to {bad}{touching}")));
    }
    if found.last().is_some_and(|last| last.id != bad_id) {
        found.extend(git.log(&["-1", &bad_id])?);
    }
    Ok(found)
}

/// A branch that a merge brought to its first parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The last commit that both have.
    pub base: String,
    /// Its own last commit.
    pub tip: String,
    /// Commits that a search over its first parents has.
    pub commits: usize,
}

/// The branches that a commit merges; none if it is no merge.
///
/// # Errors
/// Usage: no repository, an unknown revision.
pub fn merged(repository: &Path, commit: &str) -> Result<Vec<Branch>, Fault> {
    let git = Git { repository };
    let parents = git.run(&["rev-parse", &format!("{}^@", git.resolve(commit)?)])?.unwrap_or_default();
    let mut parents = parents.lines();
    let Some(first) = parents.next() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for tip in parents {
        // Histories that have nothing in common have no base.
        let Some(base) = git.run(&["merge-base", first, tip])? else { continue };
        let base = base.trim().to_owned();
        let range = format!("{base}..{tip}");
        let count = git.run(&["rev-list", "--count", "--first-parent", &range])?.unwrap_or_default();
        match count.trim().parse() {
            Ok(commits) if commits > 0 => found.push(Branch { base, tip: tip.to_owned(), commits }),
            _ => {}
        }
    }
    Ok(found)
}

/// The id of the commit that a revision means.
///
/// # Errors
/// Usage: no repository, an unknown revision.
pub fn commit_id(repository: &Path, revision: &str) -> Result<String, Fault> {
    Git { repository }.resolve(revision)
}

struct Git<'a> {
    repository: &'a Path,
}

impl Git<'_> {
    /// The id of a commit.
    fn resolve(&self, revision: &str) -> Result<String, Fault> {
        let commit = format!("{revision}^{{commit}}");
        let text = self.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?;
        let id = text.map(|text| text.trim().to_owned()).filter(|id| !id.is_empty());
        id.ok_or_else(|| {
            Fault::usage(format!("{} has no revision `{revision}`", self.repository.display()))
                .hint("name a tag, a branch or the id of a commit; `git tag` lists tags")
        })
    }

    fn is_ancestor(&self, good: &str, bad: &str) -> Result<bool, Fault> {
        self.run(&["merge-base", "--is-ancestor", good, bad]).map(|text| text.is_some())
    }

    fn log(&self, what: &[&str]) -> Result<Vec<Commit>, Fault> {
        const FORMAT: [&str; 7] = [
            "log",
            "--reverse",
            "--first-parent",
            "--diff-merges=first-parent",
            "--numstat",
            "--date=short",
            "--format=%x00%H %ad %s",
        ];
        let text = self.run(&[&FORMAT, what].concat())?;
        let text = text.ok_or_else(|| {
            Fault::environment(format!("git cannot list the commits of {}", self.repository.display()))
        })?;
        Ok(text.split('\0').filter_map(commit).collect())
    }

    /// What git prints; `None` if it says no.
    fn run(&self, args: &[&str]) -> Result<Option<String>, Fault> {
        let mut command = git::command();
        command.arg("-C").arg(self.repository).args(args).env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0");
        let output = command.output().map_err(|error| {
            Fault::environment(format!("git cannot be started: {error}")).hint("install git")
        })?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        if complaint.starts_with("fatal: ") {
            let what = complaint.lines().next().unwrap_or_default().trim_start_matches("fatal: ").to_owned();
            return Err(Fault::usage(what)
                .hint("name the folder of a git repository: ENGINE@src:FOLDER, or FOLDER with --run"));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(output.status.success().then_some(text))
    }
}

/// One commit of the log, `ID DATE SUBJECT` and then a line for each file.
fn commit(text: &str) -> Option<Commit> {
    let mut lines = text.lines();
    let (id, about) = lines.next()?.split_once(' ')?;
    // A binary file has dashes.
    let counts = lines.flat_map(|line| line.split('\t').take(2));
    let lines = counts.filter_map(|count| count.parse::<u64>().ok()).sum();
    Some(Commit { id: id.to_owned(), about: about.to_owned(), lines })
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// A repository with commits `c0` to `c5`; `c3` merges a branch of two. Odd ones touch `src/`.
    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let git = |args: &[&str]| {
            let mut command = Command::new("git");
            command.arg("-C").arg(folder.path()).args(args);
            for (name, value) in [
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_AUTHOR_NAME", "a"),
                ("GIT_AUTHOR_EMAIL", "a@example.org"),
                ("GIT_COMMITTER_NAME", "a"),
                ("GIT_COMMITTER_EMAIL", "a@example.org"),
                ("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z"),
            ] {
                command.env(name, value);
            }
            let output = command.output().expect("git runs");
            assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        };
        let write = |number: u32, name: &str| {
            let path = if number % 2 == 1 { format!("src/{name}") } else { name.to_owned() };
            std::fs::create_dir_all(folder.path().join("src")).expect("made");
            std::fs::write(folder.path().join(path), "line\n".repeat(1 + number as usize)).expect("written");
            git(&["add", "."]);
            git(&["commit", "-q", "-m", name]);
        };
        git(&["init", "-q", "-b", "main"]);
        for number in [0, 1, 2] {
            write(number, &format!("c{number}"));
        }
        git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
        write(7, "side 1");
        write(9, "side 2");
        git(&["checkout", "-q", "main"]);
        git(&["merge", "-q", "--no-ff", "-m", "c3", "side"]);
        for number in [4, 5] {
            write(number, &format!("c{number}"));
        }
        folder
    }

    fn subjects(found: &[Commit]) -> Vec<&str> {
        found.iter().map(|one| one.about.split_once(' ').map_or("", |(_, subject)| subject)).collect()
    }

    #[test]
    fn commits_follow_the_first_parent() {
        let folder = repository();
        let found = commits(folder.path(), "HEAD~5", "main", None).expect("commits");
        assert_eq!(subjects(&found), ["c0", "c1", "c2", "c3", "c4", "c5"]);
        assert!(found[0].about.starts_with("2026-01-02 ") && found[0].id.len() == 40);
        assert_eq!((found[1].lines, found[3].lines), (2, 18), "a merge counts what it brings");
    }

    #[test]
    fn a_path_leaves_commits_out_and_keeps_the_ends() {
        let folder = repository();
        let found = commits(folder.path(), "HEAD~5", "HEAD~1", Some("src")).expect("commits");
        assert_eq!(subjects(&found), ["c0", "c1", "c3", "c4"]);
    }

    #[test]
    fn a_merge_has_its_branch_and_other_commits_have_none() {
        let folder = repository();
        let found = merged(folder.path(), "HEAD~2").expect("a merge");
        let [branch] = &found[..] else { panic!("{found:?}") };
        assert_eq!(branch.commits, 2);
        let inside = commits(folder.path(), &branch.base, &branch.tip, None).expect("commits");
        assert_eq!(subjects(&inside), ["c1", "side 1", "side 2"]);
        assert_eq!(merged(folder.path(), "HEAD").expect("no merge"), []);
        assert_eq!(merged(folder.path(), "HEAD~5").expect("the first commit"), []);
    }

    #[test]
    fn only_the_top_of_a_repository_is_taken() {
        let folder = repository();
        let top = folder.path().canonicalize().expect("a path");
        let spelled = |top: &Path| format!("it@src:{}", top.display());
        let check = |path: &Path| check_top(path, "what was typed", spelled);
        check(&top).expect("the top");
        check(&top.join(".git")).expect("its objects");
        let fault = check(&top.join("src")).expect_err("below it");
        assert_eq!(fault.what, "what was typed is not the top of a git repository");
        assert_eq!(fault.hint, Some(format!("type it@src:{}", top.display())));
        let none = tempfile::tempdir().expect("a folder");
        for path in [none.path().to_path_buf(), none.path().join("missing")] {
            let fault = check(&path).expect_err("none");
            assert_eq!((fault.what.as_str(), fault.exit_code()), ("what was typed is no git repository", 2));
        }
    }

    #[test]
    fn what_cannot_be_searched_is_refused() {
        let folder = repository();
        let refused = |good: &str, bad: &str, path| {
            let fault = commits(folder.path(), good, bad, path).expect_err("refused");
            assert_eq!(fault.exit_code(), 2, "{fault}");
            fault.to_string()
        };
        assert!(refused("nonsense", "main", None).contains("no revision `nonsense`"));
        assert!(refused("main", "HEAD~2", None).contains("is not made from main"));
        assert!(refused("main", "main", None).contains("no commit from main to main"));
        assert!(refused("HEAD~1", "main", Some("none")).contains("that touches none"));
        assert!(refused("--all", "main", None).contains("`--all`"));
        let empty = tempfile::tempdir().expect("a folder");
        let fault = commits(empty.path(), "a", "b", None).expect_err("refused");
        assert!(fault.to_string().contains("not a git repository") && fault.exit_code() == 2, "{fault}");
    }
}
