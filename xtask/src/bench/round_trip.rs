//! The least CPU of a client that waits for its answers. This client makes no statements and parses no answers: it sends
//! as many bytes as a statement has, and sleeps until the answer. Client and server share a processor as in the lab.

use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::{Duration, Instant};

use humdrum_contract::{Clock, HostClock, Outcome};
use humdrum_transport::Socket;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Measured round trips. A tenth as many run before them, unmeasured.
const TRIPS: u32 = 2000;

/// Memory that the server end reads, as a server reads its cache and its tables.
const MEMORY_BYTES: usize = 64 << 20;

/// Distance between two reads: a page and a cache line.
const STRIDE: usize = 4096 + 64;

/// Bytes of an answer that tells the number of rows, with its protocol headers.
const ANSWER_BYTES: usize = 32;

/// The client's CPU for one statement of so many bytes, µs, if the server takes `work_us`.
pub(super) fn client_us(bytes: usize, work_us: f64) -> Result<f64, String> {
    let (ours, theirs) = UnixStream::pair().map_err(|error| format!("a pair of sockets: {error}"))?;
    let program = std::env::current_exe().map_err(|error| format!("our own program: {error}"))?;
    let args = ["bench".to_owned(), "echo".to_owned(), bytes.to_string(), work_us.to_string()];
    // On its own thread, so that the binding to a processor ends with it.
    let measured = std::thread::spawn(move || -> std::io::Result<f64> {
        bind()?;
        let mut echo = Command::new(program).args(args).stdin(OwnedFd::from(theirs)).spawn()?;
        let outcome = exchanged(ours, bytes).map_err(|fault| std::io::Error::other(fault.to_string()));
        echo.wait()?;
        outcome
    });
    let outcome = measured.join().map_err(|_| "the client panicked".to_owned())?;
    outcome.map_err(|error| format!("a round trip: {error}"))
}

fn exchanged(stream: UnixStream, bytes: usize) -> Outcome<f64> {
    let mut socket = Socket::of(stream, Duration::from_secs(10))?;
    let (clock, statement, mut answer) = (HostClock::default(), vec![0x5a; bytes], [0; ANSWER_BYTES]);
    let mut trips = |count: u32| -> Outcome<u64> {
        let before_ns = clock.thread_cpu_ns();
        for _ in 0..count {
            socket.write(&statement)?;
            let mut read = 0;
            while read < answer.len() {
                read += socket.read(&mut answer[read..])?;
            }
        }
        Ok(clock.thread_cpu_ns() - before_ns)
    };
    trips(TRIPS / 10)?;
    Ok(trips(TRIPS)? as f64 / f64::from(TRIPS) / 1e3)
}

/// Binds the thread to the last processor, where the lab puts its first client.
fn bind() -> std::io::Result<()> {
    let allowed = sched_getaffinity(None)?;
    let last = (0..CpuSet::MAX_CPU).rev().find(|cpu| allowed.is_set(*cpu)).unwrap_or(0);
    let mut one = CpuSet::new();
    one.set(last);
    Ok(sched_setaffinity(None, &one)?)
}

/// `bench echo BYTES WORK_US`: the server end. It runs until its standard input, a socket, is closed.
pub(super) fn echo(args: &[&str]) -> Result<(), String> {
    let [bytes, work_us] = args else { return Err(super::verbs::wanted("echo")) };
    let bytes: usize = bytes.parse().map_err(|error| format!("BYTES: {error}"))?;
    let work_us: f64 = work_us.parse().map_err(|error| format!("WORK_US: {error}"))?;
    let socket = std::io::stdin().as_fd().try_clone_to_owned().map_err(|error| error.to_string())?;
    let (mut socket, mut statement) = (UnixStream::from(socket), vec![0; bytes]);
    let (mut memory, mut at) = (vec![1u8; MEMORY_BYTES], 0);
    while socket.read_exact(&mut statement).is_ok() {
        let (began, work) = (Instant::now(), Duration::from_secs_f64(work_us / 1e6));
        while began.elapsed() < work {
            for _ in 0..64 {
                memory[at] = memory[at].wrapping_add(1);
                at = (at + STRIDE) % MEMORY_BYTES;
            }
        }
        socket.write_all(&[0; ANSWER_BYTES]).map_err(|error| error.to_string())?;
    }
    Ok(())
}
