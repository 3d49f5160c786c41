//! The files that imported results come from.

use humdrum_model::{Imported, ImportedFile, Results, Summary};
use maud::{Markup, html};

use crate::facts;
use crate::text::clean;

/// Where imported results come from, file by file.
pub(super) fn files(summary: &Summary, results: &Results, imported: &Imported) -> Markup {
    let whose = |file: &ImportedFile| {
        let labels = file.subjects.iter().filter_map(|subject| results.plan.subjects.get(*subject));
        labels.map(|subject| clean(&subject.label)).collect::<Vec<_>>().join(", ")
    };
    html! {
        section id="plan" {
            h2 { "Imported files" }
            p { (clean(&facts::workload(results))) "." }
            table {
                thead { tr { th { "file" } th { "reader" } th { "subjects" } th { "results" } th { "lines not understood" } } }
                tbody {
                    @for file in &imported.files {
                        tr {
                            td { (clean(&file.path)) }
                            td { (clean(&file.reader)) }
                            td { (whose(file)) }
                            td { (file.results) }
                            td { (file.unread_lines) }
                        }
                    }
                }
            }
            p { "To import the same again:" }
            pre { (clean(&facts::command(summary, results))) }
        }
    }
}
