//! `--progress`: a line on standard error that tells how far it is.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use skipsort_external::{Meter, Phase};

use crate::options::Progress;

/// Shorter work needs no line.
const PATIENCE: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(200);

/// Shows progress until it is dropped.
pub(crate) struct Shown {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Shown {
    /// `total` is what is to be read, if that is known.
    pub(crate) fn start(when: Progress, meter: &Arc<Meter>, total: Option<u64>) -> Self {
        let show = match when {
            Progress::Never => false,
            Progress::Always => true,
            Progress::Auto => std::io::stderr().is_terminal(),
        };
        if !show {
            return Shown { stop: None, thread: None };
        }
        let (stop, stopped) = channel();
        let patience = if when == Progress::Always { Duration::ZERO } else { PATIENCE };
        // Where there is no thread for it, it is not shown.
        let meter = Arc::clone(meter);
        let thread = thread::Builder::new().spawn(move || draw(&stopped, patience, &meter, total)).ok();
        Shown { stop: Some(stop), thread }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn draw(stopped: &Receiver<()>, patience: Duration, meter: &Meter, total: Option<u64>) {
    if !patience.is_zero() && stopped.recv_timeout(patience) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let terminal = std::io::stderr().is_terminal();
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("a good template"));
    loop {
        let text = describe(&meter.seen(), total);
        if terminal {
            bar.set_message(text);
            bar.tick();
        } else {
            // Somebody asked for it in a log: a line at a time, and seldom.
            eprintln!("skipsort: {text}");
        }
        let pause = if terminal { TICK } else { PATIENCE };
        if stopped.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    bar.finish_and_clear();
}

fn describe(seen: &skipsort_external::Progress, total: Option<u64>) -> String {
    let of = |bytes: u64, total: Option<u64>| match total {
        Some(total) if total > 0 => format!("{} of {}", HumanBytes(bytes), HumanBytes(total)),
        _ => HumanBytes(bytes).to_string(),
    };
    match seen.phase {
        Phase::Reading | Phase::Sorting => {
            let spilled = if seen.runs > 0 { format!(", {} runs spilled", seen.runs) } else { String::new() };
            let verb = if seen.phase == Phase::Reading { "reading" } else { "sorting" };
            format!("{verb} {}{spilled}", of(seen.bytes_read, total))
        }
        Phase::Merging | Phase::Writing => {
            let verb = if seen.phase == Phase::Merging { "merging" } else { "sorting and writing" };
            format!("{verb} {}", of(seen.bytes_written, total))
        }
    }
}
