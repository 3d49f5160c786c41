//! Logarithms of totals: of operations over time, and of other quantities that can be added.
//!
//! The estimated quantity is the ln of a ratio of totals over all sessions; each side is a *part* of it:
//!
//! ```text
//!   θ = Σ weight · ln(ΣA / ΣD)          A: an amount (operations), D: what it took (ns); sums over sessions
//!   v = θ + n Σ weight · (A/ΣA - D/ΣD)  the value of a session with A and D, n sessions
//! ```
//!
//! The mean of the values is θ, and their spread gives the error of θ: the linearised ratio estimator
//! (Cochran 1977, 6.3). With sessions of one length the values are the sessions' own ln ratios. A mean of
//! those would be biased if work comes in bursts, by half the relative variance of a session's total.

/// Amount and divisor of one side, and how it enters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    /// 1 for the subject, -1 for the base, fractions in groups.
    pub weight: f64,
    /// Operations, or whatever is counted.
    pub amount: f64,
    /// Nanoseconds, or whatever it is counted by.
    pub divisor: f64,
}

impl Part {
    /// `None` if there is no positive number to take a logarithm of.
    pub fn new(weight: f64, amount: f64, divisor: f64) -> Option<Self> {
        (amount >= 0.0 && divisor > 0.0).then_some(Self { weight, amount, divisor })
    }

    /// The sum of both parts.
    pub fn and(self, other: &Self) -> Self {
        Self { amount: self.amount + other.amount, divisor: self.divisor + other.divisor, ..self }
    }
}

/// Sums part by part.
pub(crate) fn sum<'a>(rows: impl Iterator<Item = &'a [Part]>) -> Vec<Part> {
    let mut sums: Vec<Part> = Vec::new();
    for row in rows {
        if sums.is_empty() {
            sums.extend_from_slice(row);
            continue;
        }
        for (sum, part) in sums.iter_mut().zip(row) {
            *sum = sum.and(part);
        }
    }
    sums
}

/// Σ weight · ln(amount / divisor); `None` if a side has none.
pub(crate) fn log(parts: &[Part]) -> Option<f64> {
    let positive = !parts.is_empty() && parts.iter().all(|part| part.amount > 0.0 && part.divisor > 0.0);
    positive.then(|| parts.iter().map(|part| part.weight * (part.amount / part.divisor).ln()).sum())
}

/// The values of rows (sessions, or pairs of blocks within one) whose mean is the ln of their totals.
pub(crate) fn values(rows: &[&[Part]]) -> Vec<f64> {
    let sums = sum(rows.iter().copied());
    let Some(whole) = log(&sums) else { return Vec::new() };
    let count = rows.len() as f64;
    let share =
        |(part, sum): (&Part, &Part)| part.weight * (part.amount / sum.amount - part.divisor / sum.divisor);
    let value = |row: &&[Part]| whole + count * row.iter().zip(&sums).map(share).sum::<f64>();
    rows.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robust::{mean, sd};
    use crate::testkit::Rng;
    use proptest::prelude::*;

    fn session(base_ns: f64, subject_ns: f64) -> Vec<Part> {
        [(-1.0, base_ns), (1.0, subject_ns)]
            .map(|(weight, ns)| Part { weight, amount: 100.0, divisor: ns })
            .into()
    }

    /// With 5 % of slices 20 times slower and 40 slices a session, a mean of the sessions' own ln ratios is off by a twentieth.
    #[test]
    fn totals_are_not_off_where_work_comes_in_bursts() {
        let mut rng = Rng::new(1);
        let (mut of_totals, mut of_logs) = (Vec::new(), Vec::new());
        for _ in 0..1000 {
            let slice = |rng: &mut Rng| if rng.uniform() < 0.05 { 20.0 } else { 1.0 };
            let sessions: Vec<Vec<Part>> =
                (0..12).map(|_| session(40.0, (0..40).map(|_| slice(&mut rng)).sum())).collect();
            let rows: Vec<&[Part]> = sessions.iter().map(Vec::as_slice).collect();
            of_totals.push(mean(&values(&rows)));
            of_logs.push(mean(&rows.iter().filter_map(|row| log(row)).collect::<Vec<_>>()));
        }
        let (totals, logs, truth) = (mean(&of_totals).exp(), mean(&of_logs).exp(), 1.0 / 1.95);
        println!("truth {truth:.3}, totals {totals:.3}, mean of ln ratios {logs:.3}");
        assert!((totals - truth).abs() < 0.01 && logs > 1.04 * truth, "{totals} {logs}");
    }

    #[test]
    fn equal_sessions_have_their_own_ln_ratios() {
        let sessions = [session(100.0, 101.0), session(100.0, 99.0)];
        let rows: Vec<&[Part]> = sessions.iter().map(Vec::as_slice).collect();
        let found = values(&rows);
        for (value, row) in found.iter().zip(&rows) {
            assert!((value - log(row).unwrap()).abs() < 1e-4);
        }
        assert!((sd(&found) - 0.02 / 2f64.sqrt()).abs() < 1e-4);
        assert!(values(&[]).is_empty() && log(&[]).is_none());
    }

    proptest! {
        #[test]
        fn the_mean_of_the_values_is_the_ln_of_the_totals(times in prop::collection::vec((1.0..1e3f64, 1.0..1e3f64), 1..20)) {
            let sessions: Vec<Vec<Part>> = times.iter().map(|(base, subject)| session(*base, *subject)).collect();
            let rows: Vec<&[Part]> = sessions.iter().map(Vec::as_slice).collect();
            let whole = log(&sum(rows.iter().copied())).unwrap();
            prop_assert!((mean(&values(&rows)) - whole).abs() < 1e-9);
        }
    }
}
