//! Which processes or threads of a server serve sessions. The kernel counts and schedules threads as it does processes.

use std::collections::HashSet;
use std::fs;

use humdrum_contract::{Process, Role};
use humdrum_provision::signal;

/// What of a server serves sessions.
#[derive(Clone, Copy, Debug)]
pub enum Sessions {
    /// Processes below the main one, those of which this holds.
    Processes(fn(u32) -> bool),
    /// Threads of the one process, those that came after the start.
    Threads,
}

impl Sessions {
    /// The server's processes or threads with their roles, sessions first. `from_the_start` are threads that were there
    /// before the first session.
    pub(crate) fn with_roles(self, pid: u32, from_the_start: &HashSet<u32>) -> Vec<Process> {
        let mut all = match self {
            Self::Processes(serves) => processes(pid, serves),
            Self::Threads => threads(pid, from_the_start),
        };
        all.sort_by_key(|process| process.role == Role::Background);
        all
    }
}

fn processes(root: u32, serves: fn(u32) -> bool) -> Vec<Process> {
    let role = |pid| if serves(pid) { Role::Session } else { Role::Background };
    let below = signal::children(root).into_iter().map(|pid| Process { pid, role: role(pid) });
    below.chain([Process { pid: root, role: Role::Background }]).collect()
}

/// The threads of a process now, as the kernel numbers them; the first is the process itself.
pub(crate) fn threads_of(pid: u32) -> Vec<u32> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut threads: Vec<u32> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    threads.sort_unstable();
    threads
}

/// What ran before the first session works for all of them; a thread that came later serves sessions, one after the
/// other.
fn threads(pid: u32, from_the_start: &HashSet<u32>) -> Vec<Process> {
    let role = |thread: &u32| {
        if from_the_start.contains(thread) || *thread == pid { Role::Background } else { Role::Session }
    };
    threads_of(pid).into_iter().map(|thread| Process { pid: thread, role: role(&thread) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_threads_serve_sessions() {
        let own = std::process::id();
        let before: HashSet<u32> = threads_of(own).into_iter().collect();
        assert!(before.contains(&own));
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || receiver.recv());
        let seen = (0..1000).find_map(|_| {
            std::thread::yield_now();
            let sessions: Vec<_> = Sessions::Threads.with_roles(own, &before);
            sessions.first().filter(|first| first.role == Role::Session).map(|first| first.pid)
        });
        assert!(seen.is_some_and(|thread| !before.contains(&thread)));
        drop(sender);
        let _ = thread.join();
        assert_eq!(threads_of(u32::MAX), Vec::<u32>::new());
    }
}
