//! Published shares of dead rows beside measured ones: a table for each publication and release, with a line for each step.

use humdrum_model::{Beside, Share, ShareRow};

use super::rows::{is_one_group, printed, source};
use crate::number::ratio;
use crate::table::{Align, Table};
use crate::text::clean;

/// Follows the tables.
pub(super) const SENTENCE: &str = "A share of dead rows is one reading of a server's estimate, published or measured. It has no \
    interval, so nothing is said of whether two agree.";

/// Columns before those of what was measured.
pub(super) const OWN_COLUMNS: usize = 2;

/// The tables with their titles; none without shares.
pub(super) fn tables(found: &Beside) -> Vec<(String, Table)> {
    let mut groups: Vec<Vec<&ShareRow>> = Vec::new();
    for row in &found.dead_rows {
        match groups.iter_mut().find(|group| is_one_group(&group[0].published, &row.published)) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups.iter().map(|rows| (title(rows[0]), table(rows))).collect()
}

fn title(first: &ShareRow) -> String {
    let one = &first.published;
    let release = format!("{} {}", clean(&one.engine), clean(&one.subject));
    format!("{release}, dead rows / all rows after each step: {}", source(one))
}

fn table(rows: &[&ShareRow]) -> Table {
    // A share for each column of measured ones.
    let mut columns: Vec<&Share> = Vec::new();
    for own in rows.iter().flat_map(|row| &row.measured) {
        if !columns.iter().any(|known| known.is_of_one_subject(own)) {
            columns.push(own);
        }
    }
    let one_host = columns.iter().all(|own| own.host == columns[0].host);
    let heading = |own: &Share| {
        let host = if one_host { String::new() } else { format!(" ({})", clean(&own.host)) };
        clean(&own.subject) + &host
    };
    let measured = |row: &ShareRow, column: &Share| {
        let own = row.measured.iter().find(|own| own.is_of_one_subject(column));
        ratio(own.map(|own| own.share))
    };
    let mut table = Table::new(&[("step", Align::Left), ("published", Align::Right)]);
    table.columns.extend(columns.iter().map(|own| (heading(own), Align::Right)));
    for row in rows {
        let mut cells = vec![clean(&row.published.test), printed(&row.published)];
        cells.extend(columns.iter().map(|column| measured(row, column)));
        table.rows.push(cells);
    }
    table
}
