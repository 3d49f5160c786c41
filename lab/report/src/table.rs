//! A plain table that fits a width: the first column is shortened, and no number in the others is.

use crate::text::{markdown, shorten, width};

/// Alignment of a column's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Narrowest first column. Below it, lines become wider than the page.
const FIRST_MIN: usize = 8;

/// Headings with their alignment, and rows. Cells must be clean text.
pub(crate) struct Table {
    pub(crate) columns: Vec<(String, Align)>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        let columns = columns.iter().map(|(name, align)| ((*name).to_owned(), *align)).collect();
        Self { columns, rows: Vec::new() }
    }

    /// Lines of at most `columns` if shortening the first column is enough. `paint` colours a padded cell, given its row
    /// and column.
    pub(crate) fn lines(&self, columns: usize, paint: impl Fn(usize, usize, &str) -> String) -> Vec<String> {
        let widths = self.fitted(columns);
        let gap = if self.natural(2) <= columns { "  " } else { " " };
        let mut lines = vec![self.heading(&widths, gap)];
        for (number, row) in self.rows.iter().enumerate() {
            let cells = row
                .iter()
                .enumerate()
                .map(|(place, cell)| paint(number, place, &self.padded(place, cell, widths[place])));
            lines.push(cells.collect::<Vec<_>>().join(gap).trim_end().to_owned());
        }
        lines
    }

    /// Lines of Markdown.
    pub(crate) fn markdown(&self) -> Vec<String> {
        let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let rule = |align: &Align| if *align == Align::Left { "---" } else { "--:" };
        let heads = line(self.columns.iter().map(|(name, _)| name.clone()).collect());
        let rules = line(self.columns.iter().map(|(_, align)| rule(align).to_owned()).collect());
        let rows = self.rows.iter().map(|row| line(row.iter().map(|cell| markdown(cell)).collect()));
        [heads, rules].into_iter().chain(rows).collect()
    }

    /// Width with nothing shortened.
    pub(crate) fn natural(&self, gap: usize) -> usize {
        self.widths().iter().sum::<usize>() + gap * self.columns.len().saturating_sub(1)
    }

    /// Width with the first column shortened as far as possible.
    pub(crate) fn narrowest(&self) -> usize {
        let first = self.widths().first().copied().unwrap_or(0);
        self.natural(1) - first + first.min(FIRST_MIN)
    }

    fn heading(&self, widths: &[usize], gap: &str) -> String {
        let cells = self.columns.iter().enumerate();
        let cells = cells.map(|(place, (name, _))| self.padded(place, name, widths[place]));
        cells.collect::<Vec<_>>().join(gap).trim_end().to_owned()
    }

    fn widths(&self) -> Vec<usize> {
        let of = |place: usize| self.rows.iter().map(move |row| row.get(place).map_or(0, |cell| width(cell)));
        let columns = self.columns.iter().enumerate();
        columns.map(|(place, (name, _))| of(place).max().unwrap_or(0).max(width(name))).collect()
    }

    fn fitted(&self, columns: usize) -> Vec<usize> {
        let mut widths = self.widths();
        if self.natural(2) > columns
            && let Some(first) = widths.first_mut()
        {
            let over = self.natural(1).saturating_sub(columns);
            *first = first.saturating_sub(over).max((*first).min(FIRST_MIN));
        }
        widths
    }

    fn padded(&self, place: usize, cell: &str, columns: usize) -> String {
        let cell = shorten(cell, columns);
        let blank = " ".repeat(columns - width(&cell));
        match self.columns[place].1 {
            Align::Left => cell + &blank,
            Align::Right => blank + &cell,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_column_gives_way() {
        let mut table = Table::new(&[("test", Align::Left), ("qps", Align::Right)]);
        table.rows.push(vec!["a-very-long-name-of-a-test".into(), "5000".into()]);
        table.rows.push(vec!["b".into(), "7".into()]);
        assert_eq!(
            table.lines(20, |_, _, cell| cell.into()),
            [
                "test             qps",
                "a-very-…f-a-test 5000".replace("a-very-…f-a-test", "a-very-…-a-test").as_str(),
                "b                  7"
            ]
        );
        assert!(table.lines(20, |_, _, cell| cell.into()).iter().all(|line| width(line) <= 20));
    }
}
