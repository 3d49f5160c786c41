//! Which threads are waiting, and whether they still wait after their process was stopped.
//!
//! For a waiting thread, `/proc/ID/syscall` (proc(5)) has the system call with its arguments, stack pointer
//! and instruction. For other threads it has `running`. It has the call of a stopped thread too: if the call
//! is the same as before, the thread has not continued in the meantime. The files stay open, so that a
//! reading takes some microseconds a thread.

use std::fs::File;
use std::io::Error;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

/// A process stops in this time, unless it waits for a disk: no signal ends that.
const STOPS_WITHIN: Duration = Duration::from_millis(10);

/// Threads whose waits are read repeatedly.
pub struct Calls(Vec<(u32, File)>);

/// A thread in a wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its id.
    pub thread: u32,
    /// The kernel's line about it.
    place: String,
}

impl Calls {
    /// These threads, by id, without those that have ended.
    ///
    /// # Errors
    /// Where the kernel does not tell us what they wait for.
    pub fn of(threads: impl IntoIterator<Item = u32>) -> Result<Self, Error> {
        let mut calls = Self(Vec::new());
        for thread in threads {
            let opened = File::open(format!("/proc/{thread}/syscall")).and_then(|file| {
                place(&file)?;
                Ok(file)
            });
            match opened {
                Ok(file) => calls.0.push((thread, file)),
                Err(error) if std::fs::exists(format!("/proc/{thread}"))? => return Err(error),
                Err(_) => {}
            }
        }
        Ok(calls)
    }

    /// The threads that wait now for anything but a processor.
    pub fn waiting(&self) -> Vec<Call> {
        let found = self.0.iter().filter_map(|(thread, file)| {
            let place = place(file).ok().flatten()?;
            Some(Call { thread: *thread, place })
        });
        found.collect()
    }

    /// Those of `waiting` that are in the same wait after their processes were told to stop.
    pub fn still(&self, waiting: &[Call]) -> Vec<u32> {
        let end = Instant::now() + STOPS_WITHIN;
        let still = waiting.iter().filter(|call| {
            let Some((_, file)) = self.0.iter().find(|(thread, _)| *thread == call.thread) else {
                return false;
            };
            loop {
                match place(file) {
                    // It may still be running for a moment.
                    Ok(None) if Instant::now() < end => std::thread::yield_now(),
                    Ok(found) => return found.as_ref() == Some(&call.place),
                    Err(_) => return false,
                }
            }
        });
        still.map(|call| call.thread).collect()
    }
}

/// The call in which a thread waits. `None` if it does not wait.
fn place(file: &File) -> Result<Option<String>, Error> {
    let mut line = [0; 256];
    let read = file.read_at(&mut line, 0)?;
    let line = String::from_utf8_lossy(&line[..read]);
    let line = line.trim_end();
    Ok((!line.is_empty() && line != "running").then(|| line.to_owned()))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;
    use crate::stacks::Stopped;

    /// A process that is ended with the test, however that ends.
    pub(crate) struct Subject(pub(crate) Child);

    impl Subject {
        pub(crate) fn start(command: &mut Command) -> Self {
            Self(command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("starts"))
        }

        /// `None` where we may not trace children, as in some containers.
        pub(crate) fn calls(&self) -> Option<Calls> {
            let calls = Calls::of([self.0.id(), u32::MAX]);
            calls.inspect_err(|error| eprintln!("not tested: {error}")).ok()
        }
    }

    impl Drop for Subject {
        fn drop(&mut self) {
            let _ = self.0.kill().and_then(|()| self.0.wait());
        }
    }

    pub(crate) fn soon(mut so: impl FnMut() -> bool) -> bool {
        let end = Instant::now() + Duration::from_secs(10);
        while Instant::now() < end {
            if so() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }

    /// It waits on its standard input, as a server's session does for its client.
    #[test]
    fn who_waits_is_seen_to_and_still_is_when_it_is_stopped() {
        let mut reader = Subject::start(&mut Command::new("cat"));
        let Some(calls) = reader.calls() else { return };
        assert_eq!(calls.0.len(), 1, "no thread has the other number");
        let mut seen = Vec::new();
        // Between fork and exec, and while it loads, it is somewhere else.
        let reads = soon(|| {
            let before = std::mem::replace(&mut seen, calls.waiting());
            seen.len() == 1
                && before == seen
                && (cfg!(not(target_arch = "x86_64")) || seen[0].place.starts_with("0 0x0 "))
        });
        let stopped = Stopped::stop(reader.0.id());
        let still = calls.still(&seen);
        drop(stopped);
        let goes_on = soon(|| calls.waiting() == seen);
        drop(reader.0.stdin.take());
        reader.0.wait().expect("ends");
        assert!(reads, "{seen:?}");
        assert_eq!(still, [reader.0.id()]);
        assert!(goes_on && calls.waiting().is_empty() && calls.still(&seen).is_empty());
    }

    #[test]
    fn who_went_on_is_not_taken_for_one_that_waits() {
        let worker = Subject::start(Command::new("sh").args(["-c", "while :; do :; done"]));
        let Some(calls) = worker.calls() else { return };
        assert!(soon(|| calls.waiting().is_empty()));
        let _stopped = Stopped::stop(worker.0.id());
        let was = Call { thread: worker.0.id(), place: "7 0x0 0x1 0x2".into() };
        assert!(calls.still(&[was]).is_empty());
    }
}
