//! The results folder: its place and its files. Files are written completely or not at all.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use humdrum_model::{Fault, Subject};

/// Where further runs are, below the folder of the first.
pub(crate) const RUNS: &str = "runs";

/// The folder of one run, and of those that were added to it.
#[derive(Clone, Debug)]
pub struct ResultsFolder {
    /// The folder itself.
    pub folder: PathBuf,
}

impl ResultsFolder {
    /// Makes the folder of a new run; `wanted` or one named after date and subjects.
    ///
    /// # Errors
    /// Usage when it cannot be written or holds results already.
    pub fn create(wanted: Option<&Path>, subjects: &[Subject]) -> Result<Self, Fault> {
        let folder = wanted.map_or_else(|| default_folder(subjects), Path::to_path_buf);
        let cannot = |error: std::io::Error| unwritable(&folder, &error);
        std::fs::create_dir_all(folder.join("logs")).map_err(cannot)?;
        let out = Self { folder: folder.clone() };
        if out.results().exists() {
            let what = format!("{} holds results already", folder.display());
            let hint = format!("humdrum resume {0}, humdrum report {0}, or another --out", folder.display());
            return Err(Fault::usage(what).hint(hint));
        }
        // Found out now rather than after an hour of measuring.
        let probe = folder.join(".humdrum-writable");
        std::fs::write(&probe, b"").and_then(|()| std::fs::remove_file(&probe)).map_err(cannot)?;
        Ok(out)
    }

    /// The folder of an earlier run, from its path or that of the results file in it.
    ///
    /// # Errors
    /// Usage when there are no results.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        let folder =
            if path.is_dir() { path.to_path_buf() } else { path.parent().unwrap_or(path).to_path_buf() };
        let out = Self { folder };
        let file = if path.is_dir() { out.results() } else { path.to_path_buf() };
        match file.try_exists() {
            Ok(true) => return Ok(out),
            Ok(false) => {}
            Err(error) => {
                return Err(Fault::usage(format!("cannot read {}: {error}", path.display()))
                    .hint("check its permissions, or copy it with its -wal file to a folder of yours"));
            }
        }
        let hint = "give the results folder that a run printed, or the results.sqlite in it";
        Err(Fault::usage(format!("no results at {}", path.display())).hint(hint))
    }

    /// Everything that was measured.
    pub fn results(&self) -> PathBuf {
        self.folder.join("results.sqlite")
    }

    /// The results file of an opened folder, whose name the user may have given.
    pub fn results_at(&self, path: &Path) -> PathBuf {
        if path.is_dir() { self.results() } else { path.to_path_buf() }
    }

    /// Where servers' logs go.
    pub fn logs(&self) -> PathBuf {
        self.folder.join("logs")
    }

    /// Whether a path is that of a file that a run writes into this folder.
    pub fn owns(&self, path: &Path) -> bool {
        const OWN: [&str; 6] =
            ["results.sqlite", "report.html", "summary.json", "summary.md", "summary.tsv", "steps.tsv"];
        // A link that leads to such a file is the file.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let parent =
            path.parent().map(|parent| if parent == Path::new("") { Path::new(".") } else { parent });
        let here = parent.and_then(|parent| parent.canonicalize().ok());
        let is_own = path.file_name().is_some_and(|name| OWN.iter().any(|own| name == *own));
        is_own && here.is_some() && here == self.folder.canonicalize().ok()
    }

    /// Removes the results of a run without blocks, because an empty results file is useless.
    pub fn discard(&self) {
        let results = self.results();
        let beside = ["", "-wal", "-shm", ".lock"].map(|tail| {
            let mut name = results.clone().into_os_string();
            name.push(tail);
            name
        });
        beside.iter().for_each(|file| drop(std::fs::remove_file(file)));
        // A folder that holds anything else stays.
        for folder in [self.logs(), self.folder.clone()] {
            let _ = std::fs::remove_dir(folder);
        }
        if let Some(runs) = self.folder.parent().filter(|parent| parent.ends_with(RUNS)) {
            let _ = std::fs::remove_dir(runs);
        }
    }

    /// Writes a file whole or not at all.
    ///
    /// # Errors
    /// When the disk or the folder refuses.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, Fault> {
        let path = self.folder.join(name);
        write_whole(&path, text)?;
        Ok(path)
    }
}

