//! Throughput over time. It shows whether the rate is steady, whether one subject drifts, and when blocks were discarded.
//!
//! Rates are dots, because a test runs in short sessions, and lines would connect them over long gaps. Each subject has
//! a panel, because dots of several would hide each other. All panels show the base's median.

mod parts;

use maud::{Markup, html};

use parts::{PARTS_MAX, Part, parts};

use crate::scale::{Scale, brief, number, px};

/// One subject's throughput.
#[derive(Clone, Debug, PartialEq)]
pub struct RateSeries {
    /// The subject's label.
    pub label: String,
    /// Seconds, operations per second, whether the block was discarded; in order of time.
    pub points: Vec<(f64, f64, bool)>,
}

const WIDTH: f64 = 760.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 748.0;
/// Room for the legend above the first panel, and for the seconds below the last.
const LEGEND: f64 = 24.0;
const AXIS: f64 = 36.0;
/// A panel's label, and the panel itself.
const LABEL: f64 = 18.0;
const PANEL: f64 = 84.0;

/// Throughput of each subject over seconds, from zero, on the same axes. The first series is the base. A dot is the mean
/// of the blocks in its part of the time. Parts with discarded blocks are shaded, with a cross at the mean of those.
pub fn rate(title: &str, series: &[RateSeries]) -> Markup {
    let parts = parts(series);
    let (x, top) = scales(&parts);
    let bottom = LEGEND + (LABEL + PANEL) * series.len() as f64;
    let median = median(&parts);
    html! {
        svg.hd xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (px(WIDTH)) " " (px(bottom + AXIS)) } role="img" aria-label=(title) {
            path.lost d=(bands(&parts, &x, bottom)) {}
            @for (number, one) in series.iter().enumerate() {
                @let y = panel(number, top);
                (rates(&y))
                @if let Some(median) = median {
                    line.one x1=(px(LEFT)) x2=(px(RIGHT)) y1=(px(y.place(median))) y2=(px(y.place(median))) {}
                }
                text x=(px(LEFT)) y=(px(y.place(top) - 5.0)) { (brief(&one.label, 80)) }
                path class={ "dots " (class(number)) } d=(dots(&parts, number, &x, &y)) {}
                path.cross d=(crosses(&parts, number, &x, &y)) {}
            }
            (times(&x, bottom))
            (legend(&parts, median.and(series.first())))
        }
    }
}

/// The data of the chart as tab-separated values: a row for each part of the time, a column for each subject, and one
/// more for each if blocks were discarded.
pub fn rate_tsv(series: &[RateSeries]) -> String {
    let parts = parts(series);
    let lost = parts.iter().any(Part::has_lost);
    let heads = |what: &str| series.iter().map(|one| format!("\t{} {what}", one.label)).collect::<String>();
    let mut text = format!("seconds{}", heads("QPS"));
    if lost {
        text.push_str(&heads("QPS of discarded blocks"));
    }
    for part in &parts {
        let more = if lost { part.lost.as_slice() } else { &[] };
        let cells = part.kept.iter().chain(more).map(|mean| mean.get().map_or_else(String::new, number));
        let cells: String = cells.map(|cell| format!("\t{cell}")).collect();
        text.push_str(&format!("\n{:.2}{cells}", part.seconds.get().unwrap_or_default()));
    }
    text
}

/// Classes for the colour and shape of a series.
fn class(number: usize) -> &'static str {
    if number == 0 { "round s0" } else { "square s1" }
}

fn legend(parts: &[Part], base: Option<&RateSeries>) -> Markup {
    html! {
        @if let Some(base) = base {
            line.one x1=(px(LEFT)) x2=(px(LEFT + 22.0)) y1="10" y2="10" {}
            text.quiet x=(px(LEFT + 28.0)) y="14" { "median of " (brief(&base.label, 60)) }
        }
        @if parts.iter().any(Part::has_lost) {
            @let left = RIGHT - 190.0;
            path.lost d={ "M" (px(left)) " 3h22v14h-22Z" } {}
            path.cross d=(cross(left + 11.0, 10.0)) {}
            text.quiet x=(px(left + 28.0)) y="14" { "shaded, ×: discarded blocks" }
        }
    }
}

/// The scale of seconds, and the highest rate that is drawn.
fn scales(parts: &[Part]) -> (Scale, f64) {
    let seconds = || parts.iter().filter_map(|part| part.seconds.get());
    let first = seconds().fold(f64::INFINITY, f64::min);
    let last = seconds().fold(f64::NEG_INFINITY, f64::max);
    let top = parts.iter().flat_map(|part| &part.kept).filter_map(|mean| mean.get()).fold(0.0, f64::max);
    (Scale::new(first, last, LEFT, RIGHT), if top > 0.0 { top * 1.1 } else { 1.0 })
}

/// The scale of rates of one panel.
fn panel(number: usize, top: f64) -> Scale {
    let above = LEGEND + (LABEL + PANEL) * number as f64 + LABEL;
    Scale::new(0.0, top, above + PANEL, above)
}

