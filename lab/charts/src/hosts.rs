//! One test on several hosts: a row for each host, then the mean of all, over the interval in which another host of the row's kind is expected.
//! The chart shows on which hosts a change is there, and whether one stands apart.

use maud::{Markup, html};

use crate::axis::{RATIO, axis};
use crate::mark::{Kind, mark};
use crate::scale::{Scale, brief, px};

/// A host, or the mean of all.
#[derive(Clone, Debug, PartialEq)]
pub struct HostRow {
    /// The host's number and its processor.
    pub label: String,
    /// Throughput relative to the base. If it is not finite, the row has no dot.
    pub rqps: f64,
    /// Its interval.
    pub ci95: Option<[f64; 2]>,
    /// What was shown.
    pub kind: Kind,
    /// The verdict's word with its mark, at the end of the row.
    pub verdict: String,
    /// The interval in which the ratio of another host of this kind is expected. Neighbouring rows with the same one share its area.
    pub another: Option<[f64; 2]>,
}

const WIDTH: f64 = 760.0;
const LEFT: f64 = 210.0;
const RIGHT: f64 = 590.0;
const TOP: f64 = 8.0;
const ROW: f64 = 24.0;
/// Room of the axis and its title.
const AXIS: f64 = 34.0;
/// Least half-width of the axis, so that noise does not look large.
const HALF_MIN: f64 = 0.02;

/// The hosts, then all of them as one row. `delta` is the half-width of the band in which a change does not matter, as a fraction. `title` is
/// the text for screen readers.
pub fn hosts(title: &str, rows: &[HostRow], all: &HostRow, delta: f64) -> Markup {
    let shown: Vec<&HostRow> = rows.iter().chain([all]).collect();
    let scale = scale(&shown, delta);
    let bottom = TOP + ROW * shown.len() as f64;
    html! {
        svg.hd xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (px(WIDTH)) " " (px(bottom + AXIS)) } role="img" aria-label=(title) {
            (area("band", [1.0 - delta, 1.0 + delta], &scale, [TOP, bottom]))
            (others(&shown, &scale))
            (axis(&scale, 6, [TOP, bottom], RATIO))
            line.one x1=(px(scale.place(1.0))) x2=(px(scale.place(1.0))) y1=(px(TOP)) y2=(px(bottom)) {}
            line.grid x1="0" x2=(px(WIDTH)) y1=(px(bottom - ROW)) y2=(px(bottom - ROW)) {}
            @for (row, number) in shown.iter().zip(0_u32..) { (drawn(row, &scale, TOP + ROW * f64::from(number))) }
        }
    }
}

/// Wide enough for all that is drawn, without one interval that is far wider than everything else.
fn scale(rows: &[&HostRow], delta: f64) -> Scale {
    let of = |row: &&HostRow| {
        let others = known(row).into_iter().flatten();
        row.ci95.unwrap_or([row.rqps; 2]).into_iter().chain([row.rqps]).chain(others).collect::<Vec<f64>>()
    };
    let ends = rows.iter().flat_map(of).filter(|end| end.is_finite());
    let ends: Vec<f64> = ends.map(|end| end.clamp(0.0, 10.0)).collect();
    let half = HALF_MIN.max(1.5 * delta);
    let low = ends.iter().copied().fold(1.0 - half, f64::min);
    let high = ends.iter().copied().fold(1.0 + half, f64::max);
    let margin = (high - low) * 0.03;
    Scale::new(low - margin, high + margin, LEFT, RIGHT)
}

/// Where another host is expected, if both ends can be drawn.
fn known(row: &HostRow) -> Option<[f64; 2]> {
    row.another.filter(|ends| ends.iter().all(|end| end.is_finite()))
}

/// The areas in which other hosts are expected, behind the rows.
fn others(rows: &[&HostRow], scale: &Scale) -> Markup {
    let mut top = TOP;
    let areas = rows.chunk_by(|a, b| known(a) == known(b)).map(|same| {
        let edges = [top, top + ROW * same.len() as f64];
        top = edges[1];
        known(same[0]).map(|ends| area("another", ends, scale, edges))
    });
    html! { @for area in areas.flatten() { (area) } }
}

/// A rectangle from one ratio to another, between two heights.
pub(crate) fn area(class: &str, [low, high]: [f64; 2], scale: &Scale, [top, bottom]: [f64; 2]) -> Markup {
    let (left, right) = (scale.place(low), scale.place(high));
    html! { rect class=(class) x=(px(left)) y=(px(top)) width=(px((right - left).max(0.0))) height=(px(bottom - top)) {} }
}

fn drawn(row: &HostRow, scale: &Scale, top: f64) -> Markup {
    let text = px(top + 16.0);
    html! {
        g {
            title { (described(row)) }
            text x=(px(LEFT - 12.0)) y=(text) text-anchor="end" { (brief(&row.label, 30)) }
            text x=(px(RIGHT + 12.0)) y=(text) { (value(row)) }
            @if row.rqps.is_finite() { (mark(row.kind, row.rqps, row.ci95, scale, top + ROW / 2.0)) }
        }
    }
}

fn value(row: &HostRow) -> String {
    if row.rqps.is_finite() { format!("{:.3} {}", row.rqps, row.verdict) } else { row.verdict.clone() }
}

fn described(row: &HostRow) -> String {
    match row.ci95.filter(|ends| ends.iter().all(|end| end.is_finite())) {
        Some([low, high]) => format!("{}: {}, 95 % interval {low:.3} to {high:.3}", row.label, value(row)),
        None => format!("{}: {}", row.label, value(row)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(
        label: &str,
        rqps: f64,
        half: f64,
        kind: Kind,
        verdict: &str,
        another: Option<[f64; 2]>,
    ) -> HostRow {
        HostRow {
            label: label.into(),
            rqps,
            ci95: Some([rqps - half, rqps + half]),
            kind,
            verdict: verdict.into(),
            another,
        }
    }

    #[test]
    fn looks_like_this() {
        let zen3 = Some([0.945, 0.975]);
        let rows = [
            row("1: AMD Zen 3", 0.962, 0.008, Kind::Worse, "▼ regression", zen3),
            row("3: AMD Zen 3", 0.958, 0.01, Kind::Worse, "▼ regression", zen3),
            row("2: AMD Zen 4", 0.999, 0.005, Kind::Same, "· boring", None),
        ];
        let all = row("all hosts", 0.973, 0.03, Kind::Unclear, "? inconclusive", Some([0.9, 1.05]));
        insta::assert_snapshot!(hosts("scan by host", &rows, &all, 0.01).into_string());
    }

    #[test]
    fn nonsense_and_hostile_names_are_drawn() {
        let wide = row("wide", 1.0, f64::INFINITY, Kind::Same, "·", Some([0.0, f64::INFINITY]));
        let hostile = HostRow {
            rqps: f64::NAN,
            ci95: None,
            ..row("<script>", 1.0, 0.0, Kind::Unclear, "&", Some([f64::NAN, 1.0]))
        };
        let svg = hosts("<b>", &[hostile, wide.clone()], &wide, 0.0).into_string();
        assert!(!svg.contains("<script") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
