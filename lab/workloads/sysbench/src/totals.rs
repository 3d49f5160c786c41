//! Row counts and checksums of the tables, by the server's own arithmetic.

use humdrum_contract::{Outcome, SqlSession};
use humdrum_model::{Contents, Scale};
use humdrum_workload_common::whole_number;

use crate::tables;

/// Row count and one checksum of all tables, from a query per table that returns both.
pub(crate) fn sum(
    session: &mut dyn SqlSession,
    scale: &Scale,
    query: impl Fn(&str) -> String,
) -> Outcome<Contents> {
    let (mut rows, mut sum) = (0, 0_u128);
    for table in tables(scale) {
        let row = session.query(&query(&table))?;
        rows += whole_number(&row, 0)? as u64;
        sum = sum.wrapping_mul(31).wrapping_add(whole_number(&row, 1)?);
    }
    Ok(Contents { rows, checksum: format!("{sum:x}") })
}
