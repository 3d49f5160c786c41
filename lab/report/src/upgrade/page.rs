//! An upgrade as a page and as Markdown.

use humdrum_model::{PlanChange, Upgrade};
use maud::{Markup, html};

use super::paragraph::paragraph;
use super::{Section, sections};
use crate::html::frame;
use crate::text::{clean, markdown};

/// An upgrade as one HTML document; `report` is the link to the whole report of the comparison.
pub fn upgrade_html(upgrade: &Upgrade, report: &str) -> String {
    let title = title(upgrade);
    let sections = sections(upgrade);
    let links = html! {
        a href="#summary" { "Summary" } " "
        @for section in &sections { a href={ "#" (section.id) } { (section.title) } " " }
        a href=(report) { "Full report" }
    };
    frame::page(
        &title,
        ("summary", "Skip to the summary"),
        &frame::bar(&upgrade.to, &links),
        &html! {
            h1 { (title) }
            section id="summary" { p { (paragraph(upgrade)) } }
            @for section in &sections { (part(section, upgrade)) }
        },
        &html! { (clean(&upgrade.tool)) },
    )
}

fn title(upgrade: &Upgrade) -> String {
    format!("From {} to {}", clean(&upgrade.from), clean(&upgrade.to))
}

fn part(section: &Section, upgrade: &Upgrade) -> Markup {
    html! {
        section id=(section.id) {
            h2 { (section.title) }
            @if !section.lines.is_empty() { ul { @for line in &section.lines { li { (line) } } } }
            @if let Some(table) = &section.table { (frame::table(table)) }
            @for plan in &section.plans { (side_by_side(plan, upgrade)) }
        }
    }
}

/// Both plans of a statement beside each other.
fn side_by_side(plan: &PlanChange, upgrade: &Upgrade) -> Markup {
    let lines = |lines: &[String]| lines.iter().map(|line| clean(line)).collect::<Vec<_>>().join("\n");
    html! {
        p { code { (clean(&plan.statement)) } }
        table {
            (frame::head(&[(&clean(&upgrade.from), true), (&clean(&upgrade.to), true)]))
            tbody { tr {
                @for side in plan.shown() { td.text { pre tabindex="0" { (lines(&side)) } } }
            } }
        }
    }
}

/// An upgrade as Markdown, ending in a line feed.
pub fn upgrade_markdown(upgrade: &Upgrade) -> String {
    let mut lines =
        vec![format!("# {}", markdown(&title(upgrade))), String::new(), markdown(&paragraph(upgrade))];
    for section in sections(upgrade) {
        lines.extend([String::new(), format!("## {}", section.title), String::new()]);
        lines.extend(section.lines.iter().map(|line| format!("- {}", markdown(line))));
        if let Some(table) = &section.table {
            lines.push(String::new());
            lines.extend(table.markdown());
        }
        for plan in &section.plans {
            // A fence that no line of a plan can close.
            lines.extend([String::new(), "~~~~~~diff".to_owned(), format!("  {}", clean(&plan.statement))]);
            for (side, mark) in plan.shown().iter().zip(["-", "+"]) {
                lines.extend(side.iter().map(|line| format!("{mark} {}", clean(line))));
            }
            lines.push("~~~~~~".to_owned());
        }
    }
    lines.join("\n") + "\n"
}
