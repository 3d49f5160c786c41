//! Data for external tables: that of DataFusion's repository where the files are in a checkout of it, or else CSV files made up
//! from the declared columns. DataFusion's crates do not ship the former; over the latter the two runs are compared with each other.

use std::ops::Range;
use std::path::Path;
use std::{fs, io};

use datafusion::common::DataFusionError;
use datafusion::sql::parser::{CreateExternalTable, DFParser, Statement};
use datafusion::sql::sqlparser::ast::{ColumnDef, ColumnOption, Expr};

const ROWS: usize = 100;

/// How many files a directory gets: as many as DataFusion's `partitioned_csv` has.
const FILES: usize = 4;

/// Exponents that permute the numbers 1 to 100 modulo 101, since none has a divisor in common with 100. A column has each
/// number once, so sorts by any column have one answer, and no column's order is another's.
const EXPONENTS: [usize; 15] = [3, 7, 9, 11, 13, 17, 19, 21, 23, 27, 29, 31, 33, 37, 39];

/// If `sql` creates an external table, copies its data from where they are relative to the folder `files`, or makes them up.
pub fn provide(sql: &str, files: &Path) -> Result<(), DataFusionError> {
    let Ok(statements) = DFParser::parse_sql(sql) else { return Ok(()) };
    for statement in &statements {
        let Statement::CreateExternalTable(table) = statement else { continue };
        for location in table.locations.iter().map(Path::new).filter(|location| location.is_relative()) {
            let shipped = files.join(location);
            if shipped.exists() && !location.starts_with("test_files") {
                copy(&shipped, location)?;
            } else if location.starts_with("..") && table.file_type == "CSV" && !table.columns.is_empty() {
                make_up(table, location)?;
            }
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        return fs::read_dir(from)?.try_for_each(|entry| {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))
        });
    }
    fs::create_dir_all(to.parent().unwrap_or(to))?;
    fs::copy(from, to).map(drop)
}

/// Writes the table's rows. A later table over the same file writes it again, since it may declare another order.
fn make_up(table: &CreateExternalTable, location: &Path) -> io::Result<()> {
    let columns = columns(table);
    let headed =
        |(name, value): &(String, _)| name.ends_with("has_header") && format!("{value}").contains("true");
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.value.as_str()).collect();
    let header = if table.options.iter().any(headed) { names.join(",") + "\n" } else { String::new() };
    let lines = |rows: Range<usize>| -> String {
        let line = |row| columns.iter().map(|column| column.text(row)).collect::<Vec<_>>().join(",") + "\n";
        header.clone() + &rows.map(line).collect::<String>()
    };
    if location.extension().is_some() {
        fs::create_dir_all(location.parent().unwrap_or(location))?;
        return fs::write(location, lines(0..ROWS));
    }
    fs::create_dir_all(location)?;
    let part = ROWS / FILES;
    (0..FILES).try_for_each(|at| {
        fs::write(location.join(format!("partition-{at}.csv")), lines(at * part..(at + 1) * part))
    })
}

/// What a column is filled with.
struct Column {
    kind: String,
    /// Has six values, for groups and partitions: a TINYINT, or a text as the first column.
    coarse: bool,
    nullable: bool,
    numbers: Numbers,
}

enum Numbers {
    /// Each number once, by this exponent.
    Permuted(usize),
    /// So many numbers, one after the other, as a declared order has it.
    Ordered { distinct: usize, descending: bool },
}

/// The columns in order, those of the declared orders from the coarsest to one of distinct values: the rows then satisfy all
/// of these orders at once.
fn columns(table: &CreateExternalTable) -> Vec<Column> {
    let mut ordered: Vec<(String, bool)> = Vec::new();
    for expression in table.order_exprs.iter().flatten() {
        let Expr::Identifier(name) = &expression.expr else { continue };
        if !ordered.iter().any(|(other, _)| *other == name.value) {
            ordered.push((name.value.clone(), expression.options.asc == Some(false)));
        }
    }
    let column = |(at, column): (usize, &ColumnDef)| {
        let place = ordered.iter().position(|(name, _)| *name == column.name.value);
        let numbers = match place {
            Some(place) if place + 1 == ordered.len() => {
                Numbers::Ordered { distinct: ROWS, descending: ordered[place].1 }
            }
            Some(place) => Numbers::Ordered { distinct: 2 << place, descending: ordered[place].1 },
            None => Numbers::Permuted(EXPONENTS[at % EXPONENTS.len()]),
        };
        let whole =
            |option: &ColumnOption| matches!(option, ColumnOption::NotNull | ColumnOption::PrimaryKey(_));
        let nullable = place.is_none() && !column.options.iter().any(|option| whole(&option.option));
        let declared = column.data_type.to_string().to_uppercase();
        let kind = declared.split(['(', ' ']).next().unwrap_or_default().to_string();
        Column { coarse: kind == "TINYINT" || at == 0 && kind == "VARCHAR", kind, nullable, numbers }
    };
    table.columns.iter().enumerate().map(column).collect()
}

impl Column {
    /// The value of a row; an empty one is NULL.
    fn text(&self, row: usize) -> String {
        let number = match self.numbers {
            Numbers::Permuted(exponent) => (0..exponent).fold(1, |power, _| power * (row + 1) % (ROWS + 1)),
            Numbers::Ordered { distinct, descending: false } => row * distinct / ROWS + 1,
            Numbers::Ordered { distinct, descending: true } => distinct - row * distinct / ROWS,
        };
        // No more than one NULL, since a sort by the column must have one answer.
        if self.nullable && number == 9 {
            return String::new();
        }
        let number = if self.coarse { number / 20 } else { number };
        match self.kind.as_str() {
            "BOOLEAN" => (number % 2 == 0).to_string(),
            "DATE" => format!("{}-01-01", 2000 + number),
            // Positive and negative, and never a number of another type's column: `union.slt` sorts a union of the two.
            "SMALLINT" => (300 * number as i32 - 14_850).to_string(),
            "TIMESTAMP" => format!("2024-01-01T{:02}:{:02}:00", number / 60, number % 60),
            "VARCHAR" if self.coarse => ["a", "b", "c", "d", "e", "f"][number].into(),
            "VARCHAR" => format!("a text of {number:03}"),
            "DECIMAL" | "DOUBLE" | "FLOAT" => format!("{number}.25"),
            _ => number.to_string(),
        }
    }
}
