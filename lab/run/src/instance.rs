//! One subject's server.

use std::collections::BTreeMap;
use std::path::PathBuf;

use humdrum_contract::{Outcome, Server};
use humdrum_model::PlacedStatement;

/// A server of a subject, with the state of its data.
pub(crate) struct Instance {
    pub(crate) server: Box<dyn Server>,
    /// Whether it holds the data, or a copy of them is kept.
    pub(crate) loaded: bool,
    /// What it runs after each of its loads.
    pub(crate) after_load: Vec<PlacedStatement>,
    /// The folder of a server that was made for one session. It is removed, after a clean stop, when the
    /// instance is dropped.
    temporary: Option<PathBuf>,
    /// Operations that examinations have done on its data, by test: their numbers go on from there, so that the next one finds
    /// other rows to delete.
    pub(crate) examined: BTreeMap<String, u64>,
}

impl Instance {
    /// An instance for the whole run; the run's folder is removed at its end.
    pub(crate) fn new(server: Box<dyn Server>) -> Self {
        Self { server, loaded: false, after_load: Vec::new(), temporary: None, examined: BTreeMap::new() }
    }

    /// An instance for one session; its folder `home` is removed afterwards.
    pub(crate) fn temporary(server: Box<dyn Server>, home: PathBuf) -> Self {
        Self {
            server,
            loaded: false,
            after_load: Vec::new(),
            temporary: Some(home),
            examined: BTreeMap::new(),
        }
    }

    /// The same, with statements that it runs after each of its loads.
    #[must_use]
    pub(crate) fn after_load(mut self, statements: &[PlacedStatement]) -> Self {
        self.after_load = statements.to_vec();
        self
    }

    /// Starts the server if it does not run.
    pub(crate) fn start(&mut self) -> Outcome<()> {
        if self.server.is_running() { Ok(()) } else { self.server.start() }
    }

    /// Stops the server, and with `loads_anew` removes its data if it can start without them. Errors are ignored: a server
    /// that does not stop in time was killed and is started anew all the same, and the next load replaces the data.
    fn end_session(&mut self, loads_anew: bool) {
        let _ = self.server.stop();
        if loads_anew && matches!(self.server.discard_data(), Ok(true)) {
            self.loaded = false;
        }
    }
}

/// Ends the session of these at the same time.
pub(crate) fn end_sessions<'i>(instances: impl Iterator<Item = &'i mut Instance>, loads_anew: bool) {
    std::thread::scope(|scope| {
        instances.for_each(|instance| drop(scope.spawn(move || instance.end_session(loads_anew))));
    });
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
