//! A chunk on real servers: a thread for each connection. Threads end with the chunk; one that is started costs tens
//! of microseconds, and a chunk lasts seconds.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use humdrum_contract::{ClientStreams, StatementStream};
use humdrum_model::Fault;

use super::Chunk;
use super::beat::Beat;
use super::queue::{Queue, Side};
use super::tally::{ChunkSeen, Seen, StreamTally};
use crate::placement::Placement;

/// Longest nap, so that an end is seen soon.
const NAP: Duration = Duration::from_millis(50);

/// What the threads of a chunk share.
struct Stage<'c> {
    chunk: &'c Chunk<'c>,
    queues: Vec<Queue>,
    writers_left: AtomicUsize,
    placement: Option<Placement>,
}

/// A stream's place: whose it is, of how many that have one.
#[derive(Clone, Copy)]
struct Seat {
    client: usize,
    streams: usize,
    stream: usize,
}

/// The thread and the server process that serves it are on one processor until this is dropped; the thread ends then.
struct Seated<'s> {
    placement: Option<&'s Placement>,
    process: Option<u32>,
}

impl Drop for Seated<'_> {
    fn drop(&mut self) {
        if let (Some(placement), Some(process)) = (self.placement, self.process) {
            placement.free(process);
        }
    }
}

/// Runs it; the first fault ends it for all.
pub(crate) fn run(chunk: &Chunk<'_>, clients: &mut [ClientStreams]) -> ChunkSeen {
    let count = clients.len();
    let queues = clients.iter().enumerate().map(|(number, streams)| queue(chunk, streams, number, count));
    let writers = clients
        .iter()
        .map(|streams| usize::from(streams.insert.is_some()) + usize::from(streams.delete.is_some()));
    let writers_left = AtomicUsize::new(writers.sum());
    let placement = if to_be_placed(chunk, clients) { Placement::of_this_thread() } else { None };
    let stage = Stage { chunk, queues: queues.collect(), writers_left, placement };
    std::thread::scope(|scope| {
        let stage = &stage;
        let mut threads = Vec::new();
        for (number, streams) in clients.iter_mut().enumerate() {
            let queue = &stage.queues[number];
            let ClientStreams { insert, delete, query, look_up } = streams;
            let inserts = Seat { client: number, streams: 1 + usize::from(delete.is_some()), stream: 0 };
            let beside = Seat { stream: inserts.streams - 1, ..inserts };
            if let Some(stream) = insert {
                threads.push(scope.spawn(move || stage.write(&mut **stream, inserts, queue, Side::Insert)));
            }
            if let Some(stream) = delete {
                threads.push(scope.spawn(move || stage.write(&mut **stream, beside, queue, Side::Delete)));
            }
            if let Some(stream) = query {
                threads.push(scope.spawn(move || stage.query(&mut **stream)));
            }
            if let Some(stream) = look_up {
                threads.push(scope.spawn(move || stage.look_up(&mut **stream, beside, queue)));
            }
        }
        let panicked =
            |_| ChunkSeen { fault: Some(Fault::crash("a client thread panicked")), ..ChunkSeen::default() };
        let seen = threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked));
        seen.reduce(ChunkSeen::merge).unwrap_or_default()
    })
}

/// Whether streams and what serves them get processors.
///
/// What is one piece builds indexes, and a server's helpers in that go where the session is that starts them. Queries
/// leave a processor no idle moment for as long as a chunk lasts, ten seconds and more: where nothing that runs may move
/// to another, Linux 6.18 let its own workers, bound to that processor, wait for minutes, and every write with them.
fn to_be_placed(chunk: &Chunk<'_>, clients: &[ClientStreams]) -> bool {
    chunk.work.chunked && clients.iter().all(|streams| streams.query.is_none())
}

/// Statements wait for the first look-up at the chunk's head only where one is due there.
fn queue(chunk: &Chunk<'_>, streams: &ClientStreams, number: usize, clients: usize) -> Queue {
    let first = chunk.range.start;
    let beat = Beat::new(chunk.work, first, chunk.start_ns, number, clients);
    let gate = match streams.look_up {
        Some(_) => first.next_multiple_of(chunk.work.look_up_every),
        None => u64::MAX,
    };
    Queue::new(first, streams.delete.is_some(), gate, beat)
}

/// A thread that panics ends the chunk for the others, which would wait for it.
struct Alarm<'s, 'c>(&'s Stage<'c>);

impl Drop for Alarm<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

