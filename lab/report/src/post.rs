//! A post about a result, as the author of the Small Datum blog writes his: what was found in five bullets, what was compared, on what
//! and how, then relative throughput by group, what a store's flushes and compactions did, and what the tests cost that moved.
//! `sections.rs` has its content, `page.rs` the page; both forms have the same words and cells.

mod costs;
mod page;
mod plans;
mod sections;
mod store;
mod throughput;

use std::fmt::Write as _;

use humdrum_model::{Results, Summary};

use crate::Extras;
use crate::steps::{Cell, Tone};
use crate::text;

pub use page::post_html;

/// A part of a post.
struct Section {
    heading: String,
    blocks: Vec<Block>,
}

enum Block {
    Text(String),
    Bullets(Vec<String>),
    /// A command as it is typed.
    Command(String),
    /// Lines whose indentation has a meaning.
    Lines(Vec<String>),
    /// Files beside the post, and what each has.
    Files(&'static [(&'static str, &'static str)]),
    Table(Table),
}

struct Table {
    caption: String,
    /// Heading of the first column, and of the others.
    head: (String, Vec<String>),
    rows: Vec<(String, Vec<Cell>)>,
}

/// The post as Markdown (tables as on GitHub), ending in a line feed.
pub fn post(summary: &Summary, results: &Results, extras: &Extras) -> String {
    let mut out = format!("# {}\n", markdown(&sections::title(summary, results)));
    for section in sections::all(summary, results, extras) {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(out, "\n## {}", markdown(&section.heading));
        section.blocks.iter().for_each(|block| out.push_str(&marked(block)));
    }
    out
}

fn marked(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("\n{}\n", markdown(text)),
        Block::Bullets(lines) => {
            let lines: String = lines.iter().map(|line| format!("* {}\n", markdown(line))).collect();
            format!("\n{lines}")
        }
        Block::Command(command) => format!("\n    {command}\n"),
        Block::Lines(lines) => {
            let lines: String = lines.iter().map(|line| format!("    {line}\n")).collect();
            format!("\n{lines}")
        }
        Block::Files(files) => {
            let lines: String =
                files.iter().map(|(file, what)| format!("* [{file}]({file}): {what}\n")).collect();
            format!("\n{lines}")
        }
        Block::Table(table) => {
            let (first, others) = &table.head;
            let names: Vec<String> = others.iter().map(|name| markdown(name)).collect();
            let mut out = format!(
                "\n{}:\n\n| {first} | {} |\n|---{}|\n",
                markdown(&table.caption),
                names.join(" | "),
                "|---:".repeat(names.len())
            );
            for (name, cells) in &table.rows {
                let cells: Vec<String> = cells.iter().map(|cell| markdown(&cell.marked())).collect();
                let _ = writeln!(out, "| {} | {} |", markdown(name), cells.join(" | "));
            }
            out
        }
    }
}

/// Text as Markdown. What stands between backticks is code, as explanations write names of settings, and so are words with an @,
/// because sites show `postgres@17.7` as a mail address.
fn markdown(text: &str) -> String {
    text::ticked_markdown(text, words)
}

fn words(text: &str) -> String {
    let word = |word: &str| {
        let core = word.trim_matches([' ', '(', ')', ',', ';', ':', '.']);
        match (core.contains('@'), word.split_once(core)) {
            (true, Some((before, after))) => format!("{before}{}{after}", text::code(core)),
            _ => text::markdown(word),
        }
    };
    text.split_inclusive(' ').map(word).collect()
}

fn plain(text: String) -> Cell {
    Cell { text, tone: Tone::Plain }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn looks_like_this() {
        let (summary, results, extras) = fixture::run();
        insta::assert_snapshot!(post(&summary, &results, &extras));
    }

    #[test]
    fn a_label_of_ones_own_is_told_with_what_it_stands_for() {
        let (summary, mut results, extras) = fixture::run();
        results.plan.subjects[1].label = "new".into();
        let text = post(&summary, &results, &extras);
        assert!(text.contains("\n* new (`postgres@17.7`): PostgreSQL 17.7"), "{text}");
    }

    #[test]
    fn labels_are_code_and_the_rest_is_text() {
        assert_eq!(markdown("a_b (postgres@17.7): 1 < 2"), "a\\_b (`postgres@17.7`): 1 &lt; 2");
        assert_eq!(markdown("@ (@) x@y@z, "), "`@` (`@`) `x@y@z`, ");
        assert_eq!(markdown("`work_mem` 4_MB → 8"), "`work_mem` 4\\_MB → 8");
        assert_eq!(markdown("a ` alone"), "a \\` alone");
    }

    #[test]
    fn of_a_row_of_releases_each_has_two_bases() {
        let (summary, results, extras) = fixture::releases();
        insta::assert_snapshot!(post(&summary, &results, &extras));
    }

    #[test]
    fn the_page_has_the_words_of_the_text_and_its_colours() {
        let (mut summary, results, extras) = fixture::run();
        let page = post_html(&summary, &results, &extras);
        assert!(page.contains("<td class=\"better\">2.020 ▲</td>"), "{page}");
        assert!(page.contains("href=\"report.html\""));
        fixture::make_hostile(&mut summary);
        let text = post(&summary, &results, &extras);
        assert!(!text.contains(['\u{1b}', '\0', '\r']));
        assert!(!post_html(&summary, &results, &extras).contains("<script"));
    }
}
