//! How long statements take and how many rows they return, from their text. Numbers are roughly those of a
//! small cached table on an ordinary machine; they only need to be plausible.

use humdrum_contract::Param;

use crate::work::Work;

/// What a statement is, found once when it is prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    kind: Kind,
    /// Rows are fetched from the table, not from an index alone.
    fetches_rows: bool,
    sorts: bool,
    /// One row comes back however many are read.
    aggregates: bool,
    /// Changes what it finds.
    pub writes: bool,
    /// Takes it away.
    deletes: bool,
    /// Looks its rows up by `k`, which has an index of its own.
    by_k: bool,
    /// The table, where the text names one.
    pub table: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `BEGIN`, `COMMIT`, `SET`, and whatever else touches no table.
    Control,
    /// `= ?`.
    Point,
    /// `IN (…)`.
    List,
    /// `BETWEEN … AND …`.
    Range,
    /// No condition that an index serves.
    Scan,
    /// `INSERT`.
    Insert,
}

const STATEMENT_NS: f64 = 20_000.0;
const CONTROL_NS: f64 = 6_000.0;
const INDEX_ROW_NS: f64 = 600.0;
const FETCHED_ROW_NS: f64 = 300.0;
const RANGE_ROW_NS: f64 = 120.0;
const SCAN_ROW_NS: f64 = 90.0;
const SORT_ROW_NS: f64 = 150.0;
const WRITE_ROW_NS: f64 = 25_000.0;

impl Shape {
    /// Reads a statement's text.
    pub(crate) fn of(sql: &str) -> Self {
        let text = sql.trim().to_ascii_uppercase();
        let is = |word: &str| text.starts_with(word);
        let has = |words: &str| text.contains(words);
        let selected = text.split(" FROM ").next().unwrap_or_default();
        let kind = match () {
            () if is("INSERT") => Kind::Insert,
            () if !(is("SELECT") || is("UPDATE") || is("DELETE")) || !has(" SBTEST") => Kind::Control,
            () if has(" IN (") => Kind::List,
            () if has(" BETWEEN ") => Kind::Range,
            () if has(" WHERE ID = ") || has(" WHERE ID=") || has(" WHERE K = ") || has(" WHERE K=") => {
                Kind::Point
            }
            () => Kind::Scan,
        };
        Self {
            kind,
            fetches_rows: selected.contains(" C")
                || selected.contains(",C")
                || selected.contains('*')
                || has("(K)"),
            sorts: has("ORDER BY") || has("DISTINCT"),
            aggregates: ["COUNT(", "SUM(", "AVG(", "MIN(", "MAX("].iter().any(|name| selected.contains(name)),
            writes: !is("SELECT") && kind != Kind::Control,
            deletes: is("DELETE"),
            by_k: has(" WHERE K "),
            table: table_in(sql),
        }
    }

    /// What running it does in a table of `table_rows` rows. `numbers` are its parameters, or the numbers in
    /// its text.
    pub(crate) fn work(&self, numbers: &[i64], table_rows: u64, version: u32) -> Work {
        let fetch = if self.fetches_rows { FETCHED_ROW_NS } else { 0.0 };
        let (read, row_ns) = match self.kind {
            Kind::Control => return Work { ns: CONTROL_NS, ..Work::default() },
            Kind::Insert | Kind::Point => (1, INDEX_ROW_NS + fetch),
            Kind::List => (numbers.len() as u64, (INDEX_ROW_NS + fetch) * list_factor(numbers, version)),
            Kind::Range => (rows_between(numbers, table_rows), RANGE_ROW_NS + fetch / 3.0),
            Kind::Scan => (table_rows, SCAN_ROW_NS),
        };
        let sort_ns = if self.sorts { SORT_ROW_NS } else { 0.0 };
        let write_ns = if self.writes { WRITE_ROW_NS } else { 0.0 };
        let ns = STATEMENT_NS + read as f64 * (row_ns + sort_ns + write_ns);
        Work { ns, rows: self.rows_returned(read), rows_read: read }
    }

    /// What it takes longer where there is no index on `k`.
    pub(crate) fn without_index_ns(&self, table_rows: u64) -> f64 {
        if self.by_k { table_rows as f64 * SCAN_ROW_NS } else { 0.0 }
    }

    /// How it is run, in a line as a server would say it.
    pub(crate) fn plan(&self, no_index: bool) -> &'static str {
        match self.kind {
            Kind::Control => "Nothing",
            Kind::Insert => "Insert",
            Kind::Scan => "Seq Scan",
            _ if self.by_k && no_index => "Seq Scan",
            _ if self.by_k => "Index Scan using k_1",
            _ => "Index Scan using primary",
        }
    }

    /// What the statement does to the number of rows in its table.
    pub(crate) fn rows_after(&self, rows: u64) -> u64 {
        match (self.kind, self.deletes) {
            (Kind::Insert, _) => rows + 1,
            (Kind::Point, true) => rows.saturating_sub(1),
            _ => rows,
        }
    }

    /// Whether the statement is the same at every run: hot points and scans.
    pub(crate) fn is_always_the_same(&self, numbers: &[i64]) -> bool {
        match self.kind {
            Kind::Scan => true,
            Kind::List => neighbours(numbers),
            _ => false,
        }
    }

    /// A scan's condition (`LENGTH(c) < 0`) holds for no row.
    fn rows_returned(&self, read: u64) -> u64 {
        match self.kind {
            _ if self.aggregates => 1,
            Kind::Scan if !self.writes => 0,
            _ => read,
        }
    }
}

