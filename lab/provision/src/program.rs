//! Copies a server's program before every start, so that its place in memory is drawn anew.
//!
//! The kernel keeps one copy of a program's file in memory for as long as it likes, page by page wherever
//! there was room. Which pages share lines of the physically indexed second-level cache decides how much of a
//! hot loop stays in that cache. The place persists: all sessions of a run share it, and so does the next
//! run. On one host it changed one release's `read-only-count` by -18 to +2 % (`docs/host-effects.md`), with
//! intervals of ±0.9 %.
//!
//! A server therefore runs a copy of its program that is made before every start:
//!
//! - written by one call: file systems with large folios (ext4 from Linux 6.16 on, XFS before) then use
//!   contiguous memory, where all places are alike;
//! - made before the previous copy is removed, from memory chosen at random, so that every session draws anew and the
//!   spread between sessions contains the remaining effect.
//!
//! Programs find their libraries and messages relative to their own place, so the copy lies in a folder with the
//! build's layout: everything beside the copy is a link.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use humdrum_contract::Outcome;
use humdrum_model::Fault;

/// Locked for writing while a copy is open for writing, and for reading while a process is started: a child has its
/// parent's open files until it calls exec, and a program that any process has open for writing is "text file busy".
static FORKING: RwLock<()> = RwLock::new(());

/// Number of places, 2 MB apart, from which that of a copy is drawn.
const SHIFTS: u8 = 64;

/// Calls `make`, which starts a process, while no copy is open for writing.
pub(crate) fn forking<T>(make: impl FnOnce() -> T) -> T {
    let _shared = FORKING.read().unwrap_or_else(PoisonError::into_inner);
    make()
}

/// Runs a program that may just have been written. While any process has it open for writing, the kernel answers "text
/// file busy"; the call is then repeated for up to a second.
///
/// # Errors
/// As `Command::output`; still busy after a second.
pub fn output(command: &mut Command) -> io::Result<Output> {
    for _ in 0..BUSY_TRIES {
        match command.output() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => std::thread::sleep(BUSY_PAUSE),
            outcome => return outcome,
        }
    }
    command.output()
}

const BUSY_TRIES: u32 = 100;
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// Copies `program`, a path below `build`, to the same place below `to`, and links everything else in `build`. Copies of
/// earlier starts are replaced. Returns the path of the copy.
///
/// # Errors
/// Environment, with the path that could not be read or made.
pub fn place(build: &Path, program: &Path, to: &Path) -> Outcome<PathBuf> {
    let mut from = build.canonicalize().map_err(|error| refused("find", build, &error))?;
    let mut here = to.to_path_buf();
    for part in program {
        let entries = fs::read_dir(&from).map_err(|error| refused("read", &from, &error))?;
        fs::create_dir_all(&here).map_err(|error| refused("make", &here, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| refused("read", &from, &error))?;
            let link = here.join(entry.file_name());
            if entry.file_name() != *part && fs::symlink_metadata(&link).is_err() {
                symlink(entry.path(), &link).map_err(|error| refused("make", &link, &error))?;
            }
        }
        from.push(part);
        here.push(part);
    }
    copy(&from, &here).map_err(|error| refused("copy", &from, &error))?;
    Ok(here)
}

/// Copies one file into the folder `to`, with nothing beside it. A copy of an earlier start is replaced. Returns its path.
///
/// # Errors
/// As `place`.
pub fn place_alone(program: &Path, to: &Path) -> Outcome<PathBuf> {
    let name = program.file_name().unwrap_or(program.as_os_str());
    fs::create_dir_all(to).map_err(|error| refused("make", to, &error))?;
    let here = to.join(name);
    copy(program, &here).map_err(|error| refused("copy", program, &error))?;
    Ok(here)
}

/// The new file is in memory before the old one is removed, and on the device before anything is measured.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let bytes = fs::read(from)?;
    let new = to.with_extension("new");
    let shift = to.with_extension("shift");
    for left in [&new, &shift] {
        match fs::remove_file(left) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    take_turns(&shift)?;
    let alone = FORKING.write().unwrap_or_else(PoisonError::into_inner);
    let mut file: File = OpenOptions::new().write(true).create_new(true).mode(0o755).open(&new)?;
    file.write_all(&bytes)?;
    drop(file);
    drop(alone);
    fs::remove_file(&shift)?;
    File::open(&new)?.sync_data()?;
    fs::rename(&new, to)
}

