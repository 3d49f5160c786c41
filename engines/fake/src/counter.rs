//! A running server that has counted statements of a small shop, `fake://shop`. What is behind a `?` in the URL makes it idle,
//! not count, or refuse to show rows.

use humdrum_contract::{
    Column, Counted, CountedStatement, Fetched, Outcome, Placeholders, SAMPLING_MARK, StatementCounter,
    TableColumn, TableName, ValueKind,
};
use humdrum_model::Fault;

/// What can be behind the `?`.
const MODES: [&str; 4] = ["", "idle", "off", "refuses"];

/// (text, runs between two readings, milliseconds of each, rows of each)
const STATEMENTS: [(&str, u64, f64, u64); 7] = [
    ("SELECT name FROM products WHERE id = $1", 300, 1.0, 1),
    ("UPDATE products SET stock = stock - $1 WHERE id = $2", 100, 2.0, 1),
    ("INSERT INTO orders VALUES ($1, $2, $3, $4)", 100, 3.0, 1),
    ("SELECT id FROM products WHERE stock BETWEEN $1 AND $2 ORDER BY name LIMIT $3", 50, 1.5, 20),
    ("SELECT count(*) FROM orders WHERE note LIKE $1 AND day > now() - $2", 10, 1.0, 1),
    ("BEGIN", 100, 0.1, 0),
    ("SELECT name FROM products WHERE", 5, 0.1, 0),
];
/// Rows of each table.
const ROWS: usize = 500;

pub(crate) struct FakeCounter {
    mode: String,
    readings: u64,
}

impl FakeCounter {
    pub(crate) fn open(url: &str) -> Outcome<Self> {
        let (_, mode) = url.split_once('?').unwrap_or((url, ""));
        if !url.starts_with("fake://") || !MODES.contains(&mode) {
            let what = format!("{url} is no fake server");
            return Err(
                Fault::usage(what).hint(format!("write fake://shop?MODE; modes: {}", MODES[1..].join(", ")))
            );
        }
        if mode == "off" {
            return Err(Fault::usage("this server counts nothing").hint("let it count"));
        }
        Ok(Self { mode: mode.to_owned(), readings: 0 })
    }

    fn refuses(&self, table: &TableName) -> Outcome<()> {
        match self.mode == "refuses" && *table == ["products"] {
            true => Err(Fault::environment("permission denied, as ordered")),
            false => Ok(()),
        }
    }
}

/// Columns: name, kind, unique, refers.
fn columns_of(table: &str) -> Vec<TableColumn> {
    let integer = || ValueKind::Integer { most: i64::from(i32::MAX) };
    let text = || ValueKind::Text { characters: Some(40) };
    let of = |name: &str, kind, unique: bool, refers| TableColumn {
        name: name.to_owned(),
        kind,
        unique_in: unique.then(|| format!("{table}_pkey")).into_iter().collect(),
        refers,
    };
    match table {
        "products" => {
            vec![
                of("id", integer(), true, false),
                of("name", text(), false, false),
                of("stock", integer(), false, false),
            ]
        }
        "orders" => vec![
            of("id", integer(), true, false),
            of("product", integer(), false, true),
            of("note", text(), false, false),
            of("day", ValueKind::Moment, false, false),
        ],
        _ => Vec::new(),
    }
}

impl StatementCounter for FakeCounter {
    fn placeholder(&self) -> String {
        "$1".to_owned()
    }

    fn database(&self) -> String {
        "shop".to_owned()
    }

    fn count(&mut self) -> Outcome<Counted> {
        self.readings += u64::from(self.mode != "idle" || self.readings == 0);
        let own = format!("SELECT 1 AS {SAMPLING_MARK}");
        let own = (own.as_str(), 9, 9.0, 1);
        let counted = |(text, calls, ms, rows): (&str, u64, f64, u64)| {
            let calls = calls * self.readings;
            CountedStatement {
                key: text.to_owned(),
                text: text.to_owned(),
                calls,
                seconds: calls as f64 * ms / 1000.0,
                rows: calls * rows,
            }
        };
        Ok(Counted {
            statements: STATEMENTS.into_iter().chain([own]).map(counted).collect(),
            without_text: vec![("their texts are hidden, as ordered".to_owned(), 7 * self.readings)],
            ..Counted::default()
        })
    }

    fn columns(&mut self, table: &TableName) -> Outcome<Vec<TableColumn>> {
        Ok(columns_of(&table.join(".")))
    }

    /// Row N has N in its columns of integers, and the others follow from it.
    fn rows(&mut self, table: &TableName, columns: &[String], most: usize) -> Outcome<Fetched> {
        self.refuses(table)?;
        let all = columns_of(&table.join("."));
        let is_integer = |name: &String| {
            all.iter().any(|column| column.name == *name && matches!(column.kind, ValueKind::Integer { .. }))
        };
        let known = columns.iter().map(|name| Column { name: name.clone(), is_integer: is_integer(name) });
        let value = |row: usize, name: &String| match is_integer(name) {
            true => Some((row + 1).to_string()),
            false => Some(format!("{name} of {}", row + 1)),
        };
        let rows = (0..most.min(ROWS)).map(|row| columns.iter().map(|name| value(row, name)).collect());
        Ok(Fetched { columns: known.collect(), rows: rows.collect() })
    }

    fn highest(&mut self, table: &TableName, _column: &str) -> Outcome<Option<i64>> {
        self.refuses(table)?;
        Ok(Some(ROWS as i64))
    }

    fn placeholders(&mut self, statement: &str) -> Outcome<Placeholders> {
        Ok(match statement {
            cut if cut.ends_with("WHERE") => Placeholders::NoStatement("it ends too early".to_owned()),
            span if span.contains("now()") => {
                Placeholders::Known(vec![ValueKind::Text { characters: None }, ValueKind::Span])
            }
            _ => Placeholders::Unknown,
        })
    }
}
