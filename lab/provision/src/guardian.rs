//! Starts a program so that none of its processes outlives this one, even when this one is killed with SIGKILL.
//!
//! A small guardian process runs between the two. It holds the read end of a pipe whose write end only this
//! process holds. When this process ends, the kernel closes the write end; the guardian reads the end of file
//! and kills the program. The guardian is a subreaper: all descendants of the program, daemons included,
//! become its children and are killed too.
//!
//! ```text
//!   humdrum ──fork──▶ guardian ──fork──▶ server ──▶ its processes
//!      └──── lifetime pipe ───┘              ▲
//!                 └── end of file: SIGKILL ──┘ and to every orphan, until none is left
//! ```

mod after_fork;
mod descriptors;
mod environment;
mod syncs;

use std::ffi::{CString, OsString};
use std::fs::{File, OpenOptions};
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use humdrum_contract::Outcome;
use humdrum_model::{Fault, FaultKind};

use crate::cgroup::{self, Cgroup, Limit};
use crate::{program, signal};

/// What to start, and how.
#[derive(Clone, Debug)]
pub struct GuardSpec {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its whole environment: nothing is inherited, so that no variable of one user's shell changes a result.
    pub env: Vec<(OsString, OsString)>,
    /// Where it starts.
    pub cwd: PathBuf,
    /// Where its output goes; appended to.
    pub log_file: PathBuf,
    /// (uid, gid) to drop to.
    pub run_as: Option<(u32, u32)>,
    /// The memory that its processes may use together; `cwd` holds the notes about it.
    pub limit: Option<Limit>,
    /// How long each call that syncs a file is held back, for a device that is slower by so much.
    pub fsync_delay: Option<Duration>,
}

/// A running program with its guardian. Dropping it kills the program and waits until all its processes have ended.
#[derive(Debug)]
pub struct Guarded {
    guardian: Child,
    server_pid: u32,
    /// Our end of the lifetime pipe; `None` once the program was let go.
    lifeline: Option<PipeWriter>,
    name: String,
}

impl Guarded {
    /// Starts a program with a guardian.
    ///
    /// # Errors
    /// Environment, when the log cannot be opened or the program cannot be executed; usage, where its memory cannot be
    /// limited.
    pub fn spawn(spec: &GuardSpec) -> Outcome<Self> {
        Self::spawn_reading(spec, None)
    }

    /// `spawn` with a file as the program's standard input, where one is given.
    ///
    /// # Errors
    /// As `spawn`, and when the input cannot be opened.
    pub fn spawn_reading(spec: &GuardSpec, input: Option<&Path>) -> Outcome<Self> {
        let name = spec.program.display().to_string();
        let refused = |error: std::io::Error| Fault::environment(format!("cannot start {name}: {error}"));
        let (alive, lifeline) = std::io::pipe().map_err(refused)?;
        let (pid_reader, pid_writer) = std::io::pipe().map_err(refused)?;
        let cgroup = spec.limit.as_ref().map(|limit| prepare(limit, &spec.cwd)).transpose()?;
        let pipes = (&alive, &pid_writer);
        let guardian = spawn_guardian(spec, input, pipes, cgroup.as_ref()).map_err(|error| {
            cgroup.iter().for_each(Cgroup::remove);
            refused(error)
        })?;
        drop((alive, pid_writer));
        let server_pid = read_pid(pid_reader).map_err(refused)?;
        Ok(Self { guardian, server_pid, lifeline: Some(lifeline), name })
    }

    /// The program's own process id (not the guardian's).
    pub fn server_pid(&self) -> u32 {
        self.server_pid
    }

    /// Whether the program still runs. Its orphans are ended by the guardian.
    pub fn is_running(&self) -> bool {
        let alive = signal::is_alive(self.server_pid) && !signal::is_exiting(self.server_pid);
        alive && !signal::has_ended(self.guardian.id())
    }

    /// How the program ended, once it and all its descendants have ended. A program killed by signal `n` ends
    /// with `128 + n`.
    ///
    /// # Errors
    /// Environment, when the guardian cannot be waited for.
    pub fn try_wait(&mut self) -> Outcome<Option<ExitStatus>> {
        self.guardian.try_wait().map_err(|error| self.fault(&error))
    }