/// Writes a file whole or not at all; `-` is standard output.
///
/// # Errors
/// When the disk or the folder refuses.
pub fn write_whole(path: &Path, text: &str) -> Result<(), Fault> {
    if path == Path::new("-") {
        // A reader that has gone (`| head`) is not an error of ours.
        let _ =
            std::io::stdout().write_all(text.as_bytes()).and_then(|()| std::io::stdout().write_all(b"\n"));
        return Ok(());
    }
    let cannot = |error: std::io::Error| {
        let fault = Fault::environment(format!("cannot write {}: {error}", path.display()));
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => fault
                .hint("make room; what was measured is kept, and `humdrum report` writes its reports again"),
            _ => fault,
        }
    };
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".new");
    let fresh = path.with_file_name(name);
    let written = std::fs::write(&fresh, text).and_then(|()| std::fs::rename(&fresh, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&fresh);
        cannot(error)
    })
}

/// The folder for the runs of a selftest: `wanted`, or `humdrum-results/<date>-selftest-<subject>`, with a number where that is
/// taken. Nothing is made.
pub fn selftest_folder(wanted: Option<&Path>, subject: &str) -> PathBuf {
    wanted.map_or_else(|| dated(&format!("selftest-{}", plain(subject))), Path::to_path_buf)
}

/// The folder of a bisect, not made yet: `wanted`, or one named after date and ends.
pub fn bisect_folder(wanted: Option<&Path>, good: &str, bad: &str) -> PathBuf {
    let name = || dated(&format!("bisect-{}-to-{}", plain(good), plain(bad)));
    wanted.map_or_else(name, Path::to_path_buf)
}

/// `humdrum-results/<date>-<base>-vs-<subject>`, with a number where that is taken.
fn default_folder(subjects: &[Subject]) -> PathBuf {
    let name = |index: usize| subjects.get(index).map(|subject| plain(&subject.label)).unwrap_or_default();
    let more = if subjects.len() > 2 { format!("-and-{}-more", subjects.len() - 2) } else { String::new() };
    dated(&format!("{}-vs-{}{more}", name(0), name(1)))
}

/// Today's date, UTC: `2026-11-25`.
pub fn today() -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    now.split('T').next().unwrap_or("today").to_owned()
}

/// Results cannot be written there.
pub(crate) fn unwritable(folder: &Path, error: &std::io::Error) -> Fault {
    Fault::usage(format!("cannot write results to {}: {error}", folder.display()))
        .hint("give a folder you may write to with --out")
}

fn dated(name: &str) -> PathBuf {
    let stem = format!("{}-{name}", today());
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let names = std::iter::once(stem.clone()).chain(numbered);
    let mut folders = names.map(|name| Path::new("humdrum-results").join(name));
    folders.find(|folder| !folder.exists()).unwrap_or_else(|| PathBuf::from("humdrum-results"))
}

/// Letters, digits, dots and dashes; the rest of a label (a path, a URL with a password) stays out of names.
fn plain(label: &str) -> String {
    let label = label.split("://").next().unwrap_or(label);
    let safe = |c: char| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '-' };
    label.chars().map(safe).take(40).collect::<String>().trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        assert_eq!(plain("postgres@17.7+io_method=worker"), "postgres-17.7-io_method-worker");
        assert_eq!(plain("pg@postgres://me:secret@host/db"), "pg-postgres");
        assert_eq!(plain("../../etc"), "..-..-etc");
    }

    #[test]
    fn own_files_are_known_by_any_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let out = ResultsFolder { folder: folder.path().join("run") };
        std::fs::create_dir(&out.folder).expect("made");
        let path = |name: &str| out.folder.join(name);
        assert!(out.owns(&path("report.html")) && out.owns(&path("../run/summary.json")));
        assert!(!out.owns(&path("by-18.1.html")) && !out.owns(&folder.path().join("report.html")));
        std::fs::write(path("results.sqlite"), "").expect("written");
        let link = folder.path().join("link.html");
        std::os::unix::fs::symlink(path("results.sqlite"), &link).expect("linked");
        assert!(out.owns(&link));
    }

    #[test]
    fn a_file_is_whole_or_absent() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("summary.json");
        write_whole(&path, "{}").expect("written");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "{}");
        assert!(write_whole(&folder.path().join("no/such/x"), "").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
    }
}
