//! Counters in, scripts and samples out.

use std::fs;

use humdrum_contract::{Column, Fetched, TableColumn, ValueKind};

use super::*;
use crate::{Layout, Written, write};

fn counted(text: &str, calls: u64, seconds: f64, rows: u64) -> CountedStatement {
    CountedStatement { key: text.to_owned(), text: text.to_owned(), calls, seconds, rows }
}

fn table(name: &str) -> TableName {
    vec![name.to_owned()]
}

/// Two tables, `users` and `orders`, with 40 rows each; row N has N in all integers.
fn known(live: &Live) -> Known {
    let integer = || ValueKind::Integer { most: i64::from(i32::MAX) };
    let text = || ValueKind::Text { characters: None };
    let column = |name: &str, kind, unique: &[&str], refers| TableColumn {
        name: name.to_owned(),
        kind,
        unique_in: unique.iter().map(|index| (*index).to_owned()).collect(),
        refers,
    };
    let mut known = Known::default();
    let users = vec![
        column("id", integer(), &["users_pkey"], false),
        column("name", text(), &["users_name"], false),
        column("age", integer(), &[], false),
    ];
    let orders = vec![
        column("user_id", integer(), &["orders_pkey"], true),
        column("day", ValueKind::Moment, &["orders_pkey"], false),
        column("amount", integer(), &[], false),
    ];
    for (name, columns) in [("users", users), ("orders", orders)] {
        if live.tables().contains(&table(name)) {
            known.columns.insert(table(name), columns);
        }
    }
    let wants = live.wants(&known);
    for (name, columns) in wants.rows {
        let is_integer = |column: &String| !["name", "day"].contains(&column.as_str());
        let value = |column: &String, row: usize| match column.as_str() {
            "name" => format!("user {row}"),
            "day" => format!("2026-01-{:02}", row % 28 + 1),
            _ => row.to_string(),
        };
        let rows = (1..=40).map(|row| columns.iter().map(|column| Some(value(column, row))).collect());
        let rows = rows.collect();
        let titles =
            columns.iter().map(|column| Column { name: column.clone(), is_integer: is_integer(column) });
        known.rows.insert(name, Fetched { columns: titles.collect(), rows });
    }
    known.highest.extend(wants.highest.into_iter().map(|what| (what, 40)));
    known
}

struct Folder {
    place: tempfile::TempDir,
    tests: Vec<Written>,
}

impl Folder {
    fn of(statements: &[CountedStatement], dialect: Dialect, mut change: impl FnMut(&mut Known)) -> Self {
        let live = Live::of(statements.to_vec(), dialect, 20);
        let mut known = known(&live);
        change(&mut known);
        let patterns = live.patterns(&known, Options { samples: 30, seed: 1 });
        let place = tempfile::tempdir().expect("a folder");
        let layout = Layout { name: "shop", about: "captured", top: 20, data: None, mask: None };
        let tests = write(patterns, dialect, &layout, &place.path().join("shop")).expect("written");
        Self { place, tests }
    }

    fn file(&self, name: &str) -> String {
        let path = self.place.path().join("shop").join(name);
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"))
    }
}

/// The script of one statement, and its samples.
fn made(text: &str, dialect: Dialect, rows: u64) -> (String, Vec<Vec<String>>) {
    let folder = Folder::of(&[counted(text, 10, 1.0, 10 * rows)], dialect, |_| {});
    let name = &folder.tests[0].name;
    let samples = match folder.tests[0].samples {
        0 => Vec::new(),
        _ => {
            let csv = folder.file(&format!("{name}.csv"));
            csv.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
        }
    };
    (folder.file(&format!("{name}.sql")), samples)
}

use Dialect::{MySql, Postgres};

#[test]
fn values_of_a_statement_are_those_of_one_row() {
    let text = "SELECT * FROM users AS u JOIN orders o ON o.user_id = u.id WHERE u.name = $1 AND u.age = $2 AND o.amount <> $3";
    let (script, rows) = made(text, Postgres, 1);
    assert!(script.starts_with("\\sample select-users.csv\nSELECT"), "{script}");
    assert!(script.contains("u.name = :name AND u.age = :age AND o.amount <> :amount"), "{script}");
    assert_eq!(rows.len(), 31);
    assert!(rows[1..].iter().all(|row| row[0] == format!("\"user {}\"", row[1])), "{rows:?}");
}

