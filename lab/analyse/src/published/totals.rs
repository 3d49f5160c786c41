//! Counts over the rows that can be compared.

use humdrum_model::{
    Agreement, BesideRow, BesideTotals, CalledChanges, Carries, ExperimentState, Rate, Verdict,
};

use crate::selftest::rate;

/// Published changes beyond these should have a verdict.
const LARGE: [f64; 2] = [0.05, 0.10];

pub(super) fn totals(rows: &[BesideRow]) -> BesideTotals {
    let compared: Vec<&BesideRow> =
        rows.iter().filter(|row| row.agreement != Agreement::NotComparable).collect();
    BesideTotals {
        agree: share(&compared, |row| row.agreement == Agreement::Agrees),
        same_direction: share(&compared, |row| row.agreement != Agreement::Differs),
        changes: LARGE.iter().filter_map(|beyond| changes(&compared, *beyond)).collect(),
        rank_correlation: rank_correlation(&compared),
    }
}

/// `None` where no published change is as large.
fn changes(compared: &[&BesideRow], beyond: f64) -> Option<CalledChanges> {
    let is_large = |row: &&&BesideRow| (row.published.ratio - 1.0).abs() > beyond;
    let large: Vec<&BesideRow> = compared.iter().filter(is_large).copied().collect();
    Some(CalledChanges {
        beyond,
        called: share(&large, |row| has(row, sign(row)) && !has(row, opposite(sign(row))))?,
        opposite: share(&large, |row| has(row, opposite(sign(row))))?,
    })
}

/// Whether published and measured figures agree as a whole.
pub fn state(totals: &BesideTotals) -> ExperimentState {
    let most = |rate: Rate| 10 * rate.count >= 9 * rate.of;
    let agrees = match (totals.changes.first(), totals.same_direction) {
        (Some(large), _) => most(large.called) && large.opposite.count == 0,
        (None, same) => same.is_some_and(most),
    };
    if agrees { ExperimentState::Agrees } else { ExperimentState::Differs }
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
    match (row.carries, row.intervals.first()) {
        (Some(Carries::AnotherHost), Some(interval)) => on_another_host(row, *interval) == Some(verdict),
        _ => row.measured.iter().any(|own| own.verdict == Some(verdict)),
    }
}

/// What the interval for another host says: wholly beyond the margin, or `None`.
fn on_another_host(row: &BesideRow, [low, high]: [f64; 2]) -> Option<Verdict> {
    let delta = row.measured.iter().map(|own| own.delta).fold(0.0, f64::max);
    match (high < 1.0 - delta, low > 1.0 + delta) {
        (true, _) => Some(Verdict::Regression),
        (_, true) => Some(Verdict::Improvement),
        _ => None,
    }
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
        let totals = beside_published(&figures, &found, &[]).totals;
        let counts = |rate: Option<Rate>| rate.map(|rate| (rate.count, rate.of));
        assert_eq!(counts(totals.agree), Some((1, 4)));
        assert_eq!(counts(totals.same_direction), Some((2, 4)), "boring is not faster");
        let [five, ten] = &totals.changes[..] else { panic!("{totals:?}") };
        assert_eq!((five.beyond, ten.beyond), (0.05, 0.10));
        assert_eq!((five.called.count, five.called.of, five.opposite.count), (2, 4, 1));
        assert_eq!(
            (ten.called.count, ten.called.of, ten.opposite.count),
            (1, 3, 1),
            "0.9 is not beyond 10 %"
        );
        assert!((totals.rank_correlation.expect("four rows") - 0.4).abs() < 1e-12, "{totals:?}");
    }

    #[test]
    fn three_hosts_call_a_change_by_their_interval_for_another_one() {
        let of = |ratios: [f64; 3]| {
            let hosts = ["a", "b", "c"].into_iter().zip(ratios);
            let found: Vec<_> = hosts.map(|(host, ratio)| own(host, "scan", ratio)).collect();
            let totals = beside_published(&[published("scan", 0.7)], &found, &[]).totals;
            totals.changes.iter().map(|one| (one.called.count, one.opposite.count)).collect::<Vec<_>>()
        };
        assert_eq!(of([0.70, 0.71, 0.72]), [(1, 0), (1, 0)]);
        assert_eq!(
            of([0.70, 0.95, 1.2]),
            [(0, 0), (0, 0)],
            "one host's opposite verdict is not another host's"
        );
    }

    #[test]
    fn equal_values_share_ranks() {
        assert_eq!(ranks(&[2.0, 1.0, 2.0, 3.0]), [2.5, 1.0, 2.5, 4.0]);
    }
}
