//! Running the program, and GNU sort beside it.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A user without rights.
pub const NOBODY: u32 = 65534;

/// The program under test; temporary files go into `folder`.
pub fn skipsort(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skipsort"));
    command.current_dir(folder).env("TMPDIR", folder);
    command
}

/// GNU sort in the C locale.
pub fn gnu(folder: &Path) -> Command {
    let mut command = Command::new("sort");
    command.current_dir(folder).env("TMPDIR", folder).env("LC_ALL", "C");
    command
}

/// Runs to the end with `input` as standard input.
pub fn run(mut command: Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || {
        // A program that ends early closes the pipe.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    feeder.join().expect("the feeder ends");
    output
}

/// A folder with some files in it.
pub struct Place {
    pub folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Place { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("the file is written");
        path
    }

    pub fn get(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("the file is there")
    }

    /// Names in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder is there");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The program with these arguments, ready to run in the folder.
    pub fn ours<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = skipsort(self.folder.path());
        command.args(args);
        command
    }

    /// The same as somebody who is refused what permissions refuse: the superuser's tests run it as nobody. `None`, with
    /// a message, where nobody may not run the program.
    pub fn unprivileged<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Option<Command> {
        let mut command = self.ours(args);
        if rustix::process::geteuid().is_root() {
            std::fs::set_permissions(self.folder.path(), Permissions::from_mode(0o755)).expect("our folder");
            command.uid(NOBODY).gid(NOBODY);
            let mut version = self.ours(["--version"]);
            if version.uid(NOBODY).gid(NOBODY).stdout(Stdio::null()).status().is_err() {
                eprintln!("skipped: nobody may not run the program here");
                return None;
            }
        }
        Some(command)
    }

    /// Output and exit code of the program.
    pub fn run(&self, args: &[&str]) -> (Vec<u8>, String, i32) {
        self.run_with(args, b"")
    }

    pub fn run_with(&self, args: &[&str], input: &[u8]) -> (Vec<u8>, String, i32) {
        let output = run(self.ours(args), input);
        let code = output.status.code().unwrap_or(-1);
        (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned(), code)
    }

    /// Both programs print the same and end with the same code.
    #[track_caller]
    pub fn same_as_gnu(&self, args: &[&str], input: &[u8]) {
        let ours = run(self.ours(args), input);
        let mut theirs = gnu(self.folder.path());
        theirs.args(args);
        let theirs = run(theirs, input);
        assert_eq!(ours.status.code(), theirs.status.code(), "{args:?}: {}", lossy(&ours.stderr));
        assert!(
            ours.stdout == theirs.stdout,
            "{args:?}: {} and {}",
            lossy(&ours.stdout),
            lossy(&theirs.stdout)
        );
    }
}

/// The first part of what a program said.
pub fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(400)]).into_owned()
}

/// So many lines in no order.
pub fn lines(count: usize, seed: u64) -> Vec<u8> {
    let keys = skipsort_testkit::patterns::find("url").expect("a pattern").keys(count, seed);
    keys.iter().flat_map(|key| key.iter().copied().chain([b'\n'])).collect()
}

/// The same lines in order.
pub fn sorted(bytes: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    lines.sort_unstable();
    lines.concat()
}
