//! The tables of a suite of whole steps, as the reference has them: the rate of each subject in each step, the same
//! relative to the first subject, the rate of the writers that run beside queries, and the share of dead rows. A further
//! table counts deadlocks if there were any. All formats render the same cells. Each colour has a mark beside it. Only the
//! page and Markdown have the table of response times (`histogram`), which has a column for each class.

mod dead;
mod grid;
pub(crate) mod histogram;
mod tsv;

use humdrum_model::{StepRow, Summary, TestStatus};

pub(crate) use grid::{Cell, Grid, Tone};
pub use tsv::steps_tsv;

use crate::number::{NONE, ratio, short};
use crate::text::clean;

/// Ratios outside this range are marked.
const MOVED: std::ops::RangeInclusive<f64> = 0.95..=1.05;

/// Part of a column's range that counts as its bottom and as its top.
const QUARTER: f64 = 0.25;

/// No subject is called slow if the lowest rate is at least this part of the highest.
const ALIKE: f64 = 0.8;

/// The tables; none for other suites. The table of writers is left out if no step has any, that of dead rows if
/// no server counts them, and that of repeated statements if there were none.
pub(crate) fn grids(summary: &Summary) -> Vec<Grid> {
    let subjects = by_subject(&summary.steps);
    if subjects.is_empty() {
        return Vec::new();
    }
    let mut grids = vec![absolute(&subjects), relative(summary, &subjects)];
    grids.extend(background(&subjects));
    grids.extend(dead::dead_rows(&subjects));
    grids.extend(retries(&subjects));
    grids
}

type BySubject<'a> = Vec<(String, Vec<&'a StepRow>)>;

fn by_subject(rows: &[StepRow]) -> BySubject<'_> {
    let groups = rows.chunk_by(|a, b| a.subject == b.subject);
    groups.map(|group| (clean(&group[0].subject), group.iter().collect())).collect()
}

fn names(subjects: &BySubject<'_>) -> Vec<String> {
    subjects[0].1.iter().map(|row| clean(&row.test)).collect()
}

/// The status of a step without a rate, shown instead of a number.
fn void(row: &StepRow) -> Option<Cell> {
    let missing = row.status != TestStatus::Ok || row.rate.is_none();
    let word = if row.status == TestStatus::Ok { NONE } else { row.status.word() };
    missing.then(|| Cell { text: word.to_owned(), tone: Tone::Void })
}

fn absolute(subjects: &BySubject<'_>) -> Grid {
    let column = |place: usize| -> Vec<f64> {
        let rows = subjects.iter().map(|(_, rows)| rows[place]);
        rows.filter(|row| void(row).is_none()).filter_map(|row| row.rate).collect()
    };
    let cell = |(place, row): (usize, &&StepRow)| match void(row) {
        Some(cell) => cell,
        None => {
            let rate = row.rate.unwrap_or(f64::NAN);
            Cell { text: short(rate), tone: standing(rate, &column(place)) }
        }
    };
    let row =
        |(name, rows): &(String, Vec<&StepRow>)| (name.clone(), rows.iter().enumerate().map(cell).collect());
    let title = "rate of each step: rows/s of l.i0 to l.i2, queries/s of the others";
    Grid { title, steps: names(subjects), rows: subjects.iter().map(row).collect() }
}

/// Bottom and top quarter of a column's range.
fn standing(rate: f64, column: &[f64]) -> Tone {
    let least = column.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = column.iter().copied().fold(0.0, f64::max);
    let range = greatest - least;
    match () {
        () if column.len() < 2 || range <= 0.0 => Tone::Plain,
        () if rate >= greatest - QUARTER * range => Tone::Good,
        () if rate <= least + QUARTER * range && least < ALIKE * greatest => Tone::Bad,
        () => Tone::Plain,
    }
}

