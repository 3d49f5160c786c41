//! Stops processes in place and continues them. This happens at every slice of tests that write, so it costs only a
//! few system calls.

use std::fs;

/// Freezes processes in the order given.
pub fn freeze(pids: &[u32]) {
    pids.iter().for_each(|pid| send(*pid, libc::SIGSTOP));
}

/// Continues frozen processes, in the order given.
pub fn thaw(pids: &[u32]) {
    pids.iter().for_each(|pid| send(*pid, libc::SIGCONT));
}

/// Freezes a process and all its descendants; returns them, for `thaw`. A parent is stopped before its children are
/// listed, so that it starts no new ones meanwhile.
pub fn freeze_tree(root: u32) -> Vec<u32> {
    freeze(&[root]);
    let mut frozen = vec![root];
    let mut next = 0;
    while let Some(pid) = frozen.get(next).copied() {
        let below = children(pid);
        freeze(&below);
        frozen.extend(below);
        next += 1;
    }
    frozen
}

/// All descendants of `root`, nearest first, without `root`.
pub fn descendants(root: u32) -> Vec<u32> {
    let mut found = children(root);
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        found.extend(children(pid));
        next += 1;
    }
    found
}

/// Direct children of all threads of a process.
pub fn children(pid: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = threads.flatten().map(|thread| fs::read_to_string(thread.path().join("children")));
    lists.flatten().flat_map(|list| numbers(&list)).collect()
}

/// Sends a signal; a process that has ended is no error.
pub fn send(pid: u32, signal: i32) {
    // A pid of 0 or above i32::MAX would address a whole group.
    if let Ok(pid @ 1..) = i32::try_from(pid) {
        // SAFETY: a system call on integers.
        unsafe { libc::kill(pid, signal) };
    }
}

/// Whether a process exists and is not a zombie.
pub fn is_alive(pid: u32) -> bool {
    state(pid).is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

/// Whether a process is on its way out. Its sockets and files may be closed already, while it is not a zombie yet.
pub(crate) fn is_exiting(pid: u32) -> bool {
    /// `PF_EXITING` of the kernel.
    const EXITING: u32 = 4;
    let flags = || -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(6)?.parse().ok()
    };
    flags().is_some_and(|flags| flags & EXITING != 0)
}

/// Whether a child of ours has ended, without reaping it. True as well for one that was reaped.
pub(crate) fn has_ended(child: u32) -> bool {
    // SAFETY: `info` is a live siginfo_t that waitid fills; zeroes are a valid value of it.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        libc::waitid(libc::P_PID, child, &raw mut info, flags) != 0 || info.si_pid() != 0
    }
}

/// The kernel's letter for the state of a process (`R`, `S`, `T`, `Z` …).
pub fn state(pid: u32) -> Option<char> {
    // The name before it may hold spaces and brackets, so count from the last bracket.
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// When a process started, in clock ticks since boot. Together with the process id this is unique.
pub fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(19)?.parse().ok()
}

fn numbers(text: &str) -> Vec<u32> {
    text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::Duration;

    /// Waits for what must come, however busy the host is.
    fn until(mut holds: impl FnMut() -> bool) -> bool {
        (0..2_000).any(|_| {
            holds() || {
                std::thread::sleep(Duration::from_millis(5));
                false
            }
        })
    }

    #[test]
    fn freezes_and_thaws_a_tree() {
        let mut shell = Command::new("sh").args(["-c", "sleep 600 & sleep 600"]).spawn().expect("sh");
        let root = shell.id();
        // A shell that uses vfork cannot be stopped before its child has called exec.
        let sleeps =
            |pid: &u32| fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.starts_with(b"sleep"));
        assert!(until(|| descendants(root).iter().filter(|pid| sleeps(pid)).count() == 2));
        let frozen = freeze_tree(root);
        assert_eq!(frozen.len(), 3);
        assert!(until(|| frozen.iter().all(|pid| state(*pid) == Some('T'))));
        thaw(&frozen);
        assert!(until(|| frozen.iter().all(|pid| state(*pid) != Some('T'))));
        frozen.iter().for_each(|pid| send(*pid, libc::SIGKILL));
        shell.wait().expect("wait");
        assert!(!is_alive(root));
        assert_eq!(started(root), None);
    }

    #[test]
    fn group_ids_are_never_signalled() {
        // Would end this test's whole group, were they passed on.
        send(0, libc::SIGKILL);
        send(u32::MAX, libc::SIGKILL);
        assert!(is_alive(std::process::id()));
        assert!(started(std::process::id()).is_some());
    }
}