/// Release 2.0 finds neighbouring keys in half the time: its own hot-points story.
fn list_factor(numbers: &[i64], version: u32) -> f64 {
    if neighbours(numbers) && version >= 2 { 0.4 } else { 1.0 }
}

fn neighbours(numbers: &[i64]) -> bool {
    numbers.len() > 1 && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

fn rows_between(numbers: &[i64], table_rows: u64) -> u64 {
    let [.., low, high] = numbers else { return 0 };
    let last = i64::try_from(table_rows).unwrap_or(i64::MAX);
    (*high.min(&last) - *low.max(&1) + 1).max(0).cast_unsigned()
}

/// The numbers of prepared parameters.
pub(crate) fn numbers_of(params: &[Param<'_>], numbers: &mut Vec<i64>) {
    numbers.clear();
    numbers.extend(params.iter().filter_map(|param| match param {
        Param::Int(number) => Some(i64::from(*number)),
        Param::Long(number) => Some(*number),
        Param::Bool(_) | Param::Text(_) | Param::Null => None,
    }));
}

/// The numbers in a literal statement's condition.
pub(crate) fn numbers_in(sql: &str, numbers: &mut Vec<i64>) {
    numbers.clear();
    let upper = sql.to_ascii_uppercase();
    let condition = upper.find(" WHERE ").map_or("", |start| &upper[start..]);
    let words = condition.split(|c: char| !c.is_ascii_alphanumeric());
    numbers.extend(words.filter_map(|word| word.parse::<i64>().ok()));
}

fn table_in(sql: &str) -> Option<String> {
    let lower = sql.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.find(|word| word.starts_with("sbtest")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(sql: &str, numbers: &[i64], version: u32) -> Work {
        Shape::of(sql).work(numbers, 1000, version)
    }

    #[test]
    fn rows_follow_the_statement() {
        let hundred: Vec<i64> = (501..=600).collect();
        assert_eq!(work("SELECT c FROM sbtest1 WHERE id IN ($1,$2)", &hundred, 1).rows, 100);
        assert_eq!(work("SELECT c FROM sbtest1 WHERE id = $1", &[7], 1).rows, 1);
        assert_eq!(work("SELECT id FROM sbtest1 WHERE id BETWEEN $1 AND $2", &[10, 110], 1).rows, 101);
        assert_eq!(work("SELECT id FROM sbtest1 WHERE id BETWEEN $1 AND $2", &[950, 1050], 1).rows, 51);
        assert_eq!(work("SELECT COUNT(c) FROM sbtest1 WHERE id BETWEEN $1 AND $2", &[1, 1000], 1).rows, 1);
        assert_eq!(work("SELECT * FROM sbtest1 WHERE LENGTH(c) < 0", &[0], 1).rows, 0);
        assert_eq!(work("UPDATE sbtest1 SET k=k+1 WHERE id=$1", &[5], 1).rows, 1);
        assert_eq!(work("BEGIN", &[], 1).rows, 0);
    }

    #[test]
    fn more_work_takes_longer() {
        let range = |sql: &str| work(sql, &[1, 1000], 1).ns;
        let plain = range("SELECT c FROM sbtest1 WHERE id BETWEEN $1 AND $2");
        let sorted = range("SELECT c FROM sbtest1 WHERE id BETWEEN $1 AND $2 ORDER BY c");
        let covered = range("SELECT id FROM sbtest1 WHERE id BETWEEN $1 AND $2");
        assert!(covered < plain && plain < sorted);
        assert!(work("SELECT * FROM sbtest1 WHERE LENGTH(c) < 0", &[0], 1).ns > 90_000.0);
    }

    #[test]
    fn release_two_is_twice_as_fast_on_neighbouring_keys_only() {
        let sql = "SELECT c FROM sbtest1 WHERE id IN (…)";
        let (hot, random): (Vec<i64>, Vec<i64>) = ((501..=600).collect(), (0..100).map(|n| n * 7).collect());
        let ratio = work(sql, &hot, 1).ns / work(sql, &hot, 2).ns;
        assert!((1.9..2.1).contains(&ratio), "{ratio}");
        assert_eq!(work(sql, &random, 1), work(sql, &random, 2));
    }

    #[test]
    fn literal_numbers_come_from_the_condition() {
        let mut numbers = Vec::new();
        numbers_in("SELECT c FROM sbtest12 WHERE id BETWEEN 10 AND 20", &mut numbers);
        assert_eq!(numbers, [10, 20]);
        assert_eq!(table_in("SELECT c FROM sbtest12 WHERE id = 1").as_deref(), Some("sbtest12"));
    }
}
