//! Which processor runs which client and server process.
//!
//! The kernel may put a client and its server process on one processor or on two. On a virtual machine this changes
//! the time of a short operation by a factor of two. It may last for a whole session and differ between subjects. So
//! each client shares one processor with all processes that serve it, of every subject, until the crew is dropped.
//! A client waits while its server works, so that they do not compete. Only the wake-up across processors is lost,
//! and that is a property of the host, not of the subject.
//!
//! ```text
//!   processor 1   client 0   base's session 0   subject's session 0
//!   processor 0   client 1   base's session 1   subject's session 1     … and round again
//! ```
//!
//! In a step that inserts and deletes, each client has two connections at work at the same time. They are placed like
//! two clients. The kernel places steps that query as well (`step/threads.rs` says why).
//!
//! Clients are placed from the last processor down, because the first tends to get the interrupts. In tests that read,
//! the kernel places the servers' background processes. In tests that write those have work to do. For a whole session
//! the kernel may wake them on the processor of the session that woke them, or on another: an update of MySQL took 40
//! or 58 µs. So they go to processors without clients, where there are any.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The processors that this program may use, as they were when the crew was made.
#[derive(Clone)]
pub(crate) struct Placement {
    allowed: CpuSet,
    processors: Vec<usize>,
}

impl Placement {
    /// `None` where the kernel does not tell, or where there is only one processor.
    pub(crate) fn of_this_thread() -> Option<Self> {
        let allowed = sched_getaffinity(None).ok()?;
        let processors: Vec<usize> = (0..CpuSet::MAX_CPU).rev().filter(|cpu| allowed.is_set(*cpu)).collect();
        (processors.len() > 1).then_some(Self { allowed, processors })
    }

    /// Binds the calling thread, and a server process if its id is known, to the processor of client `number`.
    /// A process that we may not move stays where it is.
    pub(crate) fn put(&self, number: usize, process: Option<u32>) {
        let mut set = CpuSet::new();
        set.set(self.processors[number % self.processors.len()]);
        let _ = sched_setaffinity(None, &set);
        if let Some(pid) = process.and_then(|pid| Pid::from_raw(pid.cast_signed())) {
            let _ = sched_setaffinity(Some(pid), &set);
        }
    }

    /// The number for `put` of a client's `stream`, one of `streams`. Each stream has its own processor if there are
    /// enough. Otherwise streams of each kind are spread evenly over the processors.
    pub(crate) fn number(&self, client: usize, streams: usize, stream: usize) -> usize {
        let before = client * streams;
        before + before / self.processors.len() + stream
    }

    /// Binds server processes to the processors that none of `clients` clients has. False where there are none.
    pub(crate) fn put_beside(&self, clients: usize, processes: &[u32]) -> bool {
        let Some(free) = self.processors.get(clients..).filter(|free| !free.is_empty()) else { return false };
        let mut set = CpuSet::new();
        free.iter().for_each(|processor| set.set(*processor));
        for pid in processes.iter().filter_map(|process| Pid::from_raw(process.cast_signed())) {
            let _ = sched_setaffinity(Some(pid), &set);
        }
        true
    }

    /// Lets a server process run on all processors that this program may use.
    pub(crate) fn free(&self, process: u32) {
        if let Some(pid) = Pid::from_raw(process.cast_signed()) {
            let _ = sched_setaffinity(Some(pid), &self.allowed);
        }
    }

    /// Lets the calling thread run where it could before.
    pub(crate) fn release(&self) {
        let _ = sched_setaffinity(None, &self.allowed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn background_processes_go_where_no_client_is() {
        let Some(placement) = Placement::of_this_thread() else { return };
        let count = placement.processors.len();
        assert!(!placement.put_beside(count, &[]) && !placement.put_beside(count + 1, &[]));
        let mut child = std::process::Command::new("sleep").arg("600").spawn().expect("sleep");
        assert!(placement.put_beside(1, &[child.id()]));
        let set = sched_getaffinity(Pid::from_raw(child.id().cast_signed())).expect("affinity");
        assert_eq!(set.count() as usize, count - 1);
        assert!(!set.is_set(placement.processors[0]));
        placement.free(child.id());
        let set = sched_getaffinity(Pid::from_raw(child.id().cast_signed())).expect("affinity");
        assert_eq!(set.count() as usize, count);
        child.kill().and_then(|()| child.wait()).expect("ended");
    }

    #[test]
    fn streams_of_a_kind_are_spread_evenly() {
        let Some(mut placement) = Placement::of_this_thread() else { return };
        for count in [2, 3, 4] {
            placement.processors = (0..count).collect();
            for stream in [0, 1] {
                let mut there = vec![0; count];
                (0..count * 3).for_each(|client| there[placement.number(client, 2, stream) % count] += 1);
                assert_eq!(there, vec![3; count], "stream {stream} of clients on {count} processors");
            }
        }
        placement.processors = (0..8).collect();
        let mut apart: Vec<usize> =
            (0..4).flat_map(|client| [0, 1].map(|stream| placement.number(client, 2, stream) % 8)).collect();
        apart.dedup();
        assert_eq!(apart, (0..8).collect::<Vec<usize>>());
    }

    #[test]
    fn puts_and_releases_this_thread() {
        let Some(placement) = Placement::of_this_thread() else { return };
        placement.put(3, None);
        assert_eq!(sched_getaffinity(None).map(|set| set.count()), Ok(1));
        placement.release();
        assert_eq!(sched_getaffinity(None).map(|set| set.count()), Ok(placement.processors.len() as u32));
    }
}
