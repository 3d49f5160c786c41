//! A change of level between two rows: a broken line over the chart's whole width, with its size.

use maud::{Markup, html};

use crate::mark::Kind;
use crate::scale::px;

/// A change of level; its row is the first of the new level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelChange {
    /// Shape and colour.
    pub kind: Kind,
    /// A few letters on the line: `▼ level 0.900x`.
    pub label: String,
    /// All that is known of it, for a pointer that rests on the line and for screen readers.
    pub told: String,
}

/// The line `y` pixels down. Its label begins at `left`, where the chart's rows have marks and no words.
pub(crate) fn level(change: &LevelChange, width: f64, [left, y]: [f64; 2]) -> Markup {
    let (line, class) = (format!("M0 {}H{}", px(y), px(width)), change.kind.class());
    html! {
        g {
            title { (change.told) }
            // A hairline is hard to hit.
            path.hit d=(line) {}
            path class={ "level " (class) } d=(line) {}
            text class={ "level halo " (class) } x=(px(left)) y=(px(y + 3.5)) { (change.label) }
        }
    }
}
