//! Tests under several conditions on the page: tables, and charts with the conditions from left to right.

use humdrum_charts::conditions;
use humdrum_model::Summary;
use maud::{Markup, html};

use super::series::grid;
use crate::joint::MARKS;
use crate::matrix::{Matrix, Part, Row};

/// A section for each dimension of which a run has several numbers; empty for other runs.
pub(super) fn sections(summary: &Summary) -> Markup {
    html! {
        @for matrix in &Matrix::of_run(summary) {
            section id=(matrix.what) {
                h2 { "By " (matrix.what) }
                (tables(matrix))
            }
        }
    }
}

/// The tables and charts of each subject.
pub(super) fn tables(matrix: &Matrix<'_>) -> Markup {
    html! {
        @for told in matrix.columns_told() { p.quiet { (told) "." } }
        @if let Some(idle) = matrix.idle() { p.quiet { (idle) "." } }
        @for part in &matrix.parts {
            (grid(&format!("QPS of {} relative to {} by {}; {MARKS}", part.subject, matrix.base, matrix.what),
                &matrix.ratio_columns(), &matrix.ratios(part)))
            (grid(&format!("QPS by {}", matrix.what), &matrix.columns, &matrix.rates(part)))
            @for row in &part.rows { (charts(matrix, part, row)) }
        }
    }
}

fn charts(matrix: &Matrix<'_>, part: &Part<'_>, row: &Row<'_>) -> Markup {
    let (test, what) = (&row.test, matrix.what);
    let delta = row.results.iter().flatten().map(|test| test.delta).fold(0.0, f64::max);
    let ratio =
        format!("{test}: QPS relative to {} by {what}; the tables above have the numbers", matrix.base);
    let rates = format!("{test}: QPS by {what}; the tables above have the numbers");
    html! {
        h3 { (test) }
        div.chart {
            p.quiet { "relative to " (matrix.base) ", by " (what) }
            (conditions(&ratio, &matrix.columns, &[matrix.ratio_line(part, row)], Some(delta)))
            p.quiet { "operations per second, by " (what) }
            (conditions(&rates, &matrix.columns, &matrix.rate_lines(part, row), None))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture;

    #[test]
    fn the_page_has_tables_and_two_charts_for_each_test() {
        for (what, run) in [("clients", fixture::by_clients()), ("rows", fixture::by_rows())] {
            let (summary, results, extras) = run;
            let page = crate::html(&summary, &results, &extras);
            assert!(page.contains(&format!("href=\"#{what}\"")), "{what}");
            assert!(page.contains("0.900▼") && !page.contains("NaN"));
            let section = page.split(&format!("<section id=\"{what}\">")).nth(1).unwrap();
            let section = section.split("</section>").next().unwrap();
            assert_eq!(section.matches("<svg").count(), 4);
            assert_eq!(section.matches("role=\"img\" aria-label=\"").count(), 4);
        }
        let (summary, results, extras) = fixture::run();
        let page = crate::html(&summary, &results, &extras);
        assert!(!page.contains("#clients") && !page.contains("#rows"));
    }
}
