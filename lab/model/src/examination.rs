//! What is examined after a difference was found, outside the measured blocks: counters, waits, query plans.

use serde::{Deserialize, Serialize};

/// The activity of a session when it was sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitKind {
    /// Working, or waiting for a processor.
    Cpu,
    /// Waiting for its client.
    Client,
    /// Waiting for a disk.
    Disk,
    /// Waiting for another session: rows, tables, latches.
    Lock,
    /// Waiting for something else.
    Other,
}

impl WaitKind {
    /// The word used in every output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Client => "client",
            Self::Disk => "disk",
            Self::Lock => "lock",
            Self::Other => "other",
        }
    }

    /// The kind of this word; any other word is `Other`.
    pub fn of_word(word: &str) -> Self {
        let kinds = [Self::Cpu, Self::Client, Self::Disk, Self::Lock];
        kinds.into_iter().find(|kind| kind.word() == word).unwrap_or(Self::Other)
    }
}

/// How often sampled sessions were waiting for one event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// Its kind.
    pub kind: WaitKind,
    /// The event in the engine's own words (`Lock transactionid`).
    pub event: String,
    /// Samples of it.
    pub samples: u64,
}

/// Counters from the kernel, which every engine has: context switches of the threads that serve the clients. A switch
/// is voluntary when the thread waits, involuntary when the scheduler takes its processor away.
pub const SWITCHES: [&str; 2] = ["switches.voluntary", "switches.involuntary"];

/// Counters from the kernel of the device that holds the data, around the same operations as the engine's own: what an engine
/// counts as missing from its cache stands beside what the device read.
pub const DEVICE: [&str; 5] =
    ["device.reads", "device.read_kib", "device.writes", "device.write_kib", "device.flushes"];

/// The kind of the threads that serve the clients, whatever their server calls them.
pub const SESSIONS: &str = "sessions";

/// The kind of all other threads of a server that gives its threads no names.
pub const BACKGROUND: &str = "background";

/// What the kernel counts for the threads of one kind, on every engine. A server need not have threads of a kind that
/// another one has, so that a counter of this sort that is absent is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadCount {
    /// µs of CPU time: `thread.walwriter.cpu_us`.
    Cpu,
    /// How often one was woken: `thread.walwriter.wakeups`.
    Wakeups,
}

impl ThreadCount {
    /// The counter of a kind.
    pub fn counter(self, kind: &str) -> String {
        format!("{THREAD}{kind}.{}", self.word())
    }

    /// The kind, if this is such a counter.
    pub fn kind_in(self, counter: &str) -> Option<&str> {
        counter.strip_prefix(THREAD)?.strip_suffix(self.word())?.strip_suffix('.')
    }

    /// Whether a counter is one of threads.
    pub fn is(counter: &str) -> bool {
        [Self::Cpu, Self::Wakeups].iter().any(|count| count.kind_in(counter).is_some())
    }

    fn word(self) -> &'static str {
        match self {
            Self::Cpu => "cpu_us",
            Self::Wakeups => "wakeups",
        }
    }
}

const THREAD: &str = "thread.";

/// What a server counts of one event that its threads waited for. A server need not know an event that another one knows,
/// so that a counter of this sort that is absent is zero, unless its server has none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitCount {
    /// µs of waiting: `wait.disk.EVENT.us`.
    Time,
    /// How often a thread waited: `wait.disk.EVENT.times`.
    Times,
}

impl WaitCount {
    /// The counter of an event.
    pub fn counter(self, kind: WaitKind, event: &str) -> String {
        format!("{WAIT}{}.{event}.{}", kind.word(), self.word())
    }

    /// The event and its kind, if this is such a counter.
    pub fn event_in(self, counter: &str) -> Option<(WaitKind, &str)> {
        let event = counter.strip_prefix(WAIT)?.strip_suffix(self.word())?.strip_suffix('.')?;
        let (kind, event) = event.split_once('.')?;
        Some((WaitKind::of_word(kind), event))
    }

    /// Whether a counter is one of waits.
    pub fn is(counter: &str) -> bool {
        [Self::Time, Self::Times].iter().any(|count| count.event_in(counter).is_some())
    }

    fn word(self) -> &'static str {
        match self {
            Self::Time => "us",
            Self::Times => "times",
        }
    }
}

const WAIT: &str = "wait.";

/// How much one of the engine's own counters grew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterDelta {
    /// The engine's name for it (`pg_stat_wal.wal_bytes`).
    pub name: String,
    /// By how much it grew.
    pub delta: f64,
}

/// One subject in one round of examining a test: new connections, some operations, the connections closed again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Examination {
    /// The test's name.
    pub test: String,
    /// Number of the round, from 0.
    pub round: u32,
    /// Index into the plan's subjects.
    pub subject: usize,
    /// Calls of the client between the two readings of the counters.
    pub operations: u64,
    /// Nanoseconds of the watched calls.
    pub wall_ns: u64,
    /// The engine's counters, those of `WaitCount` where it counts waits, and `SWITCHES`, `DEVICE` and those of `ThreadCount` where
    /// the host shows them.
    pub counters: Vec<CounterDelta>,
    /// Samples of all sessions together; zero where the engine cannot tell what they do.
    pub samples: u64,
    /// The waits of the sampled sessions.
    pub waits: Vec<Wait>,
}

/// How a subject's server plans to run one statement of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryPlan {
    /// The test's name.
    pub test: String,
    /// Index into the plan's subjects.
    pub subject: usize,
    /// The statement, with example arguments.
    pub statement: String,
    /// The plan in the engine's own words, line by line.
    pub lines: Vec<String>,
}

/// What a server told of the rows of a plan's steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanRows {
    /// The plan of a run of the statement, with estimated and actual rows, line by line.
    Told(Vec<String>),
    /// Why there is none.
    NotTold(String),
}

/// One statement, run once on one subject outside all blocks, because its plan differs between subjects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanRun {
    /// The test's name.
    pub test: String,
    /// Index into the plan's subjects.
    pub subject: usize,
    /// The statement, as in its `QueryPlan`.
    pub statement: String,
    /// The rows of its steps.
    pub rows: PlanRows,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_waits_are_told_from_others_whatever_the_events_are_called() {
        let event = "wait/io/file/sql/a.b.us";
        for count in [WaitCount::Time, WaitCount::Times] {
            let counter = count.counter(WaitKind::Disk, event);
            assert_eq!(count.event_in(&counter), Some((WaitKind::Disk, event)));
            assert!(WaitCount::is(&counter) && !ThreadCount::is(&counter));
        }
        assert_eq!(WaitCount::Time.event_in(&WaitCount::Times.counter(WaitKind::Lock, "x")), None);
        assert!(!WaitCount::is("waits") && !WaitCount::is("wait.us") && !WaitCount::is("thread.x.wakeups"));
        assert_eq!(WaitKind::of_word("never heard of"), WaitKind::Other);
    }
}
