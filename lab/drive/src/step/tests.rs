//! Chunks on the host's clock, and on a virtual one.

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use humdrum_contract::{
    ClientStreams, Clock, Counts, HostClock, Interrupt, Outcome, StatementStream, StepWork,
};
use humdrum_model::Fault;
use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity};

use super::queue::LEAD;
use super::tally::{ChunkSeen, StepTally};
use super::{Chunk, alone, threads};

/// Moves only when told to.
#[derive(Default)]
struct StillClock(AtomicU64);

impl Clock for StillClock {
    fn now_ns(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    fn thread_cpu_ns(&self) -> u64 {
        0
    }

    fn sleep(&self, duration: Duration) {
        self.0.fetch_add(duration.as_nanos() as u64, Ordering::SeqCst);
    }

    fn is_virtual(&self) -> bool {
        true
    }
}

/// Takes its time, and writes down what it did.
struct Slow {
    clock: Arc<dyn Clock>,
    takes: Duration,
    stalls_at: Option<u64>,
    fails_at: Option<u64>,
    done: Arc<Mutex<Vec<(&'static str, u64)>>>,
    name: &'static str,
}

const STALL: Duration = Duration::from_millis(300);

impl StatementStream for Slow {
    fn act(&mut self, number: u64) -> Outcome<u64> {
        if self.fails_at == Some(number) {
            return Err(Fault::crash("as ordered"));
        }
        let stall = if self.stalls_at == Some(number) { STALL } else { Duration::ZERO };
        self.clock.sleep(self.takes + stall);
        self.done.lock().expect("no panic").push((self.name, number));
        Ok(50)
    }

    fn server_process(&self) -> Option<u32> {
        None
    }
}

struct Rig {
    clock: Arc<dyn Clock>,
    done: Arc<Mutex<Vec<(&'static str, u64)>>>,
}

impl Rig {
    fn new(clock: impl Clock + 'static) -> Self {
        Self { clock: Arc::new(clock), done: Arc::default() }
    }

    fn slow(&self, name: &'static str, micros: u64) -> Slow {
        Slow {
            clock: Arc::clone(&self.clock),
            takes: Duration::from_micros(micros),
            stalls_at: None,
            fails_at: None,
            done: Arc::clone(&self.done),
            name,
        }
    }

    fn stream(&self, name: &'static str, micros: u64) -> Option<Box<dyn StatementStream>> {
        Some(Box::new(self.slow(name, micros)))
    }

    fn run(&self, work: &StepWork, clients: &mut [ClientStreams]) -> (ChunkSeen, Duration) {
        self.run_after(0, work, clients)
    }

