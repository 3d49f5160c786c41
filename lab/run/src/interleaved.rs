//! All subjects side by side: in each unit they take turns, block by block or chunk by chunk.
//!
//! ```text
//!   cell         base ▓ subject ▓ │ subject ▓ base ▓ │ …         blocks of milliseconds
//!   step         base ▓▓▓ subject ▓▓▓ │ subject ▓▓▓ base ▓▓▓ │ …  chunks of seconds, each a block
//! ```

use humdrum_model::Fault;
use humdrum_record::Store;

use crate::prepare::prepare;
use crate::roster::Roster;
use crate::session::{Recorded, Session};

/// Prepares all subjects, then runs the units one after another on all of them.
///
/// # Errors
/// Interrupted, or the record cannot be written.
pub(crate) fn session(session: Session<'_>, roster: &mut Roster<'_>, store: &mut Store) -> Result<(), Fault> {
    prepare(session.run, session.info, roster, store)?;
    let number = session.info.number;
    session.each_unit(roster, store, &mut Recorded, |roster| roster.compares(number))
}
