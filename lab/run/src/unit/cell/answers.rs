//! The answers to a test's first operations over each connection.

use humdrum_drive::Crew;
use humdrum_plan::block_seed;

use super::super::{Exit, Unit};
use super::Cell;

/// The number of operations whose answers are hashed and compared before measuring; one in a long test.
const CHECKED_OPERATIONS: u64 = 3;

impl Cell<'_> {
    /// The same operations on every subject must give the same rows as on the base. Subjects that failed, over this connection
    /// or an earlier one, are not told again.
    pub(super) fn check(&self, number: usize, crew: &mut Crew<'_>, failed: &[Exit]) -> Vec<Exit> {
        let test = self.test();
        let operations = if test.long { 1 } else { CHECKED_OPERATIONS };
        let seed = block_seed(self.run.plan.seed, &test.name, self.session.number, u32::MAX);
        let mut exits = Vec::new();
        for (subject, answer) in crew.check(seed, operations) {
            match answer {
                Ok(answer) => exits.extend(self.alike.answer((self.position, number), subject, answer)),
                Err(fault) => exits.push(Exit { subject, fault }),
            }
        }
        exits.retain(|exit| !failed.iter().any(|earlier| earlier.subject == exit.subject));
        exits.iter().for_each(|exit| crew.dismiss(exit.subject));
        exits
    }
}
