//! Checks the tables against arithmetic: no row is missing, doubled, or left that should have been deleted.

use humdrum_contract::{Outcome, QueueSql, SqlSession, StepSeat};
use humdrum_model::{Contents, Fault, FaultKind};

use crate::table::{Step, step};
use crate::{ids, schema};

/// Columns whose sums identify the rows' contents. Ids differ between engines, and times between runs.
const SUMS: &str = "coalesce(sum(cashregisterid), 0), coalesce(sum(customerid), 0), coalesce(sum(productid), 0), \
                    coalesce(sum(price), 0), coalesce(sum(length(data)), 0)";

/// The checksum where subjects that did the same steps may have different rows.
const NOT_SUMMED: &str = "rows only";

/// Checks every table. Returns contents that are the same for all subjects that did the same steps.
pub(crate) fn verify(
    done: &[&str],
    seat: &StepSeat<'_>,
    session: &mut dyn SqlSession,
    queue: &QueueSql,
) -> Outcome<Contents> {
    let expected = ids::after(done, seat.scale, seat.compat, queue.ids_at_once);
    let (mut rows, mut sum) = (0, 0_u128);
    for table in schema::tables(seat.scale) {
        let found = totals(session, &table)?;
        compare(&table, &found, &expected)?;
        rows += expected.rows;
        sum = found[4..].iter().fold(sum, |sum, value| sum.wrapping_mul(1_000_003).wrapping_add(*value));
    }
    let checksum = if sums_agree(done, &expected) { format!("{sum:x}") } else { NOT_SUMMED.to_owned() };
    Ok(Contents { rows, checksum })
}

/// Whether sums must agree between subjects. In a table that clients share, the order of their inserts decides which
/// rows are the oldest. After deletes only the number of rows is then known.
fn sums_agree(done: &[&str], expected: &ids::Ids) -> bool {
    expected.sum.is_some() || !done.iter().filter_map(|name| step(name).ok()).any(Step::deletes)
}

/// Rows, least id, greatest id, sum of ids, then the sums of the contents.
fn totals(session: &mut dyn SqlSession, table: &str) -> Outcome<Vec<u128>> {
    let sql = format!(
        "SELECT count(*), coalesce(min(transactionid), 0), coalesce(max(transactionid), 0), \
         coalesce(sum(transactionid), 0), {SUMS} FROM {table}"
    );
    let answer = session.query(&sql)?;
    let row = answer.first().map(Vec::as_slice).unwrap_or_default();
    let number = |value: &Option<String>| value.as_deref().and_then(|text| text.trim().parse().ok());
    let numbers: Option<Vec<u128>> = row.iter().map(number).collect();
    numbers
        .filter(|numbers| numbers.len() == 9)
        .ok_or_else(|| Fault::crash(format!("no numbers in the answer to `{sql}`")))
}

fn compare(table: &str, found: &[u128], expected: &ids::Ids) -> Outcome<()> {
    let [rows, least, greatest, sum] = [found[0], found[1], found[2], found[3]];
    let (low, high) = (u128::from(expected.least), u128::from(expected.greatest));
    let ids_fit = match expected.sum {
        Some(expected) => least == low && greatest == high && sum == expected,
        None => least >= low && greatest <= high,
    };
    if rows == u128::from(expected.rows) && ids_fit {
        return Ok(());
    }
    let sums = expected.sum.map_or_else(String::new, |expected| format!(", sum of ids {sum} of {expected}"));
    let what = format!(
        "{table} holds {rows} rows with ids {least} to {greatest} where {} with ids {low} to {high} must be{sums}",
        expected.rows
    );
    Err(Fault::new(FaultKind::WrongAnswer, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_row_and_a_moved_id_are_wrong() {
        let expected = ids::Ids { rows: 3, least: 2, greatest: 4, sum: Some(9) };
        assert!(compare("pi1", &[3, 2, 4, 9], &expected).is_ok());
        for found in [[2, 2, 4, 6], [3, 2, 4, 8], [3, 1, 4, 9], [3, 2, 5, 9]] {
            assert_eq!(compare("pi1", &found, &expected).expect_err("wrong").kind, FaultKind::WrongAnswer);
        }
        // Clients that share a table do not know which ids each of them got.
        let shared = ids::Ids { sum: None, ..expected };
        assert!(compare("pi1", &[3, 2, 4, 1000], &shared).is_ok());
        assert!(compare("pi1", &[4, 2, 4, 9], &shared).is_err());
    }

    #[test]
    fn sums_of_a_shared_table_agree_until_rows_are_deleted() {
        let own = ids::Ids { rows: 3, least: 2, greatest: 4, sum: Some(9) };
        let shared = ids::Ids { sum: None, ..own };
        let deleted = ["l.i0", "l.x", "l.i1"];
        assert!(sums_agree(&deleted, &own) && sums_agree(&deleted[..2], &shared));
        assert!(!sums_agree(&deleted, &shared));
    }
}
