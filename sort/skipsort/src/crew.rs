//! Threads that do one work together: as many as are wanted, or fewer where the system gives no more.

use alloc::vec::Vec;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

/// Calls `work` on so many threads, this one among them; gives back what each call returned.
pub(crate) fn together<R: Send>(threads: usize, work: impl Fn() -> R + Sync) -> Vec<R> {
    thread::scope(|scope| {
        let others = (1..threads).map_while(|_| Builder::new().spawn_scoped(scope, &work).ok());
        let others: Vec<_> = others.collect();
        let mut returned = alloc::vec![work()];
        for other in others {
            returned.push(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        returned
    })
}

/// Does each of the jobs on a thread of its own, if there are as many; gives back what `work` returned, in the jobs' order.
pub(crate) fn each<J: Send, R: Send>(jobs: Vec<J>, work: impl Fn(J) -> R + Sync) -> Vec<R> {
    let threads = jobs.len();
    let jobs = Mutex::new(jobs.into_iter().enumerate());
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let done = together(threads, || {
        let mut done = Vec::new();
        while let Some((number, job)) = next() {
            done.push((number, work(job)));
        }
        done
    });
    let mut done: Vec<(usize, R)> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, returned)| returned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_works_once_and_every_job_is_done() {
        assert_eq!(together(3, || 7), [7, 7, 7]);
        assert_eq!(each(alloc::vec![3, 1, 2], |job| job * 10), [30, 10, 20]);
        assert_eq!(each(Vec::<u8>::new(), |job| job), []);
    }
}
