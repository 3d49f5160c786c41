//! The statements of `+after_load=FILE`: what one subject alone runs after each of its loads.

use std::time::Duration;

use humdrum_contract::{Outcome, Server, Workload};
use humdrum_model::{Fault, FaultKind, PlacedStatement, Scale};

/// How long one statement may take; a large index takes its time.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Runs the statements over a session of their own. Then renews statistics and reads the data in, as after a load.
///
/// # Errors
/// What the server says, with the statement's place.
pub(crate) fn run(
    statements: &[PlacedStatement],
    server: &mut dyn Server,
    workload: &dyn Workload,
    scale: &Scale,
) -> Outcome<()> {
    if statements.is_empty() {
        return Ok(());
    }
    let mut session = server.connect(PATIENCE)?.into_sql()?;
    if let Some(schema) = server.dialect().and_then(humdrum_contract::Dialect::schema) {
        schema.begin(&mut *session)?;
    }
    for statement in statements {
        session.query(&statement.text).map_err(|fault| refused(fault).at(statement.place.clone()))?;
    }
    drop(session);
    workload.prewarm(server, scale)
}

/// A statement that the server refuses is a mistake in the file, because the subject would not be what its name says.
fn refused(fault: Fault) -> Fault {
    if fault.kind != FaultKind::Environment {
        return fault;
    }
    let known = fault.hint.is_some();
    let fault = Fault { kind: FaultKind::Usage, ..fault };
    if known { fault } else { fault.hint("correct the statement at this place; it runs after each load") }
}
