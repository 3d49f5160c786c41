//! One subject's server.

use std::path::PathBuf;

use humdrum_contract::{Outcome, Server};

/// A server of a subject, with what is known of its data.
pub(crate) struct Instance {
    pub(crate) server: Box<dyn Server>,
    /// It holds the data, or a copy of them is kept.
    pub(crate) loaded: bool,
    /// Removed, after a clean stop, when the instance is dropped: where each server is made for one session.
    temporary: Option<PathBuf>,
}

impl Instance {
    /// For the whole run, whose folder is removed at its end.
    pub(crate) fn new(server: Box<dyn Server>) -> Self {
        Self { server, loaded: false, temporary: None }
    }

    /// For one session, after which its folder `home` is removed.
    pub(crate) fn temporary(server: Box<dyn Server>, home: PathBuf) -> Self {
        Self { server, loaded: false, temporary: Some(home) }
    }

    /// Starts the server unless it runs.
    pub(crate) fn start(&mut self) -> Outcome<()> {
        if self.server.is_running() { Ok(()) } else { self.server.start() }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(home) = &self.temporary {
            // Errors are ignored: `stop` kills a server that does not stop, and the run folder is removed later.
            let _ = self.server.stop();
            let _ = std::fs::remove_dir_all(home);
        }
    }
}
