//! A row's levels: the fewest that explain it.

use std::collections::BTreeSet;

use humdrum_model::Stage;

use super::RELEASES_MIN;
use crate::dist::normal_critical;
use crate::ratio::{SessionValue, session_values};
use crate::robust::mean;
use crate::run::KeptSession;

/// Two-sided error with which one place of a row without changes may enter its levels; the test afterwards is the
/// stricter one.
const ENTRY_LEVEL: f64 = 0.05;
/// No clock measures a ratio better than a millionth.
pub(super) const VARIANCE_MIN: f64 = 1e-12;

/// The mean of each release's session values, and the variance of such a mean from the scatter of sessions around it.
/// What a session's values have in common (the base's luck) is left out of the scatter.
pub(super) fn row_of(sessions: &[KeptSession<'_>], measured: &[usize]) -> Option<(Vec<f64>, f64)> {
    let values: Vec<Vec<SessionValue>> =
        measured.iter().map(|subject| session_values(sessions, *subject)).collect();
    let numbers = |wanted: fn(Stage) -> bool| -> BTreeSet<u32> {
        let of = |values: &Vec<SessionValue>| -> BTreeSet<u32> {
            values.iter().filter(|value| wanted(value.stage)).map(|value| value.number).collect()
        };
        values.iter().map(of).reduce(|all, own| &all & &own).unwrap_or_default()
    };
    let fresh = numbers(|stage| stage == Stage::Confirmation);
    let used = if fresh.len() >= 3 { fresh } else { numbers(|stage| stage != Stage::SliceCheck) };
    if used.len() < 2 || measured.len() < RELEASES_MIN {
        return None;
    }
    let own = |values: &Vec<SessionValue>| -> Vec<f64> {
        values.iter().filter(|value| used.contains(&value.number)).map(|value| value.value).collect()
    };
    let table: Vec<Vec<f64>> = values.iter().map(own).collect();
    let common: Vec<f64> = (0..used.len())
        .map(|session| mean(&table.iter().map(|release| release[session]).collect::<Vec<f64>>()))
        .collect();
    let row: Vec<f64> = table.iter().map(|release| mean(release)).collect();
    let grand = mean(&row);
    let rest = table.iter().zip(&row).flat_map(|(release, own)| {
        release.iter().zip(&common).map(move |(value, common)| value - own - (common - grand))
    });
    let squares: f64 = rest.map(|rest| rest * rest).sum();
    let freedom = ((used.len() - 1) * (measured.len() - 1)) as f64;
    Some((row, (squares / freedom / used.len() as f64).max(VARIANCE_MIN)))
}

/// Where new levels begin: the partition with the least squared distance to its levels, in units of the noise, plus a
/// price for each level after the first.
pub(super) fn levels_of(row: &[f64], variance: f64) -> Vec<usize> {
    let price = normal_critical(0.5 * ENTRY_LEVEL / (row.len() - 1).max(1) as f64).powi(2);
    let distance = |begin: usize, end: usize| {
        let level = mean(&row[begin..end]);
        row[begin..end].iter().map(|value| (value - level).powi(2)).sum::<f64>() / variance
    };
    // Of the first `end` releases: the best cost, and where its last level begins.
    let mut best: Vec<(f64, usize)> = vec![(-price, 0)];
    for end in 1..=row.len() {
        let costs = (0..end).map(|begin| (best[begin].0 + distance(begin, end) + price, begin));
        let cheapest = costs.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0));
        best.push(cheapest);
    }
    let mut starts = Vec::new();
    let mut end = row.len();
    while best[end].1 > 0 {
        end = best[end].1;
        starts.push(end);
    }
    starts.reverse();
    starts
}
