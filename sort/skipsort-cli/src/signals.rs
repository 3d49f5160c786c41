//! Removing a file when a signal ends the program: only needed where files cannot be nameless, and for the moment in
//! which a nameless file takes the place of an old one.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGTERM};
use signal_hook::iterator::Signals;

static PATH: Mutex<Option<PathBuf>> = Mutex::new(None);
static WATCH: Once = Once::new();

fn path() -> MutexGuard<'static, Option<PathBuf>> {
    PATH.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on this file is removed when SIGHUP, SIGINT or SIGTERM ends the program.
pub(crate) fn remove_when_ended(file: &Path) {
    *path() = Some(file.to_owned());
    WATCH.call_once(|| {
        let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM]) else { return };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                // The lock is kept, so that no other file can take the place.
                let path = path();
                if let Some(file) = &*path {
                    let _ = std::fs::remove_file(file);
                }
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    });
}

/// The file has its name, or is gone.
pub(crate) fn forget() {
    *path() = None;
}

/// Ends the program as a closed pipe ends programs: by SIGPIPE, without a word.
pub(crate) fn end_by_closed_pipe() {
    let _ = signal_hook::low_level::emulate_default_handler(SIGPIPE);
}
