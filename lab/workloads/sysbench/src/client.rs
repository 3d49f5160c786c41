//! The operations. A client holds prepared statements and one buffer of parameters; an operation draws its
//! numbers from the seed it is given, so that every subject is asked the same.
//!
//! Ranges start where they fit whole: at the small scales of a quick run, a range of 10,000 rows that starts
//! near the table's end would otherwise be short, and an operation would not be one size.

use humdrum_contract::{Answer, Client, Dialect, Outcome, Param, ParamType, SqlSession, Statement};
use humdrum_model::Scale;

use crate::definitions::{Definition, POINTS_PER_TRANSACTION, RangeQuery, Shape};
use crate::random::Random;
use crate::tables;

/// Makes the client of a test.
pub(crate) fn open(
    definition: &'static Definition,
    mut session: Box<dyn SqlSession>,
    dialect: &dyn Dialect,
    scale: &Scale,
    number: u32,
) -> Outcome<Box<dyn Client>> {
    let sql = Sql { session: &mut *session, dialect };
    let tables = tables(scale).iter().map(|table| sql_of(&definition.shape, table)).collect::<Vec<_>>();
    let statements = prepare_all(sql, &tables)?;
    Ok(Box::new(SysbenchClient {
        session,
        shape: &definition.shape,
        rows: scale.rows,
        own_table: number as usize % tables.len(),
        texts: tables,
        statements,
        params: Vec::new(),
    }))
}

struct Sql<'a> {
    session: &'a mut dyn SqlSession,
    dialect: &'a dyn Dialect,
}

/// The statements of one table, with `?` for each parameter.
type Texts = Vec<String>;

fn sql_of(shape: &Shape, table: &str) -> Texts {
    match shape {
        Shape::InList { columns, key, count, .. } => {
            let marks = vec!["?"; *count].join(", ");
            vec![format!("SELECT {columns} FROM {table} WHERE {key} IN ({marks})")]
        }
        Shape::Point => vec![point(table)],
        Shape::Range { columns, key, .. } => vec![between(columns, table, key, "")],
        Shape::Scan => vec![format!("SELECT * FROM {table} WHERE LENGTH(c) < 0")],
        Shape::Transaction { ranges, .. } => {
            let mut texts = vec!["BEGIN".to_owned(), "COMMIT".to_owned(), point(table)];
            texts.extend(ranges.iter().map(|range| range_query(*range, table)));
            texts
        }
    }
}

fn point(table: &str) -> String {
    format!("SELECT c FROM {table} WHERE id = ?")
}

fn between(columns: &str, table: &str, key: &str, tail: &str) -> String {
    format!("SELECT {columns} FROM {table} WHERE {key} BETWEEN ? AND ?{tail}")
}

fn range_query(range: RangeQuery, table: &str) -> String {
    match range {
        RangeQuery::Simple => between("c", table, "id", ""),
        RangeQuery::Sum => between("SUM(k)", table, "id", ""),
        RangeQuery::Order => between("c", table, "id", " ORDER BY c"),
        RangeQuery::Distinct => between("DISTINCT c", table, "id", " ORDER BY c"),
    }
}

/// Prepares every statement of every table; the scan stays literal text, as in the reference.
fn prepare_all(sql: Sql<'_>, tables: &[Texts]) -> Outcome<Vec<Vec<Statement>>> {
    let Sql { session, dialect } = sql;
    let mut all = Vec::new();
    for texts in tables {
        let prepare = |text: &String| prepare(session, dialect, text);
        all.push(texts.iter().map(prepare).collect::<Outcome<Vec<_>>>()?);
    }
    Ok(all)
}

fn prepare(session: &mut dyn SqlSession, dialect: &dyn Dialect, text: &str) -> Outcome<Statement> {
    let mut parts = text.split('?');
    let mut sql = parts.next().unwrap_or_default().to_owned();
    let mut count = 0;
    for part in parts {
        count += 1;
        sql.push_str(&dialect.placeholder(count));
        sql.push_str(part);
    }
    session.prepare(&sql, &vec![ParamType::Int; count])
}

struct SysbenchClient {
    session: Box<dyn SqlSession>,
    shape: &'static Shape,
    rows: u64,
    /// The table that this client scans: client number modulo tables.
    own_table: usize,
    /// By table.
    texts: Vec<Texts>,
    /// By table, in the order of `sql_of`.
    statements: Vec<Vec<Statement>>,
    params: Vec<Param<'static>>,
}

