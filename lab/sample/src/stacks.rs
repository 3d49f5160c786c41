//! Stacks of a server's threads, waiting ones above all, taken by a debugger: `eu-stack` of elfutils, else `gdb`.
//!
//! `perf` sees threads that are on a processor. What a thread waits for is seen by stopping it and looking:
//!
//! ```text
//!   it is seen to wait (calls.rs)
//!   its process is stopped in place        some microseconds later
//!   it is in the same wait, or went on     a wait may be shorter than that
//!   the debugger walks all stacks          however long that takes, nothing moves meanwhile
//!   the process goes on
//! ```

mod printed;

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use rustix::process::{Pid, Signal, kill_process};

use printed::walked;

/// Frames of a stack that are kept, innermost ones first.
const FRAMES_MAX: &str = "64";
/// A debugger that takes longer over one process is ended.
const LONGEST: Duration = Duration::from_secs(20);

/// Who walks the stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Debugger {
    /// Of elfutils: some milliseconds a process.
    EuStack,
    /// Some hundreds of milliseconds a process, most of it reading symbols.
    Gdb,
}

/// One thread at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadStack {
    /// Its id.
    pub thread: u32,
    /// What it calls itself.
    pub name: String,
    /// Outermost first.
    pub frames: Vec<String>,
}

impl Debugger {
    /// The first that is installed.
    ///
    /// # Errors
    /// Environment, with how to get one.
    pub fn find() -> Outcome<Self> {
        let runs = |program: &str| {
            let asked = Command::new(program).arg("--version").stdin(Stdio::null()).output();
            asked.is_ok_and(|output| output.status.success())
        };
        if runs("eu-stack") {
            return Ok(Self::EuStack);
        }
        if runs("gdb") {
            return Ok(Self::Gdb);
        }
        Err(Fault::environment("there is neither eu-stack nor gdb to see what threads wait for").hint(
            "install elfutils, which is quicker, or gdb (Debian, Ubuntu: apt-get install elfutils; Fedora: dnf \
             install elfutils)",
        ))
    }

    /// The stacks of all threads of a process that stands still; empty where it has ended.
    ///
    /// # Errors
    /// Environment, with what to do, where no debugger may look.
    pub fn walk(self, stopped: &Stopped) -> Outcome<Vec<ThreadStack>> {
        let process = stopped.process;
        let said = said_within(&mut self.command(process), LONGEST)
            .map_err(|error| Fault::environment(format!("cannot run a debugger: {error}")))?;
        let walked = walked(&said.out);
        if walked.is_empty() && fs::exists(format!("/proc/{process}")).unwrap_or(false) {
            let said: Vec<&str> =
                said.complaint.lines().map(str::trim).filter(|line| !line.is_empty()).take(2).collect();
            return Err(refused(&said.join(" ")));
        }
        let named = |(thread, frames)| Some(ThreadStack { thread, name: name(process, thread)?, frames });
        Ok(walked.into_iter().filter_map(named).collect())
    }

