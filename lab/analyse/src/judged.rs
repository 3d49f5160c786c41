//! The blocks that a verdict used, for other questions: where the time of an operation went, and how two
//! subjects other than the base compare. Intervals are plain 95 % ones from the spread between sessions, not
//! corrected for looks or family, because they explain and do not judge.

use std::collections::BTreeMap;

use humdrum_model::{Block, Change, Results, THROUGHPUT};

use crate::band::Band;
use crate::estimate::Rules;
use crate::families::quantity_values;
use crate::interval::means;
use crate::measure::estimate;
use crate::ratio::{session_values, session_values_between};
use crate::robust::mean;
use crate::run::{KeptSession, Run};

/// The blocks of one (test, subject) that its verdict used.
pub struct Judged<'a> {
    sessions: Vec<KeptSession<'a>>,
    subject: usize,
}

/// A mean, and its 95 % interval if there are enough values for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Its interval.
    pub ci95: Option<[f64; 2]>,
}

/// The mean of independent values.
pub fn mean_of(values: &[f64]) -> Option<Mean> {
    mean_within(values, 0.05)
}

/// The same with an interval that misses at the rate `alpha`.
pub fn mean_within(values: &[f64], alpha: f64) -> Option<Mean> {
    if let [only] = values {
        return Some(Mean { mean: *only, ci95: None });
    }
    let found = means(values)?;
    let half = found.half_width(alpha);
    Some(Mean { mean: found.mean, ci95: Some([found.mean - half, found.mean + half]) })
}

impl<'a> Judged<'a> {
    /// `None` before the first block of both subjects.
    pub fn of(results: &'a Results, test: &str, subject: usize) -> Option<Self> {
        let info = results.plan.tests.iter().find(|info| info.name == test)?;
        let run = Run::of_test(results, test);
        let rules = Rules { design: &results.plan.design, family: run.family(), finished: results.finished };
        let band = Band::new(rules.design, info.writes, results.aa_excess);
        let kept = &run.test(test)?.sessions;
        let found = estimate(&session_values(kept, subject), &band, &rules)?;
        let used: Vec<u32> = found.evidence.sessions.iter().map(|session| session.number).collect();
        let ours = kept.iter().filter(|session| used.contains(&session.number));
        let sessions = ours.map(|session| KeptSession { blocks: session.blocks.clone(), ..*session });
        Some(Self { sessions: sessions.collect(), subject })
    }

    /// The mean of a quantity of blocks, from its mean in each session. `None` if no block has it.
    pub fn mean(&self, quantity: impl Fn(&Block) -> Option<f64>) -> Option<Mean> {
        mean_of(&self.by_session(quantity))
    }

    /// One plain mean per session, so that parts of a time add up to it.
    pub fn by_session(&self, quantity: impl Fn(&Block) -> Option<f64>) -> Vec<f64> {
        let sessions = self
            .sessions
            .iter()
            .map(|session| session.blocks.iter().filter_map(|block| quantity(block)).collect::<Vec<f64>>());
        sessions.filter(|values| !values.is_empty()).map(|values| mean(&values)).collect()
    }

    /// A quantity of slices: of the base, of the subject, and their difference block by block.
    pub fn change(&self, quantity: impl Fn(&Block, &humdrum_model::Slice) -> Option<f64>) -> Option<Change> {
        let of = |block: &Block, subject: usize| quantity(block, block.slice(subject)?);
        let base = self.mean(|block| of(block, 0))?;
        let subject = self.mean(|block| of(block, self.subject))?;
        let change = self.mean(|block| Some(of(block, self.subject)? - of(block, 0)?))?;
        Some(Change { base: base.mean, subject: subject.mean, change: change.mean, ci95: change.ci95 })
    }
}

/// ln(QPS of `subject` / QPS of `other`) of each session by its number; discarded and warm-up blocks left out.
pub fn log_ratios(results: &Results, test: &str, subject: usize, other: usize) -> BTreeMap<u32, f64> {
    let run = Run::of_test(results, test);
    let Some(blocks) = run.test(test) else { return BTreeMap::new() };
    let sessions = session_values_between(&blocks.sessions, other, subject);
    sessions.into_iter().map(|session| (session.number, session.value)).collect()
}

/// Ln of a quantity (`throughput`, `cpu` or `p99`) of `subject` / the base, of each session by its number.
pub fn quantity_log_ratios(
    results: &Results,
    quantity: &str,
    test: &str,
    subject: usize,
) -> BTreeMap<u32, f64> {
    if quantity == THROUGHPUT {
        return log_ratios(results, test, subject, 0);
    }
    let run = Run::of_test(results, test);
    let Some(blocks) = run.test(test) else { return BTreeMap::new() };
    let values = quantity_values(&run, quantity, test, subject, &blocks.sessions).unwrap_or_default();
    values.into_iter().map(|session| (session.number, session.value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Bench;
    use humdrum_model::Stage;

    #[test]
    fn times_and_ratios_come_from_the_sessions_that_speak() {
        let mut bench = Bench::new(&["t"], 3, 2, 6);
        for number in 0..8 {
            let stage = if number < 2 { Stage::Screening } else { Stage::Confirmation };
            let effect = |_: &str, subject| if subject == 1 { 0.5f64.ln() } else { 0.0 };
            bench.session(stage, |_| true, 10, effect);
        }
        let judged = Judged::of(&bench.results, "t", 1).unwrap();
        assert_eq!(judged.by_session(|_| Some(1.0)).len(), 6);
        let wall = judged.change(|_, slice| Some(slice.wall_ns as f64)).unwrap();
        assert!((wall.change - 1e7).abs() < 10.0 && wall.ci95.unwrap()[1] < 1.001e7, "{wall:?}");
        let ratios = log_ratios(&bench.results, "t", 1, 2);
        assert!(ratios.len() == 8 && ratios.values().all(|ratio| (ratio - 0.5f64.ln()).abs() < 1e-6));
        assert!(Judged::of(&bench.results, "other", 1).is_none());
        let throughput = quantity_log_ratios(&bench.results, THROUGHPUT, "t", 1);
        assert!(throughput.len() == 8 && throughput.values().all(|ratio| (ratio - 0.5f64.ln()).abs() < 1e-6));
        assert!(quantity_log_ratios(&bench.results, "cpu", "t", 1).is_empty(), "no CPU was read");
    }

    #[test]
    fn one_value_has_no_spread() {
        assert_eq!(mean_of(&[3.0]), Some(Mean { mean: 3.0, ci95: None }));
        assert!(mean_of(&[]).is_none());
        let two = mean_of(&[1.0, 2.0]).unwrap();
        assert!(two.mean == 1.5 && two.ci95.unwrap()[0] < 1.0);
    }
}
