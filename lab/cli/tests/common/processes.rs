//! The processes of a program that a test has started.

use std::path::Path;

use humdrum_sample::stacks::parent_of;

use super::text_of;

/// A process's command line.
pub fn title(pid: u32) -> String {
    text_of(&std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default()).replace('\0', " ")
}

/// Whether it runs.
pub fn is_alive(pid: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = state.rsplit(')').next().unwrap_or("").trim_start();
    Path::new(&format!("/proc/{pid}")).exists() && !state.starts_with('Z')
}

/// Whether it is stopped in place.
pub fn is_stopped(pid: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    state.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
}

/// Sends a signal to a process that a test has started, directly or through the program.
pub fn send(pid: u32, signal: i32) {
    // SAFETY: a system call on integers; the id is one process's, not a group's.
    unsafe { libc::kill(i32::try_from(pid).expect("a process id"), signal) };
}

/// Stops a process, and returns when all its threads stand still: a signal is sent a moment before it takes effect, and
/// until then the process goes on.
pub fn stop(pid: u32) {
    send(pid, libc::SIGSTOP);
    let tasks = format!("/proc/{pid}/task");
    let goes_on = |task: std::fs::DirEntry| {
        let state = std::fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        // A thread that ended meanwhile has no state.
        state.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['T', 't', 'Z', 'X']))
    };
    while std::fs::read_dir(&tasks).into_iter().flatten().flatten().any(goes_on) {
        std::thread::sleep(std::time::Duration::from_micros(100));
    }
}

/// Processes whose command line names something of a folder.
pub fn naming(folder: &Path) -> Vec<String> {
    let folder = folder.display().to_string();
    everything().map(title).filter(|title| title.contains(&folder)).collect()
}

/// All processes below one, by following parents.
pub fn descendants(root: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = everything().filter_map(|pid| Some((pid, parent_of(pid)?))).collect();
    let mut family = vec![root];
    let mut next = 0;
    while next < family.len() {
        let of = family[next];
        family.extend(parents.iter().filter(|(_, parent)| *parent == of).map(|(pid, _)| *pid));
        next += 1;
    }
    family.split_off(1)
}

/// The main process of a run's server whose folder's path has `place` in it (`/s1/`: the second subject's). Its command
/// line alone names the folder: guardians show none, and what a server starts calls itself something else.
pub fn main_process(run: u32, place: &str) -> u32 {
    let own = descendants(run).into_iter().filter(|pid| title(*pid).contains(place));
    own.min().expect("a server")
}

/// The processes of all servers of a run, even when the run itself is gone: they are started from copies of their program
/// in a folder that is named after the run's process.
pub fn servers_of(run: u32) -> Vec<u32> {
    let folder = format!("/runs/{run:x}-");
    let program = |pid: u32| std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    everything().filter(|pid| program(*pid).to_string_lossy().contains(&folder)).collect()
}

/// All processes there are.
pub fn everything() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}