#[test]
fn lists_and_new_values_are_of_other_rows() {
    let (script, rows) = made("UPDATE users SET age = $1 WHERE id IN ($2, $3)", Postgres, 1);
    assert!(script.contains("SET age = :age WHERE id IN (:id, :id_2)"), "{script}");
    let row: Vec<i64> = rows[1].iter().map(|value| value.parse().expect("a number")).collect();
    assert_eq!(row, [21, 1, 2]);
}

#[test]
fn a_placeholder_that_is_there_twice_has_one_value() {
    let (script, rows) = made("SELECT 1 FROM users WHERE $1 > 0 AND id = $1 AND age > $2", Postgres, 1);
    assert!(script.contains(":id > 0 AND id = :id AND age > :age"), "{script}");
    assert_eq!(rows[1], ["1", "1"]);
}

#[test]
fn ranges_are_as_long_as_rows_per_run_suggest() {
    let (script, rows) = made("SELECT * FROM users WHERE age BETWEEN $1 AND $2", Postgres, 20);
    assert!(script.contains("-- age_to: the range has 20 numbers"), "{script}");
    assert_eq!(rows[1], ["1", "20"]);
    let (script, rows) = made("SELECT sum(age) FROM users WHERE age >= $1 AND age < $2", Postgres, 1);
    assert!(script.contains("age >= :age AND age < :age_2") && rows[3] == ["3", "102"], "{script} {rows:?}");
    let (_, rows) = made("SELECT * FROM orders WHERE day BETWEEN $1 AND $2", Postgres, 3);
    assert_eq!(rows[1], ["\"2026-01-02\"", "\"2026-01-03\""]);
    // A sample of a run has the length.
    let (script, rows) = made("SELECT * FROM users WHERE age BETWEEN 5 AND 12", MySql, 3);
    assert_eq!(rows[1], ["1", "8"]);
    assert!(!script.contains("--"), "{script}");
}

#[test]
fn a_row_that_is_inserted_is_new() {
    let text = "INSERT INTO users (id, name, age) VALUES ($1, $2, $3), ($4, $5, $6)";
    let (script, rows) = made(text, Postgres, 1);
    assert!(script.contains("\\set id random(41, 2147483647)\n"), "{script}");
    assert!(script.contains("\\set name random(100000000000000000, 999999999999999999)\n"), "{script}");
    assert!(script.contains("VALUES (:id, :name, :age), (:id_2, :name_2, :age_2)"), "{script}");
    assert_eq!((rows[0].len(), &*rows[1][0], &*rows[1][1]), (2, "1", "2"));
    // What refers to other tables stays, and that a unique index refuses it is told.
    let (script, rows) = made("INSERT INTO orders VALUES ($1, $2, $3)", Postgres, 1);
    assert!(
        script.contains("-- rows like these are there already, and the unique index orders_pkey"),
        "{script}"
    );
    assert_eq!(rows[1], ["1", "\"2026-01-02\"", "1"]);
    // Of four bytes there are so few numbers that two runs may draw one.
    let (script, _) = made("INSERT INTO users VALUES ($1, $2, $3) RETURNING id", Postgres, 1);
    assert!(script.contains(":age) ON CONFLICT DO NOTHING RETURNING id;"), "{script}");
    let (script, _) = made("INSERT INTO users VALUES (7, 'a', 3)", MySql, 1);
    assert!(script.contains("\nINSERT IGNORE INTO users VALUES (:id, :name, :age);"), "{script}");
    let (script, _) = made("INSERT INTO users VALUES (7, 'a', 3) ON DUPLICATE KEY UPDATE age = 5", MySql, 1);
    assert!(!script.contains("\\set"), "{script}");
}