impl Stage<'_> {
    fn sit(&self, seat: Seat, stream: &dyn StatementStream) -> Seated<'_> {
        let (placement, process) = (self.placement.as_ref(), stream.server_process());
        if let Some(placement) = placement {
            placement.put(placement.number(seat.client, seat.streams, seat.stream), process);
        }
        Seated { placement, process }
    }

    fn write(&self, stream: &mut dyn StatementStream, seat: Seat, queue: &Queue, side: Side) -> ChunkSeen {
        let (_alarm, _seated) = (Alarm(self), self.sit(seat, stream));
        let mut seen = ChunkSeen::default();
        let cpu_before = self.chunk.clock.thread_cpu_ns();
        let tally = match side {
            Side::Insert => &mut seen.tally.insert,
            Side::Delete => &mut seen.tally.delete,
        };
        seen.fault = self.write_all(stream, queue, side, tally).err();
        self.left(seen.fault.is_some());
        seen.cpu_ns = self.cpu_since(cpu_before);
        seen
    }

    fn write_all(
        &self,
        stream: &mut dyn StatementStream,
        queue: &Queue,
        side: Side,
        tally: &mut StreamTally,
    ) -> Result<(), Fault> {
        let clock = self.chunk.clock;
        let range = self.chunk.range.clone();
        for number in range.clone() {
            self.chunk.interrupt.check()?;
            let intended_ns = if queue.is_paced() { self.due(queue, number) } else { None };
            if !queue.begin(side, number) {
                return Ok(());
            }
            let began_ns = clock.now_ns();
            let rows = stream.act(number)?;
            tally.record(&self.seen(began_ns, intended_ns, rows));
        }
        // The chunk lasts as long as its statements are meant to take.
        if let Some(end_ns) = queue.end_ns(range.end) {
            self.sleep_until(end_ns);
        }
        Ok(())
    }

    /// Waits until a statement is due; when that was, where being late counts.
    fn due(&self, queue: &Queue, number: u64) -> Option<u64> {
        let (due_ns, intends) = queue.due_ns(number, self.chunk.clock.now_ns());
        self.sleep_until(due_ns);
        intends.then_some(due_ns)
    }

    fn query(&self, stream: &mut dyn StatementStream) -> ChunkSeen {
        let _alarm = Alarm(self);
        let mut seen = ChunkSeen::default();
        let cpu_before = self.chunk.clock.thread_cpu_ns();
        while self.writers_left.load(Ordering::Relaxed) > 0 {
            let began_ns = self.chunk.clock.now_ns();
            match stream.act(0) {
                Ok(rows) => seen.tally.query.record(&self.seen(began_ns, None, rows)),
                Err(fault) => {
                    seen.fault = Some(fault);
                    self.stop();
                    break;
                }
            }
        }
        seen.cpu_ns = self.cpu_since(cpu_before);
        seen
    }

    fn look_up(&self, stream: &mut dyn StatementStream, seat: Seat, queue: &Queue) -> ChunkSeen {
        let (_alarm, _seated) = (Alarm(self), self.sit(seat, stream));
        let mut seen = ChunkSeen::default();
        let cpu_before = self.chunk.clock.thread_cpu_ns();
        let every = self.chunk.work.look_up_every;
        let mut gate = self.chunk.range.start.next_multiple_of(every);
        while gate < self.chunk.range.end && queue.reach(gate) {
            let began_ns = self.chunk.clock.now_ns();
            match stream.act(gate) {
                Ok(rows) => seen.tally.look_up.record(&self.seen(began_ns, None, rows)),
                Err(fault) => {
                    seen.fault = Some(fault);
                    self.stop();
                    break;
                }
            }
            gate += every;
            queue.open(gate);
        }
        seen.cpu_ns = self.cpu_since(cpu_before);
        seen
    }

    fn seen(&self, began_ns: u64, intended_ns: Option<u64>, rows: u64) -> Seen {
        let now_ns = self.chunk.clock.now_ns();
        Seen {
            ended_ns: self.chunk.own_ns(now_ns),
            service_ns: now_ns - began_ns,
            response_ns: intended_ns.map(|intended_ns| now_ns.saturating_sub(intended_ns.min(began_ns))),
            rows,
        }
    }

    fn cpu_since(&self, before_ns: u64) -> u64 {
        self.chunk.clock.thread_cpu_ns().saturating_sub(before_ns)
    }

    /// In naps, so that a writer whose partner has failed does not sleep on.
    fn sleep_until(&self, due_ns: u64) {
        loop {
            let now_ns = self.chunk.clock.now_ns();
            if now_ns >= due_ns || self.writers_left.load(Ordering::Relaxed) == 0 {
                return;
            }
            self.chunk.clock.sleep(Duration::from_nanos(due_ns - now_ns).min(NAP));
        }
    }

    fn left(&self, failed: bool) {
        if failed {
            return self.stop();
        }
        // Another thread may have set it to zero already, to end everything.
        let _ = self
            .writers_left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(1)));
    }

    fn stop(&self) {
        self.writers_left.store(0, Ordering::Relaxed);
        self.queues.iter().for_each(Queue::end);
    }
}
