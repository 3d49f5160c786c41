//! One test on several hosts: a row for each host, then the mean of all, over the interval in which another host is expected. The
//! chart shows on which hosts a change is there, and whether one stands apart.

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

/// The hosts, then all of them as one row. `another` is the interval in which the ratio of another host is expected; `delta` is the
/// half-width of the band in which a change does not matter, as a fraction. `title` is the text for screen readers.
pub fn hosts(title: &str, rows: &[HostRow], all: &HostRow, another: Option<[f64; 2]>, delta: f64) -> Markup {
    let another = another.filter(|ends| ends.iter().all(|end| end.is_finite()));
    let shown: Vec<&HostRow> = rows.iter().chain([all]).collect();
    let scale = scale(&shown, another, delta);
    let bottom = TOP + ROW * shown.len() as f64;
    html! {
        svg.hd xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (px(WIDTH)) " " (px(bottom + AXIS)) } role="img" aria-label=(title) {
            (area("band", [1.0 - delta, 1.0 + delta], &scale, bottom))
            @if let Some(ends) = another { (area("another", ends, &scale, bottom)) }
            (axis(&scale, 6, [TOP, bottom], RATIO))
            line.one x1=(px(scale.place(1.0))) x2=(px(scale.place(1.0))) y1=(px(TOP)) y2=(px(bottom)) {}
            line.grid x1="0" x2=(px(WIDTH)) y1=(px(bottom - ROW)) y2=(px(bottom - ROW)) {}
            @for (row, number) in shown.iter().zip(0_u32..) { (drawn(row, &scale, TOP + ROW * f64::from(number))) }
        }
    }
}

/// Wide enough for all that is drawn, without one interval that is far wider than everything else.
fn scale(rows: &[&HostRow], another: Option<[f64; 2]>, delta: f64) -> Scale {
    let of = |row: &&HostRow| {
        row.ci95.unwrap_or([row.rqps; 2]).into_iter().chain([row.rqps]).collect::<Vec<f64>>()
    };
    let ends = rows.iter().flat_map(of).chain(another.into_iter().flatten());
    let ends: Vec<f64> = ends.filter(|end| end.is_finite()).map(|end| end.clamp(0.0, 10.0)).collect();
    let half = HALF_MIN.max(1.5 * delta);
    let low = ends.iter().copied().fold(1.0 - half, f64::min);
    let high = ends.iter().copied().fold(1.0 + half, f64::max);
    let margin = (high - low) * 0.03;
    Scale::new(low - margin, high + margin, LEFT, RIGHT)
}

fn area(class: &str, [low, high]: [f64; 2], scale: &Scale, bottom: f64) -> Markup {
    let (left, right) = (scale.place(low), scale.place(high));
    html! { rect class=(class) x=(px(left)) y=(px(TOP)) width=(px((right - left).max(0.0))) height=(px(bottom - TOP)) {} }
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

    fn row(label: &str, rqps: f64, half: f64, kind: Kind, verdict: &str) -> HostRow {
        HostRow {
            label: label.into(),
            rqps,
            ci95: Some([rqps - half, rqps + half]),
            kind,
            verdict: verdict.into(),
        }
    }

    #[test]
    fn looks_like_this() {
        let rows = [
            row("1: AMD Zen 3", 0.962, 0.008, Kind::Worse, "▼ regression"),
            row("2: Intel Golden Cove", 0.958, 0.01, Kind::Worse, "▼ regression"),
            row("3: AMD Zen 4", 0.999, 0.005, Kind::Same, "· boring"),
        ];
        let all = row("all hosts", 0.973, 0.03, Kind::Unclear, "? inconclusive");
        insta::assert_snapshot!(hosts("scan by host", &rows, &all, Some([0.9, 1.05]), 0.01).into_string());
    }

    #[test]
    fn nonsense_and_hostile_names_are_drawn() {
        let hostile = HostRow { rqps: f64::NAN, ci95: None, ..row("<script>", 1.0, 0.0, Kind::Unclear, "&") };
        let wide = row("wide", 1.0, f64::INFINITY, Kind::Same, "·");
        let svg =
            hosts("<b>", &[hostile, wide.clone()], &wide, Some([0.0, f64::INFINITY]), 0.0).into_string();
        assert!(!svg.contains("<script") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