/// How a statement is run: measured, or with its rows hashed.
trait Runner {
    type Out: Default;
    fn run(session: &mut dyn SqlSession, statement: Statement, params: &[Param<'_>]) -> Outcome<Self::Out>;
    fn run_text(session: &mut dyn SqlSession, sql: &str) -> Outcome<Self::Out>;
    fn add(sum: &mut Self::Out, more: Self::Out);
}

struct Measured;

impl Runner for Measured {
    type Out = u64;
    fn run(session: &mut dyn SqlSession, statement: Statement, params: &[Param<'_>]) -> Outcome<u64> {
        session.run(statement, params)
    }
    fn run_text(session: &mut dyn SqlSession, sql: &str) -> Outcome<u64> {
        session.run_text(sql)
    }
    fn add(sum: &mut u64, more: u64) {
        *sum += more;
    }
}

struct Checked;

impl Runner for Checked {
    type Out = Answer;
    fn run(session: &mut dyn SqlSession, statement: Statement, params: &[Param<'_>]) -> Outcome<Answer> {
        session.run_checked(statement, params)
    }
    fn run_text(session: &mut dyn SqlSession, sql: &str) -> Outcome<Answer> {
        session.run_text_checked(sql)
    }
    fn add(sum: &mut Answer, more: Answer) {
        sum.rows += more.rows;
        sum.checksum = sum.checksum.wrapping_add(more.checksum);
    }
}

impl SysbenchClient {
    fn operate<R: Runner>(&mut self, seed: u64) -> Outcome<R::Out> {
        let mut random = Random::new(seed);
        match *self.shape {
            Shape::Scan => R::run_text(&mut *self.session, &self.texts[self.own_table][0]),
            Shape::Transaction { ranges, width } => self.transaction::<R>(&mut random, ranges.len(), width),
            ref single => {
                let table = random.below(self.statements.len() as u64) as usize;
                fill_params(&mut self.params, single, self.rows, &mut random);
                R::run(&mut *self.session, self.statements[table][0], &self.params)
            }
        }
    }

    fn transaction<R: Runner>(&mut self, random: &mut Random, ranges: usize, width: u64) -> Outcome<R::Out> {
        let (begin, commit) = (self.statements[0][0], self.statements[0][1]);
        let mut sum = R::run(&mut *self.session, begin, &[])?;
        for number in 0..POINTS_PER_TRANSACTION + ranges {
            let table = random.below(self.statements.len() as u64) as usize;
            let statement = if number < POINTS_PER_TRANSACTION {
                fill_params(&mut self.params, &Shape::Point, self.rows, random);
                2
            } else {
                push_range(&mut self.params, self.rows, width - 1, random);
                3 + number - POINTS_PER_TRANSACTION
            };
            R::add(&mut sum, R::run(&mut *self.session, self.statements[table][statement], &self.params)?);
        }
        R::add(&mut sum, R::run(&mut *self.session, commit, &[])?);
        Ok(sum)
    }
}

/// Replaces `params` by those of one single-statement operation.
fn fill_params(params: &mut Vec<Param<'static>>, shape: &Shape, rows: u64, random: &mut Random) {
    params.clear();
    match *shape {
        Shape::InList { count, hot: true, .. } => {
            let first = (rows / 2 + 1) as i32;
            params.extend((0..count as i32).map(|offset| Param::Int(first + offset)));
        }
        Shape::InList { count, .. } => params.extend((0..count).map(|_| Param::Int(random.id(rows)))),
        Shape::Point => params.push(Param::Int(random.id(rows))),
        Shape::Range { width, .. } => push_range(params, rows, width, random),
        Shape::Scan | Shape::Transaction { .. } => {}
    }
}

/// Replaces `params` by two ends `width` apart.
fn push_range(params: &mut Vec<Param<'static>>, rows: u64, width: u64, random: &mut Random) {
    let first = random.id(rows.saturating_sub(width).max(1));
    params.clear();
    params.extend([Param::Int(first), Param::Int(first + width as i32)]);
}

impl Client for SysbenchClient {
    fn operate(&mut self, seed: u64) -> Outcome<u64> {
        self.operate::<Measured>(seed)
    }

    fn operate_checked(&mut self, seed: u64) -> Outcome<Answer> {
        self.operate::<Checked>(seed)
    }

    fn server_process(&self) -> Option<u32> {
        self.session.server_process()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::table;

    fn texts(name: &str) -> Texts {
        let definition = table().iter().find(|test| test.name == name).expect("a test");
        sql_of(&definition.shape, "sbtest1")
    }

    #[test]
    fn statements_are_the_references() {
        assert_eq!(texts("point-query"), ["SELECT c FROM sbtest1 WHERE id = ?"]);
        assert_eq!(texts("range-covered-si"), ["SELECT k FROM sbtest1 WHERE k BETWEEN ? AND ?"]);
        assert_eq!(texts("scan"), ["SELECT * FROM sbtest1 WHERE LENGTH(c) < 0"]);
        assert_eq!(texts("read-only-count"), ["SELECT count(c) FROM sbtest1 WHERE id BETWEEN ? AND ?"]);
        assert_eq!(texts("random-points_range=10")[0].matches('?').count(), 10);
        let distinct = "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c";
        assert_eq!(texts("read-only-distinct")[3], distinct);
        assert_eq!(texts("read-only_range=100").len(), 7);
    }

    #[test]
    fn hot_points_are_always_the_same_and_in_the_middle() {
        let mut params = Vec::new();
        let shape = &table()[0].shape;
        fill_params(&mut params, shape, 1000, &mut Random::new(1));
        assert_eq!((params.len(), params[0], params[99]), (100, Param::Int(501), Param::Int(600)));
    }

    #[test]
    fn ranges_fit_whole() {
        let mut params = Vec::new();
        for seed in 0..1000 {
            push_range(&mut params, 20_000, 9_999, &mut Random::new(seed));
            let [Param::Int(first), Param::Int(last)] = params[..] else { panic!("two ends") };
            assert!(first >= 1 && last <= 20_000 && last - first == 9_999);
        }
    }
}
