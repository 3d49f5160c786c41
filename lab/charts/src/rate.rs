//! Throughput over time: is it steady, does one side drift, when were blocks discarded?
//!
//! Dots, not lines: a test runs in short sessions with long gaps between them, and a line would invent the gaps.

use maud::{Markup, html};

use crate::scale::{Scale, brief, px};

/// One subject's throughput.
#[derive(Clone, Debug, PartialEq)]
pub struct RateSeries {
    /// The subject's label.
    pub label: String,
    /// Seconds, operations per second, whether the block was discarded; in order of time.
    pub points: Vec<(f64, f64, bool)>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 748.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 156.0;

/// Dots per series: more could not be told apart, and a run has hundreds of thousands of blocks.
const DOTS_MAX: usize = 200;

/// Throughput of each subject over seconds, from zero; the first series is the base. Each dot is the mean of the
/// blocks in its part of the time; a cross marks parts in which blocks were discarded.
pub fn rate(title: &str, series: &[RateSeries]) -> Markup {
    let (x, y) = scales(series);
    html! {
        svg.hd xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (px(WIDTH)) " " (px(HEIGHT)) } role="img" aria-label=(title) {
            (axes(&x, &y))
            @for (number, one) in series.iter().enumerate() {
                @let thinned = thin(&one.points, &x);
                path class={ "dots " (look(number)) } d=(dots(&thinned.kept, &x, &y)) {}
                path.lost d=(crosses(&thinned.lost, &x)) {}
                (legend(number, &one.label))
            }
        }
    }
}

/// Colour and shape of a series; from the third on they repeat and the legend tells.
fn look(number: usize) -> &'static str {
    if number.is_multiple_of(2) { "round s0" } else { "square s1" }
}

fn legend(number: usize, label: &str) -> Markup {
    let left = LEFT + 220.0 * number as f64;
    html! {
        path class={ "dots " (look(number)) } d={ "M" (px(left)) " 12h.01" } {}
        text x=(px(left + 8.0)) y="16" { (brief(label, 26)) }
    }
}

fn usable(points: &[(f64, f64, bool)]) -> impl Iterator<Item = (f64, f64, bool)> + '_ {
    points.iter().copied().filter(|(seconds, qps, _)| seconds.is_finite() && qps.is_finite())
}

fn scales(series: &[RateSeries]) -> (Scale, Scale) {
    let all = || series.iter().flat_map(|one| usable(&one.points));
    let first = all().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let last = all().map(|point| point.0).fold(f64::NEG_INFINITY, f64::max);
    let top = all().filter(|point| !point.2).map(|point| point.1).fold(0.0, f64::max);
    (Scale::new(first, last, LEFT, RIGHT), Scale::new(0.0, top * 1.1, BOTTOM, TOP))
}

fn axes(x: &Scale, y: &Scale) -> Markup {
    let ((times, _), (rates, decimals)) = (x.ticks(8), y.ticks(4));
    html! {
        @for rate in rates {
            @let place = y.place(rate);
            line.grid x1=(px(LEFT)) x2=(px(RIGHT)) y1=(px(place)) y2=(px(place)) {}
            text.quiet x=(px(LEFT - 8.0)) y=(px(place + 4.0)) text-anchor="end" { (format!("{rate:.decimals$}")) }
        }
        @for time in times {
            text.quiet x=(px(x.place(time))) y=(px(BOTTOM + 16.0)) text-anchor="middle" { (format!("{time:.0}")) }
        }
        text.quiet x=(px((LEFT + RIGHT) / 2.0)) y=(px(BOTTOM + 31.0)) text-anchor="middle" {
            "seconds since the run began; QPS; × discarded blocks"
        }
    }
}

struct Thinned {
    kept: Vec<(f64, f64)>,
    lost: Vec<f64>,
}

/// Means of the kept points over equal parts of the time, and the parts in which points were discarded.
fn thin(points: &[(f64, f64, bool)], x: &Scale) -> Thinned {
    let mut sums = vec![(0.0, 0.0, 0.0); DOTS_MAX];
    let mut lost = vec![None; DOTS_MAX];
    for (seconds, qps, discarded) in usable(points) {
        let part = (x.place(seconds) - LEFT) / (RIGHT - LEFT);
        let bin = ((part * DOTS_MAX as f64) as usize).min(DOTS_MAX - 1);
        if discarded {
            lost[bin] = Some(seconds);
            continue;
        }
        let sum: &mut (f64, f64, f64) = &mut sums[bin];
        *sum = (sum.0 + seconds, sum.1 + qps, sum.2 + 1.0);
    }
    let kept = sums.into_iter().filter(|sum| sum.2 > 0.0).map(|sum| (sum.0 / sum.2, sum.1 / sum.2));
    Thinned { kept: kept.collect(), lost: lost.into_iter().flatten().collect() }
}

fn dots(points: &[(f64, f64)], x: &Scale, y: &Scale) -> String {
    points
        .iter()
        .map(|(seconds, qps)| format!("M{} {}h.01", px(x.place(*seconds)), px(y.place(*qps))))
        .collect()
}

fn crosses(times: &[f64], x: &Scale) -> String {
    let cross = |time: &f64| format!("M{} {}l5 5m0 -5l-5 5", px(x.place(*time) - 2.5), px(BOTTOM - 6.0));
    times.iter().map(cross).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(label: &str, qps: f64, points: usize) -> RateSeries {
        let point = |number: usize| (number as f64 * 0.5, qps + (number % 3) as f64 * 10.0, number == 4);
        RateSeries { label: label.into(), points: (0..points).map(point).collect() }
    }

    #[test]
    fn looks_like_this() {
        let svg = rate("hot-points", &[series("old", 5000.0, 12), series("new", 10100.0, 12)]).into_string();
        insta::assert_snapshot!(svg);
    }

    #[test]
    fn a_long_series_is_thinned() {
        let svg = rate("t", &[series("old", 5000.0, 100_000)]).into_string();
        assert!(svg.matches("h.01").count() <= DOTS_MAX + 1 && svg.len() < 10_000, "{}", svg.len());
    }

    #[test]
    fn broken_numbers_are_left_out() {
        let points = vec![(f64::NAN, 1.0, false), (1.0, f64::INFINITY, false)];
        let svg = rate("<t>", &[RateSeries { label: "<x>".into(), points }]).into_string();
        assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("<x>"));
    }
}
