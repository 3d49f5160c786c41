//! The querying streams: by covering index, or by ids.

use std::fmt::Write;

use humdrum_contract::{Outcome, Param, ParamType, QueueSql, Random, SqlSession, Statement, StatementStream};

use super::{Least, Place, id_of};
use crate::rows::{PRICES, PRODUCTS, REGISTERS};

/// Most rows of a query's answer.
const ROWS: usize = 10;

/// Queries between two readings of the greatest id.
const GREATEST_EVERY: u64 = 100;

/// Makes queries independent of rows, which come from the same seed. Any constant does.
const QUERIES: u64 = 0x7175_6572_6965_7301;

/// One of the three covering queries.
struct Range {
    columns: &'static str,
    index: &'static str,
    condition: &'static str,
    bound: u64,
}

const RANGES: [Range; 3] = [
    Range { columns: "price,dateandtime,customerid", index: "_pdc", condition: "price >=", bound: PRICES },
    Range {
        columns: "productid,customerid,price",
        index: "_marketsegment",
        condition: "productid >=",
        bound: PRODUCTS,
    },
    Range {
        columns: "cashregisterid,customerid,price",
        index: "_registersegment",
        condition: "cashregisterid >",
        bound: REGISTERS,
    },
];

impl Range {
    fn sql(&self, table: &str, queue: &QueueSql, value: &str) -> String {
        let Self { columns, index, condition, .. } = self;
        let hint = if queue.forces_index { format!(" FORCE INDEX ({table}{index})") } else { String::new() };
        format!(
            "SELECT {columns} FROM {table}{hint} WHERE {condition} {value} ORDER BY {columns} LIMIT {ROWS}"
        )
    }
}

/// The covering queries of a table, each from the middle of its values on.
pub(super) fn sample_ranges(table: &str, queue: &QueueSql) -> Vec<String> {
    RANGES.iter().map(|range| range.sql(table, queue, &(range.bound / 2).to_string())).collect()
}

/// A query of ids near `middle`.
pub(super) fn sample_points(table: &str, middle: u64) -> String {
    let ids: Vec<String> = (0..ROWS as u64).map(|number| (middle + number * 7).to_string()).collect();
    format!("{}{})", points_head(table), ids.join(","))
}

fn points_head(table: &str) -> String {
    format!("SELECT transactionid,productid,data FROM {table} WHERE transactionid IN (")
}

/// The common part of both kinds of queries.
struct Asker {
    session: Box<dyn SqlSession>,
    seed: u64,
    asked: u64,
    text: String,
}

impl Asker {
    fn new(place: &Place<'_>, session: Box<dyn SqlSession>) -> Self {
        let step = place.step.name.bytes().fold(QUERIES, |sum, byte| sum.rotate_left(8) ^ u64::from(byte));
        let seed = Random::of(place.seed ^ step, u64::from(place.client)).next();
        Self { session, seed, asked: 0, text: String::new() }
    }

    /// The random numbers of the next query.
    fn next(&mut self) -> Random {
        self.asked += 1;
        Random::of(self.seed, self.asked)
    }
}

/// Covering index queries.
pub(super) struct Ranges {
    asker: Asker,
    /// The statements by kind of query. Without them, `texts` has each statement's text before and after the value.
    prepared: Option<Vec<Statement>>,
    texts: Vec<(String, String)>,
}

impl Ranges {
    pub(super) fn new(
        place: &Place<'_>,
        mut session: Box<dyn SqlSession>,
        queue: &QueueSql,
    ) -> Outcome<Self> {
        let prepared = match queue.prepares_queries {
            true => {
                let prepare =
                    |range: &Range| session.prepare(&range.sql(&place.table, queue, "$1"), &[ParamType::Int]);
                Some(RANGES.iter().map(prepare).collect::<Outcome<_>>()?)
            }
            false => None,
        };
        let split = |range: &Range| {
            let sql = range.sql(&place.table, queue, "?");
            let (head, tail) = sql.split_once('?').unwrap_or((&sql, ""));
            (head.to_owned(), tail.to_owned())
        };
        let texts = RANGES.iter().map(split).collect();
        Ok(Self { asker: Asker::new(place, session), prepared, texts })
    }
}

impl StatementStream for Ranges {
    fn act(&mut self, _number: u64) -> Outcome<u64> {
        let mut random = self.asker.next();
        let kind = random.below(RANGES.len() as u64) as usize;
        let value = random.below(RANGES[kind].bound);
        if let Some(prepared) = &self.prepared {
            return self.asker.session.run(prepared[kind], &[Param::Int(value as i32)]);
        }
        let (head, tail) = &self.texts[kind];
        self.asker.text.clear();
        // Writing to a String cannot fail.
        let _ = write!(self.asker.text, "{head}{value}{tail}");
        self.asker.session.run_text(&self.asker.text)
    }

    fn server_process(&self) -> Option<u32> {
        self.asker.session.server_process()
    }
}

/// Queries of ten ids between the least and the greatest.
pub(super) struct Points {
    asker: Asker,
    least: Least,
    greatest: u64,
    greatest_sql: String,
    prepared: Option<Statement>,
    head: String,
}

impl Points {
    pub(super) fn new(
        place: &Place<'_>,
        mut session: Box<dyn SqlSession>,
        queue: &QueueSql,
    ) -> Outcome<Self> {
        let table = &place.table;
        let head = points_head(table);
        let prepared = match queue.prepares_queries {
            true => {
                let places: Vec<String> = (1..=ROWS).map(|number| format!("${number}")).collect();
                Some(session.prepare(&format!("{head}{})", places.join(",")), &[ParamType::Int; ROWS])?)
            }
            false => None,
        };
        let greatest_sql = format!("SELECT max(transactionid) FROM {table}");
        // Before the first look-up, the least id is not known.
        let least = place.least.clone();
        least.raise(id_of(&mut *session, &format!("SELECT min(transactionid) FROM {table}"))?);
        Ok(Self { asker: Asker::new(place, session), least, greatest: 0, greatest_sql, prepared, head })
    }
}

impl StatementStream for Points {
    fn act(&mut self, _number: u64) -> Outcome<u64> {
        if self.asker.asked.is_multiple_of(GREATEST_EVERY) {
            self.greatest = id_of(&mut *self.asker.session, &self.greatest_sql)?;
        }
        let mut random = self.asker.next();
        let least = self.least.get();
        let span = self.greatest.saturating_sub(least).max(1);
        let ids: [u64; ROWS] = std::array::from_fn(|_| least + random.below(span));
        if let Some(prepared) = self.prepared {
            return self.asker.session.run(prepared, &ids.map(|id| Param::Int(id as i32)));
        }
        self.asker.text.clear();
        self.asker.text.push_str(&self.head);
        for (place, id) in ids.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            let _ = write!(self.asker.text, "{comma}{id}");
        }
        self.asker.text.push(')');
        self.asker.session.run_text(&self.asker.text)
    }

    fn server_process(&self) -> Option<u32> {
        self.asker.session.server_process()
    }
}
