//! One test under several conditions, such as numbers of clients: conditions from left to right at equal distances, as
//! most of them are no quantity or double from one to the next.

use maud::{Markup, html};

use crate::mark::Kind;
use crate::scale::{Scale, brief, number, px};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 748.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 150.0;
/// Letters that fit below a condition.
const LETTERS: f64 = 6.5;

/// One subject's values.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionLine {
    /// The subject's label.
    pub label: String,
    /// By condition; `None` where it has no value.
    pub points: Vec<Option<ConditionPoint>>,
}

/// A value under one condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConditionPoint {
    /// The value.
    pub value: f64,
    /// Its interval.
    pub ci95: Option<[f64; 2]>,
    /// What was shown.
    pub kind: Kind,
}

/// The drawing's axes.
struct Axes {
    x: Scale,
    y: Scale,
}

/// Values by condition, a line for each subject, two at most. With `delta`, values are ratios around 1, and a band shows
/// in which a change does not matter; without, they start at zero.
pub fn conditions(title: &str, names: &[String], lines: &[ConditionLine], delta: Option<f64>) -> Markup {
    let last = names.len().max(2) as f64 - 0.5;
    let axes = Axes { x: Scale::new(-0.5, last, LEFT, RIGHT), y: heights(lines, delta) };
    let room = ((RIGHT - LEFT) / names.len().max(1) as f64 / LETTERS) as usize;
    html! {
        svg.hd xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (px(WIDTH)) " " (px(HEIGHT)) } role="img" aria-label=(title) {
            @if let Some(delta) = delta { (band(&axes.y, delta)) }
            (rates(&axes.y))
            @for (place, name) in names.iter().enumerate() {
                text.quiet x=(px(axes.x.place(place as f64))) y=(px(BOTTOM + 18.0)) text-anchor="middle" { (brief(name, room)) }
            }
            @if delta.is_some() {
                line.one x1=(px(LEFT)) x2=(px(RIGHT)) y1=(px(axes.y.place(1.0))) y2=(px(axes.y.place(1.0))) {}
            }
            @for (place, line) in lines.iter().enumerate() { (drawn(&axes, place, line, delta.is_some())) }
        }
    }
}

fn heights(lines: &[ConditionLine], delta: Option<f64>) -> Scale {
    let points = || lines.iter().flat_map(|line| line.points.iter().flatten());
    let ends = points().flat_map(|point| {
        let [low, high] = point.ci95.unwrap_or([point.value; 2]);
        [low, high, point.value]
    });
    let ends: Vec<f64> = ends.filter(|end| end.is_finite()).collect();
    let (low, high) = delta.map_or((0.0, 0.0), |delta| (1.0 - 1.5 * delta, 1.0 + 1.5 * delta));
    let low = ends.iter().copied().fold(low, f64::min);
    let high = ends.iter().copied().fold(high, f64::max);
    let margin = (high - low) * 0.05;
    Scale::new(if delta.is_some() { low - margin } else { 0.0 }, high + margin, BOTTOM, TOP)
}

fn band(y: &Scale, delta: f64) -> Markup {
    let (top, bottom) = (y.place(1.0 + delta), y.place(1.0 - delta));
    html! { rect.band x=(px(LEFT)) y=(px(top)) width=(px(RIGHT - LEFT)) height=(px(bottom - top)) {} }
}

fn rates(y: &Scale) -> Markup {
    let (ticks, decimals) = y.ticks(5);
    html! {
        @for tick in ticks {
            @let place = px(y.place(tick));
            line.grid x1=(px(LEFT)) x2=(px(RIGHT)) y1=(place) y2=(place) {}
            text.quiet x=(px(LEFT - 6.0)) y=(px(y.place(tick) + 4.0)) text-anchor="end" { (format!("{tick:.decimals$}")) }
        }
    }
}

