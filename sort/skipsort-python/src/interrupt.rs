//! Work without the interpreter's lock that a signal can end.
//!
//! ```text
//!   calling thread   ── waits ── signal? ── waits ── signal? ── result
//!   another thread   ── works ─────────────────────────┘
//! ```
//!
//! Only the interpreter's main thread runs Python's handlers of signals, so the work goes to another thread.

use std::panic::resume_unwind;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

/// Time between two looks for signals: an answer that feels immediate, at no cost to be measured.
const BETWEEN: Duration = Duration::from_millis(50);

/// Does the work without the lock. If Python's handler of a signal raises meanwhile, as that of Ctrl-C does, `stop` is called
/// and what was raised is returned when the work has ended, be it by unwinding.
pub(crate) fn heedful<T: Send>(
    py: Python<'_>,
    stop: impl Fn(),
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    thread::scope(|scope| {
        let (sender, mut receiver) = mpsc::sync_channel(1);
        let worker = thread::Builder::new().spawn_scoped(scope, move || {
            // Nobody waits for the result of stopped work.
            let _ = sender.send(work());
        })?;
        let mut raised = None;
        let result = loop {
            let answer;
            (answer, receiver) = py.detach(move || (receiver.recv_timeout(BETWEEN), receiver));
            match answer {
                Ok(result) => break Some(result),
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                    raised = py.check_signals().err();
                    raised.iter().for_each(|_| stop());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        let ended = worker.join();
        match (raised, result, ended) {
            (Some(raised), ..) => Err(raised),
            (None, Some(result), _) => Ok(result),
            (None, None, Err(panic)) => resume_unwind(panic),
            (None, None, Ok(())) => unreachable!("work that returns has sent its result"),
        }
    })
}
