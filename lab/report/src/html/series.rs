//! A series of releases on the page: where each test moved, its chart, the matrices, and the store's columns by release.

use humdrum_charts::{Kind, Room, RqpsRow, View, rqps};
use humdrum_model::{Comparison, Results, Series, SeriesPoint, SeriesTest, Summary, TestResult};
use maud::{Markup, html};

use super::group::class;
use crate::number::{NONE, short};
use crate::series::{cell, compilers, move_at, name_of, names, outcome, rows, step, told};
use crate::store;
use crate::text::clean;
use crate::words::times;

pub(super) fn section(summary: &Summary, series: &Series, results: &Results) -> Markup {
    let names = names(series);
    html! {
        section id="series" {
            h2 { "Release by release" }
            p.quiet {
                "A test moved at a release if that release and the later ones have another level than the earlier ones. The \
                 levels are compared session by session. Charts and the first table are relative to the first release."
            }
            ul { @for test in &series.tests { li { strong { (clean(&test.test)) } ": " (moves(series, &names, test)) } } }
            @if let Some(compilers) = compilers(series, &names, results) { p { (compilers) } }
            @for test in &series.tests { (chart(&names, test)) }
            (grid("QPS relative to the first release; a mark where it moved", &names, &rows(series, cell)))
            (grid("QPS relative to the release before; a mark where these two releases alone show a change", &names, &rows(series, step)))
            (stores(summary, series, &names))
        }
    }
}

fn moves(series: &Series, names: &[String], test: &SeriesTest) -> Markup {
    html! {
        @if test.moves.is_empty() { span.quiet { "no move shown at any release" } }
        @for (number, one) in test.moves.iter().enumerate() {
            @if number > 0 { "; " }
            span class=(class(outcome(one))) { (told(series, names, one)) }
        }
    }
}

fn chart(names: &[String], test: &SeriesTest) -> Markup {
    let rows: Vec<RqpsRow> =
        test.points.iter().zip(names).map(|(point, name)| row(test, point, name)).collect();
    let title = format!(
        "{}: QPS of each release relative to the first; the table below has the numbers",
        clean(&test.test)
    );
    close_up(&test.test, &title, &rows)
}

/// One test's chart, for a wide page and for a narrow one.
pub(crate) fn close_up(test: &str, title: &str, rows: &[RqpsRow]) -> Markup {
    html! {
        h3 { (clean(test)) }
        div.chart {
            div.roomy { (rqps(title, rows, View::CloseUp, Room::Wide)) }
            div.tight { (rqps(title, rows, View::CloseUp, Room::Narrow)) }
        }
    }
}

fn row(test: &SeriesTest, point: &SeriesPoint, name: &str) -> RqpsRow {
    use humdrum_model::Verdict::{Improvement, Regression};
    let own = move_at(test, &point.release);
    let kind = match own.map(|one| one.verdict) {
        Some(Improvement) => Kind::Better,
        Some(Regression) => Kind::Worse,
        _ => Kind::Same,
    };
    RqpsRow {
        label: name.to_owned(),
        rqps: point.rqps.unwrap_or(f64::NAN),
        ci95: point.ci95,
        delta: test.delta,
        kind,
        verdict: own.map_or_else(String::new, |one| {
            format!("{} moved {}", outcome(one).mark(), times(Some(one.ratio)))
        }),
        change: None,
    }
}

/// Rows of tests under columns of subjects.
pub(super) fn grid(caption: &str, names: &[String], rows: &[(String, Vec<String>)]) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table.dense {
                caption { (caption) }
                thead { tr { th scope="col" { "test" } @for name in names { th scope="col" { (name) } } } }
                tbody {
                    @for (test, cells) in rows {
                        tr { th scope="row" { (test) } @for cell in cells { td { (cell) } } }
                    }
                }
            }
        }
    }
}

fn stores(summary: &Summary, series: &Series, names: &[String]) -> Markup {
    let all: Vec<TestResult> = summary.comparisons.iter().flat_map(|one| one.tests.iter().cloned()).collect();
    let columns = store::columns(&all);
    html! {
        @for test in series.tests.iter().filter(|_| !columns.is_empty()) {
            div.scroll tabindex="0" {
                table.dense {
                    caption { (clean(&test.test)) ": the reference's columns, release by release" }
                    (heads("release", &columns))
                    tbody {
                        @for (label, result, side) in store::lines(summary, &test.test) {
                            tr {
                                th scope="row" { (name_of(series, names, label)) }
                                @for column in &columns {
                                    td { (column.value(result, side).map_or_else(|| NONE.into(), short)) }
                                }
                            }
                        }
                    }
                }
            }
        }
        @if !columns.is_empty() { (meanings(&all, &columns)) }
    }
}

fn heads(first: &str, columns: &[store::Column]) -> Markup {
    html! {
        thead { tr {
            th scope="col" { (first) }
            @for column in columns { th scope="col" { (column.heading) } }
        } }
    }
}

/// What each column means. The record carries the descriptions.
fn meanings(tests: &[TestResult], columns: &[store::Column]) -> Markup {
    html! {
        details {
            summary { "What the columns mean" }
            ul {
                @for column in columns {
                    li { strong { (column.heading) } ": " (clean(&column.meaning(tests))) }
                }
            }
        }
    }
}

/// The same columns for one comparison, base → subject. Empty for engines without flushes and compactions.
pub(super) fn pair(comparison: &Comparison) -> Markup {
    let columns = store::columns(&comparison.tests);
    html! {
        @if !columns.is_empty() {
            div.scroll tabindex="0" {
                table.dense {
                    caption { "What flushes and compactions did: base → subject" }
                    (heads("test", &columns))
                    tbody {
                        @for test in comparison.tests.iter().filter(|test| !test.cost.is_empty()) {
                            tr {
                                th scope="row" { (clean(&test.test)) }
                                @for column in &columns { td { (column.arrow(test)) } }
                            }
                        }
                    }
                }
            }
            (meanings(&comparison.tests, &columns))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture;

    #[test]
    fn the_page_has_the_row_with_its_marks_and_columns() {
        let (summary, results, extras) = fixture::releases();
        let page = crate::html(&summary, &results, &extras);
        assert!(page.contains("id=\"series\"") && page.contains("href=\"#series\""));
        assert!(page.contains("▼ at 10.2.1 0.960x") && page.contains("w_amp") && page.contains("p99.99"));
        let headings = page.matches("<th ").count() + page.matches("<th>").count();
        assert_eq!(headings, page.matches(" scope=\"").count());
        assert_eq!(page.matches("<svg").count(), page.matches("role=\"img\" aria-label=\"").count());
        assert!(!page.contains("NaN"));
        let (summary, results, extras) = fixture::run();
        assert!(!crate::html(&summary, &results, &extras).contains("#series"));
    }
}
