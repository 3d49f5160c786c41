//! Threads that do one work together.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::thread::{self, Builder};

/// Calls `work` on so many threads, this one among them; on fewer where the system gives no more.
pub(crate) fn together(threads: usize, work: impl Fn() + Sync) {
    thread::scope(|scope| {
        for _ in 1..threads {
            if Builder::new().spawn_scoped(scope, &work).is_err() {
                break;
            }
        }
        work();
    });
}

/// How many of these threads the system gives at the same time.
pub(crate) fn available(wanted: NonZeroUsize) -> NonZeroUsize {
    let gate = Mutex::new(());
    let mut threads = NonZeroUsize::MIN;
    thread::scope(|scope| {
        let _closed = gate.lock();
        while threads < wanted && Builder::new().spawn_scoped(scope, || drop(gate.lock())).is_ok() {
            threads = threads.saturating_add(1);
        }
    });
    threads
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn everybody_works_once() {
        let calls = AtomicUsize::new(0);
        together(3, || {
            calls.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(calls.into_inner(), 3);
        let three = NonZeroUsize::new(3).expect("not zero");
        assert_eq!(available(three), three);
        assert_eq!(available(NonZeroUsize::MIN), NonZeroUsize::MIN);
    }
}
