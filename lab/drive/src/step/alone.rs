//! A chunk on a virtual clock. One thread runs all streams in turn, so that the result is always the same.

use std::time::Duration;

use humdrum_contract::{ClientStreams, Clock, StatementStream};
use humdrum_model::Fault;

use super::Chunk;
use super::pacing::Pacing;
use super::tally::{ChunkSeen, Seen, StreamTally};

/// One client's writers.
struct Writers {
    pacing: Pacing,
    next: u64,
}

/// Runs it.
pub(crate) fn run(chunk: &Chunk<'_>, clients: &mut [ClientStreams]) -> ChunkSeen {
    let mut seen = ChunkSeen::default();
    let cpu_before = chunk.clock.thread_cpu_ns();
    seen.fault = all(chunk, clients, &mut seen).err();
    seen.cpu_ns = chunk.clock.thread_cpu_ns().saturating_sub(cpu_before);
    seen
}

fn all(chunk: &Chunk<'_>, clients: &mut [ClientStreams], seen: &mut ChunkSeen) -> Result<(), Fault> {
    let count = clients.len();
    let first = chunk.range.start;
    let writers = |number| Writers {
        pacing: Pacing::new(chunk.work, first, chunk.start_ns, number, count),
        next: first,
    };
    let mut writers: Vec<Writers> = (0..count).map(writers).collect();
    loop {
        chunk.interrupt.check()?;
        let Some((number, due_ns)) = first_due(chunk, &mut writers) else { break };
        if due_ns <= chunk.clock.now_ns() {
            write(chunk, &mut clients[number], &mut writers[number], due_ns, seen)?;
        } else if !query(chunk, clients, seen)? {
            chunk.clock.sleep(Duration::from_nanos(due_ns - chunk.clock.now_ns()));
        }
    }
    // The chunk lasts until the end of its last statement's period.
    while let Some(end_ns) = writers.iter().filter_map(|own| own.pacing.end_ns(chunk.range.end)).max()
        && chunk.clock.now_ns() < end_ns
    {
        if !query(chunk, clients, seen)? {
            chunk.clock.sleep(Duration::from_nanos(end_ns - chunk.clock.now_ns()));
        }
    }
    Ok(())
}

/// The client whose statement is due next, and when.
fn first_due(chunk: &Chunk<'_>, writers: &mut [Writers]) -> Option<(usize, u64)> {
    let now_ns = chunk.clock.now_ns();
    let left = writers.iter_mut().enumerate().filter(|(_, own)| own.next < chunk.range.end);
    left.map(|(number, own)| (number, own.pacing.due_ns(own.next, now_ns))).min_by_key(|(_, due_ns)| *due_ns)
}

fn write(
    chunk: &Chunk<'_>,
    streams: &mut ClientStreams,
    own: &mut Writers,
    due_ns: u64,
    seen: &mut ChunkSeen,
) -> Result<(), Fault> {
    let number = own.next;
    own.next += 1;
    let intended = own.pacing.has_intended_times().then_some(due_ns);
    if number.is_multiple_of(chunk.work.look_up_every) {
        act(chunk, &mut streams.look_up, number, None, &mut seen.tally.look_up)?;
    }
    act(chunk, &mut streams.insert, number, intended, &mut seen.tally.insert)?;
    act(chunk, &mut streams.delete, number, intended, &mut seen.tally.delete)
}

/// Runs one query of each client. False where no client queries.
fn query(chunk: &Chunk<'_>, clients: &mut [ClientStreams], seen: &mut ChunkSeen) -> Result<bool, Fault> {
    let before = seen.tally.query.statements;
    for streams in clients {
        act(chunk, &mut streams.query, 0, None, &mut seen.tally.query)?;
    }
    Ok(seen.tally.query.statements > before)
}

fn act(
    chunk: &Chunk<'_>,
    stream: &mut Option<Box<dyn StatementStream>>,
    number: u64,
    intended_ns: Option<u64>,
    tally: &mut StreamTally,
) -> Result<(), Fault> {
    let Some(stream) = stream else { return Ok(()) };
    let clock: &dyn Clock = chunk.clock;
    let began_ns = clock.now_ns();
    let rows = stream.act(number)?;
    let now_ns = clock.now_ns();
    tally.record(&Seen {
        ended_ns: chunk.own_ns(now_ns),
        service_ns: now_ns - began_ns,
        response_ns: intended_ns.map(|intended_ns| now_ns - intended_ns.min(began_ns)),
        rows,
    });
    Ok(())
}