/// A subject's label, its line, and its values with their intervals. Values of two subjects are beside each other.
fn drawn(axes: &Axes, series: usize, line: &ConditionLine, ratios: bool) -> Markup {
    let colour = if series == 0 { "s0" } else { "s1" };
    let aside = if series == 0 { -4.0 } else { 4.0 };
    let known = || {
        let places = line.points.iter().enumerate();
        let finite = |point: &&ConditionPoint| point.value.is_finite();
        places.filter_map(move |(place, point)| {
            Some((axes.x.place(place as f64), point.as_ref().filter(finite)?))
        })
    };
    let path: Vec<String> =
        known().map(|(x, point)| format!("{} {}", px(x), px(axes.y.place(point.value)))).collect();
    let label_x = LEFT + series as f64 * (RIGHT - LEFT) / 2.0;
    html! {
        path class={ "whisker " (colour) } d={ "M" (px(label_x)) " 12h18" } {}
        text.quiet x=(px(label_x + 24.0)) y="16" { (brief(&line.label, 44)) }
        @if path.len() > 1 { path class={ "whisker " (colour) } d={ "M" (path.join("L")) } {} }
        @for (x, point) in known() {
            @if ratios { (marked(axes, x, point)) } @else {
                circle class=(colour) fill="none" stroke-width="2" cx=(px(x)) cy=(px(axes.y.place(point.value))) r="3.5" {}
                @if line.points.len() <= 8 {
                    text.quiet.halo x=(px(x + aside * 3.0)) y=(px(axes.y.place(point.value) + 3.0 * aside))
                        text-anchor=(if series == 0 { "end" } else { "start" }) { (number(point.value)) }
                }
            }
        }
    }
}

/// A ratio with its whisker; the class says the same as the colour.
fn marked(axes: &Axes, x: f64, point: &ConditionPoint) -> Markup {
    let y = axes.y.place(point.value);
    let class = point.kind.class();
    html! {
        @if let Some([low, high]) = point.ci95.filter(|ends| ends.iter().all(|end| end.is_finite())) {
            path class={ "whisker " (class) } d={ "M" (px(x)) " " (px(axes.y.place(low))) "V" (px(axes.y.place(high))) } {}
        }
        path class=(class) d=(shape(point.kind, x, y)) {}
    }
}

fn shape(kind: Kind, x: f64, y: f64) -> String {
    let triangle = |up: f64| {
        let corners = [(0.0, -6.0 * up), (-6.0, 5.0 * up), (6.0, 5.0 * up)];
        let [tip, foot, other] = corners.map(|(dx, dy)| format!("{} {}", px(x + dx), px(y + dy)));
        format!("M{tip}L{foot}L{other}Z")
    };
    let disc = |radius: f64| {
        let across = 2.0 * radius;
        format!(
            "M{} {}a{radius} {radius} 0 1 0 {across} 0a{radius} {radius} 0 1 0 -{across} 0Z",
            px(x - radius),
            px(y)
        )
    };
    match kind {
        Kind::Better => triangle(1.0),
        Kind::Worse => triangle(-1.0),
        Kind::Same => disc(3.5),
        Kind::Unclear => disc(4.5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(label: &str, values: &[Option<f64>], kind: Kind) -> ConditionLine {
        let point = |value: f64| ConditionPoint { value, ci95: Some([value - 0.01, value + 0.01]), kind };
        ConditionLine { label: label.into(), points: values.iter().map(|value| value.map(point)).collect() }
    }

    fn names() -> Vec<String> {
        ["1", "4", "16"].map(str::to_owned).to_vec()
    }

    #[test]
    fn looks_like_this() {
        let lines = [line("new", &[Some(1.0), Some(0.97), Some(0.8)], Kind::Worse)];
        insta::assert_snapshot!(conditions("scan by clients", &names(), &lines, Some(0.01)).into_string());
    }

    #[test]
    fn absolute_values_start_at_zero_and_gaps_stay_gaps() {
        let lines = [
            line("old", &[Some(1000.0), None, Some(3000.0)], Kind::Same),
            line("new", &[Some(f64::NAN), None, None], Kind::Same),
        ];
        let svg = conditions("scan", &names(), &lines, None).into_string();
        assert!(svg.contains(">0<") && svg.contains(">1000<") && svg.contains(">3000<"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(!conditions("x", &[], &[], Some(0.0)).into_string().contains("NaN"));
    }
}
