//! A test's latencies: percentiles over all sessions, and the distribution in each session.

use std::collections::BTreeSet;

use humdrum_charts::{HeatPanel, heat, heat_tsv};
use humdrum_model::{Comparison, Latency, LatencyPair, Results, TestResult};
use maud::{Markup, html};

use crate::html::frame;
use crate::number::{NONE, short};
use crate::text::clean;

/// Percentiles of both sides.
pub(super) fn table(both: &LatencyPair) -> Markup {
    let sides = [("base", both.base), ("subject", both.subject)];
    html! {
        div.scroll tabindex="0" {
            table {
                caption { "Latency of one call, µs" }
                thead { tr {
                    @for heading in ["side", "p50", "p95", "p99", "p99.9", "p99.99", "max"] { th scope="col" { (heading) } }
                } }
                tbody {
                    @for (name, side) in sides {
                        tr {
                            th scope="row" { (name) }
                            @for value in [side.p50, side.p95, side.p99, side.p99_9, side.p99_99, side.max] { td { (short(value)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The heat map of both sides, and a table of the same sessions below it. Empty if no latencies were recorded.
pub(super) fn by_session(results: &Results, comparison: &Comparison, test: &TestResult) -> Markup {
    let of_test: Vec<&Latency> = results.latencies.iter().filter(|one| one.test == test.test).collect();
    let counted: BTreeSet<u32> = of_test.iter().map(|one| one.session).collect();
    let panels = [0, super::place(results, comparison)].map(|subject| HeatPanel {
        label: results.plan.subjects.get(subject).map_or_else(String::new, |one| clean(&one.label)),
        sessions: counted.iter().map(|session| calls(&of_test, subject, *session)).collect(),
    });
    if panels.iter().all(|panel| panel.sessions.iter().all(Vec::is_empty)) {
        return html! {};
    }
    html! {
        h3 { "Latency by session" }
        div.scroll tabindex="0" { (heat(&format!("Latency of one call of {}, by session", clean(&test.test)), &panels)) }
        details {
            summary { "The same as a table" }
            div.scroll tabindex="0" {
                table.dense {
                    caption { "Latency of one call by session, µs" }
                    thead { tr {
                        th scope="col" { "session" }
                        @for panel in &panels {
                            @for what in ["p50", "p99"] { th scope="col" { (panel.label) " " (what) } }
                        }
                    } }
                    tbody {
                        @for (place, session) in counted.iter().enumerate() {
                            tr {
                                th scope="row" { (session) }
                                @for panel in &panels {
                                    @for share in [0.5, 0.99] { td { (percentile(&panel.sessions[place], share)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
        (frame::data(&heat_tsv(&panels)))
    }
}

/// One subject's calls in one session: (microseconds, calls), ascending.
fn calls(of_test: &[&Latency], subject: usize, session: u32) -> Vec<(f64, u64)> {
    let ours = of_test.iter().filter(|one| one.session == session && one.subject == subject);
    ours.flat_map(|one| &one.buckets).map(|(ns, calls)| (*ns as f64 / 1e3, *calls)).collect()
}

/// The latency that a share of calls does not exceed; buckets ascend.
fn percentile(buckets: &[(f64, u64)], share: f64) -> String {
    let wanted = share * buckets.iter().map(|(_, calls)| *calls).sum::<u64>() as f64;
    let mut seen = 0;
    let found = buckets.iter().find(|(_, calls)| {
        seen += calls;
        seen as f64 >= wanted
    });
    found.map_or_else(|| NONE.into(), |(us, _)| short(*us))
}
