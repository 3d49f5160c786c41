//! The values behind an interval: one dot per session over the band in which a change does not matter. The chart shows
//! whether sessions agree.

use maud::{Markup, html};

use crate::scale::{Scale, px};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 92.0;
const LEFT: f64 = 20.0;
const RIGHT: f64 = 740.0;
const TOP: f64 = 6.0;
const BOTTOM: f64 = 56.0;

/// One dot per session at its change in percent, the first session at the top. `delta` is the half-width of the band, as
/// a fraction.
pub fn sessions(title: &str, log_ratios: &[f64], delta: f64) -> Markup {
    let changes: Vec<f64> =
        log_ratios.iter().map(|ratio| percent(*ratio)).filter(|one| one.is_finite()).collect();
    let x = scale(&changes, delta);
    let (low, high) = (x.place(-100.0 * delta), x.place(100.0 * delta));
    html! {
        svg.hd xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (px(WIDTH)) " " (px(HEIGHT)) } role="img" aria-label=(title) {
            rect.band x=(px(low)) y=(px(TOP)) width=(px(high - low)) height=(px(BOTTOM - TOP)) {}
            (axis(&x))
            line.one x1=(px(x.place(0.0))) x2=(px(x.place(0.0))) y1=(px(TOP)) y2=(px(BOTTOM)) {}
            path class="dots round s0" d=(dots(&changes, &x)) {}
        }
    }
}

/// `+2 %`, `−2 %` with a true minus, and a bare `0 %`.
fn signed(tick: f64, decimals: usize) -> String {
    match tick {
        _ if tick.abs() < 1e-9 => "0 %".into(),
        _ if tick < 0.0 => format!("−{:.decimals$} %", -tick),
        _ => format!("+{tick:.decimals$} %"),
    }
}

fn percent(log_ratio: f64) -> f64 {
    (log_ratio.exp() - 1.0) * 100.0
}

fn scale(changes: &[f64], delta: f64) -> Scale {
    let edge = 150.0 * delta.abs();
    let low = changes.iter().copied().fold(-edge, f64::min);
    let high = changes.iter().copied().fold(edge, f64::max);
    let margin = (high - low) * 0.03;
    Scale::new(low - margin, high + margin, LEFT, RIGHT)
}

fn axis(x: &Scale) -> Markup {
    let (ticks, decimals) = x.ticks(8);
    html! {
        @for tick in ticks {
            @let place = px(x.place(tick));
            line.grid x1=(place) x2=(place) y1=(px(TOP)) y2=(px(BOTTOM)) {}
            text.quiet x=(place) y=(px(BOTTOM + 15.0)) text-anchor="middle" { (signed(tick, decimals)) }
        }
        text.quiet x=(px((LEFT + RIGHT) / 2.0)) y=(px(BOTTOM + 31.0)) text-anchor="middle" {
            "change of QPS, one dot per session (first on top)"
        }
    }
}

fn dots(changes: &[f64], x: &Scale) -> String {
    let step = (BOTTOM - TOP - 12.0) / changes.len().saturating_sub(1).max(1) as f64;
    let y = |number: usize| TOP + 6.0 + step * number as f64;
    let dot = |(number, change): (usize, &f64)| format!("M{} {}h.01", px(x.place(*change)), px(y(number)));
    changes.iter().enumerate().map(dot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_like_this() {
        let svg = sessions("point-query", &[0.002, -0.004, 0.011], 0.01).into_string();
        insta::assert_snapshot!(svg);
    }

    #[test]
    fn nothing_and_nonsense_are_drawn_without_dots() {
        for values in [&[][..], &[f64::NAN, f64::INFINITY][..]] {
            let svg = sessions("x", values, 0.0).into_string();
            assert!(svg.contains("d=\"\"") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
