//! Published ratios beside measured ones, as `humdrum beside` shows them: terminal, Markdown, TSV, JSON and HTML. Results of
//! one host can take the place of a publication. Shares of dead rows have tables of their own.

mod bridge;
mod counts;
pub(crate) mod html;
mod rows;
mod shares;

use humdrum_model::{Beside, BesideRow};

use crate::format::Format;
use crate::style::Style;
use crate::table::Table;
use crate::text::{clean, code, markdown, wrap};

use counts::below;
use rows::{Line, groups, heading, is_one_group, printed, reason, releases, span, words};

pub use bridge::bridge;
pub(crate) use counts::totals;

/// The comparison in one of the formats; formats for pull requests and posts have the Markdown.
pub fn beside_published(found: &Beside, format: Format, style: Style) -> String {
    match format {
        Format::Terminal => terminal(found, style),
        Format::Json => json(found),
        Format::Tsv => tsv(found),
        Format::Markdown | Format::Github | Format::Post | Format::Smalldatum => as_markdown(found),
        Format::Html | Format::PostHtml => html::page(found, None),
    }
}

fn terminal(found: &Beside, style: Style) -> String {
    let columns = usize::from(style.width).max(60);
    let mut lines: Vec<String> = Vec::new();
    for group in groups(found) {
        lines.push(wrap(&heading(&group.head), columns, 2));
        if let Some(nothing) = group.nothing_comparable() {
            lines.extend([format!("  {nothing}"), String::new()]);
            continue;
        }
        let mut table = Table::new(&group.headings(found));
        table.rows = group.cells(Line::brief);
        lines.extend(table.lines(columns, |_, _, cell| cell.to_owned()));
        lines.push(String::new());
    }
    for (title, table) in shares::tables(found) {
        lines.push(wrap(&title, columns, 2));
        lines.extend(table.lines(columns, |_, _, cell| cell.to_owned()));
        lines.push(String::new());
    }
    lines.extend(below(found).iter().map(|line| wrap(line, columns, 2)));
    lines.join("\n") + "\n"
}

fn as_markdown(found: &Beside) -> String {
    let mut out = String::new();
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    for group in groups(found) {
        out += &format!("## {}\n\n", markdown(&heading(&group.head)));
        if let Some(nothing) = group.nothing_comparable() {
            out += &format!("{}\n\n", markdown(&nothing));
            continue;
        }
        let headings = group.headings(found);
        out += &line(headings.iter().map(|(name, _)| markdown(&clean(name))).collect());
        // Test, published and measured; then intervals and words.
        out += &format!("|---|---:|---:|{}\n", "---|".repeat(headings.len() - 3));
        for cells in group.cells(Line::told) {
            out += &line(cells.iter().map(|cell| markdown(cell)).collect());
        }
        out.push('\n');
    }
    for (title, mut table) in shares::tables(found) {
        // Labels, which have an `@`.
        table.columns.iter_mut().skip(shares::OWN_COLUMNS).for_each(|(name, _)| *name = code(name));
        out += &format!("## {}\n\n{}\n\n", markdown(&title), table.markdown().join("\n"));
    }
    for line in below(found) {
        out += &format!("- {}\n", markdown(&line));
    }
    out
}

/// The comparison as indented JSON with a final line feed.
fn json(found: &Beside) -> String {
    serde_json::to_string_pretty(found).expect("plain data with text keys") + "\n"
}

/// One line for each published ratio, and none for other figures. Columns that were added later are at the end.
fn tsv(found: &Beside) -> String {
    let columns = "post\tengine\tbase\tsubject\ttest\tpublished\tmeasured\tlow\thigh\tagreement\treleases\t\
                   why\tthis_host_low\tthis_host_high\tanother_host_low\tanother_host_high\n";
    let line = |row: &BesideRow| {
        let one = &row.published;
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6}"));
        let ends = |interval: Option<[f64; 2]>| [0, 1].map(|end| number(interval.map(|ends| ends[end])));
        let [low, high] = ends(span(&row.intervals));
        let [this_host_low, this_host_high] = ends(span(&row.this_host));
        let [another_host_low, another_host_high] = ends(row.another_host);
        let cells = [
            clean(&one.post),
            clean(&one.engine),
            clean(&one.base),
            clean(&one.subject),
            clean(&one.test),
            printed(one),
            number(row.ratio),
            low,
            high,
            words(row.agreement).to_owned(),
            releases(row),
            row.why.map_or_else(String::new, |why| reason(why).replace(' ', "-")),
            this_host_low,
            this_host_high,
            another_host_low,
            another_host_high,
        ];
        cells.join("\t") + "\n"
    };
    columns.to_owned() + &found.rows.iter().map(line).collect::<String>()
}

#[cfg(test)]
mod tests;
