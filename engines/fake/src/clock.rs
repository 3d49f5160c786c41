//! Virtual time. All servers of one run share a clock, so that one subject's work takes time for the others
//! too; parallel runs do not share it. A run is identified by the folder that holds its servers' homes.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use humdrum_contract::Clock;

/// A clock that advances only when a fake server works or a thread sleeps.
#[derive(Debug, Default)]
pub(crate) struct VirtualClock {
    now_ns: AtomicU64,
}

/// Clocks in use, by the folder of the run. Weak, so that a clock ends with its last server.
static CLOCKS: Mutex<Option<HashMap<PathBuf, Weak<VirtualClock>>>> = Mutex::new(None);

thread_local! {
    /// CPU time that this thread is said to have used as a client.
    static CLIENT_CPU_NS: Cell<u64> = const { Cell::new(0) };
}

impl VirtualClock {
    /// The clock of the run that keeps its servers in the folder around `home`.
    pub(crate) fn of_run(home: &Path) -> Arc<Self> {
        let folder = home.parent().unwrap_or(home).to_owned();
        let mut clocks = CLOCKS.lock().unwrap_or_else(PoisonError::into_inner);
        let clocks = clocks.get_or_insert_default();
        clocks.retain(|_, clock| clock.strong_count() > 0);
        if let Some(clock) = clocks.get(&folder).and_then(Weak::upgrade) {
            return clock;
        }
        let clock = Arc::new(Self::default());
        clocks.insert(folder, Arc::downgrade(&clock));
        clock
    }

    /// Lets time pass.
    pub(crate) fn advance(&self, ns: u64) {
        self.now_ns.fetch_add(ns, Ordering::SeqCst);
    }

    /// Charges the calling thread with client work.
    pub(crate) fn charge_client(ns: u64) {
        CLIENT_CPU_NS.with(|total| total.set(total.get() + ns));
    }
}

impl Clock for VirtualClock {
    fn now_ns(&self) -> u64 {
        self.now_ns.load(Ordering::SeqCst)
    }

    fn thread_cpu_ns(&self) -> u64 {
        CLIENT_CPU_NS.with(Cell::get)
    }

    fn sleep(&self, duration: Duration) {
        self.advance(duration.as_nanos() as u64);
    }

    fn is_virtual(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_of_one_run_share_a_clock_and_runs_do_not() {
        let left = VirtualClock::of_run(Path::new("/clocks/run-1/a"));
        let right = VirtualClock::of_run(Path::new("/clocks/run-1/b"));
        let other = VirtualClock::of_run(Path::new("/clocks/run-2/a"));
        left.advance(5);
        right.sleep(Duration::from_nanos(2));
        assert_eq!((right.now_ns(), other.now_ns()), (7, 0));
    }

    #[test]
    fn a_clock_ends_with_its_run() {
        VirtualClock::of_run(Path::new("/clocks/run-3/a")).advance(5);
        assert_eq!(VirtualClock::of_run(Path::new("/clocks/run-3/a")).now_ns(), 0);
    }

    #[test]
    fn client_cpu_belongs_to_the_thread() {
        VirtualClock::charge_client(3);
        let clock = VirtualClock::default();
        let elsewhere = std::thread::spawn(|| VirtualClock::default().thread_cpu_ns()).join().unwrap();
        assert_eq!(elsewhere, 0);
        assert!(clock.thread_cpu_ns() >= 3);
    }
}