    /// After earlier chunks of so long.
    fn run_after(
        &self,
        earlier_ns: u64,
        work: &StepWork,
        clients: &mut [ClientStreams],
    ) -> (ChunkSeen, Duration) {
        let start_ns = self.clock.now_ns();
        let interrupt = Interrupt::new();
        let range = 0..work.statements;
        let chunk = Chunk { clock: &*self.clock, interrupt: &interrupt, work, range, start_ns, earlier_ns };
        let seen =
            if self.clock.is_virtual() { alone::run(&chunk, clients) } else { threads::run(&chunk, clients) };
        (seen, Duration::from_nanos(self.clock.now_ns() - start_ns))
    }
}

fn work(statements: u64, rows_per_second: Option<u64>, bursts: bool) -> StepWork {
    StepWork {
        counts: Counts::Queries,
        statements,
        rows_per_statement: 50,
        rows_per_second,
        chunked: true,
        look_up_every: 16,
        bursts,
    }
}

fn longest_ms(seen: &ChunkSeen, name: &str) -> u64 {
    let facts = seen.tally.facts();
    let seconds = &facts.stream(name).expect("a stream").seconds;
    seconds.iter().map(|second| second.longest_ns).max().unwrap_or(0) / 1_000_000
}

#[test]
fn everything_is_done_once_and_nobody_runs_ahead() {
    let rig = Rig::new(HostClock::new());
    let mut clients = [ClientStreams {
        insert: rig.stream("insert", 0),
        delete: rig.stream("delete", 200),
        query: rig.stream("query", 10),
        look_up: rig.stream("look-up", 500),
    }];
    let (seen, _) = rig.run(&work(64, None, false), &mut clients);
    assert!(seen.fault.is_none(), "{:?}", seen.fault);
    let done = rig.done.lock().expect("no panic");
    let of = |name: &str| -> Vec<u64> {
        done.iter().filter(|(own, _)| *own == name).map(|(_, number)| *number).collect()
    };
    assert_eq!((of("insert"), of("delete")), ((0..64).collect(), (0..64).collect()));
    assert_eq!(of("look-up"), [0, 16, 32, 48]);
    assert!(!of("query").is_empty());
    let (mut inserted, mut deleted) = (0_u64, 0_u64);
    for (name, _) in done.iter() {
        inserted += u64::from(*name == "insert");
        deleted += u64::from(*name == "delete");
        // One more may have begun and not ended.
        assert!(inserted.abs_diff(deleted) <= LEAD + 1, "{inserted} {deleted}");
    }
}

#[test]
fn a_failure_ends_all_threads() {
    let rig = Rig::new(HostClock::new());
    let mut failing = rig.slow("delete", 10);
    failing.fails_at = Some(5);
    let client = |delete| ClientStreams {
        insert: rig.stream("insert", 10),
        delete,
        query: rig.stream("query", 10),
        look_up: rig.stream("look-up", 10),
    };
    let mut clients = [client(Some(Box::new(failing))), client(rig.stream("delete", 10))];
    let (seen, took) = rig.run(&work(100_000, Some(500), false), &mut clients);
    assert_eq!(seen.fault.map(|fault| fault.what).as_deref(), Some("as ordered"));
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn a_stall_is_as_long_as_it_was_and_those_behind_it_have_their_share() {
    for bursts in [false, true] {
        let rig = Rig::new(StillClock::default());
        let mut insert = rig.slow("insert", 100);
        insert.stalls_at = Some(7);
        let mut clients = [ClientStreams {
            insert: Some(Box::new(insert)),
            delete: rig.stream("delete", 100),
            query: rig.stream("query", 1000),
            look_up: rig.stream("look-up", 10),
        }];
        // 500 rows a second for 4 seconds: 20 statements in each.
        let (seen, took) = rig.run(&work(40, Some(500), bursts), &mut clients);
        assert!((300..=301).contains(&longest_ms(&seen, "insert")));
        // The eighth delete waited for the eighth insert; only the intended start knows.
        assert_eq!(longest_ms(&seen, "delete") >= 300, !bursts);
        let late = seen
            .tally
            .facts()
            .stream("insert")
            .expect("inserts")
            .response
            .iter()
            .filter(|(ns, _)| *ns > 90_000_000)
            .map(|(_, count)| count)
            .sum::<u64>();
        assert_eq!(late, if bursts { 1 } else { 3 }, "300 ms hold back three of the next at 100 ms each");
        assert_eq!(took.as_secs(), 4, "a burst stands for its whole second");
        assert!(seen.tally.query.statements > 2000);
    }
}

#[test]
fn a_writer_that_cannot_keep_up_takes_longer_and_does_it_all() {
    let rig = Rig::new(StillClock::default());
    let mut clients = [ClientStreams {
        insert: rig.stream("insert", 150_000),
        delete: rig.stream("delete", 1),
        query: rig.stream("query", 1000),
        look_up: None,
    }];
    let (seen, took) = rig.run(&work(20, Some(500), false), &mut clients);
    assert_eq!((seen.tally.insert.statements, took.as_millis()), (20, 3000));
    assert!(seen.tally.query.statements < 10, "the writers left no time for queries");
}

#[test]
fn seconds_go_on_where_the_chunk_before_ended() {
    let rig = Rig::new(StillClock::default());
    let mut clients = [ClientStreams { insert: rig.stream("insert", 100_000), ..ClientStreams::default() }];
    let mut tally = StepTally::default();
    for earlier_ns in [0, 1_400_000_000] {
        let (seen, took) = rig.run_after(earlier_ns, &work(14, None, false), &mut clients);
        tally.add(seen.tally, took.as_nanos() as u64);
    }
    let facts = tally.facts();
    let seconds = &facts.stream("insert").expect("inserts").seconds;
    let statements: Vec<u64> = seconds.iter().map(|second| second.statements).collect();
    // One ends every tenth of a second, and that at a whole second belongs to the next; the last second is not whole.
    assert_eq!((facts.wall_ns, statements), (2_800_000_000, vec![9, 10, 9]));
}

/// Writes down where it and its server process may run while it acts.
struct Placed {
    process: u32,
    seen: Arc<Mutex<Vec<(CpuSet, CpuSet)>>>,
}

fn may_run_on(process: Option<u32>) -> CpuSet {
    sched_getaffinity(process.and_then(|pid| Pid::from_raw(pid.cast_signed()))).expect("affinity")
}

impl StatementStream for Placed {
    fn act(&mut self, _number: u64) -> Outcome<u64> {
        let sets = (may_run_on(None), may_run_on(Some(self.process)));
        self.seen.lock().expect("no panic").push(sets);
        Ok(50)
    }

    fn server_process(&self) -> Option<u32> {
        Some(self.process)
    }
}

#[test]
fn a_stream_and_its_server_process_share_a_processor_during_a_chunk() {
    let (all, rig) = (may_run_on(None), Rig::new(HostClock::new()));
    if all.count() < 2 {
        return;
    }
    for chunked in [true, false] {
        let mut servers = [(); 2].map(|()| Command::new("sleep").arg("600").spawn().expect("sleep"));
        let seen = [(); 2].map(|()| Arc::<Mutex<Vec<(CpuSet, CpuSet)>>>::default());
        let [insert, delete] = [0, 1].map(|stream| {
            let (process, seen) = (servers[stream].id(), Arc::clone(&seen[stream]));
            Some(Box::new(Placed { process, seen }) as Box<dyn StatementStream>)
        });
        let streams = ClientStreams { insert, delete, ..ClientStreams::default() };
        let (chunk, _) = rig.run(&StepWork { chunked, ..work(3, None, false) }, &mut [streams]);
        assert!(chunk.fault.is_none());
        let sets = seen.map(|seen| seen.lock().expect("no panic").clone());
        let width = if chunked { 1 } else { all.count() };
        assert!(sets.iter().flatten().all(|(stream, server)| stream == server && stream.count() == width));
        assert_eq!(sets[0][0] != sets[1][0], chunked, "inserts and deletes are apart");
        for server in &mut servers {
            assert_eq!(may_run_on(Some(server.id())), all, "free again");
            server.kill().and_then(|()| server.wait()).expect("ended");
        }
    }
}
