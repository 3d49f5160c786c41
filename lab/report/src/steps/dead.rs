//! The table of dead rows: what part of all rows is dead after each step.

use humdrum_model::StepRow;

use super::{BySubject, Cell, Grid, Tone, names};
use crate::number::{NONE, ratio};

/// The column of a step that has the share.
const COLUMN: &str = "dead_share";

/// The subjects whose server counts dead rows; `None` if there are none. A step that failed can have a share too. No cell has
/// a colour, because the shares have no interval.
pub(super) fn dead_rows(subjects: &BySubject<'_>) -> Option<Grid> {
    let has_any = |rows: &[&StepRow]| rows.iter().any(|row| row.columns.contains_key(COLUMN));
    let cell = |row: &&StepRow| match row.columns.get(COLUMN) {
        Some(share) => Cell { text: ratio(Some(*share)), tone: Tone::Plain },
        None => Cell { text: NONE.to_owned(), tone: Tone::Void },
    };
    let counting = subjects.iter().filter(|(_, rows)| has_any(rows));
    let rows: Vec<(String, Vec<Cell>)> =
        counting.map(|(name, rows)| (name.clone(), rows.iter().map(cell).collect())).collect();
    let title = "dead rows / all rows after each step, as the server estimates them; no interval, no verdict";
    (!rows.is_empty()).then(|| Grid { title, steps: names(subjects), rows })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use humdrum_model::TestStatus;

    use super::super::by_subject;
    use super::*;

    fn row(subject: &str, test: &str, share: Option<f64>) -> StepRow {
        StepRow {
            subject: subject.into(),
            test: test.into(),
            status: if share.is_some() { TestStatus::Ok } else { TestStatus::Failed },
            counts: "rows".into(),
            rate: None,
            background: None,
            columns: share.map(|share| (COLUMN.to_owned(), share)).into_iter().collect(),
            streams: BTreeMap::new(),
        }
    }

    #[test]
    fn only_subjects_that_count_dead_rows_have_a_row() {
        let steps = [
            row("a", "l.i0", Some(0.0)),
            row("a", "l.i1", Some(0.071_402_4)),
            row("b", "l.i0", Some(0.0002)),
            row("b", "l.i1", None),
            row("c", "l.i0", None),
            row("c", "l.i1", None),
        ];
        let grid = dead_rows(&by_subject(&steps)).expect("two of them count");
        let cells = |place: usize| grid.rows[place].1.iter().map(Cell::marked).collect::<Vec<_>>();
        assert_eq!(grid.steps, ["l.i0", "l.i1"]);
        assert_eq!([cells(0), cells(1)], [["0.000", "0.071"], ["0.000", NONE]]);
        assert_eq!(grid.rows.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(dead_rows(&by_subject(&steps[4..])), None);
    }
}
