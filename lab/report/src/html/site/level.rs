//! Where the level of a test changed over the results of one base: change points, in words and as marks of the chart.

use humdrum_charts::{Kind, LevelChange};
use humdrum_model::{ChangePoint, SeriesValue};
use maud::{Markup, html};

use super::{FindChanges, Point, day};
use crate::number::interval;
use crate::text::clean;
use crate::words::level_change;

/// With fewer results no change can be shown: too many of all orders have a split as large.
const RESULTS_MIN: usize = 8;

/// The changes of level of one chart.
pub(super) struct Levels {
    /// Whether the results of some settings are enough to show a change.
    enough: bool,
    changes: Vec<Change>,
}

/// A change of level.
struct Change {
    /// The first result of the new level, among all results of the chart.
    at: usize,
    found: ChangePoint,
    kind: Kind,
    /// `▼ level 0.900x`.
    sign: String,
    /// Subject and day of that result.
    with: String,
}

impl Levels {
    /// The changes of every setting's results. Results of other settings are of another series.
    pub(super) fn of(points: &[&Point<'_>], find: FindChanges<'_>) -> Self {
        let mut series: Vec<(String, Vec<usize>)> = Vec::new();
        for (place, point) in points.iter().enumerate() {
            let settings =
                point.subject().map(|one| format!("{} {}", one.engine, one.settings)).unwrap_or_default();
            match series.iter_mut().find(|(known, _)| *known == settings) {
                Some((_, places)) => places.push(place),
                None => series.push((settings, vec![place])),
            }
        }
        series.retain(|(_, places)| places.len() >= RESULTS_MIN);
        let of = |(_, places): &(String, Vec<usize>)| -> Vec<Change> {
            let value = |place: &usize| SeriesValue::of(points[*place].test.rqps, points[*place].test.ci95);
            let values: Vec<SeriesValue> = places.iter().map(value).collect();
            let change = |found: ChangePoint| Change::new(places[found.at], points[places[found.at]], found);
            find(&values).into_iter().map(change).collect()
        };
        Self { enough: !series.is_empty(), changes: series.iter().flat_map(of).collect() }
    }

    /// In words; nothing where there are too few results to say anything.
    pub(super) fn told(&self) -> Markup {
        html! {
            @if !self.changes.is_empty() {
                ul { @for change in &self.changes { li { (change.told()) } } }
                p.quiet { "A broken line in the chart is where the new level begins." }
            }
            @else if self.enough { p.quiet { "No change of level shown over these results." } }
        }
    }

    /// The mark of the chart's row at `place`.
    pub(super) fn mark(&self, place: usize) -> Option<LevelChange> {
        self.changes.iter().find(|change| change.at == place).map(|change| LevelChange {
            kind: change.kind,
            label: change.sign.clone(),
            told: change.told_text(),
        })
    }
}

impl Change {
    fn new(at: usize, point: &Point<'_>, found: ChangePoint) -> Self {
        let (kind, sign) = level_change(&found, point.test.delta);
        let with = format!("{} of {}", clean(&point.comparison.subject), day(point.run));
        Self { at, found, kind, sign, with }
    }

    fn class(&self) -> &'static str {
        match self.kind {
            Kind::Better => "better",
            Kind::Worse => "worse",
            Kind::Same | Kind::Unclear => "plain",
        }
    }

    /// Where it is, and how sure.
    fn rest(&self) -> (String, String) {
        let less = if self.kind == Kind::Same { ", less than matters" } else { "" };
        let ends = interval(Some(self.found.ci95));
        (format!(" {ends} with {}", self.with), format!(", p {:.3}{less}", self.found.p))
    }

    fn told(&self) -> Markup {
        let (place, p) = self.rest();
        html! { span class=(self.class()) { (self.sign) } (place) span.quiet { (p) } }
    }

    fn told_text(&self) -> String {
        let (place, p) = self.rest();
        format!("{}{place}{p}", self.sign)
    }
}
