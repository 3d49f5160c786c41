//! How a worker is started.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::worker;

/// How a worker is started: this program again, unless a test says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments; it must call `play_worker` whatever they are.
    pub args: Vec<OsString>,
}

impl Default for Launch {
    fn default() -> Self {
        // By the kernel's own name for it: workers run as another user, who may not be able to walk to the file.
        Self { program: "/proc/self/exe".into(), args: vec![worker::ARGUMENT.into()] }
    }
}
