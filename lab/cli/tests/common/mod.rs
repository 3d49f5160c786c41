//! Common parts of the end-to-end tests: the program with folders of its own, and readers of its results.
#![allow(dead_code, reason = "each test binary uses its part")]

pub mod cgroups;
pub mod processes;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

use humdrum_model::Results;
use humdrum_record::Store;
use serde_json::Value;
use tempfile::TempDir;

/// The program with empty folders.
pub struct Humdrum {
    folder: TempDir,
    has_own_builds: bool,
}

impl Humdrum {
    /// Folders of this value alone, removed with it.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        open_to_all(folder.path());
        Self { folder, has_own_builds: true }
    }

    /// Builds come from the cache that all tests (and a developer's own runs) share; everything else is private.
    pub fn with_shared_builds() -> Self {
        Self { has_own_builds: false, ..Self::new() }
    }

    /// Where this test may write.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A path in that folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command that can still be changed.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_humdrum"));
        command.args(args).current_dir(self.folder.path()).env("NO_COLOR", "1").env_remove("COLUMNS");
        command
    }

    /// A command in this test's own folders.
    pub fn private(&self, args: &[&str]) -> Command {
        let mut command = self.command(args);
        command.env("HUMDRUM_CACHE", self.path("cache"));
        command
    }

    /// Runs to the end.
    pub fn run(&self, args: &[&str]) -> Output {
        let mut command = if self.has_own_builds { self.private(args) } else { self.command(args) };
        command.output().expect("humdrum starts")
    }

    /// Runs to the end, which must have this exit code.
    pub fn exits(&self, code: i32, args: &[&str]) -> Output {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", text_of(&output.stderr));
        output
    }

    /// Compares, with results in `out`. Returns the exit code, the summary (null where there is none), and what was said.
    pub fn compare(&self, out: &str, args: &[&str]) -> (i32, Value, String) {
        let output = self.run(&[&["compare", "--out", out, "--quiet"], args].concat());
        let text = std::fs::read_to_string(self.path(out).join("summary.json")).unwrap_or_default();
        let code = output.status.code().unwrap_or(-1);
        (code, serde_json::from_str(&text).unwrap_or_default(), text_of(&output.stderr))
    }

    /// The summary of results in a folder of this test.
    pub fn summary(&self, out: &str) -> Value {
        let text = std::fs::read_to_string(self.path(out).join("summary.json")).expect("a summary");
        serde_json::from_str(&text).expect("JSON")
    }

    /// What is on record there; `None` while the file is still being made.
    pub fn recorded(&self, out: &str) -> Option<Results> {
        Store::open(&self.path(out).join("results.sqlite")).and_then(|store| store.read()).ok()
    }

    /// The same of a run that has come to its end.
    pub fn results(&self, out: &str) -> Results {
        self.recorded(out).expect("results")
    }

    /// Compares on the fake engine; returns the exit code and the summary.
    pub fn compare_fake(&self, base: &str, subjects: &[&str], more: &[&str]) -> (i32, Value) {
        let out = format!("out-{}", base.len() + subjects.concat().len() + more.concat().len());
        let (code, summary, complaint) =
            self.compare(&out, &[&[base], subjects, &["--scale", "tiny"], more].concat());
        assert!(!summary.is_null(), "no summary; stderr:\n{complaint}");
        (code, summary)
    }
}

/// Unmounts however the test ends.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// A file system of its own at `folder`; `None` where one may not mount.
    pub fn mount(folder: PathBuf, options: &str) -> Option<Self> {
        std::fs::create_dir_all(&folder).expect("made");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", options, "none"]).arg(&folder).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Self(folder))
    }

    /// The same over a folder that there is, with its owner and mode.
    pub fn mount_over(folder: &Path, options: &str) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let there = folder.metadata().expect("a folder");
        let (uid, gid, mode) = (there.uid(), there.gid(), there.mode() & 0o7777);
        Self::mount(folder.to_path_buf(), &format!("{options},uid={uid},gid={gid},mode={mode:o}"))
    }

    /// Leaves so many bytes free, about.
    pub fn fill(&self, free_bytes: u64) {
        let output =
            Command::new("df").args(["--output=used", "-k"]).arg(&self.0).output().expect("df starts");
        let text = text_of(&output.stdout);
        let used_kib: u64 =
            text.split_whitespace().last().and_then(|word| word.parse().ok()).expect("a size");
        self.resize(&format!("size={}k", used_kib + free_bytes / 1024));
    }

    /// Other options of `mount`.
    pub fn resize(&self, options: &str) {
        let options = format!("remount,{options}");
        let status = Command::new("mount").args(["-o", &options]).arg(&self.0).status();
        assert!(status.is_ok_and(|status| status.success()));
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// One test of a file at a time: for those that measure, and whose kills fall into moments of a run.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A command line as arguments.
pub fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Bytes as text.
pub fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// One field of every test of the first comparison: (test, value).
pub fn field(summary: &Value, name: &str) -> Vec<(String, Value)> {
    let tests = summary["comparisons"][0]["tests"].as_array().cloned().unwrap_or_default();
    tests.iter().map(|test| (test["test"].as_str().unwrap_or("").to_owned(), test[name].clone())).collect()
}

/// Servers drop privileges, so that they must be able to pass through the folder.
pub fn open_to_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).expect("permissions");
}
