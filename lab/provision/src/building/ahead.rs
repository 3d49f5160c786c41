//! How many files `make` has still to compile. It does not count its steps as ninja does, so it is asked: `make -n` prints the
//! commands that it would run. It is asked beside a step that runs for some seconds, so that short ones take no longer.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Step;
use crate::guardian::{GuardSpec, Guarded};

/// Steps that end before are not asked about.
const ASKED_AFTER: Duration = Duration::from_secs(2);
/// What a command that compiles a file has in it.
const COMPILES: &str = " -c ";
/// Files below which a step needs no count.
const FILES_MIN: u64 = 5;

/// What is left of a step of `make`.
pub(super) struct Ahead {
    spec: GuardSpec,
    state: State,
}

enum State {
    NotAsked,
    /// Since so many files were compiled.
    Asked(Guarded, u64),
    Known(u64),
    Unknown,
}

impl Ahead {
    /// For a step that compiles by `make`; `spec` is how that is started.
    pub(super) fn of(step: &Step, mut spec: GuardSpec) -> Option<Self> {
        if step.program != "make" || !step.what.starts_with("compiling") {
            return None;
        }
        spec.args.push("-n".into());
        // One after the other: lines of two that print at a time could be torn.
        spec.env.push((OsString::from("MAKEFLAGS"), OsString::new()));
        spec.log_file.set_extension("ahead");
        Some(Self { spec, state: State::NotAsked })
    }

    /// Files of the whole step, once that is known; `done` of them were compiled, or begun, after so long.
    pub(super) fn files(&mut self, done: u64, elapsed: Duration) -> Option<u64> {
        match &mut self.state {
            State::NotAsked if elapsed >= ASKED_AFTER => {
                let _ = fs::remove_file(&self.spec.log_file);
                // A count that cannot be had is left out.
                self.state =
                    Guarded::spawn(&self.spec).map_or(State::Unknown, |asked| State::Asked(asked, done));
            }
            State::Asked(asked, before) => {
                let ended = asked.try_wait().ok().flatten();
                if let Some(status) = ended {
                    let left = Compiled::from(&self.spec.log_file, 0).count();
                    let all = *before + left;
                    self.state =
                        if status.success() && all >= FILES_MIN { State::Known(all) } else { State::Unknown };
                    let _ = fs::remove_file(&self.spec.log_file);
                }
            }
            State::NotAsked | State::Known(_) | State::Unknown => {}
        }
        match self.state {
            State::Known(all) => Some(all),
            _ => None,
        }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        if let State::Asked(asked, _) = &mut self.state {
            let _ = asked.kill();
        }
        let _ = fs::remove_file(&self.spec.log_file);
    }
}

/// Commands in a log that compile files, counted as the log grows.
pub(super) struct Compiled {
    log: PathBuf,
    read: u64,
    count: u64,
}

impl Compiled {
    /// From this byte of the log on.
    pub(super) fn from(log: &Path, read: u64) -> Self {
        Self { log: log.to_owned(), read, count: 0 }
    }

    /// From the present end of the log on.
    pub(super) fn from_now(log: &Path) -> Self {
        Self::from(log, fs::metadata(log).map_or(0, |log| log.len()))
    }

    /// So many until now. A log that cannot be read has no more.
    pub(super) fn count(&mut self) -> u64 {
        let mut bytes = Vec::new();
        let more = File::open(&self.log).and_then(|mut log| {
            log.seek(SeekFrom::Start(self.read))?;
            log.read_to_end(&mut bytes)
        });
        // The last line may be unfinished.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        if more.is_ok() {
            self.read += whole as u64;
            let text = String::from_utf8_lossy(&bytes[..whole]);
            self.count += text.lines().filter(|line| line.contains(COMPILES)).count() as u64;
        }
        self.count
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::tools;

    fn step(program: &str, what: &str) -> Step {
        Step { what: what.into(), program: program.into(), args: Vec::new(), env: Vec::new() }
    }

    fn spec(folder: &Path, program: PathBuf) -> GuardSpec {
        GuardSpec {
            program,
            args: vec!["all".into()],
            env: vec![
                ("PATH".into(), std::env::var_os("PATH").unwrap_or_default()),
                ("MAKEFLAGS".into(), "-j2".into()),
            ],
            cwd: folder.into(),
            log_file: folder.join("it.log"),
            run_as: None,
            limit: None,
            fsync_delay: None,
        }
    }

    #[test]
    fn make_tells_what_is_left() {
        let Some(make) = tools::find("make") else { return eprintln!("skipped: there is no make here") };
        let folder = tempfile::tempdir().expect("folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("write");
        write("Makefile", "all: 1.o 2.o 3.o 4.o 5.o 6.o 7.o\n%.o: %.c\n\tsh -c 'exit 1' -c $< -o $@\n");
        (1..=7).for_each(|number| write(&format!("{number}.c"), ""));
        write("2.o", "");
        let mut ahead =
            Ahead::of(&step("make", "compiling it"), spec(folder.path(), make)).expect("is asked");
        assert_eq!(ahead.files(1, Duration::from_millis(10)), None);
        assert!(matches!(ahead.state, State::NotAsked));
        let long = Duration::from_secs(10);
        while ahead.files(2, long).is_none() {
            assert!(!matches!(ahead.state, State::Unknown), "make -n succeeds");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(ahead.files(5, long), Some(2 + 6), "2 were compiled when it was asked, and 6 were left");
        assert!(!folder.path().join("it.ahead").exists());
    }

    #[test]
    fn other_commands_are_not_asked() {
        let of = |program: &str, what: &str| {
            Ahead::of(&step(program, what), spec(Path::new("/"), program.into())).is_some()
        };
        assert!(of("make", "compiling src") && !of("make", "installing src") && !of("cmake", "compiling"));
    }

    #[test]
    fn a_log_is_counted_as_it_grows() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("log");
        fs::write(&path, "cc -O2 -c a.c\n").expect("write");
        let mut compiled = Compiled::from_now(&path);
        assert_eq!(compiled.count(), 0, "what was there before");
        let mut log = fs::OpenOptions::new().append(true).open(&path).expect("open");
        log.write_all(b"cc -O2 -c b.c -o b.o\nmake -C x all\ncc -O2 -c c").expect("write");
        assert_eq!(compiled.count(), 1);
        log.write_all(b".c -o c.o\nar r lib.a b.o\n").expect("write");
        assert_eq!((compiled.count(), compiled.count()), (2, 2));
    }
}
