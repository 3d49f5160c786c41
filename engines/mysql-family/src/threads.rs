//! A server is one process here, and a session is a thread of it: threads are what is pinned and counted.

use std::collections::HashSet;
use std::fs;

use humdrum_contract::{Process, Role};

/// The threads of a process now, as the kernel numbers them; the first is the process itself.
pub(crate) fn of(pid: u32) -> Vec<u32> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut threads: Vec<u32> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    threads.sort_unstable();
    threads
}

/// Threads with their roles, sessions first. What ran before the first session works for all of them; a thread
/// that came later serves sessions, one after the other.
pub(crate) fn with_roles(pid: u32, from_the_start: &HashSet<u32>) -> Vec<Process> {
    let role = |thread: &u32| {
        if from_the_start.contains(thread) || *thread == pid { Role::Background } else { Role::Session }
    };
    let mut all: Vec<Process> =
        of(pid).into_iter().map(|thread| Process { pid: thread, role: role(&thread) }).collect();
    all.sort_by_key(|process| process.role == Role::Background);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_threads_serve_sessions() {
        let own = std::process::id();
        let before: HashSet<u32> = of(own).into_iter().collect();
        assert!(before.contains(&own));
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || receiver.recv());
        let seen = (0..1000).find_map(|_| {
            std::thread::yield_now();
            let sessions: Vec<_> = with_roles(own, &before);
            sessions.first().filter(|first| first.role == Role::Session).map(|first| first.pid)
        });
        assert!(seen.is_some_and(|thread| !before.contains(&thread)));
        drop(sender);
        let _ = thread.join();
        assert_eq!(of(u32::MAX), Vec::<u32>::new());
    }
}
