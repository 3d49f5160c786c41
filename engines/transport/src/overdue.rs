//! Answers that are overdue: one thread watches all sockets on which a client may wait.
//!
//! A wait with a time limit of its own sets a timer and cancels it, which is a twelfth of what a point query costs its
//! client. So clients wait without a limit and count their waits. The thread shuts a connection that is found in the
//! same wait until its time is over, which ends the wait.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use rustix::net::{Shutdown, shutdown};

/// Checks within a time limit: an answer is called overdue no later than two of these parts after its limit.
const LOOKS: u32 = 8;

/// Time between two checks at most, so that a socket that is opened meanwhile does not wait for long limits of others,
/// and at least.
const PERIOD_MOST: Duration = Duration::from_secs(1);
const PERIOD_LEAST: Duration = Duration::from_millis(1);

/// A connection under watch.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) file: OwnedFd,
    timeout_ns: AtomicU64,
    /// Waits begun plus waits ended: odd while a client waits.
    waits: AtomicU64,
    overdue: AtomicBool,
}

impl Line {
    /// A connection whose answers are due within `timeout`, watched until it is dropped.
    pub(crate) fn watched(file: OwnedFd, timeout: Duration) -> std::io::Result<Arc<Self>> {
        let line = Arc::new(Self {
            file,
            timeout_ns: AtomicU64::default(),
            waits: AtomicU64::default(),
            overdue: AtomicBool::default(),
        });
        line.set_timeout(timeout);
        watch(&line)?;
        Ok(line)
    }

    /// The time within which an answer is due.
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_nanos(self.timeout_ns.load(Ordering::Relaxed))
    }

    /// Answers are due within this time from now on; a wait that has begun is checked within a second.
    pub(crate) fn set_timeout(&self, timeout: Duration) {
        self.timeout_ns.store(timeout.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Whether an answer was overdue: the connection is shut.
    pub(crate) fn is_overdue(&self) -> bool {
        self.overdue.load(Ordering::Acquire)
    }

    /// A wait begins or ends; one thread at a time.
    #[inline]
    pub(crate) fn count_wait(&self) {
        self.waits.store(self.waits.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

struct Watched {
    line: Weak<Line>,
    /// Its count at an earlier check, and when that was.
    waits: u64,
    since: Instant,
}

struct Watch {
    lines: Vec<Watched>,
    /// There is a thread; it ends when there is nothing to watch.
    runs: bool,
}

static WATCH: Mutex<Watch> = Mutex::new(Watch { lines: Vec::new(), runs: false });
static OPENED: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, Watch> {
    WATCH.lock().unwrap_or_else(PoisonError::into_inner)
}

fn watch(line: &Arc<Line>) -> std::io::Result<()> {
    let mut watch = lock();
    if !watch.runs {
        std::thread::Builder::new().name("overdue".into()).spawn(look_after_all)?;
        watch.runs = true;
    }
    watch.lines.push(Watched { line: Arc::downgrade(line), waits: 0, since: Instant::now() });
    // It may sleep for longer than this line's limit.
    OPENED.notify_one();
    Ok(())
}

fn look_after_all() {
    let mut watch = lock();
    loop {
        let now = Instant::now();
        let mut period = PERIOD_MOST;
        watch.lines.retain_mut(|watched| {
            let Some(line) = watched.line.upgrade() else { return false };
            period = period.min(line.timeout() / LOOKS);
            look(watched, &line, now)
        });
        if watch.lines.is_empty() {
            watch.runs = false;
            return;
        }
        let waited = OPENED.wait_timeout(watch, period.max(PERIOD_LEAST));
        watch = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// False when the connection needs no more watching.
fn look(watched: &mut Watched, line: &Line, now: Instant) -> bool {
    let waits = line.waits.load(Ordering::Relaxed);
    if waits != watched.waits {
        (watched.waits, watched.since) = (waits, now);
    }
    let overdue = waits % 2 == 1 && now.duration_since(watched.since) >= line.timeout();
    if overdue {
        line.overdue.store(true, Ordering::Release);
        // One that is broken has ended its wait by itself.
        let _ = shutdown(&line.file, Shutdown::Both);
    }
    !overdue
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_wait_is_overdue_when_it_is_the_same_until_its_limit() {
        let limit = Duration::from_secs(8);
        let (ours, _theirs) = UnixStream::pair().expect("pair");
        let line = Line::watched(ours.into(), limit).expect("watched");
        let start = Instant::now();
        let mut watched = Watched { line: Arc::downgrade(&line), waits: 0, since: start };
        let mut at = |seconds| look(&mut watched, &line, start + Duration::from_secs(seconds));
        assert!(at(9), "nobody waits");
        line.count_wait();
        assert!(at(10) && at(17));
        line.count_wait();
        line.count_wait();
        assert!(at(18) && at(25), "the second wait began after the first had ended");
        assert!(!line.is_overdue());
        assert!(!at(26));
        assert!(line.is_overdue());
    }
}
