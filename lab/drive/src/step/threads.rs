//! A chunk on real servers, with a thread for each connection. The threads end with the chunk. Starting one takes tens
//! of microseconds, and a chunk lasts seconds.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use humdrum_contract::{ClientStreams, StatementStream};
use humdrum_model::Fault;

use super::Chunk;
use super::pacing::Pacing;
use super::queue::{Queue, Side};
use super::tally::{ChunkSeen, Seen, StreamTally};
use crate::placement::Placement;

/// Longest sleep, so that a thread soon notices the end of the chunk.
const SLEEP_MAX: Duration = Duration::from_millis(50);

/// The common data of a chunk's threads.
struct Shared<'c> {
    chunk: &'c Chunk<'c>,
    queues: Vec<Queue>,
    writers_left: AtomicUsize,
    placement: Option<Placement>,
}

/// Which stream of which client a thread runs. It decides on the thread's processor.
#[derive(Clone, Copy)]
struct StreamSlot {
    client: usize,
    streams: usize,
    stream: usize,
}

/// Keeps a thread and its server process on one processor. Dropping it releases the process; the thread ends then.
struct Placed<'s> {
    placement: Option<&'s Placement>,
    process: Option<u32>,
}

impl Drop for Placed<'_> {
    fn drop(&mut self) {
        if let (Some(placement), Some(process)) = (self.placement, self.process) {
            placement.free(process);
        }
    }
}

/// Runs a chunk. The first fault ends it for all threads.
pub(crate) fn run(chunk: &Chunk<'_>, clients: &mut [ClientStreams]) -> ChunkSeen {
    let count = clients.len();
    let queues = clients.iter().enumerate().map(|(number, streams)| queue(chunk, streams, number, count));
    let writers = clients
        .iter()
        .map(|streams| usize::from(streams.insert.is_some()) + usize::from(streams.delete.is_some()));
    let writers_left = AtomicUsize::new(writers.sum());
    let placement = if to_be_placed(chunk, clients) { Placement::of_this_thread() } else { None };
    let shared = Shared { chunk, queues: queues.collect(), writers_left, placement };
    std::thread::scope(|scope| {
        let shared = &shared;
        let mut threads = Vec::new();
        for (number, streams) in clients.iter_mut().enumerate() {
            let queue = &shared.queues[number];
            let ClientStreams { insert, delete, query, look_up } = streams;
            let inserts =
                StreamSlot { client: number, streams: 1 + usize::from(delete.is_some()), stream: 0 };
            let beside = StreamSlot { stream: inserts.streams - 1, ..inserts };
            if let Some(stream) = insert {
                threads.push(scope.spawn(move || shared.write(&mut **stream, inserts, queue, Side::Insert)));
            }
            if let Some(stream) = delete {
                threads.push(scope.spawn(move || shared.write(&mut **stream, beside, queue, Side::Delete)));
            }
            if let Some(stream) = query {
                threads.push(scope.spawn(move || shared.query(&mut **stream)));
            }
            if let Some(stream) = look_up {
                threads.push(scope.spawn(move || shared.look_up(&mut **stream, beside, queue)));
            }
        }
        let panicked =
            |_| ChunkSeen { fault: Some(Fault::crash("a client thread panicked")), ..ChunkSeen::default() };
        let seen = threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked));
        seen.reduce(ChunkSeen::merge).unwrap_or_default()
    })
}

/// Whether streams and their server processes are bound to processors.
///
/// A step in one piece builds indexes. The server's helper processes for that would inherit the processor of
/// the session that starts them. Queries keep a processor busy for the whole chunk, ten seconds and more.
/// When the busy threads were bound to it, Linux 6.18 let its own workers of that processor wait for minutes,
/// and every write waited with them (`docs/host-effects.md`).
fn to_be_placed(chunk: &Chunk<'_>, clients: &[ClientStreams]) -> bool {
    chunk.work.chunked && clients.iter().all(|streams| streams.query.is_none())
}

/// The queue of one client. Its first statements wait for a look-up only where one is due at the chunk's start.
fn queue(chunk: &Chunk<'_>, streams: &ClientStreams, number: usize, clients: usize) -> Queue {
    let first = chunk.range.start;
    let pacing = Pacing::new(chunk.work, first, chunk.start_ns, number, clients);
    let gate = match streams.look_up {
        Some(_) => first.next_multiple_of(chunk.work.look_up_every),
        None => u64::MAX,
    };
    Queue::new(first, streams.delete.is_some(), gate, pacing)
}

/// Ends the chunk when a thread panics, because the other threads would wait for it.
struct StopOnPanic<'s, 'c>(&'s Shared<'c>);

impl Drop for StopOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

impl Shared<'_> {
    fn place(&self, slot: StreamSlot, stream: &dyn StatementStream) -> Placed<'_> {
        let (placement, process) = (self.placement.as_ref(), stream.server_process());
        if let Some(placement) = placement {
            placement.put(placement.number(slot.client, slot.streams, slot.stream), process);
        }
        Placed { placement, process }
    }

    fn write(
        &self,
        stream: &mut dyn StatementStream,
        slot: StreamSlot,
        queue: &Queue,
        side: Side,
    ) -> ChunkSeen {
        let (_stop_on_panic, _placed) = (StopOnPanic(self), self.place(slot, stream));
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
        // The chunk lasts until the end of its last statement's period.
        if let Some(end_ns) = queue.end_ns(range.end) {
            self.sleep_until(end_ns);
        }
        Ok(())
    }

    /// Waits until a statement is due. Returns when that was, if response times count from there.
    fn due(&self, queue: &Queue, number: u64) -> Option<u64> {
        let (due_ns, intends) = queue.due_ns(number, self.chunk.clock.now_ns());
        self.sleep_until(due_ns);
        intends.then_some(due_ns)
    }

    fn query(&self, stream: &mut dyn StatementStream) -> ChunkSeen {
        let _stop_on_panic = StopOnPanic(self);
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

    fn look_up(&self, stream: &mut dyn StatementStream, slot: StreamSlot, queue: &Queue) -> ChunkSeen {
        let (_stop_on_panic, _placed) = (StopOnPanic(self), self.place(slot, stream));
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

    /// Sleeps in short pieces, so that a writer notices when the other one has failed.
    fn sleep_until(&self, due_ns: u64) {
        loop {
            let now_ns = self.chunk.clock.now_ns();
            if now_ns >= due_ns || self.writers_left.load(Ordering::Relaxed) == 0 {
                return;
            }
            self.chunk.clock.sleep(Duration::from_nanos(due_ns - now_ns).min(SLEEP_MAX));
        }
    }

    fn left(&self, failed: bool) {
        if failed {
            return self.stop();
        }
        // Another thread may have set it to zero already, to end the chunk.
        let _ = self
            .writers_left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(1)));
    }

    fn stop(&self) {
        self.writers_left.store(0, Ordering::Relaxed);
        self.queues.iter().for_each(Queue::end);
    }
}