#[test]
fn what_no_column_tells_is_usual_and_said() {
    let text = "SELECT * FROM users WHERE name LIKE $1 AND age + $2 > 3 ORDER BY id LIMIT $3 OFFSET $4";
    let (script, rows) = made(text, Postgres, 7);
    for wanted in [
        "\\set limit 7\n",
        "\\set offset 0\n",
        "\\set age 1\n",
        "-- limit: so many rows",
        "LIMIT :limit OFFSET :offset",
    ] {
        assert!(script.contains(wanted), "{wanted}: {script}");
    }
    assert_eq!(rows[1], ["\"use%\""]);
    let (script, _) = made("UPDATE users SET age = age + $1 WHERE id = $2", Postgres, 1);
    assert!(script.contains("\\set age 1\n") || script.contains("\\set value 1\n"), "{script}");
    // An example has its own.
    let (script, _) = made("SELECT * FROM users WHERE name LIKE 'us%' ORDER BY id LIMIT 5", MySql, 7);
    assert!(script.contains("LIMIT 5") && script.contains("LIKE 'us%'"), "{script}");
}

#[test]
fn types_in_front_of_placeholders_become_casts() {
    let (script, _) = made("SELECT * FROM orders WHERE day > date $1 - interval $2", Postgres, 1);
    assert!(script.contains("day > CAST(:") && script.contains(" AS interval)"), "{script}");
}

#[test]
fn arrays_have_as_many_elements_as_rows_suggest() {
    let (_, rows) = made("SELECT * FROM users WHERE name = ANY($1)", Postgres, 2);
    assert_eq!(rows[1].join(","), "\"{\"\"user 1\"\",\"\"user 2\"\"}\"");
}

#[test]
fn a_table_that_cannot_be_read_leaves_usual_values() {
    let statements = [counted("SELECT * FROM users WHERE name = $1 AND id = $2", 10, 1.0, 10)];
    let folder = Folder::of(&statements, Postgres, |known| known.rows.clear());
    let script = folder.file("select-users.sql");
    assert!(script.contains("-- id: the rows of users could not be read"), "{script}");
    assert!(script.contains("-- name: always x: the rows of users could not be read"), "{script}");
    assert!(script.contains("\\set id 1\n") && folder.file("select-users.csv").contains("\"x\""), "{script}");
    assert_eq!(folder.tests[0].remarks.len(), 2);
}

#[test]
fn the_difference_of_two_readings_is_what_ran() {
    let before = [counted("a", 10, 1.0, 10), counted("b", 5, 1.0, 5), counted("c", 100, 9.0, 1)];
    let after = vec![
        counted("a", 13, 1.5, 16),
        counted("b", 5, 1.0, 5),
        counted("c", 2, 0.5, 2),
        counted("d", 1, 0.1, 1),
    ];
    let found = between(&before, after);
    let short: Vec<(&str, u64, f64, u64)> =
        found.iter().map(|one| (&*one.text, one.calls, one.seconds, one.rows)).collect();
    assert_eq!(short, [("a", 3, 0.5, 6), ("c", 2, 0.5, 2), ("d", 1, 0.1, 1)]);
}

#[test]
fn what_is_not_replayed_is_counted() {
    let own = format!("SELECT a FROM t AS {SAMPLING_MARK}");
    let statements = [
        counted("SELECT * FROM users WHERE id = $1", 10, 1.0, 10),
        counted("COMMIT", 7, 0.1, 0),
        counted("SELECT * FROM pg_class", 3, 0.1, 0),
        counted(&own, 100, 0.1, 0),
        counted("SELECT FROM WHERE", 2, 0.1, 0),
    ];
    let mut live = Live::of(statements.to_vec(), Postgres, 20);
    live.without_text("hidden".to_owned(), 4);
    let cut = ("SELECT FROM WHERE".to_owned(), Placeholders::NoStatement(String::new()));
    live.refuse(&Known { placeholders: HashMap::from([cut]), ..Known::default() });
    assert_eq!((live.statements, live.left_out.values().sum::<u64>()), (26, 16));
    assert_eq!(live.texts().count(), 1);
}
