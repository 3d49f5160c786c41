//! What an interrupted run left of a cell.

use humdrum_model::{Block, Event, Moment, Results, Scale, SessionInfo, TestInfo};
use humdrum_plan::sums_contents;

use super::super::aftermath::has_state;
use super::{blocks, calibration};

/// Blocks of a cell that an interrupted run recorded.
pub fn blocks_done(session: &SessionInfo, test: &str, before: &Results) -> u32 {
    let own = |block: &&Block| block.session == session.number && block.test == test;
    before.blocks.iter().filter(own).map(|block| block.index + 1).max().unwrap_or(0)
}

/// Whether all blocks of a cell are on record.
pub fn is_complete(session: &SessionInfo, test: &str, before: &Results) -> bool {
    let done = blocks_done(session, test, before);
    calibration(test, before).is_some_and(|calibration| done >= blocks(session, &calibration))
}

/// Whether what the writes of a cell left was looked at, paid and, where that is due, compared, for all subjects that did
/// its last block and have not failed since.
pub fn is_settled(
    session: &SessionInfo,
    test: &TestInfo,
    tests: &[&TestInfo],
    scale: &Scale,
    before: &Results,
) -> bool {
    let own = |block: &&Block| block.session == session.number && block.test == test.name;
    let Some(last) = before.blocks.iter().filter(own).max_by_key(|block| block.index) else { return false };
    let moment = if sums_contents(test, tests, scale) { Moment::Paid } else { Moment::After };
    let failed = |subject: usize| {
        let own = |event: &Event| event.test.as_ref() == Some(&test.name) && event.subject == Some(subject);
        before.events.iter().any(own)
    };
    last.slices
        .iter()
        .map(|slice| slice.subject)
        .all(|subject| failed(subject) || has_state(before, &test.name, session.number, subject, moment))
}