/// The median of the base's dots.
fn median(parts: &[Part]) -> Option<f64> {
    let mut rates: Vec<f64> = parts.iter().filter_map(|part| part.kept.first()?.get()).collect();
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied()
}

fn rates(y: &Scale) -> Markup {
    let (rates, decimals) = y.ticks(3);
    html! {
        @for rate in rates {
            @let place = y.place(rate);
            line.grid x1=(px(LEFT)) x2=(px(RIGHT)) y1=(px(place)) y2=(px(place)) {}
            text.quiet x=(px(LEFT - 8.0)) y=(px(place + 4.0)) text-anchor="end" { (format!("{rate:.decimals$}")) }
        }
    }
}

fn times(x: &Scale, bottom: f64) -> Markup {
    let (times, _) = x.ticks(8);
    html! {
        @for time in times {
            text.quiet x=(px(x.place(time))) y=(px(bottom + 16.0)) text-anchor="middle" { (format!("{time:.0}")) }
        }
        text.quiet x=(px((LEFT + RIGHT) / 2.0)) y=(px(bottom + 31.0)) text-anchor="middle" {
            "seconds since the run began; QPS"
        }
    }
}

/// Shaded parts over all panels. Neighbours are one band.
fn bands(parts: &[Part], x: &Scale, bottom: f64) -> String {
    let half = (RIGHT - LEFT) / PARTS_MAX as f64 / 2.0;
    let lost: Vec<&Part> = parts.iter().filter(|part| part.has_lost()).collect();
    let at = |part: Option<&&Part>| x.place(part.and_then(|part| part.seconds.get()).unwrap_or_default());
    let band = |band: &[&Part]| {
        let (left, right) = (at(band.first()) - half, at(band.last()) + half);
        format!("M{} {}H{}V{}H{0}Z", px(left), px(LEGEND + LABEL), px(right), px(bottom))
    };
    lost.chunk_by(|one, next| one.place + 1 == next.place).map(band).collect()
}

/// Places of one subject's means, of kept or of discarded blocks.
fn places<'a>(
    parts: &'a [Part],
    mean: impl Fn(&Part) -> Option<f64> + 'a,
    x: &'a Scale,
    y: &'a Scale,
) -> impl Iterator<Item = (f64, f64)> + 'a {
    parts.iter().filter_map(move |part| Some((x.place(part.seconds.get()?), y.place(mean(part)?))))
}

fn dots(parts: &[Part], number: usize, x: &Scale, y: &Scale) -> String {
    places(parts, |part| part.kept[number].get(), x, y)
        .map(|(x, y)| format!("M{} {}h.01", px(x), px(y)))
        .collect()
}

fn crosses(parts: &[Part], number: usize, x: &Scale, y: &Scale) -> String {
    places(parts, |part| part.lost[number].get(), x, y).map(|(x, y)| cross(x, y)).collect()
}

fn cross(x: f64, y: f64) -> String {
    format!("M{} {}l5 5m0 -5l-5 5", px(x - 2.5), px(y - 2.5))
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
        assert!(svg.matches("h.01").count() <= PARTS_MAX && svg.len() < 10_000, "{}", svg.len());
    }

    #[test]
    fn every_subject_has_a_panel_and_discarded_blocks_are_shaded() {
        let all = ["old", "new", "next"].map(|label| series(label, 5000.0, 12));
        let svg = rate("t", &all).into_string();
        assert!(["old", "new", "next"].iter().all(|label| svg.contains(&format!(">{label}</text>"))));
        assert_eq!(svg.matches("class=\"dots").count(), 3);
        assert!(svg.contains("<path class=\"lost\" d=\"M") && svg.contains("discarded blocks"));
        let mut calm = all;
        calm.iter_mut().for_each(|one| one.points.retain(|point| !point.2));
        assert!(!rate("t", &calm).into_string().contains("discarded"));
    }

    #[test]
    fn the_data_are_what_is_drawn() {
        let text = rate_tsv(&[series("old", 5000.0, 6), series("new", 50.0, 5)]);
        let lines: Vec<&str> = text.lines().collect();
        let lost = "old QPS of discarded blocks\tnew QPS of discarded blocks";
        assert_eq!(lines[0], format!("seconds\told QPS\tnew QPS\t{lost}"));
        assert_eq!(lines[2], "0.50\t5010\t60.0\t\t");
        assert_eq!(lines[5], "2.00\t\t\t5010\t60.0");
        assert_eq!((lines[6], lines.len()), ("2.50\t5020\t\t\t", 7));
    }

    #[test]
    fn broken_numbers_are_left_out() {
        let points = vec![(f64::NAN, 1.0, false), (1.0, f64::INFINITY, false)];
        let svg = rate("<t>", &[RateSeries { label: "<x>".into(), points }]).into_string();
        assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("<x>"));
    }
}
