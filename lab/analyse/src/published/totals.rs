//! Counts over the rows that can be compared.

use humdrum_model::{Agreement, BesideRow, BesideTotals, ExperimentState, Rate, Verdict};

use crate::selftest::rate;

/// Published changes beyond this should have a verdict.
const LARGE: f64 = 0.05;

pub(super) fn totals(rows: &[BesideRow]) -> BesideTotals {
    let compared: Vec<&BesideRow> =
        rows.iter().filter(|row| row.agreement != Agreement::NotComparable).collect();
    let large: Vec<&BesideRow> =
        compared.iter().copied().filter(|row| (row.published.ratio - 1.0).abs() > LARGE).collect();
    BesideTotals {
        agree: share(&compared, |row| row.agreement == Agreement::Agrees),
        same_direction: share(&compared, |row| row.agreement != Agreement::Differs),
        called: share(&large, |row| has(row, sign(row)) && !has(row, opposite(sign(row)))),
        opposite: share(&large, |row| has(row, opposite(sign(row)))),
        rank_correlation: rank_correlation(&compared),
    }
}

/// Whether published and measured figures agree as a whole.
pub fn state(totals: &BesideTotals) -> ExperimentState {
    let most = |rate: &Option<Rate>| rate.as_ref().is_none_or(|rate| 10 * rate.count >= 9 * rate.of);
    let none = |rate: &Option<Rate>| rate.as_ref().is_none_or(|rate| rate.count == 0);
    let wanted = if totals.called.is_some() { &totals.called } else { &totals.same_direction };
    match totals.same_direction.is_some() && most(wanted) && none(&totals.opposite) {
        true => ExperimentState::Agrees,
        false => ExperimentState::Differs,
    }
}

fn share(rows: &[&BesideRow], of: impl Fn(&BesideRow) -> bool) -> Option<Rate> {
    rate(rows.iter().filter(|row| of(row)).count() as u64, rows.len() as u64)
}

/// The verdict that a published change asks for.
fn sign(row: &BesideRow) -> Verdict {
    if row.published.ratio < 1.0 { Verdict::Regression } else { Verdict::Improvement }
}

fn opposite(verdict: Verdict) -> Verdict {
    if verdict == Verdict::Regression { Verdict::Improvement } else { Verdict::Regression }
}

fn has(row: &BesideRow, verdict: Verdict) -> bool {
    row.measured.iter().any(|own| own.verdict == Some(verdict))
}

/// Spearman's: Pearson's correlation of ranks, equal values at the mean of their ranks.
fn rank_correlation(rows: &[&BesideRow]) -> Option<f64> {
    let pairs = rows.iter().filter_map(|row| Some((row.published.ratio, row.ratio?)));
    let (published, own): (Vec<f64>, Vec<f64>) = pairs.unzip();
    if published.len() < 3 {
        return None;
    }
    let (one, other) = (ranks(&published), ranks(&own));
    let mean = (one.len() as f64 + 1.0) / 2.0;
    let product =
        |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum() };
    let size = (product(&one, &one) * product(&other, &other)).sqrt();
    (size > 0.0).then(|| product(&one, &other) / size)
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|other| **other < value).count() as f64;
    let equal = |value: f64| values.iter().filter(|other| **other == value).count() as f64;
    values.iter().map(|value| below(*value) + (equal(*value) + 1.0) / 2.0).collect()
}

#[cfg(test)]
mod tests {
    use super::super::beside_published;
    use super::super::tests::{own, published};
    use super::*;

    #[test]
    fn counts_and_calls() {
        let figures =
            [("a", 0.65), ("b", 0.9), ("c", 0.74), ("d", 1.3)].map(|(test, ratio)| published(test, ratio));
        let found =
            [("a", 0.651), ("b", 0.8), ("c", 1.1), ("d", 1.005)].map(|(test, ratio)| own("h", test, ratio));
        let totals = beside_published(&figures, &found, 0).totals;
        let counts = |rate: Option<Rate>| rate.map(|rate| (rate.count, rate.of));
        assert_eq!(counts(totals.agree), Some((1, 4)));
        assert_eq!(counts(totals.same_direction), Some((2, 4)), "boring is not faster");
        assert_eq!(counts(totals.called), Some((2, 4)));
        assert_eq!(counts(totals.opposite), Some((1, 4)));
        assert!((totals.rank_correlation.expect("four rows") - 0.4).abs() < 1e-12, "{totals:?}");
    }

    #[test]
    fn equal_values_share_ranks() {
        assert_eq!(ranks(&[2.0, 1.0, 2.0, 3.0]), [2.5, 1.0, 2.5, 4.0]);
    }
}
