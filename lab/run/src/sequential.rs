//! One subject at a time, for data of which the host's memory or disk holds only one subject's. Its server is
//! made, loaded, measured in all units and removed before the next one is made.
//!
//! ```text
//!   base: step 1 ▓▓▓▓ step 2 ▓▓▓▓ …   subject: step 1 ▓▓▓▓ …       each step is a block
//! ```

use std::collections::BTreeMap;

use humdrum_model::{Block, Fault, LoadFacts, SessionInfo};
use humdrum_plan::order;
use humdrum_record::Store;

use crate::events::ends_the_run;
use crate::journal::Journal;
use crate::prepare::load;
use crate::roster::Roster;
use crate::run::Run;
use crate::session::Session;
use crate::unit::Exit;

/// Blocks by position of their test in the plan and by index, each with the slices of the subjects so far.
type Blocks = BTreeMap<(usize, u32), Block>;

/// Measures one subject in all units, then the next; the first one changes from session to session. Records
/// of an interrupted attempt at the session are removed first, because its blocks are not complete, and its
/// facts do not belong to the blocks of the new attempt.
///
/// # Errors
/// Interrupted, or the record cannot be written.
pub(crate) fn session(
    run: &Run<'_>,
    info: &SessionInfo,
    roster: &mut Roster<'_>,
    store: &mut Store,
) -> Result<(), Fault> {
    store.forget_session(info.number)?;
    let journal = Journal::read(store)?;
    let mut session = Session::new(run, info, &journal);
    let mut blocks = Blocks::new();
    for subject in order(run.plan.seed, "subjects", 0, info.number, run.plan.subjects.len()) {
        run.check_interrupt()?;
        run.say(&format!("session {}: {}", info.number + 1, run.label(subject)));
        let outcome = one(&mut session, subject, roster, store, &mut blocks);
        roster.unmake(subject);
        match outcome {
            Err(fault) if ends_the_run(&fault) => return Err(fault),
            // Before its first unit: none of them can be done.
            Err(fault) => session.leave(Exit { subject, fault }, 0, roster, store)?,
            Ok(()) => {}
        }
    }
    for mut block in blocks.into_values() {
        block.slices.sort_by_key(|slice| slice.start_ns);
        store.append_block(&block)?;
    }
    Ok(())
}

fn one(
    session: &mut Session<'_>,
    subject: usize,
    roster: &mut Roster<'_>,
    store: &mut Store,
    blocks: &mut Blocks,
) -> Result<(), Fault> {
    let run = session.run;
    let facts = load(run, roster.make(subject)?)?;
    store.append_load(&LoadFacts { subject, ..facts })?;
    let number = session.info.number;
    let place = |test: &str| run.plan.tests.iter().position(|one| one.name == test).unwrap_or(usize::MAX);
    session.each_unit(
        roster,
        store,
        &mut |_, mut block| {
            let key = (place(&block.test), block.index);
            let empty = Block { slices: Vec::new(), ..block.clone() };
            blocks.entry(key).or_insert(empty).slices.append(&mut block.slices);
            Ok(())
        },
        |roster| roster.ends_at(subject, number).is_none(),
    )
}
