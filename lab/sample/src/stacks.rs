//! Stacks of a server's threads, waiting ones above all, taken by a debugger: `eu-stack` of elfutils, else `gdb`.
//!
//! `perf` sees threads that are on a processor. What a thread waits for is seen by stopping it and looking:
//!
//! ```text
//!   what each thread is doing is read      while it still does it: a stopped thread no longer says so
//!   the process is stopped in place        some microseconds later
//!   the debugger walks all stacks          however long that takes, nothing moves meanwhile
//!   the process goes on
//! ```

use std::fs;
use std::process::{Command, Output, Stdio};

use humdrum_contract::Outcome;
use humdrum_model::Fault;
use rustix::process::{Pid, Signal, kill_process};

/// Frames of a stack that are kept, innermost ones first.
const FRAMES_MAX: &str = "64";

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
    /// Neither on a processor nor ready for one.
    pub waits: bool,
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

    /// The stacks of all threads of a process at one moment; empty where it has ended. It is stopped for as long as that
    /// takes.
    ///
    /// # Errors
    /// Environment, with what to do, where no debugger may look.
    pub fn snapshot(self, process: u32) -> Outcome<Vec<ThreadStack>> {
        let doing = doing(process);
        let stopped = Stopped::stop(process);
        let output = self.command(process).output();
        drop(stopped);
        let output = output.map_err(|error| Fault::environment(format!("cannot run a debugger: {error}")))?;
        let walked = walked(&String::from_utf8_lossy(&output.stdout));
        if walked.is_empty() && fs::exists(format!("/proc/{process}")).unwrap_or(false) {
            return Err(refused(&output));
        }
        let told = |(thread, frames): (u32, Vec<String>)| {
            let found = doing.iter().find(|one| one.0 == thread)?;
            Some(ThreadStack { thread, name: found.1.clone(), waits: matches!(found.2, 'S' | 'D'), frames })
        };
        Ok(walked.into_iter().filter_map(told).collect())
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
        command.stdin(Stdio::null());
        command
    }
}

/// The process that a thread is of.
pub fn process_of(thread: u32) -> Option<u32> {
    status(thread, "Tgid:")
}

/// The process that began this one.
pub fn parent_of(process: u32) -> Option<u32> {
    status(process, "PPid:")
}

fn status(id: u32, key: &str) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix(key))?.trim().parse().ok()
}

/// Id, name and the kernel's letter for what it is doing, of every thread.
fn doing(process: u32) -> Vec<(u32, String, char)> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let told = threads.flatten().filter_map(|entry| {
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // A name may hold spaces and brackets, so it ends at the last one.
        let (before, after) = stat.rsplit_once(") ")?;
        let (id, name) = before.split_once(" (")?;
        Some((id.parse().ok()?, name.to_owned(), after.chars().next()?))
    });
    told.collect()
}

/// A process that stands still until this value is dropped.
struct Stopped(Option<Pid>);

impl Stopped {
    fn stop(process: u32) -> Self {
        let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
        // One that has ended, or may not be stopped, is looked at as it is.
        Self(pid.filter(|pid| kill_process(*pid, Signal::STOP).is_ok()))
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        if let Some(pid) = self.0 {
            let _ = kill_process(pid, Signal::CONT);
        }
    }
}

fn refused(output: &Output) -> Fault {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let said: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).take(2).collect();
    Fault::environment(format!("a debugger may not look at the server: {}", said.join(" ")))
        .hint("as root, or after `sysctl kernel.yama.ptrace_scope=0`; in a container, with CAP_SYS_PTRACE")
}

/// Threads and their frames, outermost first, of what either debugger prints.
fn walked(text: &str) -> Vec<(u32, Vec<String>)> {
    let mut found: Vec<(u32, Vec<String>)> = Vec::new();
    for line in text.lines() {
        if let Some(thread) = thread(line) {
            found.push((thread, Vec::new()));
        } else if let (Some(frame), Some((_, frames))) = (frame(line), found.last_mut()) {
            frames.push(frame);
        }
    }
    found.retain(|(_, frames)| !frames.is_empty());
    found.iter_mut().for_each(|(_, frames)| frames.reverse());
    found
}

