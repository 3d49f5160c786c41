//! Results of several processor generations: separate charts, and one table with all side by side.

use std::collections::BTreeSet;

use humdrum_model::Summary;
use maud::{Markup, html};

use super::super::frame;
use super::{Point, Trend, host};
use crate::kinds;
use crate::number::{interval, ratio};
use crate::processor;
use crate::text::{clean, listed};

/// What a site does with results of several processor generations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generations {
    /// Shows each generation's results in a group of its own.
    #[default]
    Apart,
    /// Shows results of one base in one group, whatever they were measured on: the user asked for it.
    Pooled,
}

/// The kind of host that a point was measured on, or the kinds, as headings and columns name them. How many hosts of each there were is no part of
/// it: a series goes on where a host was away.
pub(super) fn kind(point: &Point) -> String {
    kinds_of_hosts(&point.run.summary).unwrap_or_else(|| host(&point.run.summary.host))
}

/// `several hosts with AMD Zen 3 and AMD Zen 4`; `None` for results of one host.
fn kinds_of_hosts(summary: &Summary) -> Option<String> {
    let all = summary.comparisons.iter().find_map(kinds::processors)?;
    Some(format!("several hosts with {}", listed(&all.into_iter().collect::<Vec<_>>())))
}

/// As `kind`, whatever the processor.
pub(super) fn kind_without_name(point: &Point) -> String {
    if kinds_of_hosts(&point.run.summary).is_some() {
        return "several hosts".to_owned();
    }
    let host = &point.run.summary.host;
    let kind = if host.r#virtual { ", virtual" } else { "" };
    format!("{} × any processor{kind}", host.cpus)
}

/// The processors of a test's results, in words; a result of an older version has its processor's own name. Hosts that were
/// judged together count as one more.
fn processors(points: &[Point]) -> BTreeSet<String> {
    let named = |point: &Point| {
        let summary = &point.run.summary;
        let one = || processor::named(&summary.host).unwrap_or_else(|| clean(&summary.host.cpu_model));
        kinds_of_hosts(summary).unwrap_or_else(one)
    };
    points.iter().map(named).collect()
}

/// That results of several processors are not pooled, or that they are; nothing where all are of one processor.
pub(super) fn remark(trend: &Trend, generations: Generations) -> Option<String> {
    let processors = processors(&trend.points);
    let what = match generations {
        _ if processors.len() < 2 => return None,
        Generations::Apart => "they are shown side by side and are not pooled",
        Generations::Pooled => "they are pooled below because that was asked for",
    };
    let several = trend.points.iter().any(|point| kinds_of_hosts(&point.run.summary).is_some());
    let measured_on = if several { "kinds of hosts" } else { "processors" };
    let names: Vec<String> = processors.into_iter().collect();
    Some(format!(
        "Measured on {} {measured_on}: {}. A ratio holds for the processor it was measured on, so {what}.",
        names.len(),
        names.join(if several { "; " } else { ", " })
    ))
}

/// The latest result of each pair on each kind of host, one column per kind; nothing where all are of one processor.
pub(super) fn side_by_side(trend: &Trend) -> Markup {
    if processors(&trend.points).len() < 2 {
        return html! {};
    }
    let kinds: BTreeSet<String> = trend.points.iter().map(kind).collect();
    let columns: Vec<(&str, bool)> =
        std::iter::once(("pair", true)).chain(kinds.iter().map(|kind| (kind.as_str(), false))).collect();
    html! {
        h2 { "Processors side by side" }
        div.scroll tabindex="0" {
            table {
                caption { "Relative QPS of the latest run on each, with its 95 % interval" }
                (frame::head(&columns))
                tbody {
                    @for pair in pairs(trend) {
                        tr {
                            th scope="row" { (pair) }
                            @for kind in &kinds { td { (latest(trend, &pair, kind)) } }
                        }
                    }
                }
            }
        }
    }
}

fn pairs(trend: &Trend) -> BTreeSet<String> {
    trend.points.iter().map(pair).collect()
}

fn pair(point: &Point) -> String {
    crate::words::pair(&point.run.summary, point.comparison)
}

/// Points are in the order of their dates.
fn latest(trend: &Trend, of: &str, on: &str) -> Markup {
    let found = trend.points.iter().rev().find(|point| pair(point) == of && kind(point) == on);
    html! {
        @match found {
            Some(point) => { (ratio(point.test.rqps)) " " span.quiet { (interval(point.test.ci95)) } }
            None => { span.quiet { "not measured" } }
        }
    }
}