fn relative(summary: &Summary, subjects: &BySubject<'_>) -> Grid {
    let first = &subjects[0].1;
    let cell = |number: usize, place: usize, row: &StepRow| {
        if let Some(cell) = void(row).or_else(|| void(first[place])) {
            return Cell { text: NONE.to_owned(), ..cell };
        }
        let judged = number.checked_sub(1).and_then(|number| summary.comparisons.get(number));
        let judged = judged.and_then(|own| own.tests.iter().find(|test| test.test == row.test));
        // The verdict's own ratio, where there is one; it is a mean over sessions rather than over seconds.
        let value = judged.and_then(|test| test.rqps).or(row.rate.zip(first[place].rate).map(|(a, b)| a / b));
        let value = if number == 0 { Some(1.0) } else { value };
        let tone = match value {
            Some(value) if value < *MOVED.start() => Tone::Less,
            Some(value) if value > *MOVED.end() => Tone::More,
            _ => Tone::Plain,
        };
        Cell { text: ratio(value), tone }
    };
    let rows = subjects.iter().enumerate().map(|(number, (name, rows))| {
        let cells = rows.iter().enumerate().map(|(place, row)| cell(number, place, row));
        (name.clone(), cells.collect())
    });
    let title = "relative to the first row: ▼ below 0.95, ▲ above 1.05";
    Grid { title, steps: names(subjects), rows: rows.collect() }
}

fn background(subjects: &BySubject<'_>) -> Option<Grid> {
    let paced: Vec<usize> = (0..subjects[0].1.len())
        .filter(|place| subjects.iter().any(|(_, rows)| rows[*place].background.is_some()))
        .collect();
    if paced.is_empty() {
        return None;
    }
    let plain = |text: String| Cell { text, tone: Tone::Plain };
    let target = |place: &usize| {
        let found = subjects.iter().find_map(|(_, rows)| rows[*place].background);
        plain(found.map_or_else(|| NONE.to_owned(), |found| short(found.target)))
    };
    let cell = |row: &StepRow| match row.background {
        None => Cell { text: NONE.to_owned(), tone: Tone::Void },
        Some(found) => Cell {
            text: format!("{} ({})", short(found.rate), short(found.worst_10s)),
            tone: if found.is_kept() { Tone::Plain } else { Tone::Bad },
        },
    };
    let mut rows: Vec<(String, Vec<Cell>)> = vec![("target".to_owned(), paced.iter().map(target).collect())];
    rows.extend(
        subjects
            .iter()
            .map(|(name, rows)| (name.clone(), paced.iter().map(|place| cell(rows[*place])).collect())),
    );
    let all = names(subjects);
    let steps = paced.iter().map(|place| all[*place].clone()).collect();
    Some(Grid {
        title: "rows/s inserted while queries run (worst ten seconds); slow: below 95 % of the target",
        steps,
        rows,
    })
}

/// Statements that clients repeated after a deadlock. Clients of one table block each other, and each retry costs time.
fn retries(subjects: &BySubject<'_>) -> Option<Grid> {
    let count = |row: &StepRow| row.streams.values().map(|stream| stream.retries).sum::<u64>();
    if !subjects.iter().flat_map(|(_, rows)| rows).any(|row| count(row) > 0) {
        return None;
    }
    let cell = |row: &&StepRow| Cell { text: count(row).to_string(), tone: Tone::Plain };
    let rows = subjects.iter().map(|(name, rows)| (name.clone(), rows.iter().map(cell).collect()));
    let title = "statements that the server rolled back in a deadlock and the client repeated";
    Some(Grid { title, steps: names(subjects), rows: rows.collect() })
}

