//! The tables of whole steps on a terminal: steps down, subjects across, because names are long and steps are many.

use anstyle::AnsiColor;
use humdrum_model::Summary;

use super::Page;
use crate::steps::{Cell, Grid, Tone};
use crate::style::Style;
use crate::table::{Align, Table};

/// All tables, before any comparison.
pub(super) fn all(page: &mut Page, summary: &Summary) {
    for one in crate::steps::grids(summary) {
        page.heading(one.title);
        page.lines(grid(page.style, page.width, &one));
    }
}

/// One table's lines.
fn grid(style: Style, width: usize, grid: &Grid) -> Vec<String> {
    let names = grid.rows.iter().map(|(name, _)| (name.as_str(), Align::Right));
    let columns: Vec<(&str, Align)> = std::iter::once(("step", Align::Left)).chain(names).collect();
    let mut table = Table::new(&columns);
    let marks =
        grid.rows.iter().flat_map(|(_, cells)| cells).map(|cell| crate::text::width(cell.tone.mark()));
    let marks = marks.max().unwrap_or(0);
    for (place, step) in grid.steps.iter().enumerate() {
        let cells = grid.rows.iter().map(|(_, cells)| aligned(&cells[place], marks));
        table.rows.push(std::iter::once(step.clone()).chain(cells).collect());
    }
    table.lines(width, |row, column, cell| match column.checked_sub(1) {
        Some(subject) => painted(style, grid.rows[subject].1[row].tone, cell),
        None => cell.to_owned(),
    })
}

/// A cell padded after its mark, so that numbers of a column are aligned.
fn aligned(cell: &Cell, marks: usize) -> String {
    let blank = " ".repeat(marks - crate::text::width(cell.tone.mark()));
    cell.marked() + &blank
}

fn painted(style: Style, tone: Tone, cell: &str) -> String {
    let color = match tone {
        Tone::Plain => return cell.to_owned(),
        Tone::Bad => AnsiColor::Red,
        Tone::Good => AnsiColor::Green,
        Tone::Less => AnsiColor::Yellow,
        Tone::More => AnsiColor::Blue,
        Tone::Void => AnsiColor::BrightBlack,
    };
    if !style.color {
        return cell.to_owned();
    }
    let paint = color.on_default();
    format!("{paint}{cell}{paint:#}")
}
