//! The effect of another subject's turn on the slice after it, measured in every test: the ratio in the last
//! quarter of a slice's operations against that in the first.
//!
//! ```text
//!   slice   ├─ first ─┼─────────┼─────────┼─ last ──┤      early: ratio of the first quarters' times
//!           0     quarter_ns[0]      quarter_ns[2]  wall   late: of the last quarters'
//!                     ├──────────── rest ───────────┤      rest: of all that follows the first quarters
//! ```

use humdrum_model::{Block, CarryOver, Verdict};

use crate::band::Band;
use crate::decide::{carries_over, is_shown, with_carry_over};
use crate::estimate::{Estimate, Rules};
use crate::measure::estimate;
use crate::ratio::session_values_by;
use crate::run::KeptSession;
use crate::totals::Part;

/// Late minus early, late by itself, and all but early.
pub(crate) struct Quarters {
    contrast: Estimate,
    late: Estimate,
    rest: Estimate,
}

/// `None` if slices have no time stamps.
pub(crate) fn quarters(
    sessions: &[KeptSession<'_>],
    subject: usize,
    band: &Band,
    rules: &Rules<'_>,
) -> Option<Quarters> {
    let late = session_values_by(sessions, |block| [last(block, 0, -1.0), last(block, subject, 1.0)]);
    let rest = session_values_by(sessions, |block| [rest(block, 0, -1.0), rest(block, subject, 1.0)]);
    let contrast = session_values_by(sessions, |block| {
        [last(block, 0, -1.0), last(block, subject, 1.0), first(block, 0, 1.0), first(block, subject, -1.0)]
    });
    Some(Quarters {
        contrast: estimate(&contrast, band, rules)?,
        late: estimate(&late, band, rules)?,
        rest: estimate(&rest, band, rules)?,
    })
}

impl Quarters {
    /// The facts as reported.
    pub fn facts(&self) -> CarryOver {
        let Estimate { mean, half, .. } = self.contrast;
        CarryOver {
            late_over_early: mean.exp(),
            ci95: [(mean - half).exp(), (mean + half).exp()],
            late: self.late.mean.exp(),
        }
    }

    /// Whether the first quarter of a slice differs from the last by what matters, or may differ so.
    pub fn matters(&self, band: &Band) -> bool {
        carries_over(self.contrast.mean, self.contrast.half, band)
    }

    /// The verdict after a carry-over that matters: never boring, and a change must also show where slices
    /// cannot have it. What was shown may last longer than a quarter, so the last quarter alone counts. What is
    /// only not excluded, because a quarter has few operations, is left out with the first quarter: the others
    /// tell three times as much as the last alone.
    pub fn judged(&self, verdict: Verdict, band: &Band) -> Verdict {
        with_carry_over(verdict, self.deciding_part().0, band)
    }

    /// The ratio that a change must show in, and the words for that part of a slice.
    fn deciding_part(&self) -> (&Estimate, &'static str) {
        match is_shown(self.contrast.mean, self.contrast.half) {
            true => (&self.late, "in the last quarter"),
            false => (&self.rest, "without the first quarter"),
        }
    }

    /// The note for a carry-over that matters. It says which verdict is not given because of it.
    pub fn note(&self, verdict: Verdict, band: &Band) -> String {
        let facts = self.facts();
        let (Estimate { mean, half, .. }, part) = self.deciding_part();
        let note = format!(
            "carry-over: the ratio is {:.3} times as high in the last quarter of a slice as in the first ({:.3} to {:.3}); {part} \
             it is {:.3}",
            facts.late_over_early,
            facts.ci95[0],
            facts.ci95[1],
            mean.exp()
        );
        let [low, high] = [mean - half, mean + half].map(f64::exp);
        match verdict {
            _ if self.judged(verdict, band) == verdict => note,
            Verdict::Boring => format!("{note}; not called boring for that"),
            verdict => format!(
                "{note} ({low:.3} to {high:.3}), which alone is no {}; so none is given",
                verdict.word()
            ),
        }
    }
}

/// Whether a reported carry-over matters.
pub(crate) fn matters(facts: &CarryOver, band: &Band) -> bool {
    let [low, high] = facts.ci95.map(f64::ln);
    carries_over(facts.late_over_early.ln(), 0.5 * (high - low), band)
}

fn first(block: &Block, subject: usize, weight: f64) -> Option<Part> {
    quarter(block, subject, weight, |operations| (operations / 4).max(1), |_, [first, ..]| first)
}

fn last(block: &Block, subject: usize, weight: f64) -> Option<Part> {
    let operations = |all: u64| all - (all * 3 / 4).max(1);
    quarter(block, subject, weight, operations, |wall, [.., third]| wall.saturating_sub(third))
}

fn rest(block: &Block, subject: usize, weight: f64) -> Option<Part> {
    let operations = |all: u64| all - (all / 4).max(1);
    quarter(block, subject, weight, operations, |wall, [first, ..]| wall.saturating_sub(first))
}

/// `part` says how many of a slice's operations a quarter has: of five operations, the last quarter has two.
fn quarter(
    block: &Block,
    subject: usize,
    weight: f64,
    part: fn(u64) -> u64,
    ns: fn(u64, [u64; 3]) -> u64,
) -> Option<Part> {
    let slice = block.slice(subject).filter(|slice| slice.operations > 0)?;
    Part::new(weight, part(slice.operations) as f64, ns(slice.wall_ns, slice.quarter_ns?) as f64)
}

#[cfg(test)]
mod tests {
    use crate::summarise;
    use crate::testkit::{Bench, Rng};
    use humdrum_model::{Stage, TestResult, Verdict};

    /// Twelve sessions; the subject's first quarter takes longer by `early`, all of it by `whole`.
    fn judged(early: f64, whole: f64) -> TestResult {
        let mut bench = Bench::new(&["t"], 2, 0, 12);
        for _ in 0..12 {
            bench.session(Stage::Confirmation, |_| true, 40, |_, _| 0.0);
        }
        for slice in bench.results.blocks.iter_mut().flat_map(|block| &mut block.slices) {
            let quarter = slice.wall_ns as f64 / 4.0;
            let slower = if slice.subject == 1 { [1.0 + early + whole, 1.0 + whole] } else { [1.0; 2] };
            let (first, rest) = (quarter * slower[0], quarter * slower[1]);
            slice.quarter_ns = Some([first, first + rest, first + 2.0 * rest].map(|ns| ns as u64));
            slice.wall_ns = (first + 3.0 * rest) as u64;
        }
        summarise(&bench.results).comparisons.remove(0).tests.remove(0)
    }

    #[test]
    fn a_slow_first_quarter_is_told_and_is_no_regression() {
        let found = judged(0.06, 0.0);
        assert!((found.rqps.unwrap() - 1.0 / 1.015).abs() < 1e-4);
        assert_eq!(found.verdict, Some(Verdict::Inconclusive));
        let facts = found.carry_over.unwrap();
        assert!((facts.late_over_early - 1.06).abs() < 1e-3 && (facts.late - 1.0).abs() < 1e-3, "{facts:?}");
        let note = found.notes.iter().find(|note| note.starts_with("carry-over")).expect("a note");
        assert!(note.ends_with("which alone is no regression; so none is given"), "{note}");
    }

    /// A slice of few operations: its first quarter takes up to 80 % more or less by chance, and the last
    /// makes up for it.
    #[test]
    fn a_large_change_is_called_where_quarters_scatter() {
        let mut bench = Bench::new(&["t"], 2, 0, 12);
        for _ in 0..12 {
            bench.session(Stage::Confirmation, |_| true, 8, |_, _| 0.0);
        }
        let mut rng = Rng::new(5);
        for slice in bench.results.blocks.iter_mut().flat_map(|block| &mut block.slices) {
            slice.wall_ns = (slice.wall_ns as f64 * if slice.subject == 1 { 1.06 } else { 1.0 }) as u64;
            let quarter = slice.wall_ns as f64 / 4.0;
            let first = quarter * (0.2 + 1.6 * rng.uniform());
            slice.quarter_ns = Some([first, 2.0 * quarter, 2.0 * quarter + first].map(|ns| ns as u64));
        }
        let found = summarise(&bench.results).comparisons.remove(0).tests.remove(0);
        let facts = found.carry_over.unwrap();
        assert!(facts.ci95[0] < 1.0 && facts.ci95[1] > 1.02, "the contrast is not known: {facts:?}");
        assert_eq!(found.verdict, Some(Verdict::Regression), "{:?}", found.notes);
        assert!(found.notes.iter().any(|note| note.contains("without the first quarter it is 0.9")));
    }

    #[test]
    fn a_slow_release_stays_one_and_an_even_one_stays_boring() {
        let slow = judged(0.06, 0.05);
        assert_eq!(slow.verdict, Some(Verdict::Regression));
        assert!(slow.notes.iter().all(|note| !note.contains("given")), "{:?}", slow.notes);
        let even = judged(0.0, 0.0);
        assert_eq!(even.verdict, Some(Verdict::Boring));
        assert!(even.carry_over.is_some() && even.notes.is_empty());
    }
}
