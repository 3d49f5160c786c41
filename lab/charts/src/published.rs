//! Published ratios beside measured ones: for each test a cross where the publication (or another host) has it, and a dot with a whisker for
//! each interval that was measured, over the interval in which another host is expected.

use maud::{Markup, html};

use crate::axis::axis;
use crate::hosts::area;
use crate::mark::{Kind, mark};
use crate::scale::{Scale, brief, px};

/// One test.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedPoint {
    /// The test's name.
    pub label: String,
    /// The published ratio.
    pub published: f64,
    /// The measured ratio; none where nothing was measured.
    pub measured: Option<f64>,
    /// Its intervals, one of each host.
    pub intervals: Vec<[f64; 2]>,
    /// The interval in which the ratio of another host is expected.
    pub another_host: Option<[f64; 2]>,
    /// The agreement in a word, at the end of the row.
    pub words: String,
}

const WIDTH: f64 = 760.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 600.0;
const TOP: f64 = 8.0;
const ROW: f64 = 24.0;
const AXIS: f64 = 34.0;
/// Free of the area of another host, above and below it in its row.
const GAP: f64 = 4.0;

/// The chart of one subject. `title` is its text for screen readers, `crosses` what the crosses are.
pub fn published(title: &str, crosses: &str, points: &[PublishedPoint]) -> Markup {
    let another = match points.iter().any(|point| known(point).is_some()) {
        true => "   ▭ another host",
        false => "",
    };
    let legend =
        format!("× {}   ● measured, with 95 % intervals{another}   (right is faster)", brief(crosses, 30));
    let low = values(points).fold(1.0, f64::min);
    let high = values(points).fold(1.0, f64::max);
    let scale = Scale::new((low - 0.05).max(0.0), high + 0.05, LEFT, RIGHT);
    let bottom = TOP + ROW * points.len() as f64;
    html! {
        svg.hd xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (px(WIDTH)) " " (px(bottom + AXIS)) } role="img" aria-label=(title) {
            (axis(&scale, 6, [TOP, bottom], &legend))
            line.one x1=(px(scale.place(1.0))) x2=(px(scale.place(1.0))) y1=(px(TOP)) y2=(px(bottom)) {}
            @for (number, point) in points.iter().enumerate() { (drawn(point, crosses, &scale, TOP + ROW * number as f64)) }
        }
    }
}

fn values(points: &[PublishedPoint]) -> impl Iterator<Item = f64> {
    let all = |point: &PublishedPoint| {
        let ends = point.intervals.iter().chain(&point.another_host).flatten().copied();
        ends.chain([point.published]).chain(point.measured).collect::<Vec<_>>()
    };
    points.iter().flat_map(all).filter(|value| value.is_finite())
}

fn drawn(point: &PublishedPoint, crosses: &str, scale: &Scale, top: f64) -> Markup {
    let (text, middle) = (px(top + 16.0), top + 12.0);
    html! {
        g {
            title { (described(point, crosses)) }
            text x=(px(LEFT - 12.0)) y=(text) text-anchor="end" { (brief(&point.label, 26)) }
            text.quiet x=(px(RIGHT + 12.0)) y=(text) { (point.words) }
            @if let Some(ends) = known(point) { (area("another", ends, scale, [top + GAP, top + ROW - GAP])) }
            @if let Some(ratio) = point.measured {
                @for interval in &point.intervals { (mark(Kind::Same, ratio, Some(*interval), scale, middle)) }
            }
            @if point.published.is_finite() {
                path.cross d=(cross(scale.place(point.published), middle)) {}
            }
        }
    }
}

/// Where another host is expected, if both ends can be drawn.
fn known(point: &PublishedPoint) -> Option<[f64; 2]> {
    point.another_host.filter(|ends| ends.iter().all(|end| end.is_finite()))
}

fn cross(x: f64, y: f64) -> String {
    let (left, right, up, down) = (px(x - 4.5), px(x + 4.5), px(y - 4.5), px(y + 4.5));
    format!("M{left} {up}L{right} {down}M{left} {down}L{right} {up}")
}

fn described(point: &PublishedPoint, crosses: &str) -> String {
    let told = |value: Option<f64>| {
        value.filter(|value| value.is_finite()).map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
    };
    let (published, measured) = (told(Some(point.published)), told(point.measured));
    let another = known(point)
        .map_or_else(String::new, |[low, high]| format!(", another host from {low:.3} to {high:.3}"));
    format!("{}: {crosses} {published}, measured {measured}{another}, {}", point.label, point.words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(label: &str, published: f64, measured: Option<f64>) -> PublishedPoint {
        let intervals = measured.map(|ratio| [ratio - 0.02, ratio + 0.02]).into_iter().collect();
        let another_host = None;
        PublishedPoint {
            label: label.into(),
            published,
            measured,
            intervals,
            another_host,
            words: "agrees".into(),
        }
    }

    #[test]
    fn looks_like_this() {
        let points = [point("hot-points", 0.65, Some(0.653)), point("scan", 0.67, None)];
        insta::assert_snapshot!(published("mysql 8.0.45", "published", &points).into_string());
    }

    #[test]
    fn hostile_and_absent_values_are_harmless() {
        let svg = published("<b>", "<i>", &[point("<script>", f64::NAN, Some(f64::INFINITY))]).into_string();
        assert!(!svg.contains("<script") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(published("none", "published", &[]).into_string().starts_with("<svg"));
        let unknown = PublishedPoint { another_host: Some([f64::NAN, 1.0]), ..point("scan", 0.9, Some(0.9)) };
        let svg = published("none", "published", &[unknown]).into_string();
        assert!(!svg.contains("NaN") && !svg.contains("another"), "{svg}");
    }

    #[test]
    fn the_interval_for_another_host_is_an_area_within_the_axis() {
        let wide = PublishedPoint { another_host: Some([0.5, 0.8]), ..point("scan", 0.67, Some(0.65)) };
        let svg = published("fake 8.0", "published", &[wide, point("insert", 0.7, None)]).into_string();
        assert_eq!(svg.matches("<rect class=\"another\"").count(), 1, "{svg}");
        assert!(svg.contains("measured 0.650, another host from 0.500 to 0.800, agrees"), "{svg}");
        assert!(svg.contains("▭ another host") && svg.contains(">0.5<"), "{svg}");
    }
}
