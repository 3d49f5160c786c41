//! The axis of charts that have a row for each value: grid lines at round values, their numbers and a title below the rows.

use maud::{Markup, html};

use crate::scale::{Scale, px};

/// What an axis of ratios measures.
pub(crate) const RATIO: &str = "QPS relative to the base (right is faster)";

/// The axis of rows that lie between `top` and `bottom`, with about so many ticks.
pub(crate) fn axis(scale: &Scale, ticks: u32, [top, bottom]: [f64; 2], title: &str) -> Markup {
    let (ticks, decimals) = scale.ticks(ticks);
    html! {
        @for tick in ticks {
            @let x = px(scale.place(tick));
            line.grid x1=(x) x2=(x) y1=(px(top)) y2=(px(bottom)) {}
            text.quiet x=(x) y=(px(bottom + 15.0)) text-anchor="middle" { (format!("{tick:.decimals$}")) }
        }
        text.quiet x=(px(scale.middle())) y=(px(bottom + 30.0)) text-anchor="middle" { (title) }
    }
}