    fn command(self, process: u32) -> Command {
        let process = process.to_string();
        let mut command = match self {
            Self::EuStack => {
                let mut command = Command::new("eu-stack");
                command.args(["-m", "-n", FRAMES_MAX, "-p", &process]);
                command
            }
            Self::Gdb => {
                let mut command = Command::new("gdb");
                // Nothing of the user's, nothing from the net, no values of arguments.
                command.args(["-nx", "-q", "-batch", "-iex", "set debuginfod enabled off"]);
                command.args(["-iex", "set auto-load off", "-ex", "set print frame-arguments none"]);
                command.args(["-ex", &format!("thread apply all backtrace {FRAMES_MAX}"), "-p", &process]);
                command
            }
        };
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// What a program printed.
struct Said {
    out: String,
    complaint: String,
}

/// Runs a program to its end, or ends it when its time is up: a debugger that hangs would hold the server still for ever.
fn said_within(command: &mut Command, longest: Duration) -> std::io::Result<Said> {
    let mut child = command.spawn()?;
    let (out, complaint) = (child.stdout.take(), child.stderr.take());
    let end = Instant::now() + longest;
    std::thread::scope(|scope| {
        let out = scope.spawn(move || everything(out));
        let complaint = scope.spawn(move || everything(complaint));
        while child.try_wait()?.is_none() {
            if Instant::now() > end {
                child.kill()?;
                child.wait()?;
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(Said { out: out.join().unwrap_or_default(), complaint: complaint.join().unwrap_or_default() })
    })
}

fn everything(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // What cannot be read is missing, which shows.
    let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The process that a thread is of.
pub fn process_of(thread: u32) -> Option<u32> {
    status(thread, "Tgid:")
}

/// The process that began this one.
pub fn parent_of(process: u32) -> Option<u32> {
    status(process, "PPid:")
}

/// The threads of a process; none where it has ended.
pub fn threads_of(process: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    threads.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn status(id: u32, key: &str) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix(key))?.trim().parse().ok()
}

/// `None` where the thread has ended.
fn name(process: u32, thread: u32) -> Option<String> {
    let name = fs::read_to_string(format!("/proc/{process}/task/{thread}/comm")).ok()?;
    Some(name.trim_end_matches('\n').to_owned())
}

/// A process that stands still until this value is dropped.
pub struct Stopped {
    process: u32,
    told: Option<Pid>,
}

impl Stopped {
    /// Stops it; its threads take some microseconds to.
    pub fn stop(process: u32) -> Self {
        let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
        // One that has ended, or may not be stopped, is looked at as it is.
        Self { process, told: pid.filter(|pid| kill_process(*pid, Signal::STOP).is_ok()) }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        if let Some(pid) = self.told {
            let _ = kill_process(pid, Signal::CONT);
        }
    }
}

/// Of threads that may not be looked at, and why.
pub fn refused(why: &str) -> Fault {
    Fault::environment(format!("a debugger may not look at the server: {why}"))
        .hint("as root, or after `sysctl kernel.yama.ptrace_scope=0`; in a container, with CAP_SYS_PTRACE")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::tests::{Subject, soon};

    #[test]
    fn a_program_that_hangs_is_ended() {
        let mut hangs = Command::new("sleep");
        hangs.arg("60").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let began = Instant::now();
        let said = said_within(&mut hangs, Duration::from_millis(20)).expect("runs");
        assert!(said.out.is_empty() && began.elapsed() < Duration::from_secs(30));
        let mut tells = Command::new("echo");
        tells.arg("so").stdout(Stdio::piped()).stderr(Stdio::piped());
        assert_eq!(said_within(&mut tells, LONGEST).expect("runs").out, "so\n");
    }

    /// A process of our own that sleeps stands in a call of that name, and goes on afterwards.
    #[test]
    fn a_process_that_sleeps_is_walked() {
        let Ok(debugger) = Debugger::find() else { return };
        let sleeper = Subject::start(Command::new("sleep").arg("60"));
        let Some(calls) = sleeper.calls() else { return };
        let id = sleeper.0.id();
        // Between fork and exec it is not asleep yet.
        let sleeps = || soon(|| name(id, id).as_deref() == Some("sleep") && !calls.waiting().is_empty());
        let slept = sleeps();
        let seen = debugger.walk(&Stopped::stop(id));
        let goes_on = sleeps();
        let state = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        match seen {
            Ok(stacks) => {
                assert_eq!(stacks.len(), 1, "{stacks:?}");
                assert!(stacks[0].name == "sleep" && !stacks[0].frames.is_empty(), "{stacks:?}");
                assert!(stacks[0].frames.iter().any(|frame| frame.contains("sleep")), "{stacks:?}");
            }
            Err(fault) => assert!(fault.to_string().contains("may not look"), "{fault}"),
        }
        assert!(slept && goes_on && state.contains("(sleep) S"), "it stands still afterwards: {state}");
    }
}
