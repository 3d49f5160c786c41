//! One subject's server.

use std::collections::BTreeMap;
use std::path::PathBuf;

use humdrum_contract::{Outcome, Server};
use humdrum_model::PlacedStatement;

/// A server of a subject, with the state of its data.
pub(crate) struct Instance {
    pub(crate) server: Box<dyn Server>,
    /// Whether it was loaded.
    pub(crate) loaded: bool,
    /// Rows of a table of the data that it got last. A run at several numbers of rows has a data set for each.
    pub(crate) rows: u64,
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
        Self {
            server,
            loaded: false,
            rows: 0,
            after_load: Vec::new(),
            temporary: None,
            examined: BTreeMap::new(),
        }
    }

    /// An instance for one session; its folder `home` is removed afterwards.
    pub(crate) fn temporary(server: Box<dyn Server>, home: PathBuf) -> Self {
        let mut instance = Self::new(server);
        instance.temporary = Some(home);
        instance
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

    /// Keeps a copy of the data that it holds. The server was stopped cleanly.
    pub(crate) fn keep(&mut self) -> Outcome<()> {
        self.server.keep(&self.rows.to_string())
    }

    /// Replaces its data by the copy of those with so many rows of a table. The server must not run.
    pub(crate) fn bring_back(&mut self, rows: u64) -> Outcome<()> {
        self.server.bring_back(&rows.to_string())?;
        self.rows = rows;
        Ok(())
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
