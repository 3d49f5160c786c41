//! Checks that both suites share.

use std::time::Duration;

use humdrum_model::Fault;

use crate::{Outcome, Server};

pub(super) const PATIENCE: Duration = Duration::from_secs(60);
pub(super) const IMPATIENCE: Duration = Duration::from_millis(300);

/// Checks the facts that every server must report.
pub(super) fn facts_are_complete(server: &mut dyn Server) {
    let facts = server.facts().expect("facts");
    assert!(!facts.version.is_empty() && !facts.origin.is_empty() && !facts.fingerprint.is_empty());
    assert!(facts.settings.is_sorted(), "settings are sorted by name");
    assert!(!server.how_to_connect().is_empty());
    assert!(server.clock().now_ns() <= server.clock().now_ns(), "time does not go back");
}

/// The fault that the client of a frozen server gets. The signal takes a moment to reach a running process,
/// so a few requests may still be answered.
pub(super) fn fault_once_frozen<T>(mut ask: impl FnMut() -> Outcome<T>) -> Fault {
    (0..10_000).find_map(|_| ask().err()).expect("a frozen server stops to answer")
}
