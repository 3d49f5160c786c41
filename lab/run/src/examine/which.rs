//! Which tests are examined, on which subjects: those that were asked for, or those that moved most.

use humdrum_model::{Comparison, Summary, TestInfo};

use super::examination::seconds_each;
use super::{Examiner, Moved, ROUNDS};

/// The time of examinations beyond the budget, as a part of the budget. With the default budget the whole run
/// takes less than five minutes.
const BUDGET_SHARE: f64 = 0.08;

impl<'e> Examiner<'e, '_> {
    /// The tests and subjects of these pairs, in the plan's order.
    pub(super) fn named(&self, asked: &[(String, usize)]) -> Vec<Moved<'e>> {
        let tests = self.run.plan.tests.iter().filter_map(|test| {
            let subjects = asked.iter().filter(|(name, _)| *name == test.name).map(|(_, subject)| *subject);
            let subjects: Vec<usize> = subjects.collect();
            (!subjects.is_empty()).then(|| (test, [vec![0], subjects].concat()))
        });
        tests.collect()
    }

    /// The tests that moved most, as many as the time allows, in the plan's order. A resumed run gets the
    /// same ones.
    pub(super) fn moved_most(&mut self, summary: &Summary) -> Vec<Moved<'e>> {
        let plan = self.run.plan;
        let mut found: Vec<(f64, &TestInfo, Vec<usize>)> = plan
            .tests
            .iter()
            .filter_map(|test| {
                let (size, subjects) = self.moved(summary, test)?;
                Some((size, test, [vec![0], subjects].concat()))
            })
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let seconds = self.roster.instances().map(|entrant| seconds_each(entrant.instance));
        let each = seconds.fold(0.0, f64::max) * f64::from(ROUNDS);
        let mut left = plan.budget_seconds * BUDGET_SHARE;
        // One is always examined.
        let mut first = true;
        found.retain(|(_, _, subjects)| {
            let needs = each * subjects.len() as f64;
            let fits = std::mem::take(&mut first) || needs <= left;
            left -= if fits { needs } else { 0.0 };
            fits
        });
        found.sort_by_key(|(_, test, _)| plan.tests.iter().position(|one| one.name == test.name));
        found.into_iter().map(|(_, test, subjects)| (test, subjects)).collect()
    }

    /// The largest move of a test, and the subjects with a server on which it moved; `None` if it did not
    /// move.
    fn moved(&self, summary: &Summary, test: &TestInfo) -> Option<(f64, Vec<usize>)> {
        let size = |one: &Comparison| {
            let found = one.tests.iter().find(|result| result.test == test.name)?;
            humdrum_explain::moved(found).then(|| found.rqps.map_or(0.0, |ratio| ratio.ln().abs()))
        };
        let comparisons = summary.comparisons.iter().enumerate();
        let moved: Vec<(usize, f64)> =
            comparisons.filter_map(|(number, one)| Some((number + 1, size(one)?))).collect();
        let has_server = |subject: &usize| self.roster.has_instance(*subject);
        let subjects: Vec<usize> = moved.iter().map(|(subject, _)| *subject).filter(has_server).collect();
        let largest = moved.iter().map(|(_, size)| *size).fold(0.0, f64::max);
        (!subjects.is_empty() && has_server(&0)).then_some((largest, subjects))
    }
}
