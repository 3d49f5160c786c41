//! Where the level of a test changed over the results of one base: change points, in words.

use humdrum_model::SeriesValue;
use maud::{Markup, html};

use super::{FindChanges, Point, day};
use crate::number::interval;
use crate::text::clean;
use crate::words::times;

/// Half of a 95 % interval in standard errors.
const HALF: f64 = 1.96;
/// With fewer results no change can be shown: too many of all orders have a split as large.
const RESULTS_MIN: usize = 8;

/// The changes of every setting's results, in the order of their dates. Results of other settings are of another series.
pub(super) fn changes(points: &[&Point<'_>], find: FindChanges<'_>) -> Markup {
    let mut series: Vec<(String, Vec<&Point<'_>>)> = Vec::new();
    for point in points {
        let settings =
            point.subject().map(|one| format!("{} {}", one.engine, one.settings)).unwrap_or_default();
        match series.iter_mut().find(|(known, _)| *known == settings) {
            Some((_, points)) => points.push(point),
            None => series.push((settings, vec![point])),
        }
    }
    series.retain(|(_, points)| points.len() >= RESULTS_MIN);
    let told: Vec<Markup> = series.iter().flat_map(|(_, points)| told(points, find)).collect();
    html! {
        @if !told.is_empty() { ul { @for one in &told { li { (one) } } } }
        @else if !series.is_empty() { p.quiet { "No change of level shown over these results." } }
    }
}

fn told(points: &[&Point<'_>], find: FindChanges<'_>) -> Vec<Markup> {
    let values: Vec<SeriesValue> = points.iter().map(|point| value(point)).collect();
    let change = |found: humdrum_model::ChangePoint| {
        let (point, delta) = (points[found.at], points[found.at].test.delta);
        let within = found.ci95[0] > 1.0 - delta && found.ci95[1] < 1.0 + delta;
        let (mark, class) = match found.ratio {
            _ if within => ("●", "plain"),
            ratio if ratio < 1.0 => ("▼", "worse"),
            _ => ("▲", "better"),
        };
        html! {
            span class=(class) { (mark) " level changed " (times(Some(found.ratio))) } " " (interval(Some(found.ci95)))
            " with " (clean(&point.comparison.subject)) " of " (day(point.run))
            span.quiet { ", p " (format!("{:.3}", found.p)) @if within { ", less than matters" } }
        }
    };
    find(&values).into_iter().map(change).collect()
}

/// ln of the ratio; not a number where there is none.
fn value(point: &Point<'_>) -> SeriesValue {
    let value = point.test.rqps.filter(|rqps| *rqps > 0.0).map_or(f64::NAN, f64::ln);
    let error = point.test.ci95.map_or(f64::NAN, |[low, high]| (high.ln() - low.ln()) / (2.0 * HALF));
    SeriesValue { value, error }
}
