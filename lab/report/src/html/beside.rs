//! The page of several runs side by side.

use maud::html;

use super::{frame, matrix};
use crate::beside::{FAMILIES, SideBySide, lines, matrix as of_runs};

/// One HTML document.
pub(crate) fn beside(all: &SideBySide) -> String {
    let (runs, matrix) = (&all.runs, of_runs(all));
    let subjects: Vec<&str> = matrix.parts.iter().map(|part| part.subject.as_str()).collect();
    let title = format!("{} against {}, {} runs", subjects.join(", "), matrix.base, runs.len());
    let suite = runs.first().map_or("", |run| run.summary.suite.as_str());
    let tool = runs.first().map_or("", |run| run.summary.tool.as_str());
    frame::page(
        &title,
        ("results", "Skip to results"),
        &frame::bar(suite, &html! { a href="#results" { "Results" } }),
        &html! {
            h1 { (title) }
            ul { @for line in lines(runs) { li { (line) } } }
            p.quiet { (FAMILIES) "." }
            section id="results" {
                h2 { "Results" }
                (matrix::tables(&matrix))
            }
        },
        &html! { (crate::text::clean(tool)) },
    )
}
