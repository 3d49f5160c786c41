//! The two kinds of table on a terminal: a group's verdicts, and what an operation costs.

use anstyle::{AnsiColor, Effects};
use humdrum_model::TestResult;

use super::series::fitting;
use crate::judged::{Column, rows};
use crate::number::{self, interval, percent, ratio, short_or_none};
use crate::style::Style;
use crate::table::{Align, Table};
use crate::text::{clean, shorten};
use crate::words::{self, Outcome};

/// One group's verdicts. `names` is the widest name of any group: tables one above the other should share their
/// columns.
pub(super) fn results(
    style: Style,
    width: usize,
    group: &str,
    tests: &[&TestResult],
    names: usize,
) -> Vec<String> {
    let group = format!("{:names$}", shorten(&clean(group), 20));
    let mut columns = vec![
        (group.as_str(), Align::Left),
        ("rQPS  95 % interval ", Align::Right),
        ("verdict       ", Align::Left),
        ("base QPS", Align::Right),
        ("     QPS", Align::Right),
    ];
    if style.verbose {
        columns.extend(["p", "MDE", "blocks"].map(|name| (name, Align::Right)));
    }
    let mut table = Table::new(&columns);
    table.rows = tests.iter().map(|test| row(test, style.verbose)).collect();
    let outcomes: Vec<Outcome> = tests.iter().map(|test| Outcome::of(test)).collect();
    let paint = |row: usize, column: usize, cell: &str| match column {
        2 => painted(style, outcomes[row], cell),
        _ => cell.to_owned(),
    };
    table.lines(width, paint)
}

fn row(test: &TestResult, verbose: bool) -> Vec<String> {
    let known = test.rqps.is_some_and(f64::is_finite);
    let rqps = match known {
        true => format!("{}  {}", ratio(test.rqps), interval(test.ci95)),
        false => number::NONE.to_owned(),
    };
    let mut cells = vec![
        clean(&test.test),
        rqps,
        words::marked(test),
        short_or_none(test.base_qps),
        short_or_none(test.qps),
    ];
    if verbose {
        cells.push(test.p_adjusted.map_or_else(|| number::NONE.into(), |p| format!("{p:.4}")));
        cells.push(test.minimum_detectable.map_or_else(|| number::NONE.into(), percent));
        cells.push(format!("{}/{}", test.blocks, test.sessions));
    }
    cells
}

/// A cost table that fits.
pub(super) struct Costs {
    pub(super) lines: Vec<String>,
    /// Headings of the costs that are zero in every test.
    pub(super) zero: Vec<String>,
    /// Whether every cost shows the base too.
    pub(super) both: bool,
}

/// The costs of all tests; `None` where nothing was measured.
pub(super) fn costs(tests: &[TestResult], width: usize) -> Option<Costs> {
    let (columns, zero) = crate::cost::brief(tests);
    if columns.is_empty() {
        return None;
    }
    let wide = cost_table(tests, &columns, true);
    let both = wide.narrowest() <= width;
    let table = if both { wide } else { cost_table(tests, &columns, false) };
    Some(Costs { lines: table.lines(width, |_, _, cell| cell.to_owned()), zero, both })
}

/// With both sides of every cost; if `both` is false, the base's side only for the server's CPU.
fn cost_table(tests: &[TestResult], columns: &[crate::cost::Column], both: bool) -> Table {
    let mut headings = vec![("test", Align::Left)];
    for column in columns {
        headings.push((column.heading.as_str(), Align::Right));
        if column.name == "server_cpu_us" {
            headings.push(("ratio", Align::Right));
        }
    }
    let mut table = Table::new(&headings);
    table.rows = tests
        .iter()
        .filter(|test| !test.cost.is_empty())
        .map(|test| {
            let mut cells = vec![clean(&test.test)];
            for column in columns {
                let cost = test.cost.get(&column.name);
                let server = column.name == "server_cpu_us";
                cells.push(match both || server {
                    true => crate::cost::arrow(cost),
                    false => short_or_none(cost.map(|cost| cost.subject)),
                });
                if server {
                    cells.push(crate::cost::relative(cost));
                }
            }
            cells
        })
        .collect();
    table
}

/// How far the verdicts carry, and those on other quantities: the tests that have any of it.
pub(super) fn judged(tests: &[TestResult], columns: &[Column], width: usize) -> Vec<String> {
    let mut headings = vec![("test", Align::Left)];
    headings.extend(columns.iter().map(|column| (column.heading(), Align::Right)));
    let mut table = Table::new(&headings);
    let row = |test: &TestResult| {
        let cells = columns.iter().map(|column| column.cell(test));
        std::iter::once(clean(&test.test)).chain(cells).collect()
    };
    table.rows = rows(tests).map(row).collect();
    table.lines(width, |_, _, cell| cell.to_owned())
}

/// The scripts of mixes.
pub(super) fn scripts(rows: Vec<(String, [String; 4])>, width: usize) -> Vec<String> {
    let mut headings = vec![("script", Align::Left)];
    headings.extend(crate::scripts::HEADINGS.map(|heading| (heading, Align::Right)));
    let mut table = Table::new(&headings);
    table.rows = rows.into_iter().map(|(name, cells)| std::iter::once(name).chain(cells).collect()).collect();
    table.lines(width, |_, _, cell| cell.to_owned())
}

/// The store's columns of all tests, in as many tables as the width asks for.
pub(super) fn stores(tests: &[TestResult], width: usize) -> Vec<String> {
    let columns = crate::store::columns(tests);
    let shown: Vec<&TestResult> = tests.iter().filter(|test| !test.cost.is_empty()).collect();
    let table = |part: &[crate::store::Column]| {
        let mut headings = vec![("test", Align::Left)];
        headings.extend(part.iter().map(|column| (column.heading, Align::Right)));
        let mut table = Table::new(&headings);
        let row = |test: &&TestResult| {
            let cells = part.iter().map(|column| column.arrow(test));
            std::iter::once(clean(&test.test)).chain(cells).collect()
        };
        table.rows = shown.iter().map(row).collect();
        table
    };
    let tables = fitting(&columns, width, table);
    tables.iter().flat_map(|table| table.lines(width, |_, _, cell| cell.to_owned())).collect()
}

fn painted(style: Style, outcome: Outcome, cell: &str) -> String {
    let color = match outcome {
        Outcome::Improvement => Some(AnsiColor::Cyan),
        Outcome::Regression => Some(AnsiColor::Yellow),
        Outcome::Status(humdrum_model::TestStatus::SlaMissed) => Some(AnsiColor::BrightBlack),
        Outcome::Status(_) => Some(AnsiColor::Magenta),
        Outcome::Boring | Outcome::Inconclusive | Outcome::Unstable => None,
    };
    match color.filter(|_| style.color) {
        Some(color) => {
            let paint = anstyle::Style::new().fg_color(Some(color.into())).effects(Effects::BOLD);
            format!("{paint}{cell}{paint:#}")
        }
        None => cell.to_owned(),
    }
}
