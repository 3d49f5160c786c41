//! What a query answers, so that two operators are seen to answer the same before they are timed.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::error::Result;
use futures::StreamExt;

use crate::data::Set;
use crate::{runtime, session};

/// How many rows, and the sum of their hashes: rows with equal keys may come in any order.
#[derive(Debug)]
pub struct Answer {
    pub rows: usize,
    hash: u64,
}

impl Answer {
    /// Whether both are the same; of limited rows, whether they are as many.
    pub fn is_as(&self, other: &Answer, limited: bool) -> bool {
        self.rows == other.rows && (limited || self.hash == other.hash)
    }
}

/// The answer to a set's query.
pub fn of(set: &Set, threads: usize, with_rule: bool) -> Result<Answer> {
    runtime(threads)?.block_on(async {
        let query = session(set, threads, with_rule)?.sql(&set.sql).await?;
        let fields = query.schema().fields().iter().map(|field| SortField::new(field.data_type().clone()));
        let converter = RowConverter::new(fields.collect())?;
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let mut answer = Answer { rows: 0, hash: 0 };
        let mut stream = query.execute_stream().await?;
        while let Some(batch) = stream.next().await {
            let batch = batch?;
            answer.rows += batch.num_rows();
            for row in converter.convert_columns(batch.columns())?.iter() {
                answer.hash = answer.hash.wrapping_add(hasher.hash_one(row.data()));
            }
        }
        Ok(answer)
    })
}
