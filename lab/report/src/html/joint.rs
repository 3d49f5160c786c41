//! Subjects that are no series, side by side on the page: a chart for each test, and one table.

use humdrum_charts::{Kind, RqpsRow};
use humdrum_model::Summary;
use maud::{Markup, html};

use super::group::chart_row;
use super::series::{close_up, grid};
use crate::choice;
use crate::joint::{Joint, MARKS, Row};
use crate::text::clean;

pub(super) fn section(summary: &Summary) -> Markup {
    let Some(joint) = Joint::of(summary) else { return html! {} };
    let base = choice::base(summary);
    html! {
        section id="joint" {
            h2 { "Side by side" }
            (grid(&format!("QPS relative to {base}; {MARKS}"), &joint.names, &joint.cells()))
            @for row in &joint.rows { (chart(&base, &joint.names, row)) }
        }
    }
}

fn chart(base: &str, names: &[String], row: &Row<'_>) -> Markup {
    let first = names.first().map(|name| RqpsRow {
        label: name.clone(),
        rqps: 1.0,
        ci95: None,
        delta: row.results.iter().flatten().map(|test| test.delta).fold(0.0, f64::max),
        kind: Kind::Same,
        verdict: "base".into(),
        change: None,
    });
    let others = names.iter().skip(1).zip(&row.results);
    let others = others.filter_map(|(name, result)| Some(chart_row(name.clone(), (*result)?)));
    let rows: Vec<RqpsRow> = first.into_iter().chain(others).collect();
    let title = format!(
        "{}: QPS of each subject relative to {base}; the table above has the numbers",
        clean(row.test)
    );
    close_up(row.test, &title, &rows)
}

#[cfg(test)]
mod tests {
    use crate::fixture;

    #[test]
    fn the_page_has_the_table_and_a_chart_for_each_test() {
        let (summary, results, extras) = fixture::configurations();
        let page = crate::html(&summary, &results, &extras);
        assert!(page.contains("href=\"#joint\"") && page.contains("0.870▼") && !page.contains("NaN"));
        let section =
            page.split("<section id=\"joint\">").nth(1).unwrap().split("</section>").next().unwrap();
        assert_eq!(section.matches("<svg").count(), 2 * summary.comparisons[0].tests.len());
        assert_eq!(section.matches("<svg").count(), section.matches("role=\"img\" aria-label=\"").count());
        let (summary, results, extras) = fixture::run();
        assert!(!crate::html(&summary, &results, &extras).contains("#joint"));
    }
}
