//! Throughput relative to the base: a dot and whiskers per test, over the band in which a change does not matter.
//!
//! There are two views of the same rows. The one from zero shows true sizes. The close-up shows noise, with an arrow at
//! the edge for values outside. There are two frames, because a drawing that is scaled down to a phone is unreadable.

use maud::{Markup, html};

use crate::axis::{RATIO, axis};
use crate::level::{LevelChange, level};
use crate::mark::{Kind, mark};
use crate::scale::{Scale, brief, px};

/// One test.
#[derive(Clone, Debug, PartialEq)]
pub struct RqpsRow {
    /// The test's name.
    pub label: String,
    /// Throughput relative to the base. If it is not finite, the row has no dot.
    pub rqps: f64,
    /// Its interval.
    pub ci95: Option<[f64; 2]>,
    /// Half-width of the band in which a change does not matter, as a fraction.
    pub delta: f64,
    /// What was shown.
    pub kind: Kind,
    /// The verdict's word with its mark, at the end of the row.
    pub verdict: String,
    /// What changed with this row, in a chart of results over time.
    pub change: Option<LevelChange>,
}

/// Which part of the axis is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// From zero to the largest value.
    FromZero,
    /// Around 1, as wide as the rows that moved by less than `CLOSE_MAX`.
    CloseUp,
}

/// How much room the page has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// 760 pixels: label, drawing and value side by side.
    Wide,
    /// 340 pixels: label and value above the drawing.
    Narrow,
}

/// Positions in pixels.
struct Frame {
    width: f64,
    /// The drawing's left and right edge.
    left: f64,
    right: f64,
    /// Height of a row, and the distances of its text and its mark from its top.
    row: f64,
    text: f64,
    mark: f64,
    /// Whether label and value are beside the drawing, not above it.
    beside: bool,
    ticks: u32,
}

const WIDE: Frame = Frame {
    width: 760.0,
    left: 190.0,
    right: 600.0,
    row: 26.0,
    text: 17.0,
    mark: 13.0,
    beside: true,
    ticks: 6,
};
const NARROW: Frame = Frame {
    width: 340.0,
    left: 8.0,
    right: 332.0,
    row: 44.0,
    text: 17.0,
    mark: 31.0,
    beside: false,
    ticks: 4,
};

const TOP: f64 = 8.0;
const AXIS: f64 = 34.0;

/// A close-up shows every row whose end is within this.
const CLOSE: f64 = 0.10;
/// Least half-width of a close-up, so that noise does not look large.
const CLOSE_MIN: f64 = 0.03;
/// Largest half-width of a close-up, if most rows end beyond `CLOSE`.
const CLOSE_MAX: f64 = 0.60;

/// The chart of one group of tests. `title` is its text for screen readers.
pub fn rqps(title: &str, rows: &[RqpsRow], view: View, room: Room) -> Markup {
    let frame = if room == Room::Wide { WIDE } else { NARROW };
    let scale = scale(rows, view, &frame);
    let bottom = TOP + frame.row * rows.len() as f64;
    let placed = || rows.iter().enumerate().map(|(number, row)| (row, TOP + frame.row * number as f64));
    html! {
        svg.hd xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (px(frame.width)) " " (px(bottom + AXIS)) } role="img" aria-label=(title) {
            @for (row, top) in placed() { (band(row, &scale, top, frame.row)) }
            (axis(&scale, frame.ticks, [TOP, bottom], RATIO))
            line.one x1=(px(scale.place(1.0))) x2=(px(scale.place(1.0))) y1=(px(TOP)) y2=(px(bottom)) {}
            @for (row, top) in placed() { (drawn(row, &scale, &frame, top)) }
            @for (row, top) in placed() { @if let Some(change) = &row.change { (level(change, frame.width, [frame.left, top])) } }
        }
    }
}

fn scale(rows: &[RqpsRow], view: View, frame: &Frame) -> Scale {
    let (low, high) = match view {
        View::FromZero => (0.0, rows.iter().flat_map(ends).fold(1.0, f64::max) * 1.05),
        View::CloseUp => {
            let half = close_half(rows) * 1.05;
            (1.0 - half, 1.0 + half)
        }
    };
    Scale::new(low, high, frame.left, frame.right)
}

/// All finite values of a row.
fn ends(row: &RqpsRow) -> impl Iterator<Item = f64> {
    let [low, high] = row.ci95.unwrap_or([row.rqps; 2]);
    [low, row.rqps, high, 1.0 - row.delta, 1.0 + row.delta].into_iter().filter(|value| value.is_finite())
}

