//! What a query answers, so that two operators are seen to answer the same before they are timed.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::{DFSchema, exec_err};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, LogicalPlan};
use futures::StreamExt;

use crate::data::Set;
use crate::{runtime, session};

/// Any odd number: what comes before it counts differently from what comes after.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// How many rows, the sum of their hashes, and a hash of their keys in order: rows with equal keys may come in any order.
#[derive(Debug)]
pub struct Answer {
    pub rows: usize,
    hash: u64,
    keys: u64,
}

impl Answer {
    /// Whether both are the same; of limited rows, whether they are as many with the same keys.
    pub fn is_as(&self, other: &Answer, limited: bool) -> bool {
        (self.rows, self.keys) == (other.rows, other.keys) && (limited || self.hash == other.hash)
    }
}

/// The answer to a set's query.
pub fn of(set: &Set, threads: usize, with_rule: bool) -> Result<Answer> {
    runtime(threads)?.block_on(async {
        let query = session(set, threads, with_rule)?.sql(&set.sql).await?;
        let keys = keys(query.logical_plan(), query.schema());
        if keys.is_empty() && !set.name.starts_with("tpch") {
            return exec_err!("{}: no column of the order is known, so that it cannot be compared", set.name);
        }
        let all: Vec<usize> = (0..query.schema().fields().len()).collect();
        let converter = |columns: &[usize]| {
            let of = |&column: &usize| SortField::new(query.schema().field(column).data_type().clone());
            RowConverter::new(columns.iter().map(of).collect())
        };
        let (converter, of_keys) = (converter(&all)?, converter(&keys)?);
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let mut answer = Answer { rows: 0, hash: 0, keys: 0 };
        let mut stream = query.execute_stream().await?;
        while let Some(batch) = stream.next().await {
            let batch = batch?;
            answer.rows += batch.num_rows();
            for row in converter.convert_columns(batch.columns())?.iter() {
                answer.hash = answer.hash.wrapping_add(hasher.hash_one(row.data()));
            }
            for key in of_keys.convert_columns(batch.project(&keys)?.columns())?.iter() {
                answer.keys = answer.keys.wrapping_mul(STEP).wrapping_add(hasher.hash_one(key.data()));
            }
        }
        Ok(answer)
    })
}

/// The columns that a query is sorted by, as far as they are columns of its answer.
fn keys(plan: &LogicalPlan, schema: &DFSchema) -> Vec<usize> {
    let column = |expr: &Expr| schema.index_of_column(expr.try_as_col()?).ok();
    match plan {
        LogicalPlan::Limit(limit) => keys(&limit.input, schema),
        LogicalPlan::Sort(sort) => sort.expr.iter().filter_map(|sort| column(&sort.expr)).collect(),
        _ => Vec::new(),
    }
}
