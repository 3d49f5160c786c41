//! A runner for scripts: a folder, and a PATH that has programs which note how they were called, and those of this host that a test
//! asks for. Nothing else can be called, so that no script reaches a network.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Output};

use super::scripts::Script;
use crate::common::{Humdrum, text_of};

/// What shells and the project's own scripts take for granted.
const USUAL: [&str; 14] = [
    "bash", "cat", "chmod", "cp", "dirname", "find", "head", "ln", "ls", "mkdir", "sh", "sort", "tail",
    "uname",
];

/// A runner.
pub(super) struct Runner {
    humdrum: Humdrum,
}

impl Runner {
    pub(super) fn new() -> Self {
        let runner = Self { humdrum: Humdrum::new() };
        for folder in ["bin", "work", "temp", "home"] {
            fs::create_dir(runner.humdrum.path(folder)).expect("made");
        }
        USUAL.iter().for_each(|name| assert!(runner.real(name), "{name} is not in PATH"));
        runner
    }

    /// A place in the runner's folder. Scripts run in `work`.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.humdrum.path(name)
    }

    /// The same as text.
    pub(super) fn shown(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Lends a program of this host; false where there is none.
    pub(super) fn real(&self, name: &str) -> bool {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
        found.is_some_and(|file| symlink(file, self.path("bin").join(name)).is_ok())
    }

    /// A program that notes its arguments and then does this. One that is there is replaced.
    pub(super) fn stand_in(&self, name: &str, does: &str) {
        let calls = self.shown("calls");
        // Arguments with a space, and empty ones, are told by quotes.
        let text = format!(
            "#!/bin/sh\n{{ printf %s '{name}'; for one in \"$@\"; do case $one in\n*' '* | '') printf \" '%s'\" \"$one\" ;;\n\
             *) printf ' %s' \"$one\" ;;\nesac; done; echo; }} >>'{calls}'\n{does}\n"
        );
        let file = self.path("bin").join(name);
        let _ = fs::remove_file(&file);
        fs::write(&file, text).expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("set");
    }

    /// A program of this host for which `/usr` is the runner's.
    pub(super) fn with_own_usr(&self, name: &str) {
        let real = fs::read_link(self.path("bin").join(name)).expect("a program of this host");
        let root = self.shown("");
        let root = root.trim_end_matches('/');
        self.stand_in(
            name,
            &format!(
                "for one in \"$@\"; do shift; case $one in /usr/*) one='{root}'$one ;; esac; set -- \"$@\" \"$one\"; done\n\
                 exec '{}' \"$@\"",
                real.display()
            ),
        );
    }

    /// Takes a program away.
    pub(super) fn without(&self, name: &str) {
        fs::remove_file(self.path("bin").join(name)).expect("removed");
    }

    /// Runs a script as a runner does, with these variables beside PATH and HOME.
    pub(super) fn run<N: AsRef<OsStr>, V: AsRef<OsStr>>(
        &self,
        script: &Script,
        variables: &[(N, V)],
    ) -> Output {
        self.run_text(&script.text, script.options, variables)
    }

    /// The same with a text that was changed.
    pub(super) fn run_text<N: AsRef<OsStr>, V: AsRef<OsStr>>(
        &self,
        text: &str,
        options: &[&str],
        variables: &[(N, V)],
    ) -> Output {
        let file = self.path("script.sh");
        fs::write(&file, text).expect("written");
        Command::new(self.path("bin/bash"))
            .args(options)
            .arg(&file)
            .current_dir(self.path("work"))
            .env_clear()
            .env("PATH", self.path("bin"))
            .env("HOME", self.path("home"))
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .output()
            .expect("bash starts")
    }

    /// The calls so far, which are then forgotten.
    pub(super) fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("calls")).unwrap_or_default();
        let _ = fs::remove_file(self.path("calls"));
        text.lines().map(str::to_owned).collect()
    }

    /// Runs a program of this host in the runner's work folder, before the script.
    pub(super) fn before(&self, command: &[&str]) -> String {
        let output = Command::new(command[0])
            .args(&command[1..])
            .current_dir(self.path("work"))
            .envs([("GIT_AUTHOR_NAME", "it"), ("GIT_AUTHOR_EMAIL", "it@it")])
            .envs([("GIT_COMMITTER_NAME", "it"), ("GIT_COMMITTER_EMAIL", "it@it")])
            .output()
            .expect("it starts");
        assert!(output.status.success(), "{command:?}: {}", text_of(&output.stderr));
        text_of(&output.stdout).trim().to_owned()
    }

    /// What humdrum says to a command in the runner's work folder.
    pub(super) fn humdrum(&self, args: &[&str]) -> Output {
        self.humdrum.private(args).current_dir(self.path("work")).output().expect("humdrum starts")
    }

    /// A file in the runner's folder.
    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
}

/// What it printed, if it ended well.
pub(super) fn well(script: &Script, output: &Output) -> String {
    let told = text_of(&output.stdout) + &text_of(&output.stderr);
    assert!(output.status.success(), "{}: {:?} {told}", script.named(), output.status.code());
    told
}
