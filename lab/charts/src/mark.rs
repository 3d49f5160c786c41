//! The mark of one row: a dot, whose shape and colour say the same, and a whisker. A whisker that goes beyond the edge
//! ends in an arrow, because a plain end would look like the end of the interval.

use maud::{Markup, html};

use crate::scale::{Scale, px};

/// The meaning of a row's shape and colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Shown to be faster: a triangle pointing up.
    Better,
    /// Shown to be slower: a triangle pointing down.
    Worse,
    /// Shown to be the same: a small disc.
    Same,
    /// Neither: a ring.
    Unclear,
}

impl Kind {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Same => "same",
            Self::Unclear => "unclear",
        }
    }
}

/// The dot at `value` over the whisker of `interval`, `y` pixels down.
pub(crate) fn mark(kind: Kind, value: f64, interval: Option<[f64; 2]>, scale: &Scale, y: f64) -> Markup {
    let class = kind.class();
    html! {
        @if let Some(ends) = interval.filter(|ends| ends.iter().all(|end| end.is_finite())) {
            path class={ "whisker " (class) } d=(whisker(ends, scale, y)) {}
        }
        path class=(class) d=(shape(kind, value, scale, y)) {}
    }
}

fn whisker([low, high]: [f64; 2], scale: &Scale, y: f64) -> String {
    let (left, right) = (scale.place(low), scale.place(high));
    let mut path = format!("M{} {}H{}", px(left), px(y), px(right));
    if low < 1.0 && !scale.holds(low) {
        path += &format!("M{} {}l-5 4 5 4", px(left + 5.0), px(y - 4.0));
    }
    if high > 1.0 && !scale.holds(high) {
        path += &format!("M{} {}l5 4 -5 4", px(right - 5.0), px(y - 4.0));
    }
    path
}

/// The dot, or an arrow if it is beyond the edge.
fn shape(kind: Kind, value: f64, scale: &Scale, y: f64) -> String {
    let x = scale.place(value);
    let triangle = |corners: [(f64, f64); 3]| {
        let [tip, foot, other] = corners.map(|(dx, dy)| format!("{} {}", px(x + dx), px(y + dy)));
        format!("M{tip}L{foot}L{other}Z")
    };
    match kind {
        _ if !scale.holds(value) && value > 1.0 => triangle([(2.0, 0.0), (-9.0, -6.0), (-9.0, 6.0)]),
        _ if !scale.holds(value) => triangle([(-2.0, 0.0), (9.0, -6.0), (9.0, 6.0)]),
        Kind::Better => triangle([(0.0, -6.0), (-6.0, 5.0), (6.0, 5.0)]),
        Kind::Worse => triangle([(0.0, 6.0), (-6.0, -5.0), (6.0, -5.0)]),
        Kind::Same => disc(x, y, 3.5),
        Kind::Unclear => disc(x, y, 4.5),
    }
}

fn disc(x: f64, y: f64, radius: f64) -> String {
    let (left, y, across) = (px(x - radius), px(y), px(2.0 * radius));
    format!("M{left} {y}a{radius} {radius} 0 1 0 {across} 0a{radius} {radius} 0 1 0 -{across} 0Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_that_goes_on_beyond_the_edge_ends_in_arrows() {
        let scale = Scale::new(0.9, 1.1, 0.0, 200.0);
        assert_eq!(whisker([0.95, 1.05], &scale, 10.0), "M50 10H150");
        assert_eq!(whisker([0.5, 1.5], &scale, 10.0), "M0 10H200M5 6l-5 4 5 4M195 6l5 4 -5 4");
        assert_eq!(whisker([1.5, 1.7], &scale, 10.0), "M200 10H200M195 6l5 4 -5 4");
    }
}
