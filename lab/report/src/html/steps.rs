//! The tables of whole steps on the page, and the numbers behind them.

use humdrum_model::{StepRow, Summary};
use maud::{Markup, html};

use crate::number::{short, short_or_none};
use crate::steps::grids;
use crate::text::clean;

/// Columns of the table of costs: name, unit.
const COLUMNS: [(&str, &str); 14] = [
    ("cpupq", "µs"),
    ("cspq", ""),
    ("rpq", ""),
    ("rkbpq", "KiB"),
    ("wpi", ""),
    ("wkbpi", "KiB"),
    ("csps", "/s"),
    ("cpups", "%"),
    ("dbgb1", "GB"),
    ("dbgb2", "GB"),
    ("rss", "GB"),
    ("maxop", "s"),
    ("p50", "/s"),
    ("p99", "/s"),
];

/// The section; nothing for other suites.
pub(super) fn section(summary: &Summary) -> Markup {
    let grids = grids(summary);
    html! {
        @if !grids.is_empty() {
            section id="steps" {
                h2 { "Steps" }
                @for grid in &grids {
                    div.scroll tabindex="0" { table.dense {
                        caption { (grid.title) }
                        thead { tr { th { "subject" } @for step in &grid.steps { th { (step) } } } }
                        tbody { @for (name, cells) in &grid.rows {
                            tr { th { (name) } @for cell in cells { td class=(cell.tone.class()) { (cell.marked()) } } }
                        } }
                    } }
                }
                (costs(summary))
                (responses(summary))
            }
        }
    }
}

fn costs(summary: &Summary) -> Markup {
    html! {
        div.scroll tabindex="0" { table.dense {
            caption { "What each step cost, whole host, per row or query (…pi: per inserted row); sizes after it" }
            thead { tr { th { "step" } th { "subject" } @for (name, unit) in COLUMNS { th { (name) " " (unit) } } } }
            tbody { @for row in &summary.steps { tr {
                th { (clean(&row.test)) } th { (clean(&row.subject)) }
                @for (name, _) in COLUMNS { td { (short_or_none(row.columns.get(name).copied())) } }
            } } }
        } }
    }
}

fn responses(summary: &Summary) -> Markup {
    let streams = |row: &StepRow| row.streams.clone().into_iter().collect::<Vec<_>>();
    html! {
        div.scroll tabindex="0" { table.dense {
            caption { "Response times from the intended start, µs; the longest is the longest stall" }
            thead { tr { @for name in ["step", "subject", "statement"] { th { (name) } }
                @for name in ["statements", "rows", "seconds in all", "p50", "p99", "p99.9", "longest"] { th { (name) } } } }
            tbody { @for row in &summary.steps { @for (name, own) in streams(row) { tr {
                th { (clean(&row.test)) } th { (clean(&row.subject)) } td { (clean(&name)) }
                td { (own.statements) } td { (own.rows) }
                @for value in [own.seconds, own.response_us.p50, own.response_us.p99, own.response_us.p99_9, own.response_us.max] {
                    td { (short(value)) }
                }
            } } } }
        } }
    }
}