/// Markdown tables.
pub(crate) fn markdown(summary: &Summary) -> String {
    let table = |grid: Grid| {
        let mut out = format!(
            "### {}\n\n| | {} |\n|---{}|\n",
            grid.title,
            grid.steps.join(" | "),
            "|---:".repeat(grid.steps.len())
        );
        for (name, cells) in &grid.rows {
            let cells: Vec<String> = cells.iter().map(Cell::marked).collect();
            out.push_str(&format!("| {} | {} |\n", crate::text::markdown(name), cells.join(" | ")));
        }
        out + "\n"
    };
    let tables: String = grids(summary).into_iter().map(table).collect();
    if tables.is_empty() { tables } else { format!("## Steps\n\n{tables}{}", histogram::markdown(summary)) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use humdrum_model::{Background, StreamRow};

    use super::*;
    use crate::fixture;

    fn row(subject: &str, test: &str, rate: f64, rate_kept: Option<f64>) -> StepRow {
        let background = rate_kept.map(|rate| Background { target: 100.0, rate, worst_10s: rate - 7.0 });
        let missed = background.is_some_and(|own| !own.is_kept());
        StepRow {
            subject: subject.into(),
            test: test.into(),
            status: if missed { TestStatus::SlaMissed } else { TestStatus::Ok },
            counts: "rows".into(),
            rate: Some(rate),
            background,
            columns: BTreeMap::from([("cpupq".to_owned(), 12.5)]),
            streams: BTreeMap::new(),
        }
    }

    fn summary() -> Summary {
        let (mut summary, ..) = fixture::run();
        summary.comparisons.clear();
        summary.steps = vec![
            row("a", "l.i0", 1000.0, None),
            row("a", "qr100", 5000.0, Some(100.0)),
            row("b", "l.i0", 700.0, None),
            row("b", "qr100", 5200.0, Some(99.0)),
            row("c", "l.i0", 1010.0, None),
            row("c", "qr100", 6000.0, Some(80.0)),
        ];
        summary
    }

    #[test]
    fn look_like_this() {
        let text = markdown(&summary());
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).collect();
        let absolute =
            ["| a | 1000 fast | 5000 |", "| b | 700 slow | 5200 fast |", "| c | 1010 fast | sla-missed |"];
        assert_eq!(rows[..4], [&["| | l.i0 | qr100 |"], &absolute[..]].concat());
        assert_eq!(rows[5..8], ["| a | 1.000 | 1.000 |", "| b | 0.700 ▼ | 1.040 |", "| c | 1.010 | – |"]);
        let paced =
            ["| target | 100 |", "| a | 100 (93.0) |", "| b | 99.0 (92.0) |", "| c | 80.0 (73.0) slow |"];
        assert_eq!(rows[9..], paced);
    }

    #[test]
    fn a_missed_rate_is_grey_and_compared_with_nobody() {
        let grids = grids(&summary());
        assert_eq!(grids[0].rows[2].1[1], Cell { text: "sla-missed".into(), tone: Tone::Void });
        assert_eq!(grids[1].rows[2].1[1], Cell { text: NONE.into(), tone: Tone::Void });
        assert_eq!(grids[1].rows[1].1[0], Cell { text: "0.700".into(), tone: Tone::Less });
        // The top is the best of the steps that kept their rate.
        assert_eq!(grids[0].rows[1].1[1].tone, Tone::Good);
    }

    #[test]
    fn every_line_has_every_column() {
        let text = steps_tsv(&summary());
        let columns: Vec<usize> = text.lines().map(|line| line.split('\t').count()).collect();
        assert_eq!(columns, [8 + 22 + 28 + 5 + 4 + 2; 7]);
        let (other, ..) = fixture::run();
        assert_eq!((steps_tsv(&other), markdown(&other)), (String::new(), String::new()));
    }

    #[test]
    fn deadlocks_have_a_table_where_there_were_any() {
        let mut summary = summary();
        assert_eq!(grids(&summary).len(), 3);
        let undone = |retries| StreamRow { retries, ..StreamRow::default() };
        summary.steps[3].streams =
            [("insert", 2), ("delete", 5)].map(|(name, n)| (name.into(), undone(n))).into();
        let rows = &grids(&summary)[3].rows;
        assert_eq!(rows[1].1.iter().map(|cell| &*cell.text).collect::<Vec<_>>(), ["0", "7"]);
        assert!(rows[0].1.iter().all(|cell| cell.text == "0"));
    }
}
