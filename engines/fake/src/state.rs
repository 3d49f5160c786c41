//! The state that a server and its sessions share: the script, the tables' sizes, whether it runs, and its
//! work so far.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use humdrum_contract::{Clock, Outcome};
use humdrum_model::{Fault, FaultKind};

use crate::clock::VirtualClock;
use crate::noise::Key;
use crate::queue::Queues;
use crate::script::Script;
use crate::stores::{Stores, WriterCounters};
use crate::turns::Turns;
use crate::work::Work;

/// How the server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Life {
    Stopped,
    Running,
    Frozen,
    Hung,
    Dead,
}

const LIVES: [Life; 5] = [Life::Stopped, Life::Running, Life::Frozen, Life::Hung, Life::Dead];

/// A table, as far as it is remembered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    pub rows: u64,
    pub bytes: u64,
    pub checksum: u64,
}

/// Counters for the probe.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub server_cpu_ns: AtomicI64,
    /// What of it is said to be in the kernel.
    pub server_system_ns: AtomicI64,
    pub background_cpu_ns: AtomicI64,
    pub server_switches: AtomicI64,
    pub run_queue_wait_ns: AtomicI64,
    pub device_writes: AtomicI64,
    pub device_write_kib: AtomicI64,
    pub disk_wait_ns: AtomicI64,
    pub lock_wait_ns: AtomicI64,
    pub statements: AtomicI64,
    pub rows_read: AtomicI64,
    pub lock_waits: AtomicI64,
}

/// Shared by a server, its sessions and its probe.
#[derive(Debug)]
pub(crate) struct State {
    pub clock: Arc<VirtualClock>,
    pub script: Script,
    /// The major number of the release.
    pub version: u32,
    /// Distinguishes this subject's noise from the others'.
    pub key: Key,
    pub counters: Counters,
    life: AtomicU8,
    /// Starts so far: a session of an earlier one is closed.
    starts: AtomicU64,
    /// Open sessions.
    pub sessions: AtomicU64,
    operations: AtomicU64,
    writes: AtomicU64,
    /// Nanoseconds of work that writes have put off.
    owed_ns: AtomicU64,
    tables: Mutex<BTreeMap<String, Table>>,
    /// An index was dropped since the tables were made.
    pub index_dropped: AtomicBool,
    queues: Mutex<Queues>,
    stores: Mutex<Stores>,
    turns: Mutex<Turns>,
    /// What the writer beside batches did.
    pub writer: WriterCounters,
    log: Mutex<Vec<String>>,
}

impl State {
    pub(crate) fn new(clock: Arc<VirtualClock>, script: Script, version: u32, key: Key) -> Self {
        Self {
            clock,
            script,
            version,
            key,
            counters: Counters::default(),
            life: AtomicU8::new(Life::Stopped as u8),
            starts: AtomicU64::new(0),
            sessions: AtomicU64::new(0),
            operations: AtomicU64::new(0),
            writes: AtomicU64::new(0),
            owed_ns: AtomicU64::new(0),
            tables: Mutex::default(),
            index_dropped: AtomicBool::new(false),
            queues: Mutex::default(),
            stores: Mutex::default(),
            turns: Mutex::default(),
            writer: WriterCounters::default(),
            log: Mutex::default(),
        }
    }

    pub(crate) fn life(&self) -> Life {
        LIVES[usize::from(self.life.load(Ordering::SeqCst))]
    }

    pub(crate) fn set_life(&self, life: Life) {
        self.life.store(life as u8, Ordering::SeqCst);
    }

    /// Counts a start; sessions remember the number.
    pub(crate) fn begin(&self) {
        self.starts.fetch_add(1, Ordering::SeqCst);
        self.set_life(Life::Running);
    }

    pub(crate) fn starts(&self) -> u64 {
        self.starts.load(Ordering::SeqCst)
    }

