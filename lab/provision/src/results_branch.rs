//! A branch of a git repository that keeps results: read and extended without a work tree, so that nothing of what is checked out
//! moves. `REMOTE/NAME` is fetched first and pushed afterwards; `NAME` is a branch of the repository itself.
//!
//! A program elsewhere may extend the branch at the same time. Then git refuses the second one, which begins again with what
//! is there now.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use humdrum_contract::Outcome;
use humdrum_model::Fault;

use crate::sources::git;

/// Below it, each result has a file; a branch without it is not ours.
const KEPT: &str = "checks";

/// A branch that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultsBranch {
    repository: PathBuf,
    remote: Option<String>,
    name: String,
}

/// A state of the branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The commit; `None`: there is no such branch yet.
    tip: Option<String>,
    /// Texts of the results, by the names of their files.
    pub texts: Vec<(String, String)>,
}

impl ResultsBranch {
    /// Finds the branch that a user typed, in the repository at `path`.
    ///
    /// # Errors
    /// Usage: no repository, no name of a branch, a branch that is checked out or holds something else; environment: a remote that
    /// does not answer.
    pub fn find(path: &Path, typed: &str) -> Outcome<Self> {
        let repository = git::repository(path).ok_or_else(|| {
            Fault::usage(format!("{} is no repository of git", path.display()))
                .hint("--repo names the repository that has the branch of --history")
        })?;
        let remotes = git::said(git::of(&repository).arg("remote")).unwrap_or_default();
        let remote = remotes.lines().find(|remote| typed.starts_with(&format!("{remote}/")));
        let name = remote.map_or(typed, |remote| &typed[remote.len() + 1..]);
        let is_name = !name.starts_with('-')
            && git::said(git::of(&repository).arg("check-ref-format").arg(format!("refs/heads/{name}")))
                .is_ok();
        if !is_name {
            return Err(Fault::usage(format!("`{typed}` is no name of a branch"))
                .hint("type --history NAME, or --history origin/NAME to push it"));
        }
        let branch = Self { remote: remote.map(str::to_owned), name: name.to_owned(), repository };
        branch.refuse_checked_out()?;
        if let Some(tip) = branch.tip()? {
            branch.listed(&tip)?;
        }
        Ok(branch)
    }

    /// git would not see that what is checked out was written behind its back, and the next commit there would undo it.
    fn refuse_checked_out(&self) -> Outcome<()> {
        if self.remote.is_some() {
            return Ok(());
        }
        let trees = git::said(git::of(&self.repository).args(["worktree", "list", "--porcelain"]));
        let own = format!("branch refs/heads/{}", self.name);
        let is_there = trees.unwrap_or_default().lines().any(|line| line == own);
        if !is_there && git::branch(&self.repository).as_deref() != Some(&self.name) {
            return Ok(());
        }
        Err(Fault::usage(format!("the branch `{}` is checked out", self.name))
            .hint("name a branch for results alone: --history humdrum-history"))
    }

    /// What it keeps now.
    ///
    /// # Errors
    /// As `find`.
    pub fn read(&self) -> Outcome<Kept> {
        let Some(tip) = self.tip()? else { return Ok(Kept::default()) };
        let text = |name: String| {
            let text = git::read(&self.repository, &tip, &name).unwrap_or_default();
            (name, text)
        };
        Ok(Kept { texts: self.listed(&tip)?.into_iter().map(text).collect(), tip: Some(tip) })
    }

    /// The files of the results that a commit has.
    fn listed(&self, tip: &str) -> Outcome<Vec<String>> {
        let below = format!("{KEPT}/");
        let list = git::said(git::of(&self.repository).args(["ls-tree", "--name-only", "-z", tip, &below]));
        let list = list.map_err(|said| self.trouble("read", &said))?;
        let names: Vec<String> =
            list.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        if names.is_empty() {
            let what = format!("the branch `{}` holds something else than results", self.shown());
            let hint = "name another one, which need not exist yet: --history humdrum-history";
            return Err(Fault::usage(what).hint(hint));
        }
        Ok(names)
    }