/// `TID 17:` or `Thread 1 (Thread 0x7f01 (LWP 17) "name"):`.
fn thread(line: &str) -> Option<u32> {
    let rest = line.strip_prefix("TID ").or_else(|| {
        let rest = line.strip_prefix("Thread ")?;
        Some(&rest[rest.find("LWP ")? + 4..])
    })?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// `#0  0x00007f01 epoll_wait - /lib/libc.so.6`, or `#1  0x000055 in WaitEventSetWait (…) from /x/postgres`: the symbol, or
/// the file's name in brackets where it has none.
fn frame(line: &str) -> Option<String> {
    let (_number, rest) = line.strip_prefix('#')?.split_once(' ')?;
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix("0x") {
        Some(address) => address.split_once(' ').map_or("", |(_, rest)| rest),
        None => rest,
    };
    let rest = rest.strip_prefix("in ").unwrap_or(rest);
    let (symbol, file) = match rest.strip_prefix("- ") {
        Some(file) => ("", file),
        None => rest.rsplit_once(" - ").or_else(|| rest.split_once(") from ")).unwrap_or((rest, "")),
    };
    // gdb appends arguments, and then where in the source.
    let symbol = symbol.split_once(" (").map_or(symbol, |(name, _)| name).trim();
    let name = match symbol {
        "" | "??" => {
            let file = file.trim().rsplit('/').next().unwrap_or_default();
            format!("[{}]", if file.is_empty() { "unknown" } else { file })
        }
        symbol => symbol.to_owned(),
    };
    Some(name.replace(';', ":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_eu_stack_prints_is_read() {
        let text = "\
PID 17 - process\nTID 17:\n#0  0x00007fdde epoll_wait - /usr/lib/libc.so.6\n#1  0x000055d0a WaitEventSetWait - /x/postgres\n\
#2  0x000055d0b main - /x/postgres\nTID 18:\n#0  0x00007fddf - /usr/lib/libjemalloc.so.2\n#1  0x00007fde0 a::b(c; d) - /x/mysqld\n\
TID 19:\n";
        let of = |frames: &[&str]| frames.iter().map(|frame| (*frame).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            walked(text),
            [
                (17, of(&["main", "WaitEventSetWait", "epoll_wait"])),
                (18, of(&["a::b(c: d)", "[libjemalloc.so.2]"])),
            ]
        );
    }

    #[test]
    fn what_gdb_prints_is_read() {
        let text = "\
[New LWP 18]\n\nThread 2 (Thread 0x7f15 (LWP 18) \"ib_log\"):\n#0  0x00007f16 in ?? () from /lib/libaio.so.1\n\
#1  0x0000560e in os_aio_wait (...) at os0file.cc:120\n\nThread 1 (LWP 17):\n#0  0x00007f17 in poll () from /lib/libc.so.6\n\
#1  main (...) at main.cc:1\n[Inferior 1 (process 17) detached]\n";
        let of = |frames: &[&str]| frames.iter().map(|frame| (*frame).to_owned()).collect::<Vec<_>>();
        assert_eq!(walked(text), [(18, of(&["os_aio_wait", "[libaio.so.1]"])), (17, of(&["main", "poll"]))]);
    }

    /// A process of our own that sleeps is seen to wait, in a call of that name, and goes on afterwards.
    #[test]
    fn a_process_that_sleeps_waits() {
        let Ok(debugger) = Debugger::find() else { return };
        let mut sleeper = Command::new("sleep").arg("60").spawn().expect("sleep starts");
        // Between fork and exec it is not asleep yet.
        let asleep = || doing(sleeper.id()).iter().any(|one| one.1 == "sleep" && one.2 == 'S');
        (0..2_000).any(|_| {
            asleep() || {
                std::thread::sleep(std::time::Duration::from_millis(1));
                false
            }
        });
        let seen = debugger.snapshot(sleeper.id());
        let after = doing(sleeper.id());
        sleeper.kill().and_then(|()| sleeper.wait()).expect("ends");
        match seen {
            Ok(stacks) => {
                assert_eq!(stacks.len(), 1, "{stacks:?}");
                assert!(
                    stacks[0].waits && stacks[0].name == "sleep" && !stacks[0].frames.is_empty(),
                    "{stacks:?}"
                );
                assert!(stacks[0].frames.iter().any(|frame| frame.contains("sleep")), "{stacks:?}");
            }
            Err(fault) => assert!(fault.to_string().contains("may not look"), "{fault}"),
        }
        assert!(after.iter().all(|one| one.2 != 'T' && one.2 != 't'), "it goes on: {after:?}");
    }
}
