//! Stacks of a server's threads from a debugger: `eu-stack` of elfutils, else `gdb`. They show what threads wait for,
//! while `perf` shows threads that run.
//!
//! ```text
//!   a thread waits (calls.rs)
//!   its process is frozen                  some microseconds later
//!   it is in the same wait, or went on     a wait may be shorter than that
//!   the debugger walks all stacks          nothing changes meanwhile, however long that takes
//!   the process is thawed
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

/// Frames of a stack that are kept, the innermost first.
const FRAMES_MAX: &str = "64";
/// Longest time for one process, after which the debugger is killed.
const LONGEST: Duration = Duration::from_secs(20);

/// The program that walks the stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Debugger {
    /// From elfutils. It takes some milliseconds a process.
    EuStack,
    /// It takes some hundreds of milliseconds a process, mostly for reading symbols.
    Gdb,
}

/// One thread at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadStack {
    /// Its id.
    pub thread: u32,
    /// Its name.
    pub name: String,
    /// Outermost first.
    pub frames: Vec<String>,
}

impl Debugger {
    /// The first walker that is installed.
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

    /// The stacks of all threads of a frozen process; none if it has ended.
    ///
    /// # Errors
    /// Environment, with what to do, where debuggers have no permission.
    pub fn walk(self, stopped: &Stopped) -> Outcome<Vec<ThreadStack>> {
        let process = stopped.process;
        let said = printed_within(&mut self.command(process), LONGEST)
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
                // Without the user's settings, downloads, and values of arguments.
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
struct Printed {
    out: String,
    complaint: String,
}

/// Runs a program to its end, or kills it after `longest`. A debugger that hangs would keep the server frozen.
fn printed_within(command: &mut Command, longest: Duration) -> std::io::Result<Printed> {
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
        Ok(Printed { out: out.join().unwrap_or_default(), complaint: complaint.join().unwrap_or_default() })
    })
}

fn everything(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // If reading fails, the output is shorter, which the caller notices.
    let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The process of a thread.
pub fn process_of(thread: u32) -> Option<u32> {
    status(thread, "Tgid:")
}

/// The parent of a process.
pub fn parent_of(process: u32) -> Option<u32> {
    status(process, "PPid:")
}

/// The threads of a process; none if it has ended.
pub fn threads_of(process: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    threads.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn status(id: u32, key: &str) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix(key))?.trim().parse().ok()
}

/// A thread's name. `None` if it has ended.
fn name(process: u32, thread: u32) -> Option<String> {
    let name = fs::read_to_string(format!("/proc/{process}/task/{thread}/comm")).ok()?;
    Some(name.trim_end_matches('\n').to_owned())
}

/// A process that is frozen until this is dropped.
pub struct Stopped {
    process: u32,
    told: Option<Pid>,
}

impl Stopped {
    /// Freezes a process. Its threads need some microseconds to stop.
    pub fn stop(process: u32) -> Self {
        let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
        // If this fails, the process has ended or we may not freeze it. It is examined as it is.
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

/// The fault for threads that we may not trace, and why.
pub fn refused(why: &str) -> Fault {
    Fault::environment(format!("a debugger may not inspect the server: {why}"))
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
        let said = printed_within(&mut hangs, Duration::from_millis(20)).expect("runs");
        assert!(said.out.is_empty() && began.elapsed() < Duration::from_secs(30));
        let mut tells = Command::new("echo");
        tells.arg("so").stdout(Stdio::piped()).stderr(Stdio::piped());
        assert_eq!(printed_within(&mut tells, LONGEST).expect("runs").out, "so\n");
    }

    /// A sleeping child is in a call of that name, and goes on afterwards.
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
            Err(fault) => assert!(fault.to_string().contains("may not inspect"), "{fault}"),
        }
        assert!(slept && goes_on && state.contains("(sleep) S"), "it is stopped afterwards: {state}");
    }
}