    /// Adds or replaces files, as one commit after `kept`. False: the branch has moved on meanwhile, and nothing was written.
    ///
    /// # Errors
    /// Environment, with what git said.
    pub fn extend(&self, kept: &Kept, files: &[(String, String)], message: &str) -> Outcome<bool> {
        self.refuse_checked_out()?;
        let index = tempfile::NamedTempFile::new()
            .map_err(|error| self.trouble("write", &error.to_string()))?
            .into_temp_path();
        // git takes an empty file for a damaged index.
        let _ = std::fs::remove_file(&index);
        let commit =
            self.commit(&index, kept, files, message).map_err(|said| self.trouble("write", &said))?;
        let name = format!("refs/heads/{}", self.name);
        let old = kept.tip.as_deref().unwrap_or("");
        // The old id, or an empty one for "there must be none", makes git refuse what another program has moved.
        let (verb, moved) = match &self.remote {
            None => ("write", git::said(git::of(&self.repository).args(["update-ref", &name, &commit, old]))),
            Some(remote) => {
                let lease = format!("--force-with-lease={name}:{old}");
                let mut push = self.quiet_git();
                push.args(["push", "--quiet", "--no-verify", &lease, remote, &format!("{commit}:{name}")]);
                ("push", git::said(&mut push))
            }
        };
        match moved {
            Ok(_) => Ok(true),
            Err(said) => match self.tip() {
                Ok(now) if now != kept.tip => Ok(false),
                _ => Err(self.trouble(verb, &said)),
            },
        }
    }

    fn commit(
        &self,
        index: &Path,
        kept: &Kept,
        files: &[(String, String)],
        message: &str,
    ) -> Result<String, String> {
        let git = |args: &[&str]| {
            let mut command = git::of(&self.repository);
            command.args(args).env("GIT_INDEX_FILE", index);
            for who in ["AUTHOR", "COMMITTER"] {
                command
                    .env(format!("GIT_{who}_NAME"), "humdrum")
                    .env(format!("GIT_{who}_EMAIL"), "humdrum@localhost");
            }
            command
        };
        if let Some(tip) = &kept.tip {
            git::said(&mut git(&["read-tree", tip]))?;
        }
        for (name, text) in files {
            let blob = fed(&mut git(&["hash-object", "-w", "--stdin"]), text)?;
            git::said(&mut git(&["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{name}")]))?;
        }
        let tree = git::said(&mut git(&["write-tree"]))?;
        let mut commit = git(&["commit-tree", tree.trim(), "-m", message]);
        if let Some(tip) = &kept.tip {
            commit.args(["-p", tip]);
        }
        git::said(&mut commit).map(|id| id.trim().to_owned())
    }

    /// The commit that the branch is at, with its objects here.
    fn tip(&self) -> Outcome<Option<String>> {
        let name = format!("refs/heads/{}", self.name);
        let Some(remote) = &self.remote else {
            let found =
                git::said(git::of(&self.repository).args(["rev-parse", "--verify", "--quiet", &name]));
            return Ok(found.ok().map(|id| id.trim().to_owned()));
        };
        let listed = git::said(self.quiet_git().args(["ls-remote", remote, &name]));
        let listed = listed.map_err(|said| self.trouble("ask for", &said))?;
        let Some(id) = listed.split_whitespace().next().map(str::to_owned) else { return Ok(None) };
        // No name is written here: git keeps what nothing refers to for two weeks, and two programs would write the same name.
        let fetched = git::said(self.quiet_git().args([
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--refmap=",
            remote,
            &name,
        ]));
        fetched.map_err(|said| self.trouble("fetch", &said))?;
        Ok(Some(id))
    }

    /// git that fails where it would ask for a password.
    fn quiet_git(&self) -> Command {
        let mut command = git::of(&self.repository);
        command.env("GIT_TERMINAL_PROMPT", "0").env("SSH_ASKPASS_REQUIRE", "force").stdin(Stdio::null());
        for asks in ["GIT_ASKPASS", "SSH_ASKPASS"] {
            command.env(asks, "/bin/false");
        }
        command
    }

    /// As typed.
    pub fn shown(&self) -> String {
        self.remote.as_ref().map_or_else(|| self.name.clone(), |remote| format!("{remote}/{}", self.name))
    }

    fn trouble(&self, verb: &str, said: &str) -> Fault {
        Fault::environment(format!("cannot {verb} the branch `{}`: {said}", self.shown()))
    }
}

/// The file of a result.
pub fn file_of(name: &str) -> String {
    format!("{KEPT}/{name}.json")
}

/// What a command prints that reads `text`.
fn fed(command: &mut Command, text: &str) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("cannot start git: {error}");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let written = child.stdin.take().map(|mut stdin| stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().map_err(failed)?;
    match (output.status.success(), written) {
        (true, Some(Ok(()))) => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        _ => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

#[cfg(test)]
mod tests;