/// Writes a file of random size that is never read. The kernel first reuses the memory that was freed last,
/// so without this file a copy would get the same memory again every few starts.
fn take_turns(shift: &Path) -> io::Result<()> {
    let mut random = [0];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    let block = vec![0; 2 << 20];
    let mut file = OpenOptions::new().write(true).create_new(true).open(shift)?;
    (0..random[0] % SHIFTS).try_for_each(|_| file.write_all(&block))
}

fn refused(verb: &str, path: &Path, error: &io::Error) -> Fault {
    Fault::environment(format!("cannot {verb} {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    use std::process::ExitStatus;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    #[test]
    fn the_program_is_copied_anew_and_the_rest_is_linked() {
        let folder = tempfile::tempdir().expect("folder");
        let build = folder.path().join("build");
        for (name, text) in
            [("usr/bin/server", "code"), ("usr/bin/tool", "tool"), ("usr/lib/x.so", "x"), ("v", "1")]
        {
            let path = build.join(name);
            fs::create_dir_all(path.parent().expect("parent")).expect("folder");
            fs::write(path, text).expect("file");
        }
        let to = folder.path().join("program");
        let program = place(&build, Path::new("usr/bin/server"), &to).expect("placed");
        assert_eq!(program, to.join("usr/bin/server"));
        let first = fs::symlink_metadata(&program).expect("copy");
        assert!(first.is_file() && first.permissions().mode() & 0o111 == 0o111);
        for linked in ["usr/bin/tool", "usr/lib", "v"] {
            assert!(fs::symlink_metadata(to.join(linked)).expect("link").is_symlink());
        }
        assert_eq!(fs::read_to_string(to.join("usr/lib/x.so")).expect("through the link"), "x");

        fs::write(build.join("usr/bin/server"), "other code").expect("rebuilt");
        place(&build, Path::new("usr/bin/server"), &to).expect("placed again");
        assert_eq!(fs::read_to_string(&program).expect("read"), "other code");
        assert_ne!(fs::metadata(&program).expect("copy").ino(), first.ino());
        assert!(!to.join("usr/bin/server.new").exists());
    }

    #[test]
    fn what_another_thread_starts_does_not_keep_a_copy_busy() {
        let folder = tempfile::tempdir().expect("folder");
        let build = folder.path().join("build");
        fs::create_dir_all(&build).expect("folder");
        // As large as a server, so that writing it takes a while.
        let mut bytes = fs::read("/bin/true").expect("a program");
        bytes.resize(16 << 20, 0);
        fs::write(build.join("true"), bytes).expect("a program");
        fs::set_permissions(build.join("true"), fs::Permissions::from_mode(0o755)).expect("permissions");
        let slow_start = || {
            let mut command = Command::new("/bin/true");
            // SAFETY: sleeping is a system call; nothing is allocated and no lock is taken.
            unsafe {
                command.pre_exec(|| {
                    std::thread::sleep(Duration::from_millis(100));
                    Ok(())
                })
            };
            forking(|| command.spawn()).expect("starts").wait().expect("ends");
        };
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for delay in [0, 30, 60] {
                let done = &done;
                scope.spawn(move || {
                    std::thread::sleep(Duration::from_millis(delay));
                    while !done.load(Relaxed) {
                        slow_start();
                    }
                });
            }
            let placed = || place(&build, Path::new("true"), &folder.path().join("p")).expect("placed");
            let runs: Vec<_> = (0..5).map(|_| Command::new(placed()).status()).collect();
            done.store(true, Relaxed);
            assert!(runs.iter().all(|run| run.as_ref().is_ok_and(ExitStatus::success)), "{runs:?}");
        });
    }

    #[test]
    fn a_program_that_is_still_being_written_is_waited_for() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("tool");
        fs::copy("/bin/true", &path).expect("a program");
        let writing = OpenOptions::new().append(true).open(&path).expect("open for writing");
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(60));
                drop(writing);
            });
            assert!(output(&mut Command::new(&path)).expect("runs once it is closed").status.success());
        });
    }

    #[test]
    fn says_what_is_missing() {
        let folder = tempfile::tempdir().expect("folder");
        let fault = place(folder.path(), Path::new("bin/server"), &folder.path().join("p"))
            .expect_err("nothing there");
        assert!(fault.to_string().contains("bin"), "{fault}");
    }
}
