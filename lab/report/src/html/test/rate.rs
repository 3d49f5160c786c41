//! A test's throughput over time: every subject of the run in one chart, its numbers in brief, and its data.

use humdrum_charts::{RateSeries, rate, rate_tsv};
use humdrum_model::{Comparison, Results, Summary, TestResult};
use maud::{Markup, html};

use crate::Extras;
use crate::html::{frame, group};
use crate::number::short;
use crate::text::clean;

/// The throughput of all subjects. The first comparison that has the test gets the chart; the others get a link to it,
/// because their chart would be the same.
pub(super) fn over_time(
    summary: &Summary,
    results: &Results,
    extras: &Extras,
    comparison: &Comparison,
    test: &TestResult,
    number: usize,
) -> Markup {
    let Some(all) = extras.rate_series.get(&test.test) else { return html! {} };
    let labels = results.plan.subjects.iter().map(|subject| clean(&subject.label));
    let series: Vec<RateSeries> =
        labels.zip(all).map(|(label, points)| RateSeries { label, points: points.clone() }).collect();
    if series.iter().all(|one| one.points.is_empty()) {
        return html! {};
    }
    let drawn = summary.comparisons.iter().enumerate().find_map(|(place, other)| {
        let same = other.tests.iter().find(|other| other.test == test.test)?;
        Some((place, id(other, same, place)))
    });
    match drawn {
        Some((place, id)) if place != number => html! {
            p { "Throughput over time of all subjects: " a href={ "#" (id) } { (clean(&summary.comparisons[place].subject)) } }
        },
        _ => chart(&id(comparison, test, number), test, &series),
    }
}

/// The id of the chart's heading. A browser opens the section that contains it.
fn id(comparison: &Comparison, test: &TestResult, number: usize) -> String {
    format!("rate-of-{}", group::anchor(comparison, test, number))
}

fn chart(id: &str, test: &TestResult, series: &[RateSeries]) -> Markup {
    html! {
        h3 id=(id) { "Throughput over time" }
        div.scroll tabindex="0" { (rate(&format!("Throughput of {} over time", clean(&test.test)), series)) }
        p.quiet {
            "A dot is the mean of the blocks in its part of the time. Parts with blocks that a rule discarded are shaded. \
             The warm-up before a session's first block is not recorded. Everything else is shown, even first blocks \
             that the verdict leaves out because they were not warm."
        }
        (table("QPS of the points above, discarded blocks left out", series))
    }
}

/// A short table of the chart's numbers, and all of them to copy.
pub(in crate::html) fn table(caption: &str, series: &[RateSeries]) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table {
                caption { (caption) }
                thead { tr {
                    @for heading in ["subject", "points", "lowest", "median", "highest"] {
                        th scope="col" { (heading) }
                    }
                } }
                tbody { @for one in series { (row(one)) } }
            }
        }
        (frame::data(&rate_tsv(series)))
    }
}

fn row(one: &RateSeries) -> Markup {
    let mut kept: Vec<f64> = one.points.iter().filter(|point| !point.2).map(|point| point.1).collect();
    kept.sort_by(f64::total_cmp);
    let at = |place: usize| kept.get(place).copied().unwrap_or(f64::NAN);
    html! {
        tr {
            th scope="row" { (one.label) }
            td { (kept.len()) }
            td { (short(at(0))) }
            td { (short(at(kept.len() / 2))) }
            td { (short(at(kept.len().saturating_sub(1)))) }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture;

    #[test]
    fn every_subject_is_drawn_once_and_the_other_comparisons_lead_there() {
        let (mut summary, mut results, mut extras) = fixture::run();
        let mut third = results.plan.subjects[1].clone();
        third.label = "third".into();
        results.plan.subjects.push(third);
        let other = humdrum_model::Comparison { subject: "third".into(), ..summary.comparisons[0].clone() };
        summary.comparisons.push(other);
        let series = extras.rate_series.get_mut("hot-points").unwrap();
        series.push(vec![(1.0, 700.0, false), (2.0, 710.0, true)]);
        let page = crate::html(&summary, &results, &extras);
        assert_eq!(page.matches("aria-label=\"Throughput of hot-points over time\"").count(), 1);
        assert!(page.contains("\tthird QPS\t") && page.contains(">third</text>"));
        let id = page.split("<a href=\"#rate-of-").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert!(page.contains(&format!("<h3 id=\"rate-of-{id}\"")));
    }
}