    pub(crate) fn tables(&self) -> MutexGuard<'_, BTreeMap<String, Table>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stores(&self) -> MutexGuard<'_, Stores> {
        self.stores.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn turns(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server is stopped in place or woken.
    pub(crate) fn stop_in_place(&self, stopped: bool) {
        let now_ns = self.clock.now_ns();
        match stopped {
            true => self.turns().freeze(now_ns),
            false => self.turns().thaw(&self.script, now_ns),
        }
    }

    /// Data that follow from the run's seed, and that a resumed run has too.
    pub(crate) fn know_run(&self, data: u64) {
        self.turns().know_run(&self.script, Key::of("hour").and(data).and(self.key.number()));
    }

    pub(crate) fn log(&self, line: impl Into<String>) {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(line.into());
    }

    /// The last lines of the log.
    pub(crate) fn log_tail(&self) -> Option<String> {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let tail = &log[log.len().saturating_sub(20)..];
        (!tail.is_empty()).then(|| tail.join("\n"))
    }

    /// Whether a session begun at start number `start` may speak now.
    pub(crate) fn answers(&self, start: u64, timeout: Duration) -> Outcome<()> {
        match self.life() {
            Life::Running if self.starts() == start => Ok(()),
            Life::Running | Life::Stopped | Life::Dead => Err(closed()),
            Life::Frozen | Life::Hung => {
                self.clock.advance(timeout.as_nanos() as u64);
                let seconds = timeout.as_secs_f64();
                Err(Fault::new(FaultKind::Timeout, format!("no answer within {seconds} s")))
            }
        }
    }

    /// Counts an operation and does what the script orders at that number; returns rows to add.
    pub(crate) fn count_operation(&self, start: u64, timeout: Duration) -> Outcome<u64> {
        self.answers(start, timeout)?;
        let number = self.operations.fetch_add(1, Ordering::SeqCst) + 1;
        if self.script.crash_after == Some(number) {
            self.log(format!("fake: operation {number} killed the server, as ordered"));
            self.set_life(Life::Dead);
        } else if self.script.hang_at == Some(number) {
            self.log(format!("fake: hangs at operation {number}, as ordered"));
            self.set_life(Life::Hung);
        } else if self.script.pauses_at == Some(number) {
            self.log(format!("fake: pauses for {PAUSE:?} at operation {number}, as ordered"));
            self.clock.advance(PAUSE.as_nanos() as u64);
        }
        self.answers(start, timeout)?;
        Ok(u64::from(self.script.wrong_at.is_some_and(|at| number >= at)))
    }

    /// What a statement waits for other sessions, as a share of its time.
    fn lock_wait(&self) -> f64 {
        let others = self.sessions.load(Ordering::Relaxed).saturating_sub(1);
        self.script.lock_wait + self.script.contention * others as f64
    }

    /// Lets a statement take its time and charges it.
    pub(crate) fn spend(&self, work: &Work, luck: f64, writes: bool) {
        let script = &self.script;
        let ns = (work.ns * (1.0 + script.slowdown) * luck).max(1.0);
        // One statement at a time: with several clients, the next one must not take this one's time for another server's.
        let mut turns = self.turns();
        let change = turns.begin(script, self.key, self.clock.now_ns(), ns);
        let ns = ns * change.factor;
        let checks = script.checks.unwrap_or(Self::checks_by_default(self.version));
        let more = ns * (script.work + if checks { CHECKS } else { 0.0 });
        let (disk, lock) = (ns * script.disk_wait, ns * self.lock_wait());
        let all = (ns + more + disk + lock + change.more_ns).max(1.0);
        self.clock.advance(all as u64);
        turns.end(self.clock.now_ns(), all);
        drop(turns);
        // A sixth of the wait is the client's own work, the rest the server's; both spread as the whole does.
        VirtualClock::charge_client((ns / 6.0) as u64);
        let counters = &self.counters;
        add(&counters.server_cpu_ns, ns / 6.0 * 5.0 * (1.0 + script.cpu) + more);
        add(&counters.server_system_ns, ns / 6.0);
        add(&counters.background_cpu_ns, ns * 0.01);
        add(&counters.server_switches, if lock > 0.0 { 2.0 } else { 1.0 });
        add(&counters.disk_wait_ns, disk);
        add(&counters.lock_wait_ns, lock);
        add(&counters.statements, 1.0);
        add(&counters.rows_read, work.rows_read as f64);
        add(&counters.lock_waits, if lock > 0.0 { 1.0 } else { 0.0 });
        add(&counters.run_queue_wait_ns, ns * 0.002);
        if writes {
            add(&counters.device_writes, 1.0);
            add(&counters.device_write_kib, 8.0);
            let owed = ns * self.script.debt.unwrap_or(DEBT_DEFAULT);
            self.owed_ns.fetch_add(owed as u64, Ordering::SeqCst);
        }
    }

    /// Whether a release makes checks without being told.
    pub(crate) fn checks_by_default(major: u32) -> bool {
        major >= 3
    }

    /// Counts a write; whether it is to be done, rather than only acknowledged.
    pub(crate) fn is_done(&self) -> bool {
        let number = self.writes.fetch_add(1, Ordering::SeqCst) + 1;
        self.script.loses_write_at != Some(number)
    }

    /// Whether a query that should find no row finds one.
    pub(crate) fn violates(&self) -> bool {
        self.script.violates_at.is_some_and(|at| self.writes.load(Ordering::SeqCst) >= at)
    }

    /// The debt, ns of work.
    pub(crate) fn owed_ns(&self) -> u64 {
        self.owed_ns.load(Ordering::SeqCst)
    }

    /// Pays the debt, in the background.
    pub(crate) fn settle(&self) {
        let ns = self.owed_ns.swap(0, Ordering::SeqCst);
        self.clock.advance(ns);
        add(&self.counters.background_cpu_ns, ns as f64);
    }
}

/// How much more work checks are.
const CHECKS: f64 = 0.12;
/// The length of an injected pause.
const PAUSE: Duration = Duration::from_secs(3);

/// Share of a write's time that it leaves as debt.
const DEBT_DEFAULT: f64 = 0.1;

fn add(counter: &AtomicI64, amount: f64) {
    counter.fetch_add(amount as i64, Ordering::Relaxed);
}

fn closed() -> Fault {
    Fault::crash("the server closed the connection")
}