/// The half-width of a close-up: the farthest end within `CLOSE`. If most rows end beyond that, the median of ends.
fn close_half(rows: &[RqpsRow]) -> f64 {
    let changes = |row: &RqpsRow| ends(row).map(|value| (value - 1.0).abs()).collect::<Vec<_>>();
    let near = rows.iter().flat_map(changes).filter(|change| *change <= CLOSE).fold(CLOSE_MIN, f64::max);
    let mut reaches: Vec<f64> = rows.iter().map(|row| changes(row).into_iter().fold(0.0, f64::max)).collect();
    reaches.sort_by(f64::total_cmp);
    let middle = reaches.get(reaches.len() / 2).copied().unwrap_or(0.0);
    if middle > CLOSE { near.max(middle.min(CLOSE_MAX)) } else { near }
}

/// The band. It is drawn first, so that it hides nothing.
fn band(row: &RqpsRow, scale: &Scale, top: f64, height: f64) -> Markup {
    let (low, high) = (scale.place(1.0 - row.delta), scale.place(1.0 + row.delta));
    html! { rect.band x=(px(low)) y=(px(top)) width=(px(high - low)) height=(px(height)) {} }
}

fn drawn(row: &RqpsRow, scale: &Scale, frame: &Frame, top: f64) -> Markup {
    let (text, label) = (px(top + frame.text), brief(&row.label, 26));
    html! {
        g {
            title { (described(row)) }
            @if frame.beside {
                text x=(px(frame.left - 12.0)) y=(text) text-anchor="end" { (label) }
                text x=(px(frame.right + 12.0)) y=(text) { (value(row)) }
            } @else {
                text.halo x=(px(frame.left)) y=(text) { (label) }
                text.halo x=(px(frame.right)) y=(text) text-anchor="end" { (value(row)) }
            }
            @if row.rqps.is_finite() { (mark(row.kind, row.rqps, row.ci95, scale, top + frame.mark)) }
        }
    }
}

fn value(row: &RqpsRow) -> String {
    if row.rqps.is_finite() { format!("{:.3} {}", row.rqps, row.verdict) } else { row.verdict.clone() }
}

fn described(row: &RqpsRow) -> String {
    match row.ci95 {
        Some([low, high]) => format!("{}: {}, 95 % interval {low:.3} to {high:.3}", row.label, value(row)),
        None => format!("{}: {}", row.label, value(row)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(label: &str, rqps: f64, half: f64, kind: Kind, verdict: &str) -> RqpsRow {
        RqpsRow {
            label: label.into(),
            rqps,
            ci95: Some([rqps - half, rqps + half]),
            delta: 0.01,
            kind,
            verdict: verdict.into(),
            change: None,
        }
    }

    fn rows() -> Vec<RqpsRow> {
        vec![
            row("hot-points", 2.02, 0.04, Kind::Better, "▲ improvement"),
            row("point-query", 1.002, 0.004, Kind::Same, "· boring"),
            row("scan", 0.96, 0.01, Kind::Worse, "▼ regression"),
            row("range", 0.99, 0.03, Kind::Unclear, "? inconclusive"),
            RqpsRow { ci95: None, ..row("dead", f64::NAN, 0.0, Kind::Unclear, "! failed") },
        ]
    }

    #[test]
    fn from_zero() {
        insta::assert_snapshot!(rqps("point tests", &rows(), View::FromZero, Room::Wide).into_string());
    }

    #[test]
    fn close_up() {
        insta::assert_snapshot!(rqps("point tests", &rows(), View::CloseUp, Room::Wide).into_string());
    }

    #[test]
    fn changes_of_level() {
        let mut rows = rows();
        rows[2].change = Some(LevelChange {
            kind: Kind::Worse,
            label: "▼ level 0.960x".into(),
            told: "level changed 0.960x <at> scan".into(),
        });
        insta::assert_snapshot!(rqps("scan by date", &rows[1..3], View::CloseUp, Room::Narrow).into_string());
    }

    #[test]
    fn hostile_labels_are_text() {
        let svg =
            rqps("<b>", &[row("<script>x</script>", 1.0, 0.1, Kind::Same, "&")], View::CloseUp, Room::Narrow)
                .into_string();
        assert!(!svg.contains("<script") && !svg.contains("<b>") && !svg.contains("NaN"));
    }

    #[test]
    fn nothing_to_draw_is_still_a_picture() {
        let svg = rqps("none", &[], View::FromZero, Room::Narrow).into_string();
        assert!(svg.starts_with("<svg") && !svg.contains("NaN") && !svg.contains("inf"));
    }
}