    /// Waits for the program to end by itself.
    ///
    /// # Errors
    /// Timeout, when it has not ended `within`.
    pub fn wait(&mut self, within: Duration) -> Outcome<ExitStatus> {
        let end = Instant::now() + within;
        loop {
            if let Some(status) = self.try_wait()? {
                return Ok(status);
            }
            if Instant::now() >= end {
                let what = format!("{} did not end within {} s", self.name, within.as_secs_f64());
                return Err(Fault::new(FaultKind::Timeout, what));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Kills the program and all its descendants, frozen or not; returns when all have ended.
    ///
    /// # Errors
    /// Environment, when the guardian cannot be waited for.
    pub fn kill(&mut self) -> Outcome<ExitStatus> {
        if self.lifeline.take().is_none() {
            signal::send(self.server_pid, libc::SIGKILL);
        }
        self.guardian.wait().map_err(|error| self.fault(&error))
    }

    /// Lets the program outlive this one. The guardian stays, and ends orphans once the program has ended. Returns
    /// the program's process id, for the caller to end it later.
    ///
    /// # Errors
    /// Crash, when it has ended already.
    pub fn detach(mut self) -> Outcome<u32> {
        let told = self.lifeline.take().map(|mut line| line.write_all(&[after_fork::LET_GO]));
        match told {
            Some(Ok(())) if self.is_running() => Ok(self.server_pid),
            _ => Err(Fault::crash(format!("{} has ended", self.name))),
        }
    }

    fn fault(&self, error: &std::io::Error) -> Fault {
        Fault::environment(format!("cannot wait for {}: {error}", self.name))
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if self.lifeline.is_some() {
            let _ = self.kill();
        }
    }
}

/// How a guarded program ended, in words.
pub fn describe_exit(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) if code > 128 => format!("killed by signal {}", code - 128),
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("its guardian was killed by signal {signal}"),
        (None, None) => "unknown exit".to_owned(),
    }
}

/// A cgroup for a start, with nothing of the server's data in the page cache.
fn prepare(limit: &Limit, cwd: &Path) -> Outcome<Cgroup> {
    cgroup::forget_cached(&limit.data)?;
    cgroup::make(limit, cwd)
}

fn paths(cgroup: &Cgroup, cwd: &Path) -> std::io::Result<after_fork::Paths> {
    let text = |path: &Path| CString::new(path.as_os_str().as_encoded_bytes()).map_err(std::io::Error::from);
    Ok(after_fork::Paths {
        folder: text(&cgroup.folder)?,
        procs: text(&cgroup.procs())?,
        events: text(&cgroup.events())?,
        note: text(&cgroup::ended_note(cwd))?,
    })
}

fn spawn_guardian(
    spec: &GuardSpec,
    input: Option<&Path>,
    (alive, pid): (&PipeReader, &PipeWriter),
    cgroup: Option<&Cgroup>,
) -> std::io::Result<Child> {
    let log = open_log(&spec.log_file)?;
    let input = input.map_or_else(|| Ok(Stdio::null()), |path| File::open(path).map(Stdio::from))?;
    let plan = after_fork::Guarding {
        lifetime_fd: alive.as_raw_fd(),
        pid_fd: pid.as_raw_fd(),
        run_as: spec.run_as,
        cgroup: cgroup.map(|cgroup| paths(cgroup, &spec.cwd)).transpose()?,
        fsync_delay_ns: spec.fsync_delay.map(|delay| u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX)),
    };
    let mut command = Command::new(&spec.program);
    command.args(&spec.args).env_clear().envs(spec.env.iter().map(|(key, value)| (key, value)));
    command.current_dir(&spec.cwd).stdin(input).stdout(log.try_clone()?).stderr(log);
    // SAFETY: the closure runs between fork and exec of a program with threads; `stand_guard` makes system
    // calls only, allocates nothing and takes no lock, and both descriptors stay open until `spawn` returns.
    unsafe { command.pre_exec(move || after_fork::stand_guard(&plan)) };
    program::forking(|| command.spawn())
}

/// Checks that this host can hold back calls that sync files, by a program that has the filter.
///
/// # Errors
/// Usage, with what the kernel says.
pub fn check_fsync_delay() -> Outcome<()> {
    let refused = |why: String| {
        let what = format!("--fsync-delay needs a filter of system calls, and none can be set here: {why}");
        Fault::usage(what)
            .hint("leave it out; or use Linux 5.5 or later, outside of a container that filters calls itself")
    };
    if !syncs::IS_SUPPORTED {
        return Err(refused("this processor's calls are not known".to_owned()));
    }
    let mut command = Command::new("true");
    // SAFETY: as in `spawn_guardian`; `filter` makes system calls only. The descriptor closes with the process.
    unsafe { command.pre_exec(|| syncs::filter().map(drop)) };
    program::forking(|| command.spawn())
        .and_then(|mut child| child.wait())
        .map_err(|error| refused(error.to_string()))?;
    Ok(())
}

fn open_log(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

fn read_pid(mut reader: PipeReader) -> std::io::Result<u32> {
    let mut bytes = [0; 4];
    reader.read_exact(&mut bytes)?;
    Ok(u32::from_ne_bytes(bytes))
}

#[cfg(test)]
mod tests;
