//! Who runs on which processor.
//!
//! Where the kernel puts a client and the server process that serves it, on one processor or on two, changes the
//! time of a short operation by a factor of two on a virtual machine, and it may stay so for a whole session: for
//! one subject one way, for the other the other way. So each client and all the processes that serve it, of every
//! subject, share one processor, for as long as the crew lives. A client waits while its server works, so they
//! lose nothing by it but the wake-up across processors, which belongs to the host and not to the subject.
//!
//! ```text
//!   processor 1   client 0   base's session 0   subject's session 0
//!   processor 0   client 1   base's session 1   subject's session 1     … and round again
//! ```
//!
//! A client of whole steps that insert does two things at the same time, each over a connection of its own: inserts and
//! deletes are dealt out like two clients. Steps that query as well are left to the kernel (`step/threads.rs` says why).
//!
//! Clients are dealt out from the last processor down, because interrupts tend to come to the first. The servers'
//! other processes are left to the kernel in tests that read. In tests that write they have work to do, and the kernel
//! likes to wake them where the session that woke them runs, or not, for a whole session: an update of MySQL's took 40
//! or 58 µs. There they go to the processors that no client has, where there are any.

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The processors that this program may use, as they were when the crew was made.
#[derive(Clone)]
pub(crate) struct Placement {
    allowed: CpuSet,
    processors: Vec<usize>,
}

impl Placement {
    /// `None` where the kernel does not say, or there is nothing to choose.
    pub(crate) fn of_this_thread() -> Option<Self> {
        let allowed = sched_getaffinity(None).ok()?;
        let processors: Vec<usize> = (0..CpuSet::MAX_CPU).rev().filter(|cpu| allowed.is_set(*cpu)).collect();
        (processors.len() > 1).then_some(Self { allowed, processors })
    }

    /// Puts the calling thread, and a server process if its number is known, where client `number` belongs.
    /// A process that is not ours to move stays where it is.
    pub(crate) fn put(&self, number: usize, process: Option<u32>) {
        let mut set = CpuSet::new();
        set.set(self.processors[number % self.processors.len()]);
        let _ = sched_setaffinity(None, &set);
        if let Some(pid) = process.and_then(|pid| Pid::from_raw(pid.cast_signed())) {
            let _ = sched_setaffinity(Some(pid), &set);
        }
    }

    /// The number for `put` of one of a client's `streams`: a processor each where there are enough, and else as many first
    /// streams on one as on another.
    pub(crate) fn number(&self, client: usize, streams: usize, stream: usize) -> usize {
        let before = client * streams;
        before + before / self.processors.len() + stream
    }

    /// Puts server processes where none of `clients` clients is; false where there is no such processor.
    pub(crate) fn put_beside(&self, clients: usize, processes: &[u32]) -> bool {
        let Some(free) = self.processors.get(clients..).filter(|free| !free.is_empty()) else { return false };
        let mut set = CpuSet::new();
        free.iter().for_each(|processor| set.set(*processor));
        for pid in processes.iter().filter_map(|process| Pid::from_raw(process.cast_signed())) {
            let _ = sched_setaffinity(Some(pid), &set);
        }
        true
    }

    /// Lets a server process go where this program may.
    pub(crate) fn free(&self, process: u32) {
        if let Some(pid) = Pid::from_raw(process.cast_signed()) {
            let _ = sched_setaffinity(Some(pid), &self.allowed);
        }
    }

    /// Lets the calling thread go where it could before.
    pub(crate) fn release(&self) {
        let _ = sched_setaffinity(None, &self.allowed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_serves_no_client_goes_where_no_client_is() {
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
    fn hands_of_a_kind_are_spread_evenly() {
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
