//! The repository that is made, by git, without anything that the user has set for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A repository with a work tree.
pub struct Repository {
    folder: PathBuf,
}

impl Repository {
    /// A new one whose first commit is a copy of these sources.
    pub fn of(sources: &Path, folder: PathBuf) -> Result<Self, String> {
        if fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(format!("{} is there already", folder.display()));
        }
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let repository = Self { folder };
        repository.git(&["init", "-q", "-b", "main"], 0)?;
        // Owned by who calls this, whoever unpacked the sources: git refuses a repository of somebody else.
        let mut copy = Command::new("cp");
        done(copy.arg("-R").arg(sources.join(".")).arg(&repository.folder))?;
        // Archives hold generated files that their .gitignore names.
        repository.git(&["add", "--all", "--force"], 0)?;
        repository.commit("Sources", 0)?;
        Ok(repository)
    }

    /// Changes the text of a file.
    pub fn change(&self, below: &Path, change: impl FnOnce(&str) -> String) -> Result<(), String> {
        let path = self.folder.join(below);
        let refused = |error: std::io::Error| format!("{}: {error}", path.display());
        let text = fs::read_to_string(&path).map_err(refused)?;
        fs::write(&path, change(&text)).map_err(refused)
    }

    /// Commits all changes; the id.
    pub fn commit(&self, subject: &str, number: usize) -> Result<String, String> {
        self.git(&["commit", "-q", "--all", "--no-verify", "-m", subject], number)?;
        self.git(&["rev-parse", "--short=10", "HEAD"], number)
    }

    /// Tags the last commit; its id.
    pub fn tag(&self, name: &str) -> Result<String, String> {
        self.git(&["tag", name], 0)?;
        self.git(&["rev-parse", "--short=10", "HEAD"], 0)
    }

    /// What git prints, at a time that is the same in every run: one commit a minute.
    fn git(&self, args: &[&str], minute: usize) -> Result<String, String> {
        let mut git = Command::new("git");
        git.arg("-C").arg(&self.folder).args(args);
        let time = format!("{} +0000", 1_767_225_600 + 60 * minute);
        for (name, value) in [
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_NAME", "humdrum"),
            ("GIT_AUTHOR_EMAIL", "humdrum@example.org"),
            ("GIT_COMMITTER_NAME", "humdrum"),
            ("GIT_COMMITTER_EMAIL", "humdrum@example.org"),
            ("GIT_AUTHOR_DATE", &time),
            ("GIT_COMMITTER_DATE", &time),
        ] {
            git.env(name, value);
        }
        done(&mut git)
    }
}

fn done(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|error| format!("{name} cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}
