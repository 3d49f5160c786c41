//! The post as a page that needs nothing else.

use humdrum_model::{Results, Summary};
use maud::{Markup, html};

use super::{Block, Table, sections};
use crate::Extras;
use crate::explanation::html::ticked;
use crate::html::frame;
use crate::text::clean;

/// The post as one HTML document. It links to `report.html` beside it.
pub fn post_html(summary: &Summary, results: &Results, extras: &Extras) -> String {
    let title = clean(&sections::title(summary, results));
    let all = sections::all(summary, results, extras);
    let id = |number: usize| format!("part-{number}");
    let links = html! {
        @for (number, section) in (1..).zip(&all) { a href={ "#" (id(number)) } { (clean(&section.heading)) } " " }
        a href="report.html" { "Full report" }
    };
    frame::page(
        &title,
        ("part-1", "Skip to the summary"),
        &frame::bar(&summary.base, &links),
        &html! {
            h1 { (title) }
            @for (number, section) in (1..).zip(&all) {
                section id=(id(number)) {
                    h2 { (clean(&section.heading)) }
                    @for one in &section.blocks { (block(one)) }
                }
            }
        },
        &html! { (clean(&summary.tool)) },
    )
}

fn block(block: &Block) -> Markup {
    html! {
        @match block {
            Block::Text(text) => p { (ticked(&clean(text))) },
            Block::Bullets(lines) => ul { @for line in lines { li { (ticked(&clean(line))) } } },
            Block::Command(command) => pre tabindex="0" { (clean(command)) },
            Block::Lines(lines) => pre tabindex="0" { (lines.iter().map(|line| clean(line)).collect::<Vec<_>>().join("\n")) },
            Block::Files(files) => ul { @for (file, what) in *files { li { a href=(file) { (file) } ": " (what) } } },
            Block::Table(found) => (table(found)),
        }
    }
}

fn table(table: &Table) -> Markup {
    let (first, others) = &table.head;
    html! {
        div.scroll tabindex="0" { table.dense {
            caption { (clean(&table.caption)) }
            thead { tr { th scope="col" { (first) } @for name in others { th scope="col" { (clean(name)) } } } }
            tbody { @for (name, cells) in &table.rows {
                tr { th scope="row" { (clean(name)) } @for cell in cells { td class=(cell.tone.class()) { (clean(&cell.marked())) } } }
            } }
        } }
    }
}
