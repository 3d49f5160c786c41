//! A series of releases on a terminal: where each test moved, a matrix of ratios, and the store's columns by release. Other
//! subjects, side by side, have the matrix alone.

use humdrum_model::{Results, Series, Summary};

use super::Page;
use crate::beside::{FAMILIES, SideBySide, lines, matrix};
use crate::choice;
use crate::joint::{Joint, MARKS};
use crate::matrix::Matrix;
use crate::number::{NONE, short};
use crate::series::{cell, compilers, name_of, names, rows, sentence, step};
use crate::store;
use crate::style::Style;
use crate::table::{Align, Table};
use crate::text::clean;

/// Several runs side by side for a terminal. It ends in a line feed.
pub(crate) fn several(all: &SideBySide, style: Style) -> String {
    let mut page = Page { style, width: usize::from(style.width).max(40), text: String::new() };
    lines(&all.runs).iter().for_each(|line| page.paragraph(line));
    page.paragraph(&format!("{FAMILIES}."));
    page.matrix(&matrix(all));
    page.text
}

impl Page {
    pub(super) fn series(&mut self, summary: &Summary, series: &Series, results: &Results) {
        let names = names(series);
        self.heading("release by release: where each test moved");
        for test in &series.tests {
            self.paragraph(&sentence(series, &names, test));
        }
        if let Some(compilers) = compilers(series, &names, results) {
            self.paragraph(&compilers);
        }
        self.heading("QPS relative to the first release (▲▼ where it moved)");
        self.grid(&names, &rows(series, cell));
        self.heading("QPS relative to the release before (▲▼ where these two releases alone show a change)");
        self.grid(&names, &rows(series, step));
        if self.style.verbose {
            self.by_release(summary, series, &names);
        }
    }

    /// All subjects of a run that is no series, side by side.
    pub(super) fn joint(&mut self, summary: &Summary) {
        let Some(joint) = Joint::of(summary) else { return };
        self.heading(&format!("QPS relative to {} ({MARKS})", choice::base(summary)));
        self.grid(&joint.names, &joint.cells());
    }

    /// A run at several numbers of rows or clients: ratios and rates by these.
    pub(super) fn by_numbers(&mut self, summary: &Summary) {
        Matrix::of_run(summary).iter().for_each(|matrix| self.matrix(matrix));
    }

    /// Tests under several conditions.
    pub(super) fn matrix(&mut self, matrix: &Matrix<'_>) {
        let Matrix { what, base, columns, parts } = matrix;
        for part in parts {
            self.heading(&format!("QPS of {} relative to {base} by {what} ({MARKS})", part.subject));
            self.grid(&matrix.ratio_columns(), &matrix.ratios(part));
            self.heading(&format!("QPS by {what}"));
            self.grid(columns, &matrix.rates(part));
        }
        for told in matrix.columns_told() {
            self.blank();
            self.paragraph(&format!("{told}."));
        }
        if let Some(idle) = matrix.idle() {
            self.blank();
            self.paragraph(&format!("{idle}."));
        }
    }

    /// Prints as many subjects side by side as the width has room for.
    fn grid(&mut self, names: &[String], rows: &[(String, Vec<String>)]) {
        let width = self.width;
        let part = |places: &[usize]| {
            let mut columns = vec![("test", Align::Left)];
            columns.extend(places.iter().map(|place| (names[*place].as_str(), Align::Right)));
            let mut table = Table::new(&columns);
            table.rows = rows.iter().map(|row| grid_row(row, places)).collect();
            table
        };
        let places: Vec<usize> = (0..names.len()).collect();
        for table in fitting(&places, width, part) {
            self.lines(table.lines(width, |_, _, cell| cell.to_owned()));
        }
    }

    fn by_release(&mut self, summary: &Summary, series: &Series, names: &[String]) {
        let all: Vec<_> = summary.comparisons.iter().flat_map(|one| one.tests.iter().cloned()).collect();
        let columns = store::columns(&all);
        for test in series.tests.iter().filter(|_| !columns.is_empty()) {
            self.heading(&clean(&test.test));
            let width = self.width;
            let lines = store::lines(summary, &test.test);
            let rows = |part: &[store::Column]| {
                let mut heads = vec![("release", Align::Left)];
                heads.extend(part.iter().map(|column| (column.heading, Align::Right)));
                let mut table = Table::new(&heads);
                let number = |column: &store::Column, (_, test, side): &store::Line<'_>| {
                    column.value(test, *side).map_or_else(|| NONE.into(), short)
                };
                let row = |line: &store::Line<'_>| {
                    let name = name_of(series, names, line.0).to_owned();
                    std::iter::once(name).chain(part.iter().map(|column| number(column, line))).collect()
                };
                table.rows = lines.iter().map(row).collect();
                table
            };
            for table in fitting(&columns, width, rows) {
                self.lines(table.lines(width, |_, _, cell| cell.to_owned()));
            }
        }
    }
}

fn grid_row((test, cells): &(String, Vec<String>), places: &[usize]) -> Vec<String> {
    let cells = places.iter().map(|place| cells.get(*place).map_or_else(|| NONE.into(), String::clone));
    std::iter::once(test.clone()).chain(cells).collect()
}

/// Splits the columns into tables that fit the width, each with at least one column.
pub(super) fn fitting<T: Clone>(columns: &[T], width: usize, table: impl Fn(&[T]) -> Table) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut rest = columns;
    while !rest.is_empty() {
        let fits = (2..=rest.len()).take_while(|count| table(&rest[..*count]).natural(1) <= width);
        let count = fits.last().unwrap_or(1);
        tables.push(table(&rest[..count]));
        rest = &rest[count..];
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::super::terminal;
    use crate::fixture;
    use crate::style::Style;

    #[test]
    fn looks_like_this() {
        let (summary, results, extras) = fixture::releases();
        let style = Style { color: false, width: 80, verbose: true };
        let text = terminal(&summary, &results, &extras, style);
        let start = text.find("release by release").unwrap();
        // The first comparison follows, with its table of both sides; the others are like it.
        insta::assert_snapshot!(text[start..].split("\nrocksdb@10.2.1+iobuf against").next().unwrap());
    }

    #[test]
    fn configurations_are_side_by_side() {
        let (summary, results, extras) = fixture::configurations();
        let style = Style { color: false, width: 80, verbose: false };
        let text = terminal(&summary, &results, &extras, style);
        let start = text.find("QPS relative to").unwrap();
        insta::assert_snapshot!(text[start..].split("\n\n").next().unwrap());
    }

    #[test]
    fn fits_a_narrow_terminal() {
        let (summary, results, extras) = fixture::releases();
        let text = terminal(&summary, &results, &extras, Style { color: false, width: 60, verbose: false });
        let wide: Vec<&str> = text.lines().filter(|line| crate::text::width(line) > 60).collect();
        assert!(wide.is_empty(), "{wide:#?}");
    }
}
